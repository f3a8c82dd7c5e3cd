"""runtime-test: a loop that is parallel if a test at run time finds no dependence.

    func.func @kernel(%n: index, %p: memref<?xindex>, %A: memref<?xf64>) {
      affine.for %i = 0 to %n {
        %pi = affine.load %p[%i] : memref<?xindex>
        %v = memref.load %A[%pi] : memref<?xf64>
        affine.store %v, %A[%i] : memref<?xf64>
      }
      func.return
    }

becomes an inspector that tests whether each `p[i]` is i or no iteration's counter, and

    %independent = memref.load %test[] : memref<index>
    %holds = arith.cmpi ne, %independent, %zero : index
    scf.if %holds {
      scf.parallel (%i) = (%zero) to (%n) step (%one) {
        ...
      }
    } else {
      affine.for %i = 0 to %n {
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

from polyir.diagnostics import missed, remark
from polyir.irregular.candidates import irregular_loops, nothing_to_do
from polyir.irregular.private_cells import privatize_cells
from polyir.irregular.runtime_tests import CannotTestError, add_runtime_test
from polyir.loops.loop_forms import erase_idle
from polyir.passes.lower_poly import LowerPolyPass
from polyir.passes.prerequisites import scops_in


@dataclass(frozen=True)
class RuntimeTestPass(ModulePass):
    """Run loops with index arrays in parallel where a test at run time finds no dependence.

    The test takes time linear in the number of accesses. It runs before the outermost loop that
    does not write the index arrays. If it costs more than the loop, and no loop around repeats
    that one, the loop is left as it was, unless `always` is set.
    """

    name = "runtime-test"

    always: bool = False
    loops: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if scops_in(op):
            LowerPolyPass().apply(ctx, op)
        for cell in privatize_cells(op):
            name = cell.memref.name_hint or "a variable"
            remark(self.name, f"each iteration has its own {name}", cell)
        found = irregular_loops(op, self.loops)
        for slice in found.slices:
            try:
                add_runtime_test(op, slice, self.always, partial(remark, self.name))
            except CannotTestError as error:
                missed(self.name, f"loop left: {error}", error.op)
        for reason, where in found.reasons:
            (remark if found.slices else missed)(self.name, reason, where)
        if found.slices:
            erase_idle(tuple(op.ops))
        elif not found.reasons:
            missed(self.name, nothing_to_do(op), op)
