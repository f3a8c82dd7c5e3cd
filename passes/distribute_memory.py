"""The pass `distribute-memory`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.diagnostics import errors_at
from polyir.distributed.options import DistributionOptions
from polyir.distributed.program import distribute_memory
from polyir.distributed.requirements import (
    require_arrays,
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
        operations = analysed_scops(op, self.name)
        require_scops(op, operations)
        for scop_op in operations:
            require_proved(scop_op, self.name)
            require_distributable(scop_op)
        scops = [scop_of(scop_op) for scop_op in operations]
        require_arrays(scops, self.replicate)
        for scop in scops:
            require_known_elements(scop)
            with errors_at(scop.op):
                distribute_memory(op, scop, self)
