"""The pass `check-schedule`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.diagnostics import location_of, missed, remark
from polyir.model.legality import require_legal
from polyir.model.scop import scop_of
from polyir.passes.prerequisites import scops_in


@dataclass(frozen=True)
class CheckSchedulePass(ModulePass):
    """Check that each scop's schedule tree respects the scop's dependences; change nothing.

    A violation is an error that names the dependence and shows one pair of instances:

        in.mlir:3:3: error: the schedule violates the flow dependence through A:
        S0[1, 2] must run before S0[2, 1] (n = 4)
    """

    name = "check-schedule"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        scops = scops_in(op)
        if not scops:
            missed(self.name, "nothing to check: the module has no static control part", op)
        for scop_op in scops:
            scop = scop_of(scop_op)
            if scop.dependences is None:
                missed(self.name, "nothing to check against: no dependences on the scop", scop_op)
                continue
            require_legal(scop.dependences, scop.schedule, "the schedule", location_of(scop_op))
            count = len(scop.dependences.ordering)
            remark(self.name, f"all {count} dependences hold", scop_op)
