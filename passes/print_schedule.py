"""The pass `print-schedule`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.model.scop import scop_of
from polyir.passes.prerequisites import raised_scops
from polyir.transform.outline import outline


@dataclass(frozen=True)
class PrintSchedulePass(ModulePass):
    """Print the schedule tree of each scop, with the addresses of its loops, to standard output.

    The lines are comments, so the whole output is still a valid program. If necessary, programs
    are raised first. See `polyir.transform.outline` for the notation, and
    `polyir.tree.addresses` for that of addresses.

        // schedule of @sweep:
        // band of 1
        //   S0.0: { S0[i] -> [(i)] }
    """

    name = "print-schedule"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for scop_op in raised_scops(op, self.name, "nothing to print"):
            function = scop_op.function
            where = "" if function is None else f" of @{function.sym_name.data}"
            lines = [f"schedule{where}:", *outline(scop_of(scop_op).schedule).splitlines()]
            print("\n".join(f"// {line}" for line in lines))
