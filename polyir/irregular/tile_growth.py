"""The tiling function of full sparse tiling: which tile each iteration is in.

The loops of some time steps, one after the other, are the levels of the tiling. Blocks of the
iterations of one level, the seed, are its share of the tiles. The tiles grow from there against
and along the dependences, which the inspector finds as it visits the accesses of the levels:

- backwards, an iteration of an earlier level is in the lowest tile of those that depend on it;
- forwards, an iteration of a later level is in the highest tile of those that it depends on.

So no dependence goes from a tile to a lower one (M. Strout, L. Carter, J. Ferrante and B. Kreaseck,
"Sparse tiling for stationary iterative methods", International Journal of High Performance
Computing Applications, 2004). An iteration that no dependence ties to the others is in the tile of
the block at the same part of the seed. It takes time linear in the number of accesses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.ir import SSAValue

from polyir.irregular.code import Code
from polyir.irregular.loop_parts import Bounds
from polyir.irregular.shadows import Shadows
from polyir.irregular.slices import AddressSlice, Values, Visit

NONE = -1
"""What is before the first tile."""


@dataclass(frozen=True)
class Seed:
    """The seed of a sparse tiling: blocks of `tile` iterations of inner loop number `loop`.

    It is in the middle one of `sweeps` iterations of the outer loop.
    """

    loop: int
    tile: int
    sweeps: int

    @property
    def sweep(self) -> int:
        """The iteration of the outer loop that the seed is in."""
        return self.sweeps // 2

    def tiles(self, code: Code, bounds: Bounds) -> SSAValue:
        """The number of tiles, for the bounds of the loop: 1 if it has no iterations."""
        return code.maximum(code.steps(0, iterations(code, bounds), self.tile), 1)


def iterations(code: Code, bounds: Bounds) -> SSAValue:
    """The number of iterations of a loop."""
    return code.steps(bounds.lower, bounds.upper, bounds.step)


class Levels:
    """The loops of all time steps that are tiled, in an inspector.

    `sizes` are the numbers of iterations of the loops, and `total` is their sum. The iterations of
    all levels have places in an array, in the order of the program.
    """

    def __init__(
        self,
        code: Code,
        slices: tuple[AddressSlice, ...],
        bounds: tuple[Bounds, ...],
        values: Values,
        seed: Seed,
    ) -> None:
        self.slices, self.bounds, self.values, self.seed = slices, bounds, values, seed
        self.sizes = tuple(iterations(code, each) for each in bounds)
        self._offsets = [code.constant(0)]
        for size in self.sizes:
            self._offsets.append(code.sum(self._offsets[-1], size))
        self.total = self._offsets[-1]
        self.tiles = seed.tiles(code, bounds[seed.loop])

    @property
    def loops(self) -> range:
        """The numbers of the loops."""
        return range(len(self.slices))

    def first(self, code: Code, sweep: SSAValue, loop: int) -> SSAValue:
        """The place of the first iteration of a level."""
        return code.sum(code.product(sweep, self.total), self._offsets[loop])

    def number(self, code: Code, sweep: SSAValue, loop: int) -> SSAValue:
        """The number of a level, in the order of the program."""
        return code.sum(code.product(sweep, len(self.slices)), loop)

    def visit(self, code: Code, loop: int, iteration: SSAValue, visit: Visit) -> None:
        """Add the visit of an iteration, given by its number."""
        bounds = self.bounds[loop]
        counter = code.sum(bounds.lower, code.product(iteration, bounds.step))
        self.slices[loop].replay(code, counter, self.values, visit)


class Growth:
    """Adds the growth of tiles to an inspector.

    `tile_of` has the tile of each iteration, in the places of `levels`. `numbers` has the tile of
    each block of the seed; without, blocks and tiles have the same numbers.
    """

    def __init__(
        self, levels: Levels, shadows: Shadows, tile_of: SSAValue, numbers: SSAValue | None
    ) -> None:
        self._levels, self._shadows = levels, shadows
        self._tile_of, self._numbers = tile_of, numbers

    def grow(self, code: Code) -> None:
        """Find the tiles of all iterations."""
        levels, seed = self._levels, self._levels.seed
        middle, current = code.constant(seed.sweep), code.cell("current")
        with self._iterations(code, middle, seed.loop) as (body, iteration, place):
            body.store(self._tile(body, self._block_of(body, iteration)), self._tile_of, place)
        self._shadows.fill(code, levels.tiles)
        self._note(code, middle, seed.loop, self._shadows.note_lowest, is_reversed=True)
        for loop in reversed(levels.loops[: seed.loop]):
            self._grow_backwards(code, middle, loop, current)
        with code.loop("r", 1, code.constant(seed.sweep + 1)) as (body, back):
            sweep = body.difference(middle, back)
            for loop in reversed(levels.loops):
                self._grow_backwards(body, sweep, loop, current)
        self._shadows.fill(code, NONE)
        with code.loop("s", 0, middle) as (body, sweep):
            for loop in levels.loops:
                self._note(body, sweep, loop, self._shadows.note_highest)
        for loop in levels.loops[: seed.loop + 1]:
            self._note(code, middle, loop, self._shadows.note_highest)
        for loop in levels.loops[seed.loop + 1 :]:
            self._grow_forwards(code, middle, loop, current)
        with code.loop("s", seed.sweep + 1, code.constant(seed.sweeps)) as (body, sweep):
            for loop in levels.loops:
                self._grow_forwards(body, sweep, loop, current)

    def _note(
        self,
        code: Code,
        sweep: SSAValue,
        loop: int,
        visit: Callable[[SSAValue], Visit],
        is_reversed: bool = False,
    ) -> None:
        """Visit a level whose tiles are known."""
        with self._iterations(code, sweep, loop, is_reversed) as (body, iteration, place):
            tile = body.load(self._tile_of, place)
            self._levels.visit(body, loop, iteration, visit(tile))

    def _grow_backwards(self, code: Code, sweep: SSAValue, loop: int, current: SSAValue) -> None:
        """Put the iterations of a level into the lowest tiles that depend on them."""
        none = self._levels.tiles
        with self._iterations(code, sweep, loop, True) as (body, iteration, place):
            body.store(none, current)
            self._levels.visit(body, loop, iteration, self._shadows.lowest(current))
            tile = self._found(body, current, none, loop, iteration)
            body.store(tile, self._tile_of, place)
            self._levels.visit(body, loop, iteration, self._shadows.note_lowest(tile))

    def _grow_forwards(self, code: Code, sweep: SSAValue, loop: int, current: SSAValue) -> None:
        """Put the iterations of a level into the highest tiles that they depend on."""
        with self._iterations(code, sweep, loop) as (body, iteration, place):
            body.store(NONE, current)
            self._levels.visit(body, loop, iteration, self._shadows.highest(current))
            tile = self._found(body, current, NONE, loop, iteration)
            body.store(tile, self._tile_of, place)
            self._levels.visit(body, loop, iteration, self._shadows.note_highest(tile))

    @contextmanager
    def _iterations(
        self, code: Code, sweep: SSAValue, loop: int, is_reversed: bool = False
    ) -> Iterator[tuple[Code, SSAValue, SSAValue]]:
        """The iterations of a level: code for the body, the number of one, and its place."""
        size = self._levels.sizes[loop]
        first = self._levels.first(code, sweep, loop)
        last = code.difference(size, 1)
        with code.loop("t", 0, size) as (body, number):
            iteration = body.difference(last, number) if is_reversed else number
            yield body, iteration, body.sum(first, iteration)

    def _found(
        self, code: Code, cell: SSAValue, none: SSAValue | int, loop: int, iteration: SSAValue
    ) -> SSAValue:
        """The tile in a cell; that of the block at the same part of the seed if it is `none`."""
        default = self._tile(code, self._block_of(code, iteration, loop))
        tile = code.load(cell)
        return code.select(tile, "eq", none, default, tile)

    def _block_of(self, code: Code, iteration: SSAValue, loop: int | None = None) -> SSAValue:
        """The block of the seed at the same part of it as an iteration is of its loop."""
        seed = self._levels.seed
        if loop in (None, seed.loop):
            return code.quotient(iteration, seed.tile)
        assert loop is not None
        return code.quotient(code.product(iteration, self._levels.tiles), self._levels.sizes[loop])

    def _tile(self, code: Code, block: SSAValue) -> SSAValue:
        """The tile of a block."""
        return block if self._numbers is None else code.load(self._numbers, block)
