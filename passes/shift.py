"""The pass `shift`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.affine_change import ShiftOptions, shift


@dataclass(frozen=True)
class ShiftPass(ShiftOptions, ScopPass):
    """Run statements later (or earlier) along a loop.

    `by` is added to the values of `loop` for `statements` (by default, all statements in the
    loop). It is a number or an affine expression of the parameters in isl's notation:
    `by=-1`, `by=n`, `by="2n - 1"`. An illegal shift is refused.

    Before:

        poly.band "[{ S0[i] -> [(i)]; S1[i] -> [(i)] }]"

    After `--shift="loop=S1.0 by=1 statements=S1"`:

        poly.band "[{ S0[i] -> [(i)]; S1[i] -> [(1 + i)] }]"
    """

    name = "shift"

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return shift(scop.schedule, dependences, self)
