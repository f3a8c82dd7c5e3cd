"""reorder-data: arrays in the order in which an irregular loop accesses them.

    affine.for %s = 0 to %steps {
      affine.for %j = 0 to %m {
        %l = affine.load %left[%j] : memref<?xindex>
        %x_l = memref.load %x[%l] : memref<?xf64>
        ...
      }
    }

becomes, in an executor after an inspector has numbered the elements of %x,

    affine.for %e = ... { copy %x[%e] to %x_packed[%places[%e]] }
    affine.for %s = 0 to %steps {
      affine.for %j = 0 to %m {
        %l = affine.load %left_updated[%j] : memref<?xindex>
        %x_l = memref.load %x_packed[%l] : memref<?xf64>
        ...
      }
    }
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.diagnostics import PolyirError, missed, remark
from polyir.irregular.candidates import loops_with_index_arrays
from polyir.irregular.data_order import Method, data_slice, reorder_data
from polyir.passes.lower_poly import LowerPolyPass
from polyir.passes.prerequisites import scops_in


@dataclass(frozen=True)
class ReorderDataPass(ModulePass):
    """Let arrays have the order in which a loop accesses them by index arrays.

    An inspector finds the order, and updates the index arrays. The executor works on copies of the
    arrays, in the outermost loop that does not write the index arrays. Operations keep their
    order, so results do not change.
    """

    name = "reorder-data"

    method: Method = "packing"
    loops: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if scops_in(op):
            LowerPolyPass().apply(ctx, op)
        done = 0
        for loop in loops_with_index_arrays(op, self.loops):
            try:
                slice = data_slice(loop)
                if slice is not None:
                    reorder_data(op, slice, self.method, partial(remark, self.name))
                    done += 1
            except PolyirError as error:
                missed(self.name, f"loop left: {error.message}", loop)
        if not done:
            missed(self.name, "nothing to do: no loop accesses elements by index arrays", op)
