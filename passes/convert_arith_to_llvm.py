"""convert-arith-to-llvm: operations of arith to operations of the llvm dialect."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.target.llvm.arithmetic import convert_arith_to_llvm


@dataclass(frozen=True)
class ConvertArithToLlvmPass(ModulePass):
    """Lower arith to the llvm dialect; index must have been converted to i64.

        %2 = arith.addf %0, %1 : f64
        %3 = arith.minsi %n, %m : i64

    becomes

        %2 = llvm.fadd %0, %1 : f64
        %3 = llvm.call_intrinsic "llvm.smin.i64"(%n, %m) : (i64, i64) -> i64
    """

    name = "convert-arith-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert_arith_to_llvm(op)
