"""The pass `print-interleavings`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import islice

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.base import budgets
from polyir.base.diagnostics import OptionError, missed
from polyir.interleaving.description import describe
from polyir.interleaving.fusability import FusionOptions
from polyir.interleaving.of_schedule import interleaving_of_schedule
from polyir.interleaving.schedule import InterleavingScheduler
from polyir.interleaving.space import InterleavingSpace
from polyir.model.analysis import bounded
from polyir.model.scop import Scop, scop_of
from polyir.passes.prerequisites import analysed_scops
from polyir.schedule.scop_constraints import schedule_constraints


@dataclass(frozen=True)
class PrintInterleavingsPass(FusionOptions, ModulePass):
    """Print which statements may share the outermost loop, and in what order, to standard output.

    The lines, which are comments, have the legal interleavings of each scop, those with a larger
    first block first, as `interleaving-schedule` takes them (which also explains `rows` and
    `shift`). Below each is the outermost band of each block: its loops as functions of the
    iterators, with the constants by which statements are shifted, and which of its members are
    parallel. `*` is before the interleaving of the present schedule. At most `most` are listed.

        // 2 legal interleavings of 3 in @chain:
        //   S0,S1
        //       S0 (i, j, k); S1 (i, k, j); parallel members 0
        // * S0|S1
        //       ...
    """

    name = "print-interleavings"

    most: int = 200

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.most < 0:
            raise OptionError(f"most must be 0 or more: most={self.most}")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for scop_op in analysed_scops(op, self.name, "nothing to print"):
            function = scop_op.function
            where = "" if function is None else f" in @{function.sym_name.data}"
            compute = partial(self._lines, scop_of(scop_op), where)
            lines = bounded(budgets.INTERLEAVINGS, compute, scop_op)
            if lines is None:
                reason = f"{budgets.INTERLEAVINGS.exceeded}, or isl fails: they are not printed"
                missed(self.name, reason, scop_op, name="too-complex")
                continue
            print("\n".join(f"// {line}".rstrip() for line in lines))

    def _lines(self, scop: Scop, where: str) -> list[str]:
        assert scop.dependences is not None
        scheduler = InterleavingScheduler(schedule_constraints(scop, scop.dependences), self)
        space, names = scheduler.legal_space, scheduler.names
        now = interleaving_of_schedule(scop.schedule, names, 1)
        legal, all_of_them = space.size(), InterleavingSpace(len(names)).size()
        lines = [f"{legal} legal interleavings of {all_of_them}{where}:"]
        for point in islice(space.points(), self.most):
            lines.append(f"{'*' if point == now else ' '} {point.text(names)}")
            lines += (f"      {line}" for line in describe(scheduler, point))
        if now is not None and now not in space:
            lines.append(f"* {now.text(names)}: the present schedule, with other rows")
        if legal > self.most:
            lines.append(f"... and {legal - self.most} more")
        return lines
