"""Colours of the iterations of an irregular reduction: those of one colour update other elements.

The inspector gives each block of iterations the lowest colour that no earlier block with a common
element has. Blocks of one colour may run at the same time. The blocks that update an element do so
in the order of their colours, which is not that of the program, but is the same whatever the number
of threads (M. Giles and others, "Performance analysis and optimisation of the OP2 framework on
many-core architectures", The Computer Journal, 2012).
"""

from __future__ import annotations

from typing import Final

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IndexType, IntegerAttr, i64
from xdsl.ir import SSAValue

from polyir.irregular.extents import Extents, places_of
from polyir.irregular.shadows import VisitBlock
from polyir.irregular.slices import Element
from polyir.loops.code import Code

COLOURS: Final = 64
"""How many colours fit into the bits of a number."""


def find_colours(
    code: Code, blocks: SSAValue, extents: Extents, visit: VisitBlock, count: SSAValue
) -> SSAValue:
    """Add code that colours the blocks of a loop that only updates elements: a new array.

    The first colours are bits of a number beside each element. Where all of them are taken, a block
    gets the first colour after those of the blocks before it with a common element. So the
    inspector visits each access twice, however many colours there are.
    """
    colouring = _Colouring(code, extents)
    colours = code.array("colours", blocks)
    code.store(0, count)
    with code.loop("t", 0, blocks) as (body, block):
        colour = colouring.choose(body, block, visit)
        body.store(colour, colours, block)
        after = body.sum(colour, 1)
        body.store(body.maximum(body.load(count), after), count)
        colouring.note(body, block, colour, visit)
    colouring.free(code)
    return colours


class _Colouring:
    """The colours of those that update each element: a bit for each low one, and the highest.

    `after` is one more than the highest colour, or 0 if all colours are low ones.
    """

    def __init__(self, code: Code, extents: Extents) -> None:
        self._extents = extents
        self._bits: dict[SSAValue, SSAValue] = {}
        self._after: dict[SSAValue, SSAValue] = {}
        for memory, each in extents.items():
            name = memory.name_hint or "memory"
            sizes = [extent.size for extent in each]
            for arrays, what in ((self._bits, "colours"), (self._after, "after")):
                arrays[memory] = code.array(f"{name}_{what}", *sizes)
                code.fill(arrays[memory], 0, sizes)
        self._taken, self._least = code.cell("taken"), code.cell("least")

    def free(self, code: Code) -> None:
        """Free the arrays."""
        code.free(*self._bits.values(), *self._after.values())

    def choose(self, code: Code, block: SSAValue, visit: VisitBlock) -> SSAValue:
        """The colour of a block."""
        code.store(0, self._taken)
        code.store(COLOURS, self._least)
        visit(code, block, self._take)
        free = _lowest_clear_bit(code, code.load(self._taken))
        return code.select(free, "slt", COLOURS, free, code.load(self._least))

    def note(self, code: Code, block: SSAValue, colour: SSAValue, visit: VisitBlock) -> None:
        """Note the colour of a block beside what it updates."""
        is_low = code.compared(colour, "slt", COLOURS)
        place = code.minimum(colour, code.constant(COLOURS - 1))
        bit = code.choice(is_low, code.bit(place), code.constant(0))
        after = code.choice(is_low, code.constant(0), code.sum(colour, 1))

        def note(code: Code, element: Element) -> None:
            places = self._places(code, element)
            bits, highest = self._bits[element.memory], self._after[element.memory]
            code.store(code.bits(code.load(bits, *places), bit), bits, *places)
            code.store(code.maximum(code.load(highest, *places), after), highest, *places)

        visit(code, block, note)

    def _take(self, code: Code, element: Element) -> None:
        """Note the colours that other blocks with an element have."""
        places = self._places(code, element)
        bits = code.load(self._bits[element.memory], *places)
        after = code.load(self._after[element.memory], *places)
        code.store(code.bits(code.load(self._taken), bits), self._taken)
        code.store(code.maximum(code.load(self._least), after), self._least)

    def _places(self, code: Code, element: Element) -> list[SSAValue]:
        return places_of(code, self._extents[element.memory], element.subscripts)


def _lowest_clear_bit(code: Code, bits: SSAValue) -> SSAValue:
    """The place of the lowest bit of a number that is 0; `COLOURS` if there is none."""
    number = code.builder.insert(arith.IndexCastOp(bits, i64)).result
    ones = code.builder.insert(arith.ConstantOp(IntegerAttr(-1, i64))).result
    inverted = code.builder.insert(arith.XOrIOp(number, ones)).result
    place = code.builder.insert(math.CountTrailingZerosOp(inverted)).result
    return code.builder.insert(arith.IndexCastOp(place, IndexType())).result
