"""convert-math-to-llvm: operations of math to intrinsics and calls of the C library."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.target.llvm.mathematics import convert_math_to_llvm


@dataclass(frozen=True)
class ConvertMathToLlvmPass(ModulePass):
    """Lower math: exact operations to LLVM intrinsics, all others to calls of the C library.

        %1 = math.sqrt %0 : f64
        %2 = math.exp %1 : f64

    becomes

        %1 = llvm.call_intrinsic "llvm.sqrt.f64"(%0) : (f64) -> f64
        %2 = llvm.call @exp(%1) : (f64) -> f64
    """

    name = "convert-math-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert_math_to_llvm(op)
