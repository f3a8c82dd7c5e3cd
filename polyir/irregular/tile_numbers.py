"""Numbers of tiles by a greedy colouring of the blocks of the seed.

Tiles run in the order of their numbers, as far as they depend on each other. If neighbours have
different colours, and tiles are numbered by colour, tiles of one colour may run at the same time
(M. Strout, L. Carter, J. Ferrante and B. Kreaseck, "Sparse tiling for stationary iterative
methods", 2004, section on the tile dependence graph).

Blocks are neighbours if they access the same element and one of them writes it, or another loop of
the time step does. If the order of the program is kept, and an iteration of a block depends on one
of another block in the seed itself, its colour is higher. Otherwise the iterations of the seed run
in the order of the tiles that their blocks are.
"""

from __future__ import annotations

from contextlib import nullcontext

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from polyir.irregular.counting_sorts import sort_numbers
from polyir.irregular.shadows import Shadows
from polyir.irregular.slices import Element, Visit
from polyir.irregular.tile_growth import Levels
from polyir.irregular.wavefronts import iterations_of_block
from polyir.loops.code import Code
from polyir.model.raising.effects import STORES

COLOURS = 62
"""How many colours fit into the bits of a number. Higher ones are only those of dependences."""


class Colouring:
    """Adds a colouring to an inspector.

    The `shadows` are for the colours that are free after those that accessed an element, if
    `keeps_order`.
    """

    def __init__(self, code: Code, levels: Levels, shadows: Shadows, keeps_order: bool) -> None:
        self._levels, self._shadows, self._keeps_order = levels, shadows, keeps_order
        self._colour, self._taken = code.cell("colour"), code.cell("taken")
        slice = levels.slices[levels.seed.loop]
        stored = {op.memref for op in slice.accesses if isinstance(op, STORES)}
        # A bit for each colour of the blocks that read an element, and of those that write it.
        self._readers: dict[SSAValue, SSAValue] = {}
        self._writers: dict[SSAValue, SSAValue] = {}
        for memory in dict.fromkeys(op.memref for op in slice.accesses):
            self._readers[memory] = self._bits(code, memory, "readers")
            if memory in stored:
                self._writers[memory] = self._bits(code, memory, "writers")

    def _bits(self, code: Code, memory: SSAValue, what: str) -> SSAValue:
        sizes = [extent.size for extent in self._shadows[memory].extents]
        array = code.array(f"{memory.name_hint or 'memory'}_{what}", *sizes)
        code.fill(array, 0, sizes)
        return array

    def number(self, code: Code) -> SSAValue:
        """The number of the tile of each block: a new array."""
        numbers, order = self._numbered(code)
        code.free(order)
        return numbers

    def renumber(self, code: Code) -> tuple[SSAValue, SSAValue]:
        """The tile of each block, and the iterations of the seed in that order: new arrays."""
        numbers, order = self._numbered(code)
        seed = self._levels.seed
        size = self._levels.sizes[seed.loop]
        iterations, end = code.array("unknowns", size), code.cell("end")
        code.store(0, end)
        with code.loop("q", 0, self._levels.tiles) as (body, tile):
            first = body.product(body.load(order, tile), seed.tile)
            after = body.minimum(body.sum(first, seed.tile), size)
            with body.loop("t", first, after) as (inner, iteration):
                position = inner.load(end)
                inner.store(iteration, iterations, position)
                inner.store(inner.sum(position, 1), end)
        code.free(order)
        return numbers, iterations

    def _numbered(self, code: Code) -> tuple[SSAValue, SSAValue]:
        """The number of each block, and the block of each number: new arrays."""
        tiles = self._levels.tiles
        numbers, count = code.array("numbers", tiles), code.cell("count")
        if self._keeps_order:
            self._shadows.fill(code, 0)
        code.store(0, count)
        with code.loop("b", 0, tiles) as (body, block):
            colour = self._free_colour(body, block)
            body.store(colour, numbers, block)
            after = body.sum(colour, 1)
            body.store(body.maximum(body.load(count), after), count)
            if self._keeps_order:
                self._visit(body, block, self._shadows.note_highest(after))
            self._visit(body, block, self._use(_bit(body, colour)))
        code.free(*self._readers.values(), *self._writers.values())
        order, starts = code.array("order", tiles), code.array("starts", code.sum(tiles, 1))
        sort_numbers(code, numbers, tiles, (order, starts, count))
        with code.loop("b", 0, tiles) as (body, number):
            body.store(number, numbers, body.load(order, number))
        code.free(starts)
        return numbers, order

    def _free_colour(self, code: Code, block: SSAValue) -> SSAValue:
        """The lowest colour that a block may have."""
        code.store(0, self._colour)
        code.store(0, self._taken)
        if self._keeps_order:
            self._visit(code, block, self._shadows.highest(self._colour))
        self._visit(code, block, self._take)
        taken = code.load(self._taken)
        with code.loop("c", code.load(self._colour), code.constant(COLOURS)) as (body, colour):
            shifted = body.builder.insert(arith.ShRUIOp(taken, colour)).result
            bit = body.builder.insert(arith.AndIOp(shifted, body.constant(1))).result
            known = body.load(self._colour)
            # A colour that is free stops the search: the colours after it are not this one.
            body.store(body.select(known, "eq", colour, body.sum(known, bit), known), self._colour)
        return code.load(self._colour)

    def _take(self, code: Code, element: Element) -> None:
        """Note the colours of neighbours that accessed an element before."""
        readers, writers = self._readers[element.memory], self._writers.get(element.memory)
        arrays = [readers] if writers is None else [writers, readers][: 1 + element.is_store]
        places = self._shadows[element.memory].places(code, element)
        for array in arrays:
            bits = code.load(array, *places)
            code.store(code.bits(code.load(self._taken), bits), self._taken)

    def _use(self, bit: SSAValue) -> Visit:
        """Adds the bit of a colour to those of an element."""

        def use(code: Code, element: Element) -> None:
            arrays = self._writers if element.is_store else self._readers
            array = arrays[element.memory]
            places = self._shadows[element.memory].places(code, element)
            bits = code.bits(code.load(array, *places), bit)
            code.store(bits, array, *places)

        return use

    def _visit(self, code: Code, block: SSAValue, visit: Visit) -> None:
        """Visit the accesses of a block of the seed."""
        seed = self._levels.seed
        bounds = self._levels.bounds[seed.loop]
        with iterations_of_block(code, bounds, block, seed.tile) as (body, counter):
            # Without iterations of the seed, there is a tile all the same.
            is_in = body.within(bounds.lower, counter, bounds.upper)
            with is_in if seed.tile == 1 else nullcontext(body) as inner:
                self._levels.slices[seed.loop].replay(inner, counter, self._levels.values, visit)


def _bit(code: Code, colour: SSAValue) -> SSAValue:
    """The bit of a colour; one that is not looked at for a high colour."""
    return code.bit(code.minimum(colour, code.constant(COLOURS)))
