"""convert-parallel-to-omp: parallel loops to OpenMP."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.base.diagnostics import idle, missed
from polyir.loops.levels import lower_scops
from polyir.loops.openmp import ParallelLoop, convert_parallel_to_omp


@dataclass(frozen=True)
class ConvertParallelToOmpPass(ModulePass):
    """Distribute the iterations of the outermost parallel loops over a team of OpenMP threads.

        affine.parallel (%i) = (0) to (%n) {
          affine.store %zero, %A[%i] : memref<?xf64>
        }

    becomes

        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        omp.parallel {
          omp.wsloop {
            omp.loop_nest (%i) : index = (%c0) to (%n) step (%c1) {
              memref.store %zero, %A[%i] : memref<?xf64>
              omp.yield
            }
            omp.terminator
          }
          omp.terminator
        }

    What each iteration allocates and frees, with a size that is always the same, each thread of the
    team allocates once. Scops are lowered first.
    """

    name = "convert-parallel-to-omp"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower_scops(ctx, op)
        loops = tuple(inner for inner in op.walk() if isinstance(inner, ParallelLoop))
        if not loops:
            idle(self.name, "nothing to convert: the module has no parallel loop", op)
        for loop in convert_parallel_to_omp(op):
            missed(
                self.name,
                "parallel loop not converted: it has a reduction",
                loop,
                name="no-reduction",
            )
