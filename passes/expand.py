"""The pass `expand`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.model.outcome import Rewritten
from polyir.model.scop import Scop
from polyir.passes.memory_pass import MemoryPass
from polyir.transform.expansion.single_assignment import expand


@dataclass(frozen=True)
class ExpandPass(MemoryPass):
    """Expand temporaries to single assignment: a cell for each instance that writes.

    `arrays` lists the temporaries to expand; by default, all of them: memory of the function that
    only the scop uses, and that is never read before it is written. A read is redirected to the
    cell of its source; if the source depends on the instance, the read becomes a conditional.
    This removes all anti and output dependences through the arrays. After scheduling, `contract`
    removes the memory that the schedule does not need.

    Before:

        poly.stmt @S0 domain "[n] -> { S0[i] : 0 <= i < n }" (%i) {
          %0 = affine.load %A[%i] : memref<?xf64>
          affine.store %0, %t[] : memref<f64>
        }
        poly.stmt @S1 domain "[n] -> { S1[i] : 0 <= i < n }" (%i) {
          %1 = affine.load %t[] : memref<f64>
          affine.store %1, %B[%i] : memref<?xf64>
        }

    After:

        poly.stmt @S0 domain "[n] -> { S0[i] : 0 <= i < n }" (%i) {
          %0 = affine.load %A[%i] : memref<?xf64>
          affine.store %0, %t[%i] : memref<?xf64>
        }
        poly.stmt @S1 domain "[n] -> { S1[i] : 0 <= i < n }" (%i) {
          %1 = affine.load %t[%i] : memref<?xf64>
          affine.store %1, %B[%i] : memref<?xf64>
        }
    """

    name = "expand"

    def rewrite(self, scop: Scop) -> Rewritten:
        return expand(scop, self.arrays)

    @property
    def nothing(self) -> str:
        return "nothing to do: no element of a temporary is written twice"
