"""The target `llvm`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from polyir.base.inner_steps import apply_inside
from polyir.loops.levels import lower_for_target
from polyir.target.cpu import CpuTarget
from polyir.target.llvm.text import llvm_ir
from polyir.universe import pass_type

if TYPE_CHECKING:
    from polyir.loops.checked_allocations import Threads


@dataclass(frozen=True)
class PolyirLlvmTarget(CpuTarget):
    """LLVM IR: what is not of the llvm dialect yet is lowered to it.

    It holds `polyir_parallel_for`, which runs parallel loops in order, as a weak definition: a
    program that defines it can share them among threads.
    """

    name = "llvm"

    @property
    def threads(self) -> Threads:
        return "unnumbered"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        lower_for_target(ctx, module)
        apply_inside(pass_type("lower-to-llvm")(), ctx, module)
        output.write(llvm_ir(module, defines_runtime=True))


@dataclass(frozen=True)
class PluginLlvmTarget(PolyirLlvmTarget):
    """`PolyirLlvmTarget` beside xDSL's target of the same name, which a plugin may not replace."""

    name = "llvmir"
