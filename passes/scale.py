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
    """Multiply the values of a loop by a factor, for some or all of its statements.

    The values of `loop` for `statements` (by default, all statements in the loop) are multiplied
    by `factor`. Illegal scaling is refused.

    Before:

        poly.band "[{ S0[i] -> [(i)]; S1[i] -> [(i)] }]"

    After `--scale="loop=S1.0 factor=2 statements=S1"`:

        poly.band "[{ S0[i] -> [(i)]; S1[i] -> [(2i)] }]"
    """

    name = "scale"

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return scale(scop.schedule, dependences, self)
