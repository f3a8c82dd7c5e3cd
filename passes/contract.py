"""The pass `contract`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.model.outcome import Rewritten
from polyir.model.scop import Scop
from polyir.passes.memory_pass import MemoryPass
from polyir.transform.expansion.contract import contract


@dataclass(frozen=True)
class ContractPass(MemoryPass):
    """Shrink temporaries to the elements that are live at the same time under the schedule.

    `arrays` lists the temporaries to shrink; by default, all of them: memory of the function that
    only the scop uses, and that is never read before it is written. A subscript becomes a
    remainder, or is removed if one cell is enough. Run it after scheduling and `mark-parallel`:
    iterations of a loop marked parallel do not share cells, and later passes must respect the
    dependences between iterations that do.

    Before:

        affine.for %i = 1 to %n {
          affine.store %0, %t[%i] : memref<?xf64>
          %1 = affine.load %t[%i - 1] : memref<?xf64>

    After:

        affine.for %i = 1 to %n {
          affine.store %0, %t[%i mod 2] : memref<2xf64>
          %1 = affine.load %t[(%i - 1) mod 2] : memref<2xf64>
    """

    name = "contract"

    def rewrite(self, scop: Scop) -> Rewritten:
        return contract(scop, self.arrays)

    @property
    def nothing(self) -> str:
        return "nothing to do: no temporary can be made smaller"
