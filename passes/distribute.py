"""The pass `distribute`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.named_statements import NamedStatementsPass
from polyir.transform.distribute import DistributeOptions, distribute


@dataclass(frozen=True)
class DistributePass(NamedStatementsPass):
    """Give the given statements nests of their own.

    The first `keep` loops that a statement shares with others stay common. An illegal
    distribution is refused.

    Before:

        poly.band "[{ S0[i] -> [(i)]; S1[i] -> [(i)] }]" permutable coincident [true] {
          poly.sequence {
            poly.filter "{ S0[i] }"
            poly.filter "{ S1[i] }"
          }
        }

    After `--distribute=S0`:

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

    keep: int = 0

    def __post_init__(self) -> None:
        # Bad options are refused before any input is read.
        self._options()

    def transform_named(self, scop: Scop, dependences: Dependences) -> Outcome:
        return distribute(scop.schedule, dependences, self._options())

    def _options(self) -> DistributeOptions:
        return DistributeOptions(self.statements, self.keep)
