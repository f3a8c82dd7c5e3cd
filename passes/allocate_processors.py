"""The pass `allocate-processors`."""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl

from polyir.base.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.processors import allocate_processors
from polyir.tree.names import names_in


@dataclass(frozen=True)
class AllocateProcessorsPass(ScopPass):
    """Decide on which processor each statement instance runs, under the schedule.

    No two instances of a statement that have one time, which the sequential loops and sequences
    say, may have one processor: that is checked exactly, and refused with two of them. Without an
    `allocation`, a processor is a point of the parallel loops, which are marked parallel. With one,
    loops over it take their place, inside the sequential loops, and the outermost is marked.

    Before:

        poly.band "[{ S0[t, i, j] -> [(t)] }]" permutable {
          poly.band "[{ S0[t, i, j] -> [(i)] }, { S0[t, i, j] -> [(j)] }]"
              permutable coincident [true, true]
        }

    After `--allocate-processors="{ S0[t, i, j] -> [i + j, j] }"`:

        poly.band "[{ S0[t, i, j] -> [(t)] }]" permutable {
          poly.band "[{ S0[t, i, j] -> [(i + j)] }, { S0[t, i, j] -> [(j)] }]"
              permutable coincident [true, true] loop_attributes [[#poly.parallel], []]
        }
    """

    name = "allocate-processors"

    allocation: str | None = None

    def __post_init__(self) -> None:
        # A bad option is refused before any input is read.
        self._given()

    @property
    def named(self) -> tuple[str, ...]:
        given = self._given()
        return () if given is None else names_in(given.domain())

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return allocate_processors(scop.schedule, dependences, self._given())

    def _given(self) -> isl.UnionMap | None:
        if self.allocation is None:
            return None
        try:
            return isl.UnionMap(self.allocation)
        except isl.Error:
            raise OptionError(
                f"'{self.allocation}' is not an allocation: write a union map such as "
                "{ S0[t, i, j] -> [i + j, j] }"
            ) from None
