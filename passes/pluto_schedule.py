"""The pass `pluto-schedule`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.constraints import schedule_constraints
from polyir.passes.scheduler_pass import SchedulerPass
from polyir.schedule.pluto import Fusion, PlutoOptions, pluto_schedule


@dataclass(frozen=True)
class PlutoSchedulePass(SchedulerPass):
    """Find permutable bands of loops with short dependences: the Pluto algorithm.

    `fuse` says which statements share loops: as many as is legal (`max`), those of one depth
    that depend on each other (`smart`), or none that are not in one cycle of dependences.
    `input-dependences` lets reads of the same element count as reuse.

    Before (a stencil that carries (1, -1), so that its loops cannot be tiled):

        poly.band "[{ S0[t, i] -> [(t)] }]" coincident [false] {
          poly.band "[{ S0[t, i] -> [(i)] }]" coincident [false]
        }

    After:

        poly.band "[{ S0[t, i] -> [(t)] }, { S0[t, i] -> [(t + i)] }]"
            permutable coincident [false, false]
    """

    name = "pluto-schedule"

    fuse: Literal["max", "smart", "none"] = "smart"
    input_dependences: bool = False

    def find(self, scop: Scop, dependences: Dependences) -> Outcome:
        problem = schedule_constraints(scop, dependences, input_dependences=self.input_dependences)
        result = pluto_schedule(problem, PlutoOptions(Fusion(self.fuse)))
        return Outcome(result.schedule, done=result.notes)
