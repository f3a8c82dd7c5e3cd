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

from polyir.irregular.loop_parts import Bounds
from polyir.irregular.shadows import Shadows
from polyir.irregular.slices import AddressSlice, Values, Visit
from polyir.loops.code import Code
from polyir.model.raising.effects import STORES

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
        return code.maximum(code.steps(0, bounds.iterations(code), self.tile), 1)


class Levels:
    """The loops of all time steps that are tiled, in an inspector.

    `sizes` are the numbers of iterations of the loops, and `total` is their sum. The iterations of
    a loop have positions in the order in which it runs: `orders` has the iterations by position,
    for loops that do not run in the order of the program.
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
        self.orders: dict[int, SSAValue] = {}
        self.sizes = tuple(each.iterations(code) for each in bounds)
        self._offsets = [code.constant(0)]
        for size in self.sizes:
            self._offsets.append(code.sum(self._offsets[-1], size))
        self.total = self._offsets[-1]
        self.tiles = seed.tiles(code, bounds[seed.loop])
        self._stores = tuple(
            slice.only([op for op in slice.accesses if isinstance(op, STORES)]) for slice in slices
        )

    @property
    def loops(self) -> range:
        """The numbers of the loops."""
        return range(len(self.slices))

    def place(self, code: Code, loop: int, position: SSAValue) -> SSAValue:
        """The place of an iteration among those of all loops, in the order of the program."""
        return code.sum(self._offsets[loop], position)

    def point(self, code: Code, place: SSAValue, sweep: SSAValue | int) -> SSAValue:
        """The place of an iteration in a time step, in an array for all of them."""
        return code.sum(code.product(place, self.seed.sweeps), sweep)

    def iteration(self, code: Code, loop: int, position: SSAValue) -> SSAValue:
        """The iteration at a position."""
        order = self.orders.get(loop)
        return position if order is None else code.load(order, position)

    @contextmanager
    def positions(
        self, code: Code, loop: int, is_reversed: bool = False
    ) -> Iterator[tuple[Code, SSAValue]]:
        """The positions of a loop: code for the body, and a position."""
        size = self.sizes[loop]
        last = code.difference(size, 1)
        with code.loop("t", 0, size) as (body, number):
            yield body, body.difference(last, number) if is_reversed else number

    def visit(self, code: Code, loop: int, position: SSAValue, visit: Visit) -> None:
        """Add the visit of the iteration at a position."""
        self._replay(code, self.slices[loop], loop, position, visit)

    def visit_stores(self, code: Code, loop: int, position: SSAValue, visit: Visit) -> None:
        """As `visit`, of the stores alone."""
        self._replay(code, self._stores[loop], loop, position, visit)

    def _replay(
        self, code: Code, slice: AddressSlice, loop: int, position: SSAValue, visit: Visit
    ) -> None:
        iteration = self.iteration(code, loop, position)
        counter = self.bounds[loop].counter(code, iteration)
        slice.replay(code, counter, self.values, visit)


class Growth:
    """Adds the growth of tiles to an inspector.

    `tile_of` has the tile of each iteration in each time step, in the places of `levels`. `numbers`
    has the tile of each block of the seed; without, blocks and tiles have the same numbers.

    The accesses of an iteration are the same in each time step. So of those that depend on an
    iteration, and that it depends on, the nearest time step is enough.
    """

    def __init__(self, levels: Levels, tile_of: SSAValue, numbers: SSAValue | None) -> None:
        self._levels = levels
        self._tile_of, self._numbers = tile_of, numbers

    @property
    def is_one_sided(self) -> bool:
        """Whether the growth forwards needs nothing of the one backwards."""
        seed = self._levels.seed
        return seed.loop == 0 and (seed.sweep == 0 or len(self._levels.loops) == 1)

    def sow(self, code: Code) -> None:
        """Put the blocks of the seed into their tiles."""
        seed = self._levels.seed
        with self._points(code, seed.sweep, seed.loop) as (body, position, point):
            iteration = self._levels.iteration(body, seed.loop, position)
            body.store(self._tile(body, self._block_of(body, iteration)), self._tile_of, point)

    def grow_backwards(self, code: Code, shadows: Shadows) -> None:
        """Find the tiles of all iterations before the seed."""
        levels, seed = self._levels, self._levels.seed
        before = [*levels.loops[: seed.loop]]
        if not before and not seed.sweep:
            return
        current = code.cell("current")
        shadows.fill(code, levels.tiles)
        self._note(code, seed.sweep, seed.loop, shadows.note_lowest, is_reversed=True)
        for loop in reversed(before):
            self._grow_backwards(code, shadows, (seed.sweep, loop), current)
        if seed.sweep:
            with code.loop("r", 1, seed.sweep + 1) as (body, back):
                sweep = body.difference(body.constant(seed.sweep), back)
                for loop in reversed(levels.loops):
                    self._grow_backwards(body, shadows, (sweep, loop), current)

    def grow_forwards(self, code: Code, shadows: Shadows) -> None:
        """Find the tiles of all iterations after the seed, once those before are known."""
        levels, seed = self._levels, self._levels.seed
        after = [*levels.loops[seed.loop + 1 :]]
        if not after and seed.sweep + 1 == seed.sweeps:
            return
        current = code.cell("current")
        shadows.fill(code, NONE)
        for loop in after if seed.sweep else ():
            self._note(code, seed.sweep - 1, loop, shadows.note_highest)
        for loop in levels.loops[: seed.loop + 1]:
            self._note(code, seed.sweep, loop, shadows.note_highest)
        for loop in after:
            self._grow_forwards(code, shadows, (seed.sweep, loop), current)
        if seed.sweep + 1 < seed.sweeps:
            with code.loop("s", seed.sweep + 1, seed.sweeps) as (body, sweep):
                for loop in levels.loops:
                    self._grow_forwards(body, shadows, (sweep, loop), current)

    def _note(
        self,
        code: Code,
        sweep: int,
        loop: int,
        visit: Callable[[SSAValue], Visit],
        is_reversed: bool = False,
    ) -> None:
        """Visit a level whose tiles are known."""
        with self._points(code, sweep, loop, is_reversed) as (body, position, point):
            tile = body.load(self._tile_of, point)
            self._levels.visit(body, loop, position, visit(tile))

    def _grow_backwards(
        self,
        code: Code,
        shadows: Shadows,
        level: tuple[SSAValue | int, int],
        current: SSAValue,
    ) -> None:
        """Put the iterations of a level into the lowest tiles that depend on them."""
        none, (sweep, loop) = self._levels.tiles, level
        with self._points(code, sweep, loop, True) as (body, position, point):
            body.store(none, current)
            self._levels.visit(body, loop, position, shadows.lowest(current))
            tile = self._found(body, current, none, loop, position)
            body.store(tile, self._tile_of, point)
            self._levels.visit(body, loop, position, shadows.note_lowest(tile))

    def _grow_forwards(
        self,
        code: Code,
        shadows: Shadows,
        level: tuple[SSAValue | int, int],
        current: SSAValue,
    ) -> None:
        """Put the iterations of a level into the highest tiles that they depend on."""
        sweep, loop = level
        with self._points(code, sweep, loop) as (body, position, point):
            body.store(NONE, current)
            self._levels.visit(body, loop, position, shadows.highest(current))
            tile = self._found(body, current, NONE, loop, position)
            body.store(tile, self._tile_of, point)
            self._levels.visit(body, loop, position, shadows.note_highest(tile))

    @contextmanager
    def _points(
        self, code: Code, sweep: SSAValue | int, loop: int, is_reversed: bool = False
    ) -> Iterator[tuple[Code, SSAValue, SSAValue]]:
        """The iterations of a level: code for the body, a position, and the place in the step."""
        with self._levels.positions(code, loop, is_reversed) as (body, position):
            place = self._levels.place(body, loop, position)
            yield body, position, self._levels.point(body, place, sweep)

    def _found(
        self, code: Code, cell: SSAValue, none: SSAValue | int, loop: int, position: SSAValue
    ) -> SSAValue:
        """The tile in a cell; that of the block at the same part of the seed if it is `none`."""
        iteration = self._levels.iteration(code, loop, position)
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
