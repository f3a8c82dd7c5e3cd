"""The schedule function of sparse tiles: the iterations of each tile at each level."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from polyir.irregular.counting_sorts import sort_numbers
from polyir.irregular.shadows import Shadows, find_wavefronts
from polyir.irregular.slices import Visit
from polyir.irregular.tile_growth import Levels
from polyir.loops.code import Code


class Schedule:
    """The schedule function, in an inspector.

    The iterations of tile q at level l are in `iterations`, from the place `starts[q * L + l]` to
    before `starts[q * L + l + 1]`, where L is the number of levels.
    """

    def __init__(self, levels: Levels, iterations: SSAValue, starts: SSAValue) -> None:
        self._levels, self._iterations, self._starts = levels, iterations, starts
        self._depth = levels.seed.sweeps * len(levels.slices)

    def sort(self, code: Code, tile_of: SSAValue, orders: Sequence[SSAValue] | None = None) -> None:
        """Add a counting sort of all iterations by tile and level, which keeps their order.

        That is the order in which the loops run, or for each loop that of an array of positions.
        """
        cells = code.product(self._levels.tiles, self._depth)
        places = code.array("places", cells)
        code.fill(places, 0, [cells])
        for is_counted in (True, False):
            for loop in self._levels.loops:
                order = None if is_counted or orders is None else orders[loop]
                self._sort_loop(code, loop, (tile_of, places, order), is_counted)
            if is_counted:
                self._sum(code, places, cells)
        code.free(places)

    def _sort_loop(
        self,
        code: Code,
        loop: int,
        arrays: tuple[SSAValue, SSAValue, SSAValue | None],
        is_counted: bool,
    ) -> None:
        """Count the iterations of a loop in each cell, or put them into their places."""
        tile_of, places, order = arrays
        with self._levels.positions(code, loop) as (body, number):
            position = number if order is None else body.load(order, number)
            place = self._levels.place(body, loop, position)
            iteration = None if is_counted else self._levels.iteration(body, loop, position)
            with body.loop("s", 0, self._levels.seed.sweeps) as (inner, sweep):
                tile = inner.load(tile_of, self._levels.point(inner, place, sweep))
                level = inner.sum(inner.product(sweep, len(self._levels.slices)), loop)
                cell = inner.sum(inner.product(tile, self._depth), level)
                next = inner.load(places, cell)
                if iteration is not None:
                    inner.store(iteration, self._iterations, next)
                inner.store(inner.sum(next, 1), places, cell)

    def _sum(self, code: Code, places: SSAValue, cells: SSAValue) -> None:
        """Make the first place of each cell from the numbers of iterations in the cells."""
        code.store(0, self._starts, 0)
        with code.loop("e", 0, cells) as (body, cell):
            first = body.load(self._starts, cell)
            end = body.sum(first, body.load(places, cell))
            body.store(first, places, cell)
            body.store(end, self._starts, body.sum(cell, 1))


def find_wavefront_order(
    code: Code, levels: Levels, shadows: Shadows, loop: int, order: SSAValue
) -> None:
    """Fill `order` with the positions of a loop by their wavefronts in that loop alone.

    Those of one wavefront are in their order. Their iterations do not wait for each other's
    results, so that a processor can compute several at once.
    """
    size = levels.sizes[loop]
    wavefronts, starts = code.array("wavefront", size), code.array("starts", code.sum(size, 1))
    count = code.cell("count")
    shadows.fill(code, 0)

    def visit(code: Code, position: SSAValue, visit: Visit) -> None:
        levels.visit(code, loop, position, visit)

    find_wavefronts(code, size, shadows, visit, wavefronts, count)
    sort_numbers(code, wavefronts, size, (order, starts, count))
    code.free(wavefronts, starts)
