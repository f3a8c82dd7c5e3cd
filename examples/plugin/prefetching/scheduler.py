"""A scheduler: which statements share loops is whatever leaves most loops parallel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.scheduler_pass import SchedulerPass
from polyir.schedule.comparison import figures_of
from polyir.schedule.constraints import ScheduleConstraints
from polyir.schedule.pluto import PlutoFusion, PlutoOptions, pluto_schedule


@dataclass(frozen=True)
class WidestSchedulePass(SchedulerPass):
    """Find permutable bands with as many outer parallel loops as any fusion policy leaves."""

    name = "widest-schedule"

    def find(self, constraints: ScheduleConstraints, scop: Scop) -> Outcome:
        dependences = scop.dependences
        assert dependences is not None
        found = {
            fuse: pluto_schedule(constraints, PlutoOptions(fuse=fuse)).schedule
            for fuse in get_args(PlutoFusion)
        }
        widths = {
            fuse: figures_of(schedule, dependences).total_outer_coincident
            for fuse, schedule in found.items()
        }
        best = max(widths, key=widths.__getitem__)
        # That no dependence is violated is checked by `SchedulerPass`, whatever is found here.
        return Outcome(found[best], (f"fuse={best}: {widths[best]} outer parallel loops",))
