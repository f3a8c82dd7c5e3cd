"""Numbers of tiles by a greedy colouring of the blocks of the seed.

Tiles run in the order of their numbers, as far as they depend on each other. If neighbours have
different colours, and tiles are numbered by colour, tiles of one colour may run at the same time
(M. Strout, L. Carter, J. Ferrante and B. Kreaseck, "Sparse tiling for stationary iterative
methods", 2004, section on the tile dependence graph).

Blocks are neighbours if they access the same element. If an iteration of a block depends on one of
another block in the seed itself, its colour is higher, so that the numbers keep its order.
"""

from __future__ import annotations

from contextlib import nullcontext

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from polyir.irregular.code import Code
from polyir.irregular.shadows import Shadows
from polyir.irregular.slices import Element, Visit
from polyir.irregular.tile_growth import Levels
from polyir.irregular.wavefronts import iterations_of_block, sort_by_wavefront

COLOURS = 62
"""How many colours fit into the bits of a number. Higher ones are only those of dependences."""


class Colouring:
    """Adds a colouring to an inspector.

    The `shadows` are for the colours that are free after those that accessed an element.
    """

    def __init__(self, code: Code, levels: Levels, shadows: Shadows) -> None:
        self._levels, self._shadows = levels, shadows
        self._colour, self._taken = code.cell("colour"), code.cell("taken")
        self._used: dict[SSAValue, SSAValue] = {}
        for memory in levels.slices[0].memories:
            # A bit for each colour of the blocks that accessed an element.
            extents = code.extents(levels.values[memory])
            self._used[memory] = code.array(f"{memory.name_hint or 'memory'}_colours", *extents)
            code.fill(self._used[memory], 0, extents)

    def number(self, code: Code) -> SSAValue:
        """The number of the tile of each block: a new array."""
        tiles = self._levels.tiles
        numbers, count = code.array("numbers", tiles), code.cell("count")
        self._shadows.fill(code, 0)
        code.store(0, count)
        with code.loop("b", 0, tiles) as (body, block):
            colour = self._free_colour(body, block)
            body.store(colour, numbers, block)
            after = body.sum(colour, 1)
            body.store(body.maximum(body.load(count), after), count)
            self._visit(body, block, self._shadows.note_highest(after))
            self._visit(body, block, self._use(_bit(body, colour)))
        code.free(*self._used.values())
        order, starts = code.array("order", tiles), code.array("starts", code.sum(tiles, 1))
        sort_by_wavefront(code, numbers, tiles, (order, starts, count))
        with code.loop("b", 0, tiles) as (body, number):
            body.store(number, numbers, body.load(order, number))
        code.free(order, starts)
        return numbers

    def _free_colour(self, code: Code, block: SSAValue) -> SSAValue:
        """The lowest colour that a block may have."""
        code.store(0, self._colour)
        code.store(0, self._taken)
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
        """Note the colours of those that accessed an element before."""
        bits = code.load(self._used[element.memory], *element.subscripts)
        code.store(_or(code, code.load(self._taken), bits), self._taken)

    def _use(self, bit: SSAValue) -> Visit:
        """Adds the bit of a colour to those of an element."""

        def use(code: Code, element: Element) -> None:
            array = self._used[element.memory]
            bits = _or(code, code.load(array, *element.subscripts), bit)
            code.store(bits, array, *element.subscripts)

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
    low = code.minimum(colour, code.constant(COLOURS))
    return code.builder.insert(arith.ShLIOp(code.constant(1), low)).result


def _or(code: Code, left: SSAValue, right: SSAValue) -> SSAValue:
    return code.builder.insert(arith.OrIOp(left, right)).result
