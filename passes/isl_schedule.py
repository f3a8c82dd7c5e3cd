"""The pass `isl-schedule`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.constraints import (
    live_range_constraints,
    reordered_live_ranges,
    schedule_constraints,
)
from polyir.passes.scheduler_pass import SchedulerPass
from polyir.schedule.clustering import Fusion
from polyir.schedule.isl_style import IslStyleOptions, isl_style_schedule


@dataclass(frozen=True)
class IslSchedulePass(SchedulerPass):
    """Find permutable bands, parallel members first: polyir's scheduler for isl's problem.

    `fusion` says which statements share loops: as many as can (`max`), those for which that
    costs no parallelism and brings a value nearer to its use (`typed`), or none that are not in
    one cycle of dependences (`min`). With `outer-coincidence` a band that is not parallel
    outside is replaced by one sequential loop and parallel loops inside, where that is possible.
    `input-dependences` lets reads of the same element count as reuse.

    With `live-range-reordering`, iterations that reuse memory for other values may change their
    order, as long as the values' lives do not overlap; the scop's dependences are then those of
    the new order.

    Before (the loop over i carries a dependence, that over j does not):

        poly.band "[{ S0[i, j] -> [(i)] }]" coincident [false] {
          poly.band "[{ S0[i, j] -> [(j)] }]" coincident [true]
        }

    After:

        poly.band "[{ S0[i, j] -> [(j)] }, { S0[i, j] -> [(i)] }]"
            permutable coincident [true, false]
    """

    name = "isl-schedule"

    fusion: Literal["max", "typed", "min"] = "typed"
    outer_coincidence: bool = False
    input_dependences: bool = False
    live_range_reordering: bool = False

    def find(self, scop: Scop, dependences: Dependences) -> Outcome:
        ask = live_range_constraints if self.live_range_reordering else schedule_constraints
        constraints = ask(scop, dependences, input_dependences=self.input_dependences)
        options = IslStyleOptions(Fusion(self.fusion), self.outer_coincidence)
        result = isl_style_schedule(constraints, options)
        if self.live_range_reordering:
            return reordered_live_ranges(scop, result.schedule, self.name, result.notes)
        return Outcome(result.schedule, done=result.notes)
