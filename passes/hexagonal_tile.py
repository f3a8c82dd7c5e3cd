"""The pass `hexagonal-tile`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.choose.sizes import HEXAGON_HEIGHT, TILE_SIZE
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.hexagonal import HexagonalOptions, hexagonal_tile


@dataclass(frozen=True)
class HexagonalTilePass(HexagonalOptions, ScopPass):
    """Tile stencils by hexagons in time and space, which run in parallel waves.

    Use it after a scheduler, in the place of `tile` and `wavefront`. The hexagons are in the plane
    of the first two loops of a nest, of which the first is time: they have 2 `height` time steps
    and `width` points in the first and the last of them. Along the other loops, tiles have the
    `sizes`. With `loop`, the address of a time loop, only the nest of that loop is tiled.

    Before (a stencil in one dimension after `pluto-schedule`):

        poly.band "[{ S0[t, i] -> [(t)] }, { S0[t, i] -> [(t + i)] }]"
            permutable

    After (the hexagons of a wave are parallel, and so are the points of a time step):

        poly.band WAVE permutable {
          poly.band HEXAGON permutable coincident [true] {
            poly.band "[{ S0[t, i] -> [(t)] }]" permutable {
              poly.band "[{ S0[t, i] -> [(i)] }]" permutable coincident [true]
            }
          }
        }
    """

    name = "hexagonal-tile"

    height: int = HEXAGON_HEIGHT
    width: int = TILE_SIZE
    sizes: tuple[int, ...] = (TILE_SIZE,)

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return hexagonal_tile(scop.schedule, dependences, self)
