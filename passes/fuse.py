"""The pass `fuse`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.named_statements import NamedStatementsPass
from polyir.transform.fuse import FuseOptions, fuse


@dataclass(frozen=True)
class FusePass(NamedStatementsPass):
    """Fuse the nests of the given statements.

    `statements` are statements of neighbouring nests, `depth` is the number of their loops, from
    the outermost, that are fused. An illegal fusion is refused.

    Before:

        poly.sequence {
          poly.filter "{ S0[i] }" {
            poly.band "[{ S0[i] -> [(i)] }]" coincident [true]
          }
          poly.filter "{ S1[j] }" {
            poly.band "[{ S1[j] -> [(j)] }]" coincident [true]
          }
        }

    After `--fuse=S0,S1`:

        poly.band "[{ S0[i] -> [(i)]; S1[j] -> [(j)] }]" permutable coincident [true] {
          poly.sequence {
            poly.filter "{ S0[i] }"
            poly.filter "{ S1[j] }"
          }
        }
    """

    name = "fuse"

    depth: int = 1

    def __post_init__(self) -> None:
        # Bad options are refused before any input is read.
        self._options()

    def transform_named(self, scop: Scop, dependences: Dependences) -> Outcome:
        return fuse(scop.schedule, dependences, self._options())

    def _options(self) -> FuseOptions:
        return FuseOptions(self.statements, self.depth)
