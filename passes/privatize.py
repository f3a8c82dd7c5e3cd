"""The pass `privatize`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.model.outcome import Rewritten
from polyir.model.scop import Scop
from polyir.passes.memory_pass import MemoryPass
from polyir.transform.expansion.loops import Loops
from polyir.transform.expansion.privatize import privatize


@dataclass(frozen=True)
class PrivatizePass(MemoryPass):
    """Give temporaries one copy per iteration of the loops that only they make sequential.

    `arrays` lists the temporaries to change; by default, all of them: memory of the function that
    only the scop uses, and that is never read before it is written. First, each is split into
    parts that share no values. Then a part gets copies for loops that carry none of its values:
    with `loops=needed`, for loops that this makes parallel; with `loops=all`, for every loop whose
    anti or output dependences this removes, which helps schedulers that skew. `promote` can then
    move the copies into these loops as local variables.

    Before, with a sum per row in `t`:

        poly.stmt @S0 domain "[n] -> { S0[i] : 0 <= i < n }" (%i) {
          affine.store %zero, %t[] : memref<f64>
        }
        poly.stmt @S1 domain "[n] -> { S1[i, j] : 0 <= i < n and 0 <= j < n }" (%i, %j) {
          %0 = affine.load %t[] : memref<f64>
          %1 = affine.load %A[%i, %j] : memref<?x?xf64>
          %2 = arith.addf %0, %1 : f64
          affine.store %2, %t[] : memref<f64>
        }

    After, with an element of `t` for each row:

        poly.stmt @S0 domain "[n] -> { S0[i] : 0 <= i < n }" (%i) {
          affine.store %zero, %t[%i] : memref<?xf64>
        }
        poly.stmt @S1 domain "[n] -> { S1[i, j] : 0 <= i < n and 0 <= j < n }" (%i, %j) {
          %0 = affine.load %t[%i] : memref<?xf64>
          %1 = affine.load %A[%i, %j] : memref<?x?xf64>
          %2 = arith.addf %0, %1 : f64
          affine.store %2, %t[%i] : memref<?xf64>
        }
    """

    name = "privatize"

    loops: Loops = "needed"

    def rewrite(self, scop: Scop) -> Rewritten:
        return privatize(scop, self.arrays, self.loops)

    @property
    def nothing(self) -> str:
        return "nothing to do: no loop is sequential only because of a temporary"
