"""The pass `allocate-memory`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from polyir.model.outcome import Rewritten
from polyir.model.scop import Scop
from polyir.passes.contract import ContractPass
from polyir.transform.expansion.contract import contract


@dataclass(frozen=True)
class AllocateMemoryPass(ContractPass):
    """Decide in which memory the local variables of equations are, under the schedule.

    With `mapping=modulo`, an index becomes a remainder, or is removed, where elements that are live
    at the same time stay apart: the exact test of `contract`, which this is for equations. With
    `mapping=identity`, each element keeps memory of its own. `arrays` lists the variables; by
    default, all local ones. Schedulers keep the order that shared memory needs, so that the pass
    run after them leaves them free, and run before them saves memory whatever they do.

    Before:

        affine.store %0, %S[%i, %j, %k] : memref<?x?x?xf64>
        %1 = affine.load %S[%i, %j, %k - 1] : memref<?x?x?xf64>

    After:

        affine.store %0, %S[%i, %j] : memref<?x?xf64>
        %1 = affine.load %S[%i, %j] : memref<?x?xf64>
    """

    name = "allocate-memory"

    mapping: Literal["modulo", "identity"] = "modulo"

    def rewrite(self, scop: Scop) -> Rewritten:
        if self.mapping == "identity":
            return Rewritten((f"each element of {len(scop.arrays)} arrays keeps its memory",))
        return contract(scop, self.arrays, by_element=True)
