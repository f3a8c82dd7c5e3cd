"""runtime-test: a loop that is parallel if a test at run time finds no dependence."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.base.diagnostics import idle, missed, remark
from polyir.irregular.candidates import irregular_loops, nothing_to_do
from polyir.irregular.runtime_tests import CannotTestError, add_runtime_test
from polyir.loops.levels import lower_scops
from polyir.loops.loop_forms import erase_idle
from polyir.passes.irregular_pass import privatize_variables, report_left


@dataclass(frozen=True)
class RuntimeTestPass(ModulePass):
    """Run loops with index arrays in parallel where a test at run time finds no dependence.

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

    The test takes time linear in the number of accesses. It runs before the outermost loop that
    does not write the index arrays. If it costs more than the loop, and no loop around runs that
    loop again after one test, the loop is left as it was, unless `always` is set.
    """

    name = "runtime-test"

    always: bool = False
    loops: tuple[str, ...] = ()

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower_scops(ctx, op)
        privatize_variables(self.name, op)
        found = irregular_loops(op, self.loops)
        for slice in found.slices:
            try:
                add_runtime_test(slice, self.always, partial(remark, self.name))
            except CannotTestError as error:
                missed(self.name, f"loop left: {error}", error.op, name="irregular-loop")
        report_left(self.name, found.reasons, bool(found.slices))
        if found.slices:
            erase_idle(tuple(op.ops))
        elif not found.reasons:
            idle(self.name, nothing_to_do(op), op)
