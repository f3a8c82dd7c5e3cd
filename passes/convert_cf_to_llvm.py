"""convert-cf-to-llvm: branches of cf to branches of the llvm dialect."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.target.llvm.control import convert_cf_to_llvm


@dataclass(frozen=True)
class ConvertCfToLlvmPass(ModulePass):
    """Lower branches to the llvm dialect.

        cf.cond_br %0, ^bb1, ^bb2(%1 : f64)

    becomes

        llvm.cond_br %0, ^bb1, ^bb2(%1 : f64)
    """

    name = "convert-cf-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert_cf_to_llvm(op)
