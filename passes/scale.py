"""The pass `scale`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.affine_change import ScaleOptions, scale


@dataclass(frozen=True)
class ScalePass(ScaleOptions, ScopPass):
    """Spread statements along a loop, with gaps between their iterations.

    The values that `loop` has for `statements` are multiplied by `factor`; without `statements`,
    for all in the loop. Illegal scaling is refused.

    Before:

        poly.band "[{ S0[i] -> [(i)]; S1[i] -> [(i)] }]" coincident [false]

    After `--scale="loop=S1.0 factor=2 statements=S1"`:

        poly.band "[{ S0[i] -> [(i)]; S1[i] -> [(2i)] }]" coincident [false]
    """

    name = "scale"

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return scale(scop.schedule, dependences, self)
