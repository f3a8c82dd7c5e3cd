"""The pass `mark-parallel`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.parallel import Which, mark_parallel


@dataclass(frozen=True)
class MarkParallelPass(ScopPass):
    """Mark parallel loops, which then are lowered to `affine.parallel` or `scf.parallel`.

    `which` is `outermost` (the outermost parallel loop of each nest), `inner` (the innermost
    one) or `all`. That a loop is parallel is decided exactly from the dependences.

    Before:

        poly.band "[{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]"
            permutable coincident [false, true]

    After:

        poly.band "[{ S0[i, j] -> [(i)] }]" permutable coincident [false] {
          poly.mark "parallel" {
            poly.band "[{ S0[i, j] -> [(j)] }]" permutable coincident [true]
          }
        }
    """

    name = "mark-parallel"

    which: Which = "outermost"

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return mark_parallel(scop.schedule, dependences, self.which)
