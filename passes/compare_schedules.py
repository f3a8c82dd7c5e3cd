"""The pass `compare-schedules`."""

from __future__ import annotations

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
from polyir.passes.prerequisites import analysed_scops
from polyir.passes.scheduler_pass import SchedulerPass, schedulers
from polyir.schedule.comparison import HEADING, cells_of, figures_of, table
from polyir.schedule.constraints import SchedulingError


@dataclass(frozen=True)
class CompareSchedulesPass(ModulePass):
    """Print a comparison of the schedules that all schedulers find for each scop.

    The program does not change. Each scheduler runs with its default options, under the time
    limit; those of other packages, too. One comment line per scheduler is printed on standard
    output, with these columns:

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


def comparison_rows(scop: Scop) -> list[tuple[str, ...]]:
    """The heading and a row of cells for the original schedule and for each scheduler."""
    assert scop.dependences is not None
    rows = [HEADING, ("original", *cells_of(figures_of(scop.schedule, scop.dependences)))]
    no_figures = ("-",) * (len(HEADING) - 2)
    for name, scheduler in schedulers(CompareSchedulesPass.name).items():
        compute = partial(_cells, scheduler, scop, scop.dependences)
        try:
            within = partial(within_operations, budgets.COMPARED_SCHEDULE, compute)
            cells = limited(f"the scheduler {name}", within, location_of(scop.op))
        except SchedulingError:
            cells = "none found", *no_figures
        except CrashError:
            cells = None
        rows.append((name, *(cells or ("not finished", *no_figures))))
    return rows


def _cells(scheduler: SchedulerPass, scop: Scop, dependences: Dependences) -> tuple[str, ...]:
    found = scheduler.find(scheduler.constraints_of(scop, dependences), scop)
    return cells_of(figures_of(found.schedule, dependences))
