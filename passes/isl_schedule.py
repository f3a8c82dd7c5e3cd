"""The pass `isl-schedule`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.scheduler_pass import LiveRangePass
from polyir.schedule.constraints import ScheduleConstraints
from polyir.schedule.isl_style import IslOptions, isl_style_schedule


@dataclass(frozen=True)
class IslSchedulePass(LiveRangePass, IslOptions):
    """Find permutable bands, parallel members first: polyir's scheduler for isl's problem.

    `fusion` selects which statements share loops: as many as possible (`max`), those for which
    this costs no parallelism and brings a value closer to its use (`typed`), or only those in a
    common dependence cycle (`min`). With `outer-coincidence`, a band whose outermost loop is not
    parallel is replaced, where possible, by one sequential loop with parallel loops inside it.
    With `input-dependences`, two reads of the same element count as reuse.

    With `live-range-reordering`, iterations that reuse memory for other values may change their
    order, as long as the live ranges of the values do not overlap. The scop's dependences are
    then those of the new order.

    Before (the loop over i carries a dependence, the loop over j does not):

        poly.band "[{ S0[i, j] -> [(i)] }]" {
          poly.band "[{ S0[i, j] -> [(j)] }]" coincident [true]
        }

    After:

        poly.band "[{ S0[i, j] -> [(j)] }, { S0[i, j] -> [(i)] }]"
            permutable coincident [true, false]
    """

    name = "isl-schedule"

    input_dependences: bool = False

    @property
    def counts_input_dependences(self) -> bool:
        return self.input_dependences

    def find(self, constraints: ScheduleConstraints, scop: Scop) -> Outcome:
        result = isl_style_schedule(constraints, self)
        return Outcome(result.schedule, done=result.notes, proved=True)
