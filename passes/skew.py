"""The pass `skew`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.affine_change import SkewOptions, skew


@dataclass(frozen=True)
class SkewPass(SkewOptions, ScopPass):
    """Add a multiple of one loop to another.

    `loop` becomes `loop + factor * by`, where `by` is a loop around it or inside. Illegal skewing
    is refused.

    Before:

        poly.band "[{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]"

    After `--skew="loop=S0.1 by=S0.0"`:

        poly.band "[{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(i + j)] }]"
            permutable
    """

    name = "skew"

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return skew(scop.schedule, dependences, self)
