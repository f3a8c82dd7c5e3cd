"""Which tiles the ranks have, for a number of ranks: the table of `blocks` as numbers.

Blocks are numbered row by row in a grid, ranks are, too. With `block`, block r is that of rank r.
With `cyclic` and `block-cyclic`, blocks are dealt out in turn along each side of the grid of ranks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce
from itertools import product
from math import isqrt, prod

import islpy as isl

from polyir.distributed.counting import fixed
from polyir.distributed.elements import OWN, PEER, Division
from polyir.distributed.phases import TiledRange
from polyir.distributed.sized_program import SizedProgram
from polyir.sets.boxes import constant_box


@dataclass(frozen=True)
class Blocks:
    """The tiles of a loop in blocks of neighbouring ones.

    Block b begins `ceil(b * tiles / count)` tiles after the first one, or `b * size` tiles if it is
    given how many tiles a block has, as in the program.
    """

    first: int
    tiles: int
    count: int
    size: int | None = None

    def begin(self, block: int) -> int:
        """The first tile of a block."""
        if self.size is not None:
            return self.first + min(block * self.size, self.tiles)
        return self.first - (-block * self.tiles // self.count)

    def tiles_of(self, block: int) -> int:
        """How many tiles a block has."""
        if not 0 <= block < self.count:
            return 0
        return self.begin(block + 1) - self.begin(block)

    def block_of(self, tile: int) -> int:
        """The block that has a tile; for a tile outside, the first or the last one."""
        if not self.tiles:
            return 0
        inside = min(max(tile - self.first, 0), self.tiles - 1)
        return inside // self.size if self.size is not None else inside * self.count // self.tiles


class Layout:
    """The blocks of all ranks.

    `grid` has the sides of the grid of ranks, and `sides` those of the grid of `count` blocks, of
    which the last row may not be full; `blocks` has the blocks along each loop of a division.
    """

    def __init__(self, program: SizedProgram, ranks: int) -> None:
        self.ranks, self._divisions = ranks, program.divisions
        self.is_dealt = program.options.tiles is not None
        dimensions = max(len(each.ranges) for each in program.divisions)
        self.grid: tuple[int, ...] = grid_of(ranks) if dimensions == 2 else (ranks,)
        tiles = {
            division.name: [_tiles(each, program.sizes) for each in division.ranges]
            for division in program.divisions
        }
        self.sides: tuple[int, ...] = self.grid
        self.count = ranks
        if program.options.tiles is not None:
            size = program.options.tiles
            counts = [[-(-n // size) for _, n in each] for each in tiles.values()]
            self.sides = _grid_around(counts, dimensions)
            line = max((each[0] for each in counts if len(each) < dimensions), default=1)
            self.count = max(prod(self.sides), line)
        self.blocks = {
            name: tuple(
                Blocks(first, number, side, program.options.tiles)
                for (first, number), side in zip(each, self._sides_of(each), strict=True)
            )
            for name, each in tiles.items()
        }

    def _sides_of(self, loops: Sequence[object]) -> tuple[int, ...]:
        return (self.count,) if len(loops) < len(self.sides) else self.sides

    @cached_property
    def most_ranks(self) -> int | None:
        """How many ranks have tiles, if those are the first ones; `None` if it is not so simple."""
        if self.is_dealt:
            return self.count if len(self.grid) == 1 else None
        tiles = {each.tiles for blocks in self.blocks.values() for each in blocks}
        return max(tiles) or None if len(self.grid) == len(tiles) == 1 else None

    # ------------------------------------------------------------------------------- ranks

    def coordinates(self, rank: int) -> tuple[int, ...]:
        """Where a rank is in the grid of ranks."""
        return (rank,) if len(self.grid) == 1 else divmod(rank, self.grid[1])

    def rank_at(self, coordinates: Sequence[int]) -> int:
        """The rank at a place in the grid of ranks."""
        return reduce(lambda rank, each: rank * self.grid[1] + each, coordinates)

    def owner(self, block: int) -> int:
        """The rank that has a block."""
        if not self.is_dealt:
            return block
        return self.rank_at([c % g for c, g in zip(self._place(block), self.grid, strict=True)])

    def of_rank(self, rank: int) -> list[int]:
        """The blocks of a rank."""
        if not self.is_dealt:
            return [rank]
        if len(self.grid) == 1:
            return list(range(rank, self.count, self.ranks))
        rows = -(-self.count // self.sides[1])
        starts = self.coordinates(rank)
        lines = (
            range(start, end, step)
            for start, end, step in zip(starts, (rows, self.sides[1]), self.grid, strict=True)
        )
        found = (row * self.sides[1] + column for row, column in product(*lines))
        return [block for block in found if block < self.count]

    def ranks_with(self, division: Division, tiles: Sequence[tuple[int, int]]) -> Sequence[int]:
        """The ranks that have blocks with tiles from a first to a last one along each loop."""
        blocks = self.blocks[division.name]
        ends = [tuple(map(b.block_of, each)) for b, each in zip(blocks, tiles, strict=True)]
        if len(blocks) < len(self.grid):
            ((first, last),) = ends
            if not self.is_dealt:
                return range(first, last + 1)
            owners = {self.owner(block) for block in range(first, last + 1)}
            return sorted(owners)
        sides = [
            sorted({block % side for block in range(first, min(last, first + side - 1) + 1)})
            for (first, last), side in zip(ends, self.grid, strict=True)
        ]
        return sides[0] if len(sides) == 1 else [self.rank_at(each) for each in product(*sides)]

    def shape(self, rank: int, distances: Sequence[int] = (0,)) -> object:
        """Numbers of tiles, which are equal for ranks that do the same up to a shift.

        `distances` say which neighbours are looked at along each side of the grid.
        """
        place = self.coordinates(rank)
        found: list[object] = []
        for blocks in self.blocks.values():
            own = place if len(blocks) == len(place) else (rank,)
            for each, coordinate, side in zip(blocks, own, self._ranks_along(blocks), strict=True):
                for distance in distances:
                    found.append(self._tiles_at(each, coordinate + distance, side))
        return tuple(found)

    def _ranks_along(self, blocks: Sequence[Blocks]) -> tuple[int, ...]:
        return self.grid if len(blocks) == len(self.grid) else (self.ranks,)

    def _tiles_at(self, blocks: Blocks, coordinate: int, side: int) -> object:
        if blocks.size is None:
            return blocks.tiles_of(coordinate)
        # How many blocks there are, and whether the last one, which may be smaller, is among them.
        number, own = -(-blocks.tiles // blocks.size), coordinate % side
        return -(-(number - own) // side), (number - 1) % side == own

    # -------------------------------------------------------------------------------- sets

    def _place(self, block: int) -> tuple[int, ...]:
        return (block,) if len(self.sides) == 1 else divmod(block, self.sides[1])

    def bounds(self, block: int, who: str) -> dict[str, int]:
        """The parameters for a block."""
        found = {}
        for division in self._divisions:
            blocks = self.blocks[division.name]
            place = self._place(block) if len(blocks) == len(self.sides) else (block,)
            for dimension, (each, here) in enumerate(zip(blocks, place, strict=True)):
                found[division.begin(dimension, who)] = each.begin(here)
                found[division.end(dimension, who)] = each.begin(here + 1)
        return found

    def of(self, points: isl.Set, rank: int, who: str) -> isl.Set:
        """The points for all blocks of a rank: `{ [x, b] }`, b being the parameters for a block.

        If the rank has one block, b is left out. Points that depend on no block must be none.
        """
        if not self.is_dealt:
            return fixed(points, self.bounds(rank, who))
        blocks = self.of_rank(rank)
        if len(blocks) == 1:
            return fixed(points, self.bounds(blocks[0], who))
        points = points.intersect_params(self._bound(rank, who))
        for name in _parameters(self._divisions, who):
            place = points.find_dim_by_name(isl.dim_type.param, name)
            last = points.dim(isl.dim_type.set)
            points = points.move_dims(isl.dim_type.set, last, isl.dim_type.param, place, 1)
        return points

    @lru_cache(4096)  # noqa: B019
    def _bound(self, rank: int, who: str) -> isl.Set:
        """The values of the parameters for the blocks of a rank."""
        starts = self.coordinates(rank)
        found = self.numbered(who)
        for place, (start, side) in enumerate(zip(starts, self.grid, strict=True)):
            here = f"(i{place} - {start}) mod {side} = 0"
            names = ", ".join(f"i{d}" for d in range(len(starts)))
            found = found.intersect(isl.Set(f"{{ [{names}] : {here} }}"))
        return found.params()

    @lru_cache(2)  # noqa: B019
    def numbered(self, who: str) -> isl.Set:
        """`{ [i] }`: places of blocks in their grid, with the parameters for each."""
        names = [f"i{place}" for place in range(len(self.sides))]
        number = names[0] if len(names) == 1 else f"{self.sides[1]} i0 + i1"
        conditions = [f"0 <= {number} < {self.count}", *(f"{name} >= 0" for name in names)]
        conditions += [f"i1 < {self.sides[1]}"] if len(names) == 2 else []
        for division in self._divisions:
            blocks = self.blocks[division.name]
            places = names if len(blocks) == len(names) else [number]
            for dimension, (each, place) in enumerate(zip(blocks, places, strict=True)):
                for name, of in (
                    (division.begin(dimension, who), f"({place})"),
                    (division.end(dimension, who), f"({place} + 1)"),
                ):
                    value = f"min({each.size} * {of}, {each.tiles})"
                    conditions.append(f"{name} = {each.first} + {value}")
        parameters = ", ".join(_parameters(self._divisions, who))
        text = f"[{parameters}] -> {{ [{', '.join(names)}] : {' and '.join(conditions)} }}"
        return isl.Set(text).coalesce()


def grid_of(ranks: int) -> tuple[int, int]:
    """The sides of the grid of ranks, the longer one first: as near to a square as can be."""
    columns = max(side for side in range(1, isqrt(ranks) + 1) if ranks % side == 0)
    return ranks // columns, columns


def other(who: str) -> str:
    """The other one of two ranks."""
    return OWN if who == PEER else PEER


def _parameters(divisions: Sequence[Division], who: str) -> list[str]:
    return [name for each in divisions for name in each.parameters(who)]


def _grid_around(counts: Sequence[Sequence[int]], dimensions: int) -> tuple[int, ...]:
    """The sides of a grid that has all blocks of the divisions of so many loops."""
    sides = [1] * dimensions
    for each in counts:
        if len(each) == dimensions:
            sides = [max(pair) for pair in zip(sides, each, strict=True)]
    return tuple(sides)


def _tiles(range: TiledRange, sizes: Mapping[str, int]) -> tuple[int, int]:
    """The first tile of a loop, and how many there are."""
    ends = []
    for value in (range.least, range.greatest):
        point = fixed(isl.Set.from_pw_aff(range.tile(value)), sizes)
        if point.is_empty():
            return 0, 0
        ((end, _),) = constant_box(point)
        ends.append(end)
    return ends[0], max(0, ends[1] - ends[0] + 1)
