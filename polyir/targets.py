"""The targets of `polyir-opt --emit=...` and `-t ...`: a level of IR, or text.

Each brings the module to its level first, so that a target can be named after any pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from polyir.passes.lower_poly import LowerPolyPass
from polyir.passes.lower_to_llvm import LowerToLlvmPass
from polyir.passes.prerequisites import raised_scops, scops_in
from polyir.target.c import CTarget
from polyir.target.llvm.text import llvm_ir
from polyir.target.mlir import print_module


@dataclass(frozen=True)
class PolyTarget(Target):
    """The polyhedral level: affine functions are raised, if no pass did it yet."""

    name = "poly"

    generic: bool = False

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        raised_scops(ctx, module)
        print_module(module, output, self.generic)


@dataclass(frozen=True)
class LoopsTarget(Target):
    """Loops in MLIR's dialects: what is still poly is lowered."""

    name = "loops"

    generic: bool = False

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        lower(ctx, module)
        print_module(module, output, self.generic)


@dataclass(frozen=True)
class PolyirCTarget(CTarget):
    """C99 with OpenMP: what is still poly is lowered."""

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        lower(ctx, module)
        super().emit(ctx, module, output)


@dataclass(frozen=True)
class PolyirLlvmTarget(Target):
    """LLVM IR: what is not of the llvm dialect yet is lowered to it.

    It holds `polyir_parallel_for`, which runs parallel loops in order, as a weak definition: a
    program that defines it can share them among threads.
    """

    name = "llvm"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        lower(ctx, module)
        LowerToLlvmPass().apply(ctx, module)
        output.write(llvm_ir(module, defines_runtime=True))


@dataclass(frozen=True)
class PluginLlvmTarget(PolyirLlvmTarget):
    """`PolyirLlvmTarget` beside xDSL's target of the same name, which a plugin may not replace."""

    name = "llvmir"


@dataclass(frozen=True)
class NoTarget(Target):
    """Nothing: for passes that are run for what they print."""

    name = "none"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        return


def lower(ctx: Context, module: ModuleOp) -> None:
    """Lower the scops of `module`, if there are any."""
    if scops_in(module):
        LowerPolyPass().apply(ctx, module)
