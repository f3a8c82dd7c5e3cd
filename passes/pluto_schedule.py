"""The pass `pluto-schedule`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.scheduler_pass import SchedulerPass
from polyir.schedule.constraints import ScheduleConstraints
from polyir.schedule.pluto import PlutoOptions, pluto_schedule


@dataclass(frozen=True)
class PlutoSchedulePass(SchedulerPass, PlutoOptions):
    """Find permutable bands of loops with short dependences, using the Pluto algorithm.

    `fuse` selects which statements share loops: as many as is legal (`max`), only those of equal
    depth that depend on each other (`smart`), or only those in a common dependence cycle
    (`none`). With `input-dependences`, two reads of the same element count as reuse.

    Before (a stencil that carries (1, -1), so its loops cannot be tiled):

        poly.band "[{ S0[t, i] -> [(t)] }]" {
          poly.band "[{ S0[t, i] -> [(i)] }]"
        }

    After:

        poly.band "[{ S0[t, i] -> [(t)] }, { S0[t, i] -> [(t + i)] }]"
            permutable
    """

    name = "pluto-schedule"

    input_dependences: bool = False

    @property
    def counts_input_dependences(self) -> bool:
        return self.input_dependences

    def find(self, constraints: ScheduleConstraints, scop: Scop) -> Outcome:
        result = pluto_schedule(constraints, self)
        return Outcome(result.schedule, done=result.notes, proved=True)
