"""The pass `check-gpu`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.base.diagnostics import answer, idle
from polyir.dialects.scop import scops_in
from polyir.proofs.gpu import kernels_in, require_correct_code, require_correct_kernels
from polyir.proofs.remembered import kernels_of


@dataclass(frozen=True)
class CheckGpuPass(ModulePass):
    """Prove that GPU kernels compute what the program says; change nothing.

    In schedule trees, for each kernel: every instance is run; all threads of a block reach each
    barrier; accesses are in bounds; no two blocks, and no two threads of a block without a barrier
    between them, access an element that one of them writes. The order of the tree, which is that
    of the launches, is checked as by `check-schedule`. An error shows a pair of instances:

        in.mlir:9:7: error: S0[1] writes A[1], which S1[0] reads in another thread of the block,
        without a barrier between them (n = 2)

    In code with `gpu.launch` or `gpu.launch_func`: no barrier is below a condition or loop that
    depends on the number of the thread; buffers of the device have the sizes of the arrays that are
    copied; and nothing that kernels or the host read is out of date for want of a `gpu.memcpy`.
    """

    name = "check-gpu"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        scops = [scop for scop in scops_in(op) if kernels_of(scop)]
        kernels = kernels_in(op)
        if not scops and not kernels:
            idle(self.name, "nothing to check: the module has no GPU kernels", op)
        for scop in scops:
            require_correct_kernels(scop, self.name)
            answer(self.name, _right(len(kernels_of(scop))), scop)
        if kernels:
            require_correct_code(op)
            answer(self.name, _right(len(kernels)), op)


def _right(count: int) -> str:
    return "the only kernel is right" if count == 1 else f"all {count} kernels are right"
