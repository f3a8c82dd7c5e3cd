"""The pass `fuse`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.fuse import FuseOptions, fuse


@dataclass(frozen=True)
class FusePass(FuseOptions, ScopPass):
    """Fuse the nests of statements.

    `statements` are statements of adjacent nests, and `depth` is the number of loops to fuse,
    from the outermost. Or `loops` has the address of one loop of each nest: these loops are
    fused, and so are the loops around them that are not fused yet. An illegal fusion is refused.

    Before:

        poly.sequence {
          poly.filter "{ S0[i] }" {
            poly.band "[{ S0[i] -> [(i)] }]" coincident [true]
          }
          poly.filter "{ S1[j] }" {
            poly.band "[{ S1[j] -> [(j)] }]" coincident [true]
          }
        }

    After `--fuse=S0,S1`, or `--fuse=loops=S0.0,S1.0`:

        poly.band "[{ S0[i] -> [(i)]; S1[j] -> [(j)] }]" permutable coincident [true] {
          poly.sequence {
            poly.filter "{ S0[i] }"
            poly.filter "{ S1[j] }"
          }
        }
    """

    name = "fuse"

    @property
    def named(self) -> tuple[str, ...]:
        return super().named or self.statements

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return fuse(scop.schedule, dependences, self)
