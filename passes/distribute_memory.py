"""The pass `distribute-memory`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.diagnostics import errors_at, remark
from polyir.distributed.options import DistributionOptions
from polyir.distributed.program import distribute_memory
from polyir.distributed.requirements import (
    require_distributable,
    require_known_elements,
    require_scops,
)
from polyir.model.scop import scop_of
from polyir.passes.prerequisites import analysed_scops, require_proved


@dataclass(frozen=True)
class DistributeMemoryPass(DistributionOptions, ModulePass):
    """Divide parallel loops and arrays among ranks."""

    name = "distribute-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        scops = analysed_scops(op, self.name)
        require_scops(op, scops)
        for scop_op in scops:
            require_proved(scop_op, self.name)
            require_distributable(scop_op)
            scop = scop_of(scop_op)
            require_known_elements(scop)
            with errors_at(scop_op):
                remarks = distribute_memory(op, scop, self)
            for message in remarks:
                remark(self.name, message, op)
