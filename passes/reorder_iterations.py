"""reorder-iterations: iterations of an irregular loop in the order of what they access."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from polyir.base.diagnostics import PolyirError, idle, remark
from polyir.irregular.candidates import loops_with_index_arrays
from polyir.irregular.data_groups import data_slice
from polyir.irregular.iteration_order import Method, reorder_iterations, require_any_order
from polyir.loops.levels import lower_scops
from polyir.passes.irregular_pass import report_left


@dataclass(frozen=True)
class ReorderIterationsPass(ModulePass):
    """Run iterations that access the same elements by index arrays one after the other.

        affine.for %j = 0 to %m {
          %l = affine.load %left[%j] : memref<?xindex>
          ...
          memref.store %sum, %fx[%l] : memref<?xf64>
        }

    becomes, in an executor after an inspector has sorted the iterations,

        scf.for %t = %0 to %iterations {
          %l = memref.load %left_sorted[%t] : memref<?xindex>
          ...
          memref.store %sum, %fx[%l] : memref<?xf64>
        }

    An inspector sorts the iterations by the first element (`grouping`) or by all (`sorting`). This
    is for loops whose iterations write elements of their own, `y[i] = ...`, or only update
    elements, `X[f] = X[f] op e`. With `reassociate`, X may have floating-point numbers, whose sums
    are rounded differently in another order.
    """

    name = "reorder-iterations"

    method: Method = "grouping"
    reassociate: bool = False
    loops: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower_scops(ctx, op)
        is_done = False
        left: list[tuple[str, Operation]] = []
        for loop in loops_with_index_arrays(op, self.loops):
            try:
                slice = data_slice(loop)
                if slice is not None:
                    require_any_order(loop, self.reassociate)
                    reorder_iterations(slice, self.method, partial(remark, self.name))
                    is_done = True
            except PolyirError as error:
                left.append((f"loop left: {error.message}", loop))
        report_left(self.name, left, is_done)
        if not (is_done or left):
            idle(self.name, "nothing to do: no loop accesses elements by index arrays", op)
