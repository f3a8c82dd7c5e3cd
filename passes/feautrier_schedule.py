"""The pass `feautrier-schedule`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.constraints import schedule_constraints
from polyir.passes.scheduler_pass import SchedulerPass
from polyir.schedule.feautrier import FeautrierOptions, feautrier_schedule


@dataclass(frozen=True)
class FeautrierSchedulePass(SchedulerPass):
    """Find minimum-latency schedules: few sequential loops outside, parallel loops inside.

    Each sequential loop carries as many dependences as possible. With `serialize`, statements
    that are not in one cycle of dependences have loops of their own.

    Before:

        poly.band "[{ S0[i, j] -> [(i)] }]" coincident [false] {
          poly.band "[{ S0[i, j] -> [(j)] }]" coincident [false]
        }

    After (S0 carries (1, 0) and (0, 1)):

        poly.band "[{ S0[i, j] -> [(i + j)] }]" permutable coincident [false] {
          poly.band "[{ S0[i, j] -> [(i)] }]" permutable coincident [true]
        }
    """

    name = "feautrier-schedule"

    serialize: bool = False

    def find(self, scop: Scop, dependences: Dependences) -> Outcome:
        constraints = schedule_constraints(scop, dependences)
        result = feautrier_schedule(constraints, FeautrierOptions(self.serialize))
        return Outcome(result.schedule, done=result.notes)
