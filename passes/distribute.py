"""The pass `distribute`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.distribute import DistributeOptions, distribute


@dataclass(frozen=True)
class DistributePass(DistributeOptions, ScopPass):
    """Put statements in separate nests.

    The first `keep` loops that a statement of `statements` shares with others stay common. Or
    `loops` lists addresses: S1.1 separates S1 from its second loop on, and S1/0.1 the first part
    of S1. An illegal distribution is refused.

    Before:

        poly.band "[{ S0[i] -> [(i)]; S1[i] -> [(i)] }]" permutable coincident [true] {
          poly.sequence {
            poly.filter "{ S0[i] }"
            poly.filter "{ S1[i] }"
          }
        }

    After `--distribute=S0`, or `--distribute=loops=S0.0`:

        poly.sequence {
          poly.filter "{ S0[i] }" {
            poly.band "[{ S0[i] -> [(i)] }]" permutable coincident [true]
          }
          poly.filter "{ S1[i] }" {
            poly.band "[{ S1[i] -> [(i)] }]" permutable coincident [true]
          }
        }
    """

    name = "distribute"

    @property
    def named(self) -> tuple[str, ...]:
        return super().named or self.statements

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return distribute(scop.schedule, dependences, self)
