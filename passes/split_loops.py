"""split-loops: no test of a loop counter in an innermost loop."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from polyir.base.diagnostics import OptionError, idle, missed, remark
from polyir.base.inner_steps import apply_inside
from polyir.dialects.scop import scops_in
from polyir.loops.split_loops import MAX_OPERATIONS, MAX_PARTS, SplitLimits, split_loops
from polyir.passes.lower_poly import LowerPolyPass


@dataclass(frozen=True)
class SplitLoopsPass(ModulePass):
    """Remove tests of loop counters from innermost loops, by splitting loops or moving tests out.

        affine.for %i = 0 to %n {
          affine.if affine_set<(d0) : (d0 == 0)>(%i) {
            affine.store %x, %A[%i] : memref<?xf64>
          }
          affine.store %y, %B[%i] : memref<?xf64>
        }

    becomes

        affine.if affine_set<()[s0] : (s0 - 1 >= 0)>()[%n] {
          affine.store %x, %A[0] : memref<?xf64>
          affine.store %y, %B[0] : memref<?xf64>
        }
        affine.for %i = 1 to %n {
          affine.store %y, %B[%i] : memref<?xf64>
        }

    An innermost loop becomes at most `max-parts` loops with at most `max-operations` operations
    together; tests that would need more stay. Scops are lowered first. `lower-poly`
    already does this for the loops that it generates.
    """

    name = "split-loops"

    max_parts: int = MAX_PARTS
    max_operations: int = MAX_OPERATIONS

    def __post_init__(self) -> None:
        for name, value in (("max-parts", self.max_parts), ("max-operations", self.max_operations)):
            if value < 1:
                raise OptionError(f"option '{name}' of pass 'split-loops' must be at least 1")

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if scops_in(op):
            apply_inside(LowerPolyPass(split_loops=False), ctx, op)
        limits = SplitLimits(self.max_parts, self.max_operations)
        done = partial(remark, self.name)
        left = partial(missed, self.name, name="not-split")
        # A list: the module changes later.
        functions = [function for function in op.walk() if isinstance(function, FuncOp)]
        found = split_loops(functions, limits, done, left, left)
        if not found:
            idle(self.name, "nothing to do: no innermost loop tests an index", op)
