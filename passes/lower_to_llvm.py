"""lower-to-llvm: loops to the llvm dialect."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.loops.affine_to_scf import convert_affine_to_scf
from polyir.loops.levels import lower_scops, lower_views
from polyir.loops.openmp import convert_omp_to_parallel
from polyir.loops.while_to_cf import convert_while_to_cf
from polyir.target.errors import unsupported
from polyir.target.llvm.arithmetic import convert_arith_to_llvm
from polyir.target.llvm.control import (
    convert_cf_to_llvm,
    convert_func_to_llvm,
    convert_scf_to_cf,
)
from polyir.target.llvm.mathematics import convert_math_to_llvm, expand_integer_powers
from polyir.target.llvm.memory import convert_memref_to_pointers
from polyir.target.llvm.tasks import convert_parallel_to_tasks
from polyir.target.llvm.types import convert_index_to_i64
from polyir.target.llvm.vectors import convert_masks, convert_vector_to_llvm


@dataclass(frozen=True)
class LowerToLlvmPass(ModulePass):
    """Lower scops, loops, arrays and functions to the llvm dialect.

    These conversions run in this order; each of them is also a pass:

        convert-affine-to-scf, convert-memref-to-pointers, convert-parallel-to-tasks,
        convert-scf-to-cf (xDSL's; here the hints of loops are kept), convert-index-to-i64,
        convert-vector-to-llvm, convert-math-to-llvm, convert-arith-to-llvm, convert-cf-to-llvm,
        convert-func-to-llvm

    For example,

        func.func @clear(%A: memref<?xf64>, %i: index) {
          %zero = arith.constant 0.0 : f64
          memref.store %zero, %A[%i] : memref<?xf64>
          return
        }

    becomes

        llvm.func @clear(%A: !llvm.ptr {llvm.noalias}, %A_0: i64, %i: i64) {
          %zero = llvm.mlir.constant(0.0 : f64) : f64
          %0 = llvm.getelementptr inbounds %A[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f64
          llvm.store %zero, %0 : f64, !llvm.ptr
          llvm.return
        }
    """

    name = "lower-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        _refuse_messages(op)
        lower_scops(ctx, op)
        lower_views(op)
        convert_omp_to_parallel(op)
        convert_affine_to_scf(op)
        expand_integer_powers(op)
        convert_memref_to_pointers(op)
        convert_parallel_to_tasks(op)
        convert_while_to_cf(op)
        convert_scf_to_cf(op)
        convert_masks(op)
        convert_index_to_i64(op)
        convert_vector_to_llvm(op)
        convert_math_to_llvm(op)
        convert_arith_to_llvm(op)
        convert_cf_to_llvm(op)
        convert_func_to_llvm(op)


def _refuse_messages(module: ModuleOp) -> None:
    """What MPI's communicators and types are is known to its header, which only C can include."""
    for op in module.walk():
        if op.name.startswith("mpi."):
            raise unsupported(
                op, f"{op.name} is not supported by the LLVM target: a program for ranks needs C"
            )
