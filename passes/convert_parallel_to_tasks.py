"""convert-parallel-to-tasks: parallel loops to functions that a runtime calls."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.target.llvm.tasks import convert_parallel_to_tasks


@dataclass(frozen=True)
class ConvertParallelToTasksPass(ModulePass):
    """Outline the outermost parallel loops; memrefs must have been converted to pointers.

        scf.parallel (%i) = (%lower) to (%upper) step (%step) {
          "work"(%A, %i) : (!llvm.ptr, index) -> ()
          scf.reduce
        }

    becomes a call `polyir_parallel_for(@f_task_0, context, lower, upper, step)`, where the context
    holds `%A`, and

        func.func private @f_task_0(%context: !llvm.ptr, %first: index, %last: index) {
          // %A is loaded from the context
          func.call @f_part_0(%first, %last, %A) : (index, index, !llvm.ptr) -> ()
          return
        }
        func.func private @f_part_0(%first: index, %last: index, %A: !llvm.ptr {llvm.noalias}) {
          scf.for %i = %first to %last step %step {
            "work"(%A, %i) : (!llvm.ptr, index) -> ()
          }
          return
        }

    Memory that each iteration allocates and frees is allocated once for all iterations of a part.
    """

    name = "convert-parallel-to-tasks"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert_parallel_to_tasks(op)
