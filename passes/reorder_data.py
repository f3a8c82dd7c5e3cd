"""reorder-data: arrays in the order in which an irregular loop accesses them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.base.diagnostics import OptionError, PolyirError, idle, missed, remark
from polyir.choose.sizes import DATA_PART
from polyir.irregular.candidates import loops_with_index_arrays
from polyir.irregular.data_groups import data_groups
from polyir.irregular.data_order import Order, reorder_data
from polyir.irregular.orders import Method
from polyir.irregular.slices import address_slice
from polyir.loops.levels import lower_scops


@dataclass(frozen=True)
class ReorderDataPass(ModulePass):
    """Let arrays have the order in which a loop accesses them by index arrays.

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

    An inspector finds the order, and updates the index arrays. The executor works on copies of the
    arrays, in the outermost loop that does not write the index arrays. Operations keep their
    order, so results do not change.

    The `method` is `packing` (in the order of the first access), or one on the graph in which an
    iteration makes neighbours of what it accesses: `breadth-first`, `cuthill-mckee` (reverse),
    `partition`, whose parts have `part` elements, or `given`, a function that is declared only.
    """

    name = "reorder-data"

    method: Method = "packing"
    part: int = DATA_PART
    loops: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.part < 1:
            raise OptionError(f"part must be 1 or more: part={self.part}")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower_scops(ctx, op)
        is_done, report = False, partial(remark, self.name)
        for loop in loops_with_index_arrays(op, self.loops):
            if not op.is_ancestor(loop):
                report("loop left: it runs in the order of other arrays already", loop)
                continue
            try:
                for group in data_groups(loop):
                    slice = address_slice(loop, group)
                    reorder_data(slice, Order(self.method, self.part), report)
                    is_done = True
            except PolyirError as error:
                missed(self.name, f"loop left: {error.message}", loop, name="irregular-loop")
        if not is_done:
            idle(self.name, "nothing to do: no loop accesses elements by index arrays", op)
