"""The pass `isl-builtin-schedule`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.scheduler_pass import LiveRangePass
from polyir.schedule.constraints import ScheduleConstraints
from polyir.schedule.isl_builtin import IslBuiltinOptions, isl_builtin_schedule


@dataclass(frozen=True)
class IslBuiltinSchedulePass(LiveRangePass, IslBuiltinOptions):
    """Schedule with the compiled scheduler of the isl library, as a baseline.

    The options are isl's (`schedule-...`), with the same meaning and the same defaults, except
    that `maximize-coincidence` is on. -1 means no limit. With `input-dependences`, two reads of
    the same element count as reuse.

    With `live-range-reordering`, iterations that reuse memory for other values may change their
    order, as long as the live ranges of the values do not overlap. The scop's dependences are
    then those of the new order.

    Before:

        poly.band "[{ S0[i, j] -> [(i)] }]" {
          poly.band "[{ S0[i, j] -> [(j)] }]"
        }

    After:

        poly.band "[{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]"
            permutable coincident [true, false]
    """

    name = "isl-builtin-schedule"

    input_dependences: bool = False

    @property
    def counts_input_dependences(self) -> bool:
        return self.input_dependences

    def find(self, constraints: ScheduleConstraints, scop: Scop) -> Outcome:
        return Outcome(isl_builtin_schedule(constraints, self), proved=True)
