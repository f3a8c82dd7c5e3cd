"""The pass `delicm`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.model.outcome import Rewritten
from polyir.model.scop import Scop
from polyir.passes.memory_pass import MemoryPass
from polyir.transform.expansion.delicm import map_scalars


@dataclass(frozen=True)
class DelicmPass(MemoryPass):
    """Let variables live in the array elements that they are stored to at last.

    `arrays` lists the variables to change; by default, all of them: memory of rank 0 that only the
    scop uses, and that is never read before it is written. Each value must be stored to an array in
    the end, where nothing else is needed in the meantime. All iterations share a variable, and so
    cannot run at the same time, nor be interchanged; elements need no further memory, unlike the
    copies of `privatize`.

    Before:

        affine.for %i = 0 to %n {
          affine.store %zero, %s[] : memref<f64>
          affine.for %j = 0 to %n {
            %0 = affine.load %s[] : memref<f64>
            %1 = affine.load %A[%i, %j] : memref<?x?xf64>
            %2 = arith.addf %0, %1 : f64
            affine.store %2, %s[] : memref<f64>
          }
          %3 = affine.load %s[] : memref<f64>
          affine.store %3, %B[%i] : memref<?xf64>
        }

    After:

        affine.for %i = 0 to %n {
          affine.store %zero, %B[%i] : memref<?xf64>
          affine.for %j = 0 to %n {
            %0 = affine.load %B[%i] : memref<?xf64>
            %1 = affine.load %A[%i, %j] : memref<?x?xf64>
            %2 = arith.addf %0, %1 : f64
            affine.store %2, %B[%i] : memref<?xf64>
          }
        }
    """

    name = "delicm"

    def rewrite(self, scop: Scop) -> Rewritten:
        return map_scalars(scop, self.arrays)

    @property
    def nothing(self) -> str:
        return "nothing to do: no variable is stored to an element that is not needed before"
