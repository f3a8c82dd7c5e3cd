"""The pass `distribute-memory`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.distributed.options import DistributionOptions
from polyir.distributed.program import distribute_memory
from polyir.model.scop import scop_of
from polyir.passes.prerequisites import scops_in


@dataclass(frozen=True)
class DistributeMemoryPass(DistributionOptions, ModulePass):
    """Divide parallel loops and arrays among ranks."""

    name = "distribute-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for scop in scops_in(op):
            distribute_memory(op, scop_of(scop), self)
