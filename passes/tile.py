"""The pass `tile`."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.named_statements import NamingPass, statements_named
from polyir.transform.address import Address, parse_address
from polyir.transform.shaped_tiles import Shape, read_shape, tile_with_shape
from polyir.transform.tile import TileOptions, tile
from polyir.transform.tile_loops import tile_loops


@dataclass(frozen=True)
class TilePass(NamingPass):
    """Tile the permutable bands.

    `sizes` are the tile sizes of the loops of a band in order; the last one holds for all
    further loops, so that one size is enough. With `levels`, `sizes` are those of the innermost
    tiles, and tiles of each further level are `ratio` times as large: `sizes=32,32,8 levels=2`
    makes tiles of 32 x 32 x 8 inside tiles of 256 x 256 x 64. For other sizes tile twice,
    outer tiles first: `--tile=100,100 --tile=32,8`. Bands of fewer than `min-width` loops, and
    bands that are not permutable, are left alone.

    `shape` gives tiles another shape: rows of numbers that combine the outermost loops of a
    nest, permutable or not. `--tile='sizes=32 shape="1,0;1,1"'` makes parallelograms with sides
    along i and i + j; sizes are those of the rows then.

    `loops` has addresses of nested loops: these are tiled and no others, permutable or not.
    Their tile loops, in the order given, go around the outermost of them. Refused are tiles
    that violate a dependence.

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

    sizes: tuple[int, ...] = (32,)
    levels: int = 1
    min_width: int = 2
    ratio: int = 8
    shape: str = ""
    loops: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # Bad options are refused before any input is read.
        self._options()
        if self._shape() and self._addresses():
            raise OptionError("shape is for the outermost loops of nests, not for loops by address")

    @property
    def named(self) -> tuple[str, ...]:
        return statements_named(*self._addresses())

    def transform_named(self, scop: Scop, dependences: Dependences) -> Outcome:
        if self.loops:
            return tile_loops(scop.schedule, dependences, self._addresses(), self._options())
        shape = self._shape()
        if shape:
            return tile_with_shape(scop.schedule, dependences, shape, self._options())
        return tile(scop.schedule, dependences, self._options())

    def _addresses(self) -> tuple[Address, ...]:
        return tuple(map(parse_address, self.loops))

    def _shape(self) -> Shape:
        return read_shape(self.shape) if self.shape else ()

    def _options(self) -> TileOptions:
        return TileOptions(self.sizes, self.levels, self.min_width, self.ratio)
