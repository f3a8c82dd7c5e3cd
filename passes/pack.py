"""pack: operands in contiguous arrays, in the order in which an innermost loop uses them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from polyir.base.diagnostics import OptionError, idle, remark
from polyir.choose.sizes import LINE_BYTES, PACKED_ELEMENTS
from polyir.loops.levels import lower_scops
from polyir.loops.packing import pack


@dataclass(frozen=True)
class PackPass(ModulePass):
    """Pack what innermost loops load again in iterations of loops around them.

        affine.for %i = 0 to 96 step 8 {
          affine.for %j = 0 to 96 step 8 {
            affine.for %k = 0 to 64 {
              %b = affine.vector_load %B[%k, %j] : memref<64x96xf64>, vector<8xf64>
              ...

    becomes

        %B_packed = memref.alloc() {alignment = 64} : memref<6144xf64>
        affine.for %j = 0 to 96 step 8 {
          affine.for %k = 0 to 64 {
            %b = affine.vector_load %B[%k, %j] : memref<64x96xf64>, vector<8xf64>
            affine.vector_store %b, %B_packed[%j * 64 + %k * 8] : memref<6144xf64>, vector<8xf64>
          }
        }
        affine.for %i = 0 to 96 step 8 {
          affine.for %j = 0 to 96 step 8 {
            affine.for %k = 0 to 64 {
              %b = affine.vector_load %B_packed[%j * 64 + %k * 8] : memref<6144xf64>, vector<8xf64>
              ...

    Loads, and what is computed from them alone, are done before a loop in all of whose iterations
    they are the same, and are stored in an array in the order in which the innermost loop uses
    them. That is the outermost loop for which the array has at most `elements` elements. Run it
    after `vectorize`. With `ahead`, the vectors that such a loop adds up are fetched into the
    caches (`memref.prefetch`) while the block before is computed, and rows that are packed in each
    tile are while the tile before is. Scops are lowered first. Results keep their bits.
    """

    name = "pack"

    elements: int = PACKED_ELEMENTS
    ahead: bool = False

    def __post_init__(self) -> None:
        if self.elements < 1:
            raise OptionError(f"elements must be 1 or more: elements={self.elements}")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower_scops(ctx, op)
        done = partial(remark, self.name)
        functions = [function for function in op.walk() if isinstance(function, FuncOp)]
        found = [pack(each, self.elements, LINE_BYTES, done, self.ahead) for each in functions]
        if not any(found):
            idle(self.name, "nothing to do: no loop loads the same elements repeatedly", op)
