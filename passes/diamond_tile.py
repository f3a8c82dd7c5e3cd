"""The pass `diamond-tile`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.choose.sizes import TILE_SIZE
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.diamond import DiamondOptions, diamond_tile


@dataclass(frozen=True)
class DiamondTilePass(DiamondOptions, ScopPass):
    """Tile stencils so that all tiles of a wavefront can start at once.

    Use it instead of `tile`, before `wavefront`. `size` is the extent of the tiles along every
    hyperplane. Tiles start concurrently in `degrees` dimensions (a number or `all`): with fewer,
    tiles have a simpler shape. With `loop`, an address, only the outermost bands from that loop
    on are tiled.

    Before (a stencil in one dimension after `pluto-schedule`):

        poly.band "[{ S0[t, i] -> [(t)] }, { S0[t, i] -> [(t + i)] }]"
            permutable

    After:

        poly.band "[{ S0[t, i] -> [(t - i - (t - i) mod 32)] },
                    { S0[t, i] -> [(t + i - (t + i) mod 32)] }]"
            permutable {
          poly.band "[{ S0[t, i] -> [(t)] }, { S0[t, i] -> [(t + i)] }]"
              permutable
        }
    """

    name = "diamond-tile"

    size: int = TILE_SIZE

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return diamond_tile(scop.schedule, dependences, self)
