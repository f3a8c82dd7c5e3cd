"""The pass `compare-schedules`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.base import budgets
from polyir.base.diagnostics import location_of
from polyir.base.limits import CrashError, limited, within_operations
from polyir.dialects.dependence import Dependences
from polyir.model.scop import Scop, scop_of
from polyir.passes.constraints import schedule_constraints
from polyir.passes.prerequisites import analysed_scops
from polyir.schedule.comparison import HEADING, cells_of, figures_of, table
from polyir.schedule.constraints import ScheduleConstraints, SchedulingError
from polyir.schedule.feautrier import feautrier_schedule
from polyir.schedule.isl_builtin import isl_builtin_schedule
from polyir.schedule.isl_style import isl_style_schedule
from polyir.schedule.pluto import pluto_schedule
from polyir.schedule.spatial.reuse import reuse_groups
from polyir.schedule.spatial.scheduler import spatial_schedule
from polyir.tree import Schedule

Scheduler = Callable[[ScheduleConstraints, Scop], Schedule]

_SCHEDULERS: dict[str, Scheduler] = {
    "pluto": lambda constraints, scop: pluto_schedule(constraints).schedule,
    "feautrier": lambda constraints, scop: feautrier_schedule(constraints).schedule,
    "isl": lambda constraints, scop: isl_style_schedule(constraints).schedule,
    "isl-builtin": lambda constraints, scop: isl_builtin_schedule(constraints),
    "spatial": lambda constraints, scop: _spatial(scop),
}


@dataclass(frozen=True)
class CompareSchedulesPass(ModulePass):
    """Print a comparison of the schedules that all schedulers find for each scop.

    The program does not change. Each scheduler runs with its default options, under the time
    limit. One comment line per scheduler is printed on standard output, with these columns:

    - bands: the number of members of each band, outer before inner;
    - outer: the number of leading coincident members of the outermost band, summed over the
      statements;
    - distance: the largest distance of each dependence in each loop that its source and target
      share, summed over those that are constant; `+ k*` stands for k unbounded distances;
    - apart: the number of dependences whose source and target share no loop;
    - legal: the result of the exact legality check.

        // schedules of @sweep:
        // scheduler    bands  outer  distance  apart  legal
        // original     1 1    0      5         0      yes
        // pluto        2      0      5         0      yes
        ...
    """

    name = "compare-schedules"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for scop_op in analysed_scops(op, self.name, "nothing to compare"):
            function = scop_op.function
            where = "" if function is None else f" of @{function.sym_name.data}"
            lines = [f"schedules{where}:", *table(comparison_rows(scop_of(scop_op)))]
            print("\n".join(f"// {line}" for line in lines))


def _spatial(scop: Scop) -> Schedule:
    """The spatial scheduler also needs the pairs of reads of the same element."""
    assert scop.dependences is not None
    constraints = schedule_constraints(scop, scop.dependences, input_dependences=True)
    return spatial_schedule(constraints, reuse_groups(scop)).schedule


def comparison_rows(scop: Scop) -> list[tuple[str, ...]]:
    """The heading and a row of cells for the original schedule and for each scheduler."""
    assert scop.dependences is not None
    dependences = scop.dependences
    constraints = schedule_constraints(scop, dependences)
    rows = [HEADING, ("original", *cells_of(figures_of(scop.schedule, dependences)))]
    no_figures = ("-",) * (len(HEADING) - 2)
    for name, scheduler in _SCHEDULERS.items():
        compute = partial(_cells, scheduler, constraints, scop, dependences)
        try:
            within = partial(within_operations, budgets.COMPARED_SCHEDULE, compute)
            cells = limited(f"the scheduler {name}", within, location_of(scop.op))
        except SchedulingError:
            cells = "none found", *no_figures
        except CrashError:
            cells = None
        rows.append((name, *(cells or ("not finished", *no_figures))))
    return rows


def _cells(
    scheduler: Scheduler, constraints: ScheduleConstraints, scop: Scop, dependences: Dependences
) -> tuple[str, ...]:
    return cells_of(figures_of(scheduler(constraints, scop), dependences))
