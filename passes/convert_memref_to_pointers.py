"""convert-memref-to-pointers: memrefs to pointers with sizes, loads and stores to LLVM's."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.target.llvm.memory import convert_memref_to_pointers


@dataclass(frozen=True)
class ConvertMemrefToPointersPass(ModulePass):
    """Replace memrefs by pointers and sizes, following the C calling convention.

        func.func @clear(%A: memref<?x?xf64>, %i: index, %j: index) {
          %zero = arith.constant 0.0 : f64
          memref.store %zero, %A[%i, %j] : memref<?x?xf64>
          return
        }

    becomes

        func.func @clear(%A: !llvm.ptr {llvm.noalias}, %A_0: index, %A_1: index,
                         %i: index, %j: index) {
          %zero = arith.constant 0.0 : f64
          %0 = arith.muli %i, %A_1 : index
          %1 = arith.index_cast %0 : index to i64
          %2 = llvm.getelementptr inbounds %A[%1] : (!llvm.ptr, i64) -> !llvm.ptr, f64
          %3 = arith.index_cast %j : index to i64
          %4 = llvm.getelementptr inbounds %2[%3] : (!llvm.ptr, i64) -> !llvm.ptr, f64
          llvm.store %zero, %4 : f64, !llvm.ptr
          return
        }
    """

    name = "convert-memref-to-pointers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert_memref_to_pointers(op)
