"""The pass `distribute-memory`."""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.base.diagnostics import PolyirError, errors_at, remark
from polyir.distributed.options import DistributionOptions
from polyir.distributed.program import distribute_memory
from polyir.distributed.requirements import (
    require_arrays,
    require_distributable,
    require_known_elements,
    require_scops,
)
from polyir.model.scop import scop_of
from polyir.passes.prerequisites import analysed_scops
from polyir.proofs.remembered import require_proved
from polyir.transform.new_dependences import find_reductions


@dataclass(frozen=True)
class DistributeMemoryPass(DistributionOptions, ModulePass):
    """Make functions that many ranks of MPI run together, each with a part of the arrays.

    The outermost parallel loops of the schedule tree are divided into blocks, one a rank. The
    sequential loops around them run on all ranks; after each of their iterations, ranks send each
    other what they need. The first rank scatters the arguments, and gathers the results
    (docs/distributed.md). `grid`, `distribution`, `block` and `replicate` say which rank has what.
    With `reassociate`, or if the dependences have reductions, the updates of one element may be
    divided, too: each rank has partial results, which MPI combines after each step.

    Before:

        func.func @stencil(%steps: index, %n: index, %A: memref<?xf64>) {
          poly.scop (...) {
            poly.stmt @S0 domain "{ S0[t, i] : ... }" (%t, %i) { ... }
            poly.domain "..." {
              poly.band "[{ S0[t, i] -> [(wavefront)] }]" {
                poly.band "[{ S0[t, i] -> [(tile)] }]" coincident [true] {
                  ...
                }
              }
            }
          }
          func.return
        }

    After, in short:

        func.func private @stencil_transfer_P0(...)  // counts, packs or unpacks what ranks send
        func.func private @stencil_compute_P0(%step0, %own_d0b0, %own_d0e0, ...) {
          poly.scop (...) {
            poly.stmt @S0 domain "{ S0[t, i] : ... }" (%t, %i) { ... }
            poly.domain "..." {
              poly.band "[{ S0[t, i] -> [(tile)] }]" coincident [true] {
                ...
              }
            }
          }
          func.return
        }
        func.func private @stencil_step_P0(%step0, ...) {
          "mpi.irecv"(...) : ...
          func.call @stencil_compute_P0(%step0, ...) : ...
          "mpi.isend"(...) : ...
          "mpi.waitall"(...) : ...
          func.return
        }
        func.func @stencil(%steps: index, %n: index, %A: memref<?xf64>) {
          %0 = "mpi.comm.rank"() : () -> i32
          %1 = "mpi.comm.size"() : () -> i32
          // Blocks, parts of arrays, scatter.
          poly.scop (...) {
            poly.stmt @P0 domain "{ P0[step0] : ... }" (%step0) {
              func.call @stencil_step_P0(%step0, ...) : ...
            }
            poly.domain "..." {
              poly.band "[{ P0[i0] -> [(i0)] }]"
            }
          }
          // Gather.
          func.return
        }
    """

    name = "distribute-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        operations = analysed_scops(op, self.name)
        require_scops(op, operations)
        for scop_op in operations:
            require_proved(scop_op, self.name)
            require_distributable(scop_op)
            if self.reassociate:
                find_reductions(scop_op, self.name)
        scops = [scop_of(scop_op) for scop_op in operations]
        require_arrays(scops, self.replicate)
        for scop in scops:
            require_known_elements(scop)
            with errors_at(scop.op):
                try:
                    remarks = distribute_memory(op, scop, self)
                except isl.Error as error:
                    raise PolyirError(
                        f"the loops are not distributed: isl fails: {error}", name="not-distributed"
                    ) from error
            for message in remarks:
                remark(self.name, message, scop.op)
