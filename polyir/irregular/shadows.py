"""Arrays beside those of a program, in which an inspector remembers who accessed each element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from polyir.irregular.extents import Extent, Extents, places_of
from polyir.irregular.slices import Element, Visit
from polyir.loops.code import Code


@dataclass(frozen=True)
class Shadow:
    """For each element of a memref, a number from those that read it, and one from its writers.

    There is none from readers if nobody looks at loads.
    """

    read: SSAValue | None
    written: SSAValue
    extents: Sequence[Extent]

    def places(self, code: Code, element: Element) -> list[SSAValue]:
        """The subscripts of an element in the two arrays."""
        return places_of(code, self.extents, element.subscripts)

    @property
    def arrays(self) -> list[SSAValue]:
        """The arrays that there are."""
        return [each for each in (self.read, self.written) if each is not None]


class Shadows:
    """The shadows of memrefs with some extents; only of their stores without `has_loads`."""

    def __init__(self, code: Code, extents: Extents, has_loads: bool = True) -> None:
        self._of = {
            memory: _shadow(code, memory, each, has_loads) for memory, each in extents.items()
        }

    def __getitem__(self, memory: SSAValue) -> Shadow:
        return self._of[memory]

    def fill(self, code: Code, number: SSAValue | int) -> None:
        """Forget all accesses: set all elements to `number`."""
        for each in self._of.values():
            sizes = [extent.size for extent in each.extents]
            for array in each.arrays:
                code.fill(array, number, sizes)

    def fill_written(self, code: Code, number: SSAValue | int) -> None:
        """Forget who wrote the elements."""
        for each in self._of.values():
            code.fill(each.written, number, [extent.size for extent in each.extents])

    def free(self, code: Code) -> None:
        """Free the arrays."""
        for each in self._of.values():
            code.free(*each.arrays)

    def highest(self, cell: SSAValue) -> Visit:
        """Raises `cell` to the highest number of what an access depends on."""
        return lambda code, element: self._extreme(code, element, cell, code.maximum)

    def lowest(self, cell: SSAValue) -> Visit:
        """Lowers `cell` to the lowest number of what depends on an access, in a visit backwards."""
        return lambda code, element: self._extreme(code, element, cell, code.minimum)

    def note_highest(self, number: SSAValue) -> Visit:
        """Notes a number that no dependence goes to from a higher one."""
        return lambda code, element: self._note(code, element, number, code.maximum)

    def note_lowest(self, number: SSAValue) -> Visit:
        """Notes a number, in a visit backwards, that no dependence goes from to a lower one."""
        return lambda code, element: self._note(code, element, number, code.minimum)

    def _extreme(
        self,
        code: Code,
        element: Element,
        cell: SSAValue,
        choose: Callable[[SSAValue, SSAValue], SSAValue],
    ) -> None:
        shadow = self._of[element.memory]
        places = shadow.places(code, element)
        for array in (shadow.written, shadow.read)[: 1 + element.is_store]:
            if array is None:
                continue
            number = code.load(array, *places)
            code.store(choose(code.load(cell), number), cell)

    def _note(
        self,
        code: Code,
        element: Element,
        number: SSAValue,
        choose: Callable[[SSAValue, SSAValue], SSAValue],
    ) -> None:
        shadow = self._of[element.memory]
        places = shadow.places(code, element)
        if element.is_store:
            # Those that accessed the element before have a number that is not beyond this one.
            code.store(number, shadow.written, *places)
        else:
            assert shadow.read is not None
            known = code.load(shadow.read, *places)
            code.store(choose(known, number), shadow.read, *places)


VisitBlock = Callable[[Code, SSAValue, Visit], None]
"""Adds a visit of the accesses of a block of iterations, which has a number."""


def find_wavefronts(
    code: Code,
    blocks: SSAValue,
    shadows: Shadows,
    visit: VisitBlock,
    wavefronts: SSAValue,
    count: SSAValue,
) -> None:
    """Add the loop that finds the wavefront of each block, and the number of wavefronts.

    The blocks may run in the order of their numbers. The shadows are 0, and are after the
    wavefronts of the readers and writers then.
    """
    code.store(0, count)
    current = code.cell("current")
    with code.loop("t", 0, blocks) as (body, block):
        body.store(0, current)
        visit(body, block, shadows.highest(current))
        wavefront = body.load(current)
        body.store(wavefront, wavefronts, block)
        after = body.sum(wavefront, 1)
        body.store(body.maximum(body.load(count), after), count)
        visit(body, block, shadows.note_highest(after))


def _shadow(code: Code, memory: SSAValue, extents: Sequence[Extent], has_loads: bool) -> Shadow:
    name = memory.name_hint or "memory"
    sizes = [extent.size for extent in extents]
    read = code.array(f"{name}_read", *sizes) if has_loads else None
    return Shadow(read, code.array(f"{name}_written", *sizes), extents)
