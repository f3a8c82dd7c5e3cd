"""convert-affine-to-scf: affine operations to scf, memref, vector and arith."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from polyir.loops.affine_to_scf import convert_affine_to_scf


@dataclass(frozen=True)
class ConvertAffineToScfPass(ModulePass):
    """Lower the affine dialect to scf, with MLIR's semantics of floordiv, ceildiv and mod.

        affine.for %i = 0 to %n {
          %0 = affine.load %A[%i mod 8] : memref<?xf64>
        }

    becomes

        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        scf.for %i = %c0 to %n step %c1 {
          %c8 = arith.constant 8 : index
          %1 = arith.floordivsi %i, %c8 : index
          %2 = arith.muli %1, %c8 : index
          %3 = arith.subi %i, %2 : index
          %0 = memref.load %A[%3] : memref<?xf64>
        }
    """

    name = "convert-affine-to-scf"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert_affine_to_scf(op)
