"""The pass `feautrier-schedule`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.scheduler_pass import SchedulerPass
from polyir.schedule.constraints import ScheduleConstraints
from polyir.schedule.feautrier import FeautrierOptions, feautrier_schedule


@dataclass(frozen=True)
class FeautrierSchedulePass(SchedulerPass, FeautrierOptions):
    """Find schedules of minimum latency: few sequential loops outside, parallel loops inside.

    Each sequential loop carries as many dependences as possible. With `serialize`, statements
    that are not in a common dependence cycle get loops of their own. With `late`, statements in no
    cycle run right before what needs them.

    Before:

        poly.band "[{ S0[i, j] -> [(i)] }]" {
          poly.band "[{ S0[i, j] -> [(j)] }]"
        }

    After (S0 carries (1, 0) and (0, 1)):

        poly.band "[{ S0[i, j] -> [(i + j)] }]" permutable {
          poly.band "[{ S0[i, j] -> [(i)] }]" permutable coincident [true]
        }
    """

    name = "feautrier-schedule"

    def find(self, constraints: ScheduleConstraints, scop: Scop) -> Outcome:
        result = feautrier_schedule(constraints, self)
        return Outcome(result.schedule, done=result.notes, proved=True)
