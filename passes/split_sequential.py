"""The pass `split-sequential`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.split_sequential import split_sequential


@dataclass(frozen=True)
class SplitSequentialPass(ScopPass):
    """Split sequential loops into parallel parts where one iteration is what makes them sequential.

    All dependences that the loop carries must start or end at that iteration.

    Before (`a[i] = f(a[i], a[m])`):

        poly.band "[{ S0[i] -> [(i)] }]" permutable

    After `--split-sequential`:

        poly.sequence {
          poly.filter "[m] -> { S0[i] : i < m }" {
            poly.band "[{ S0[i] -> [(i)] }]" permutable coincident [true]
          }
          poly.filter "[m] -> { S0[i = m] }" {
            poly.band "[{ S0[i] -> [(i)] }]" permutable coincident [true]
          }
          poly.filter "[m] -> { S0[i] : i > m }" {
            poly.band "[{ S0[i] -> [(i)] }]" permutable coincident [true]
          }
        }
    """

    name = "split-sequential"

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return split_sequential(scop.schedule, dependences)
