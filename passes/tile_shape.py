"""The pass `tile-shape`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.choose.sizes import TILE_RATIO, TILE_SIZE
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.prerequisites import ScopPass
from polyir.transform.shaped_tiles import ShapedTileOptions, tile_with_shape


@dataclass(frozen=True)
class TileShapePass(ShapedTileOptions, ScopPass):
    """Tile the outermost loops of each nest, permutable or not, along given hyperplanes.

    `shape` has one row of loop coefficients per hyperplane: `1,0;1,1` makes parallelograms bounded
    by i and i + j. `sizes` has one size per row; `levels` and `ratio` are as for
    `tile`. Tiles that violate a dependence are refused.

    Before:

        poly.band "[{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]"

    After `--tile-shape='1,0;1,1'`:

        poly.band "[{ S0[i, j] -> [(i - (i) mod 32)] },
                    { S0[i, j] -> [(i + j - (i + j) mod 32)] }]" {
          poly.band "[{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]"
        }
    """

    name = "tile-shape"

    sizes: tuple[int, ...] = (TILE_SIZE,)
    ratio: int = TILE_RATIO

    def transform(self, scop: Scop, dependences: Dependences) -> Outcome:
        return tile_with_shape(scop.schedule, dependences, self)
