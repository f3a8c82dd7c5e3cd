"""The schedule function of sparse tiles: the iterations of each tile at each level."""

from __future__ import annotations

from xdsl.ir import SSAValue

from polyir.irregular.code import Code
from polyir.irregular.slices import Visit
from polyir.irregular.tile_growth import Levels


class Schedule:
    """The schedule function, in an inspector.

    The iterations of tile q at level l are in `iterations`, from the place `starts[q * L + l]` to
    before `starts[q * L + l + 1]`, where L is the number of levels, in the order of the program.
    """

    def __init__(self, levels: Levels, iterations: SSAValue, starts: SSAValue) -> None:
        self._levels, self._iterations, self._starts = levels, iterations, starts
        self._depth = levels.seed.sweeps * len(levels.slices)

    def sort(self, code: Code, tile_of: SSAValue) -> None:
        """Add a counting sort of all iterations by tile and level, which keeps their order."""
        cells = code.product(self._levels.tiles, self._depth)
        places = code.array("places", cells)
        code.fill(places, 0, [cells])
        for is_counted in (True, False):
            with code.loop("s", 0, code.constant(self._levels.seed.sweeps)) as (body, sweep):
                for loop in self._levels.loops:
                    self._sort_level(body, sweep, loop, (tile_of, places), is_counted)
            if is_counted:
                self._sum(code, places, cells)
        code.free(places)

    def _sort_level(
        self,
        code: Code,
        sweep: SSAValue,
        loop: int,
        arrays: tuple[SSAValue, SSAValue],
        is_counted: bool,
    ) -> None:
        """Count the iterations of a level in each cell, or put them into their places."""
        tile_of, places = arrays
        first = self._levels.first(code, sweep, loop)
        level = self._levels.number(code, sweep, loop)
        with code.loop("t", 0, self._levels.sizes[loop]) as (body, iteration):
            tile = body.load(tile_of, body.sum(first, iteration))
            cell = body.sum(body.product(tile, self._depth), level)
            place = body.load(places, cell)
            if not is_counted:
                body.store(iteration, self._iterations, place)
            body.store(body.sum(place, 1), places, cell)

    def _sum(self, code: Code, places: SSAValue, cells: SSAValue) -> None:
        """Make the first place of each cell from the numbers of iterations in the cells."""
        code.store(0, self._starts, 0)
        with code.loop("e", 0, cells) as (body, cell):
            first = body.load(self._starts, cell)
            end = body.sum(first, body.load(places, cell))
            body.store(first, places, cell)
            body.store(end, self._starts, body.sum(cell, 1))

    def visit(self, code: Code, tile: SSAValue, visit: Visit) -> None:
        """Add a visit of the accesses of a tile, in the order in which it runs."""
        with code.loop("s", 0, code.constant(self._levels.seed.sweeps)) as (body, sweep):
            for loop in self._levels.loops:
                level = self._levels.number(body, sweep, loop)
                cell = body.sum(body.product(tile, self._depth), level)
                first = body.load(self._starts, cell)
                end = body.load(self._starts, body.sum(cell, 1))
                with body.loop("p", first, end) as (inner, place):
                    self._levels.visit(inner, loop, inner.load(self._iterations, place), visit)
