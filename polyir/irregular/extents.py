"""How large the arrays must be in which an inspector remembers something about each element.

Memrefs have extents. Where a memref stands for a pointer of C, nobody knows them: the inspector
finds the subscripts that the program has, by one more replay of its accesses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import SSAValue

from polyir.irregular.noted_ranges import NotedRange, new_range
from polyir.irregular.slices import Element, Values, Visit
from polyir.loops.code import Code

UNKNOWN_EXTENTS: Final = "polyir.unknown_extents"
"""The attribute of a function whose memrefs have dynamic extents that `memref.dim` cannot know."""


@dataclass(frozen=True)
class Extent:
    """The subscripts along a dimension: `size` of them from `first` on, 0 if that is `None`."""

    size: SSAValue
    first: SSAValue | None = None

    def place(self, code: Code, subscript: SSAValue) -> SSAValue:
        """The place of a subscript, from 0 on."""
        return subscript if self.first is None else code.difference(subscript, self.first)


def places_of(
    code: Code, extents: Sequence[Extent], subscripts: Sequence[SSAValue]
) -> list[SSAValue]:
    """The places of the subscripts of an element, along each dimension."""
    pairs = zip(extents, subscripts, strict=True)
    return [extent.place(code, subscript) for extent, subscript in pairs]


Extents: TypeAlias = Mapping[SSAValue, Sequence[Extent]]
"""The extents of memrefs along each dimension."""

VisitAll: TypeAlias = Callable[[Visit], None]
"""Adds a visit of all accesses of a program."""


def declared_extents(code: Code, memories: Sequence[SSAValue], values: Values) -> Extents:
    """The extents that the memrefs themselves have."""
    return {
        memory: [
            Extent(code.extent(values[memory], n) if known is None else code.constant(known))
            for n, known in enumerate(_shape(memory))
        ]
        for memory in memories
    }


def visited_extents(code: Code, memories: Sequence[SSAValue], visit_all: VisitAll) -> Extents:
    """The extents that the subscripts need in a program; subscripts may be negative."""
    noted = {
        memory: [_nothing_yet(code, memory) if known is None else known for known in _shape(memory)]
        for memory in memories
    }

    def note(code: Code, element: Element) -> None:
        for subscript, range in zip(element.subscripts, noted[element.memory], strict=True):
            if isinstance(range, NotedRange):
                range.note(code, subscript)

    if any(isinstance(each, NotedRange) for ranges in noted.values() for each in ranges):
        visit_all(note)
    found: dict[SSAValue, list[Extent]] = {}
    for memory, ranges in noted.items():
        found[memory] = []
        for range in ranges:
            if isinstance(range, NotedRange):
                first, last = code.load(range.first), code.load(range.last)
                found[memory].append(Extent(code.sum(code.difference(last, first), 1), first))
            else:
                found[memory].append(Extent(code.constant(range)))
    return found


def _shape(memory: SSAValue) -> tuple[int | None, ...]:
    assert isinstance(memory.type, MemRefType)
    return tuple(None if n == DYNAMIC_INDEX else n for n in memory.type.get_shape())


def _nothing_yet(code: Code, memory: SSAValue) -> NotedRange:
    """The range without subscripts, which has 0 as soon as it has any."""
    return new_range(code, memory.name_hint or "memory", 0, -1)
