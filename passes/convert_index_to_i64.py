"""convert-index-to-i64: the index type to i64, index casts to extensions and truncations."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.target.llvm.types import convert_index_to_i64
from polyir.target.llvm.vectors import convert_masks


@dataclass(frozen=True)
class ConvertIndexToI64Pass(ModulePass):
    """Convert index to i64; arithmetic on indices is assumed not to overflow.

        %1 = arith.addi %0, %c1 : index
        %2 = arith.index_cast %1 : index to i32

    becomes

        %1 = arith.addi %0, %c1 overflow<nsw> : i64
        %2 = arith.trunci %1 : i64 to i32

    `vector.create_mask`, whose operand is an index, becomes a comparison.
    """

    name = "convert-index-to-i64"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert_masks(op)
        convert_index_to_i64(op)
