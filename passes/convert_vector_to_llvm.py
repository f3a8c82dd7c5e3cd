"""convert-vector-to-llvm: operations of the vector dialect that touch no memory."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.target.llvm.vectors import convert_vector_to_llvm


@dataclass(frozen=True)
class ConvertVectorToLlvmPass(ModulePass):
    """Convert the vector dialect; memrefs and indices must have been converted.

        %1 = vector.broadcast %0 : f64 to vector<4xf64>

    becomes

        %2 = llvm.mlir.undef : vector<4xf64>
        %3 = llvm.mlir.constant(0) : i64
        %4 = llvm.insertelement %0, %2[%3 : i64] : vector<4xf64>
        %1 = llvm.shufflevector %4, %2 [0, 0, 0, 0] : vector<4xf64>
    """

    name = "convert-vector-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert_vector_to_llvm(op)
