"""The pass `collapse`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.parallel import collapse


@dataclass(frozen=True)
class CollapsePass(ScopPass):
    """Let threads share the iterations of parallel loops in each other, where the outer have few.

    The loop directly inside a parallel one is marked, too (`mark-parallel`), if the outer one may
    have fewer than 64 iterations, the inner one always has the same ones, and another parallel
    loop is left inside; and so on. All of them are lowered to one `affine.parallel`, and to
    `collapse(2)` or more in C.

    Before:

        poly.band "[{ S0[n, k, y] -> [(n)] }, { S0[n, k, y] -> [(k)] }, ...]"
            permutable coincident [true, true, true] loop_attributes [[#poly.parallel], [], []]

    After:

        poly.band "[{ S0[n, k, y] -> [(n)] }, { S0[n, k, y] -> [(k)] }, ...]"
            permutable coincident [true, true, true]
            loop_attributes [[#poly.parallel], [#poly.parallel], []]
    """

    name = "collapse"
    moves_nothing = True

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return collapse(scop.schedule, dependences)
