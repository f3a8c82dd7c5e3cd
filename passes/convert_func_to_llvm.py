"""convert-func-to-llvm: functions, calls and returns to the llvm dialect."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.target.llvm.control import convert_func_to_llvm


@dataclass(frozen=True)
class ConvertFuncToLlvmPass(ModulePass):
    """Lower functions to the llvm dialect, following the C calling convention.

        func.func @pair(%a: f64, %is: i1) -> (f64, i1) {
          return %a, %is : f64, i1
        }

    becomes

        llvm.func @pair(%a: f64, %is_byte: i8, %0: !llvm.ptr {llvm.noalias},
                        %1: !llvm.ptr {llvm.noalias}) {
          %is = llvm.trunc %is_byte : i8 to i1
          llvm.store %a, %0 : f64, !llvm.ptr
          %2 = llvm.zext %is : i1 to i8
          llvm.store %2, %1 : i8, !llvm.ptr
          llvm.return
        }
    """

    name = "convert-func-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert_func_to_llvm(op)
