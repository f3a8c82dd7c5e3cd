"""The blocks of iterations that ranks have, as a table that is computed at run time.

A row of the table is a block: the first tile and the tile after the last one in each divided loop
of each division, then what to subtract from a subscript to have the place in the rank's memory. If
a rank has one block, block r is that of rank r; else the blocks of a rank are in rows one after the
other, in the order of ranks, and the last column says whose a block is. With parts of arrays that
ranks pass, there are columns for their boxes.

The parts of an array for all blocks of a rank are in one memref, one after the other along the
outermost dimension.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import reduce

import islpy as isl
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, MemRefType
from xdsl.ir import Attribute, SSAValue

from polyir.distributed.boxes import Values, extent, value_where_defined
from polyir.distributed.elements import OWN, Division, Elements
from polyir.distributed.functions import LocalPart, dynamic
from polyir.distributed.neighbours import rank_of
from polyir.distributed.options import DistributionOptions
from polyir.distributed.ownership import ArrayPart, Ownership
from polyir.distributed.phases import TiledRange
from polyir.loops.code import Code

Parts = Mapping[str, LocalPart]
_OWNER = "owner"


@dataclass(frozen=True)
class RankArguments:
    """Where a function runs: the number of the rank, how many there are, and the blocks."""

    rank: SSAValue
    ranks: SSAValue
    table: SSAValue

    @staticmethod
    def types() -> list[Attribute]:
        """The types of `values`."""
        return [IndexType(), IndexType(), MemRefType(IndexType(), [DYNAMIC_INDEX] * 2)]

    def values(self) -> list[SSAValue]:
        """What is passed to a function."""
        return [self.rank, self.ranks, self.table]


class Blocks:
    """Adds code that makes the table of blocks, and code that reads it."""

    def __init__(
        self,
        elements: Elements,
        options: DistributionOptions,
        ownership: Ownership | None = None,
    ) -> None:
        self._elements, self._scop, self._options = elements, elements.scop, options
        self._ownership = ownership
        self._divisions = list({d.name: d for d in elements.divisions.values()}.values())
        self._bounds = [name for each in self._divisions for name in each.parameters("")]
        if ownership is not None:
            self._bounds += ownership.parameters
        self._arrays = {
            name: len(dynamic(memory.type).get_shape())
            for name, memory in self._scop.arrays.items()
            if name not in elements.private
        }
        places = [f"{name}_{d}" for name, rank in self._arrays.items() for d in range(rank)]
        self._columns = [*self._bounds, *places, *([_OWNER] if options.tiles else [])]

    @property
    def has_several(self) -> bool:
        """Whether a rank may have several blocks."""
        return self._options.tiles is not None

    # -------------------------------------------------------------------------------- reading

    def bounds(
        self, code: Code, place: RankArguments, block: SSAValue, who: str
    ) -> dict[str, SSAValue]:
        """The values of the parameters for a block."""
        return {f"{who}{name}": self._load(code, place, block, name, who) for name in self._bounds}

    def parts(
        self, code: Code, place: RankArguments, block: SSAValue, memory: Mapping[str, SSAValue]
    ) -> dict[str, LocalPart]:
        """The parts of arrays for a block of the rank that runs; private ones are whole."""
        whole = {
            name: LocalPart(value, (code.constant(0),) * len(dynamic(value.type).get_shape()))
            for name, value in memory.items()
            if name in self._elements.private
        }
        return whole | {
            name: LocalPart(
                value,
                tuple(
                    self._load(code, place, block, f"{name}_{dimension}")
                    for dimension in range(self._arrays[name])
                ),
            )
            for name, value in memory.items()
            if name not in whole
        }

    def passed(
        self, code: Code, place: RankArguments, block: SSAValue, memory: Mapping[str, SSAValue]
    ) -> dict[str, LocalPart]:
        """The parts of arrays that a rank passes."""
        assert self._ownership is not None
        return {
            name: LocalPart(
                memory[name],
                tuple(self._load(code, place, block, part.begin(d)) for d in range(part.rank)),
            )
            for name, part in self._ownership.parts.items()
        }

    def box(
        self, code: Code, place: RankArguments, block: SSAValue, array: str
    ) -> list[tuple[SSAValue, SSAValue]]:
        """The first subscript of the part that a rank passes, and the one after the last."""
        assert self._ownership is not None
        if array not in self._ownership.parts:
            return [(code.constant(0), code.constant(0))] * self._arrays[array]
        part = self._ownership.parts[array]
        return [
            (
                self._load(code, place, block, part.begin(dimension)),
                self._load(code, place, block, part.end(dimension)),
            )
            for dimension in range(part.rank)
        ]

    def owner(self, code: Code, place: RankArguments, block: SSAValue) -> SSAValue:
        """The rank that has a block."""
        return self._load(code, place, block, _OWNER) if self.has_several else block

    def rank_of(
        self, code: Code, place: RankArguments, division: Division, tile: SSAValue
    ) -> SSAValue:
        """The rank that has a tile in a line of blocks, one a rank; outside, it is not a rank."""
        last = code.difference(place.ranks, 1)
        first = self._load(code, place, code.constant(0), division.begin(0, ""))
        end = self._load(code, place, last, division.end(0, ""))
        return rank_of(code, tile, first, end, place.ranks)

    @contextmanager
    def own(self, code: Code, place: RankArguments) -> Iterator[tuple[Code, SSAValue]]:
        """Code that runs for each block of the rank that runs."""
        if not self.has_several:
            yield code, place.rank
            return
        with self.every(code, place, "block") as (body, block):
            owner = self.owner(body, place, block)
            with body.conditional(body.compared(owner, "eq", place.rank)) as inner:
                yield inner, block

    @contextmanager
    def every(self, code: Code, place: RankArguments, name: str) -> Iterator[tuple[Code, SSAValue]]:
        """Code that runs for each block of all ranks."""
        with code.loop(name, 0, code.extent(place.table, 0)) as found:
            yield found

    def _load(
        self, code: Code, place: RankArguments, block: SSAValue, column: str, who: str = ""
    ) -> SSAValue:
        value = code.load(place.table, block, self._columns.index(column))
        value.name_hint = f"{who}{column}"
        return value

    # ------------------------------------------------------------------------------- the table

    def table(self, code: Code, values: Values, rank: SSAValue, ranks: SSAValue) -> RankArguments:
        """Add code for the table, in which the places in memory are not set yet."""
        tiles = {
            division.name: [self._tiles(code, each, values) for each in division.ranges]
            for division in self._divisions
        }
        numbers = [[number for _, number in each] for each in tiles.values()]
        grid = self._grid(code, ranks)
        count, sides = self._counts(code, numbers) if self.has_several else (ranks, grid)
        place = RankArguments(rank, ranks, code.array("blocks", count, len(self._columns)))
        boxes = self._accessed_boxes(code, values)
        with self._each_block(code, count, sides, grid) as (body, block, row):
            in_grid = _coordinates(body, block, sides)
            for division in self._divisions:
                is_line = len(division.ranges) < len(sides)
                own, lengths = ((block,), (ranks,)) if is_line else (in_grid, sides)
                for dimension, (first, number) in enumerate(tiles[division.name]):
                    for name, coordinate in (
                        (division.begin(dimension, ""), own[dimension]),
                        (division.end(dimension, ""), body.sum(own[dimension], 1)),
                    ):
                        before = self._before(body, coordinate, number, lengths[dimension])
                        column = self._columns.index(name)
                        body.store(body.sum(first, before), place.table, row, column)
            if self._options.tiles:
                owner = _rank_at(body, in_grid, grid)
                body.store(owner, place.table, row, self._columns.index(_OWNER))
            if self._ownership is not None and self._ownership.number in self._columns:
                column = self._columns.index(self._ownership.number)
                body.store(block, place.table, block, column)
            for part, box in boxes:
                is_line = len(part.cuts) < len(sides)
                where = ((block, ranks),) if is_line else tuple(zip(in_grid, sides, strict=True))
                self._store_box(body, place, block, part, box, where)
        return place

    @contextmanager
    def _each_block(
        self,
        code: Code,
        count: SSAValue,
        sides: Sequence[SSAValue],
        grid: Sequence[SSAValue],
    ) -> Iterator[tuple[Code, SSAValue, SSAValue]]:
        """Code for the number of each block in their grid, and its row in the table."""
        if not self.has_several:
            with code.loop("block", 0, count) as (body, block):
                yield body, block, block
            return
        columns = code.constant(1) if len(sides) == 1 else sides[1]
        lines = (code.steps(0, count, columns), columns)
        next = code.cell("row")
        code.store(0, next)
        with ExitStack() as loops:
            starts, inner = [], code
            for name, side in zip(("rank_row", "rank_column"), grid, strict=False):
                inner, start = loops.enter_context(inner.loop(name, 0, side))
                starts.append(start)
            places = []
            for start, end, step in zip(starts, lines, grid, strict=False):
                inner, place = loops.enter_context(inner.loop("place", start, end, step))
                places.append(place)
            block = reduce(
                lambda outer, each: inner.sum(inner.product(outer, columns), each), places
            )
            exists = inner.compared(block, "slt", count)
            body = loops.enter_context(inner.conditional(exists))
            row = body.load(next)
            body.store(body.sum(row, 1), next)
            yield body, block, row

    def _accessed_boxes(
        self, code: Code, values: Values
    ) -> list[tuple[ArrayPart, list[tuple[SSAValue, SSAValue]]]]:
        """The first subscripts and those after the last one around what is accessed of arrays."""
        found: list[tuple[ArrayPart, list[tuple[SSAValue, SSAValue]]]] = []
        for part in () if self._ownership is None else self._ownership.parts.values():
            box: list[tuple[SSAValue, SSAValue]] = []
            for dimension in range(part.rank):
                least, size = extent(code, self._scop, part.accessed, dimension, values)
                begin = code.select(size, "eq", 0, 0, least)
                box.append((begin, code.sum(begin, size)))
            found.append((part, box))
        return found

    def _store_box(
        self,
        code: Code,
        place: RankArguments,
        block: SSAValue,
        part: ArrayPart,
        box: Sequence[tuple[SSAValue, SSAValue]],
        where: Sequence[tuple[SSAValue, SSAValue]],
    ) -> None:
        """Set the box that a rank passes; `where` has its place along each side, and their number.

        The first rank along a side has all from the begin on, the last one all up to the end.
        """
        loops = {cut.dimension: (loop, cut.shift) for loop, cut in enumerate(part.cuts)}
        for dimension, (least, end) in enumerate(box):
            first, after = least, end
            if dimension in loops:
                loop, shift = loops[dimension]
                at, count = where[loop]
                next = code.sum(at, 1)
                if shift is None:
                    size = code.difference(end, least)
                    cuts = [
                        code.sum(least, self._before(code, each, size, count))
                        for each in (at, next)
                    ]
                else:
                    cuts = self._aligned(code, place, block, part, loop, shift)
                    cuts = [code.minimum(code.maximum(each, least), end) for each in cuts]
                first = code.select(at, "eq", 0, least, cuts[0])
                after = code.select(next, "eq", count, end, cuts[1])
            for name, value in ((part.begin(dimension), first), (part.end(dimension), after)):
                code.store(value, place.table, block, self._columns.index(name))

    def _aligned(
        self,
        code: Code,
        place: RankArguments,
        block: SSAValue,
        part: ArrayPart,
        loop: int,
        shift: int,
    ) -> list[SSAValue]:
        """Where the block of a loop begins and ends, as subscripts."""
        assert part.division is not None
        range = part.division.ranges[loop]
        ends = (part.division.begin(loop, ""), part.division.end(loop, ""))
        return [
            code.sum(
                code.product(self._load(code, place, block, name), range.stride),
                code.constant(range.offset + shift),
            )
            for name in ends
        ]

    def _tiles(self, code: Code, range: TiledRange, values: Values) -> tuple[SSAValue, SSAValue]:
        """The first tile of a loop, and how many there are."""
        first, last = (
            value_where_defined(code, self._scop, tile, values)
            for tile in map(range.tile, (range.least, range.greatest))
        )
        return first, code.steps(first, code.sum(last, 1), 1)

    def _before(self, code: Code, block: SSAValue, number: SSAValue, blocks: SSAValue) -> SSAValue:
        """How many of `number` tiles are in blocks before a block."""
        if self._options.tiles:
            return code.minimum(code.product(block, self._options.tiles), number)
        return code.builder.insert(arith.CeilDivSIOp(code.product(block, number), blocks)).result

    def _grid(self, code: Code, ranks: SSAValue) -> tuple[SSAValue, ...]:
        """The lengths of the sides of the grid of ranks; the second one is the shorter one."""
        if max(len(each.ranges) for each in self._divisions) == 1:
            return (ranks,)
        cell = code.cell("columns")
        code.store(1, cell)
        with code.loop("side", 1, code.sum(ranks, 1)) as (body, side):
            remainder = body.builder.insert(arith.RemUIOp(ranks, side)).result
            divides = body.compared(remainder, "eq", 0)
            is_short = body.compared(body.product(side, side), "sle", ranks)
            with body.conditional(body.both(divides, is_short)) as found:
                found.store(side, cell)
        columns = code.load(cell)
        return code.quotient(ranks, columns), columns

    def _counts(
        self, code: Code, numbers: Sequence[Sequence[SSAValue]]
    ) -> tuple[SSAValue, tuple[SSAValue, ...]]:
        """How many blocks there are, and how many along each side of a grid of blocks."""
        assert self._options.tiles
        dimensions = max(map(len, numbers))
        sides = [code.constant(1)] * dimensions
        line = code.constant(1)
        for each in numbers:
            blocks = [code.steps(0, number, self._options.tiles) for number in each]
            if len(blocks) == dimensions:
                sides = [code.maximum(*pair) for pair in zip(sides, blocks, strict=True)]
            else:
                line = code.maximum(line, blocks[0])
        total = sides[0] if dimensions == 1 else code.product(*sides)
        return code.maximum(total, line), tuple(sides)

    # ------------------------------------------------------------------------------- the parts

    def allocate(
        self, code: Code, values: Values, place: RankArguments, whole: Collection[str]
    ) -> dict[str, SSAValue]:
        """Add code that allocates the parts of arrays for the rank's blocks, and sets places.

        The first rank, which has the arrays `whole`, uses them in place: its parts of them are
        empty, and subscripts stay as they are.
        """
        held = self._held()
        is_first = code.compared(place.rank, "eq", 0)
        cells: dict[str, list[SSAValue]] = {}
        for name, rank in self._arrays.items():
            cells[name] = [code.cell(f"{name}_size{d}") for d in range(rank)]
            for cell in cells[name]:
                code.store(0, cell)
        with self.own(code, place) as (body, block):
            known = {**values, **self.bounds(body, place, block, OWN)}
            for name, sets in held.items():
                for dimension, cell in enumerate(cells[name]):
                    least, size = extent(body, self._scop, sets, dimension, known)
                    if name in whole:
                        least, size = (
                            body.choice(is_first, body.constant(0), each) for each in (least, size)
                        )
                    if dimension == 0:
                        before = body.load(cell)
                        least = body.difference(least, before)
                        body.store(body.sum(before, size), cell)
                    else:
                        body.store(body.maximum(body.load(cell), size), cell)
                    column = self._columns.index(f"{name}_{dimension}")
                    body.store(least, place.table, block, column)
        memory: dict[str, SSAValue] = {}
        for name in self._arrays:
            element = dynamic(self._scop.arrays[name].type).element_type
            if cells[name]:
                sizes = [code.load(cell) for cell in cells[name]]
                memory[name] = code.array(name, *sizes, element=element)
            else:
                only = memref.AllocaOp.get(element, shape=[])
                code.add(only)
                memory[name] = only.memref
        return memory

    def _held(self) -> dict[str, list[isl.Set]]:
        """The elements that a block holds of each array, in the phases of each division."""
        every = self._elements.accessed() if self._options.replicate else {}
        held: dict[str, list[isl.Set]] = {name: [] for name in self._arrays}
        for division in self._divisions:
            for name, elements in self._elements.held(OWN, division).items():
                held[name].append(elements)
        whole = {name: [every[name]] for name in self._options.replicate if held[name]}
        return {name: sets for name, sets in (held | whole).items() if sets}


def _coordinates(code: Code, block: SSAValue, sides: Sequence[SSAValue]) -> tuple[SSAValue, ...]:
    """Where a block is in a grid, whose blocks are numbered row by row."""
    if len(sides) == 1:
        return (block,)
    column = code.builder.insert(arith.RemUIOp(block, sides[1])).result
    return code.quotient(block, sides[1]), column


def _rank_at(code: Code, where: Sequence[SSAValue], grid: Sequence[SSAValue]) -> SSAValue:
    """The rank that has a block, if blocks are dealt out in turn along each side of the grid."""
    places = [
        code.builder.insert(arith.RemUIOp(coordinate, side)).result
        for coordinate, side in zip(where, grid, strict=True)
    ]
    return places[0] if len(places) == 1 else code.sum(code.product(places[0], grid[1]), places[1])
