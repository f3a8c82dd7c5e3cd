"""The pass `tile`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.tile import TileOptions, tile


@dataclass(frozen=True)
class TilePass(TileOptions, ScopPass):
    """Tile the permutable bands.

    `sizes` are the tile sizes of the loops of a band, in order; the last one also applies to all
    further loops. With `levels`, `sizes` are those of the innermost tiles, and tiles of each
    further level are `ratio` times as large: `sizes=32,32,8 levels=2` makes tiles of 32 x 32 x 8
    inside tiles of 256 x 256 x 64. For other sizes, tile twice, outer tiles first:
    `--tile=100,100 --tile=32,8`. Bands of fewer than `min-width` loops, and bands that are not
    permutable, are not tiled.

    `loops` lists addresses of nested loops: only these are tiled, permutable or not. Their tile
    loops, in the given order, are placed around the outermost of them. Tiles that violate a
    dependence are refused.

    Before:

        poly.band "[{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]"
            permutable coincident [true, false]

    After `--tile=32,8`:

        poly.band "[{ S0[i, j] -> [(i - (i) mod 32)] }, { S0[i, j] -> [(j - (j) mod 8)] }]"
            permutable coincident [true, false] {
          poly.band "[{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]"
              permutable coincident [true, false]
        }
    """

    name = "tile"

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return tile(scop.schedule, dependences, self)
