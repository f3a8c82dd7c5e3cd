"""check-indices: kernels end the program if index arrays lead out of the bounds of an array."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.base.diagnostics import idle, missed
from polyir.irregular.index_assertions import add_index_assertions
from polyir.loops.levels import lower_scops


@dataclass(frozen=True)
class CheckIndicesPass(ModulePass):
    """Check index arrays before a kernel runs: if they lead out of an array, the program ends.

        func.func @kernel(%n: index, %p: memref<?xindex>, %A: memref<?xf64>) {
          affine.for %i = 0 to %n {
            %pi = affine.load %p[%i] : memref<?xindex>
            %v = memref.load %A[%pi] : memref<?xf64>
            ...
          }
          func.return
        }

    becomes a function `@kernel_indices`, which replays the accesses of the loop without its
    arithmetic and reports the first one that is out of bounds, and

        func.func @kernel(%n: index, %p: memref<?xindex>, %A: memref<?xf64>) {
          %report = memref.alloc(%8) : memref<?xindex>
          func.call @kernel_indices(%p, %n, %A, %report)
          %number = memref.load %report[%0] : memref<?xindex>
          %is_right = arith.cmpi ne, %number, %2 : index
          cf.assert %is_right, "'p' leads out of the bounds of 'A'"
          func.call @kernel_executor(%n, %p, %A, %report)
          ...
        }

    It goes before the passes that make inspectors. In Python, compiled functions check index arrays
    themselves, and raise an exception.
    """

    name = "check-indices"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower_scops(ctx, op)
        if not add_index_assertions(op, partial(missed, self.name, name="irregular-loop")):
            idle(self.name, "nothing to do: no loop has index arrays that can be checked", op)
