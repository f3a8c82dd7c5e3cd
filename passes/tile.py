"""The pass `tile`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from polyir.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.dialects.mark_attributes import Origins
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.passes.named_statements import NamingPass, statements_named
from polyir.passes.prerequisites import scops_in
from polyir.transform.address import Address, parse_address
from polyir.transform.shaped_tiles import Shape, read_shape, tile_with_shape
from polyir.transform.size_arguments import declare_sizes, free_size_names, require_extensible
from polyir.transform.symbolic_tile import SymbolicTileOptions, tile_symbolically
from polyir.transform.tile import TileOptions, tile, tile_by_address


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

    `sizes=symbolic` makes the sizes arguments of the function, of type index and behind the
    others: T0 for the first loop of each band, T1 for the second. A mark stands for the tile
    loops then. `origins` says which tiles they visit: `outset`, those with points, or `box`, all
    in the rectangular hull of the points, which takes simpler bounds.

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

    sizes: tuple[int, ...] | Literal["symbolic"] = (32,)
    levels: int = 1
    min_width: int = 2
    ratio: int = 8
    shape: str = ""
    loops: tuple[str, ...] = ()
    origins: Origins = "outset"

    def __post_init__(self) -> None:
        # Bad options are refused before any input is read.
        self._options()
        if self.sizes == "symbolic":
            if self.shape or self.levels != 1:
                raise OptionError("symbolic sizes are for one level, and no other shape")
        elif self.origins != "outset":
            raise OptionError(f"origins is for symbolic sizes: origins={self.origins}")
        if self._shape() and self._addresses():
            raise OptionError("shape is for the outermost loops of nests, not for loops by address")

    @property
    def named(self) -> tuple[str, ...]:
        return statements_named(*self._addresses())

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        super().apply(ctx, op)
        if self.sizes == "symbolic":
            for scop in scops_in(op):
                declare_sizes(scop)

    def transform_named(self, scop: Scop, dependences: Dependences) -> Outcome:
        if self.sizes == "symbolic":
            require_extensible(scop.op)
            options = SymbolicTileOptions(
                free_size_names(scop), self.origins, self.min_width, self._addresses()
            )
            return tile_symbolically(scop.schedule, dependences, options)
        if self.loops:
            return tile_by_address(scop.schedule, dependences, self._addresses(), self._options())
        shape = self._shape()
        if shape:
            return tile_with_shape(scop.schedule, dependences, shape, self._options())
        return tile(scop.schedule, dependences, self._options())

    def _addresses(self) -> tuple[Address, ...]:
        return tuple(map(parse_address, self.loops))

    def _shape(self) -> Shape:
        return read_shape(self.shape) if self.shape else ()

    def _options(self) -> TileOptions:
        sizes = (32,) if self.sizes == "symbolic" else self.sizes
        return TileOptions(sizes, self.levels, self.min_width, self.ratio)
