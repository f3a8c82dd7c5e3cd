"""The pass `strip-mine`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.choose.sizes import TILE_SIZE
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.strip_mine import StripMineOptions, strip_mine


@dataclass(frozen=True)
class StripMinePass(StripMineOptions, ScopPass):
    """Cut a loop into a loop over strips and a loop within a strip.

    `loop` is cut into strips of `size` values. The execution order does not change: tiling is
    strip-mining followed by interchange.

    Before:

        poly.band "[{ S0[i] -> [(i)] }]" coincident [true]

    After `--strip-mine="loop=S0.0 size=16"`:

        poly.band "[{ S0[i] -> [(i - (i) mod 16)] }, { S0[i] -> [(i)] }]"
            permutable coincident [true, true]
    """

    name = "strip-mine"

    size: int = TILE_SIZE

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return strip_mine(scop.schedule, dependences, self)
