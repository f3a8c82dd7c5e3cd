"""The subscripts that a part of a program has, where memrefs are pointers of C.

An inspector visits the accesses to some arrays, and stores for each the least first subscript and
how many there are up to the greatest one. An array is what lies between them.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import Operation, SSAValue

from polyir.base.diagnostics import location_of
from polyir.irregular.inspection import Inspection
from polyir.irregular.loop_parts import IrregularLoopError
from polyir.irregular.noted_ranges import NotedRange, new_range
from polyir.irregular.slices import (
    AddressSlice,
    Element,
    Values,
    address_slice,
    first_subscript,
)
from polyir.loops.code import Code
from polyir.loops.loop_forms import SequentialLoop
from polyir.model.memory_accesses import ElementAccess


@dataclass(frozen=True)
class RangeInMemory:
    """Numbers in memory: the first subscript, and the number of subscripts from there on."""

    first: SSAValue
    size: SSAValue

    def mapped(self, values: Values) -> RangeInMemory:
        """The numbers that stand for these ones."""
        return RangeInMemory(values.get(self.first, self.first), values.get(self.size, self.size))


@dataclass(frozen=True)
class RangesInMemory:
    """The ranges of the arrays that have a common order, all together and each alone, and those of
    index arrays."""

    common: RangeInMemory
    of: Mapping[SSAValue, RangeInMemory]


def inspect_ranges(
    loop: SequentialLoop,
    region: Operation,
    accesses: Sequence[ElementAccess],
    memories: Collection[SSAValue],
) -> RangesInMemory:
    """Add an inspector of the subscripts that accesses have in a region, that or a part of which
    is `loop`.

    The common range is that of the accesses to `memories`. Raises `PolyirError` if the inspector
    cannot run before the region, and for arrays whose rows have sizes that are not known.
    """
    arrays = tuple(dict.fromkeys(op.memref for op in accesses))
    for op in accesses:
        assert isinstance(op.memref.type, MemRefType)
        if DYNAMIC_INDEX in op.memref.type.get_shape()[1:]:
            name = op.memref.name_hint or "memory"
            raise IrregularLoopError(
                f"the size of the rows of '{name}' is not known", location_of(op)
            )
    slices = _slices(loop, region, accesses, arrays)
    inspection = Inspection(*slices, around=region, with_memories=False)
    code = inspection.code
    known = {array: new_range(code, array.name_hint or "memory") for array in arrays}
    seen: set[tuple[SSAValue, Hashable]] = set()

    def note(code: Code, element: Element) -> None:
        key = element.memory, first_subscript(element.op)
        if key not in seen:
            seen.add(key)
            known[element.memory].note(code, element.subscripts[0])

    inspection.visit_all(note)
    common = new_range(code, "all")
    for memory in memories:
        common.include(code, known[memory])
    _store(inspection, "all", common)
    for array, each in known.items():
        _store(inspection, array.name_hint or "memory", each)
    found = iter(inspection.finish("extents"))
    ranges = [RangeInMemory(first, size) for first, size in zip(found, found, strict=True)]
    return RangesInMemory(ranges[0], dict(zip(arrays, ranges[1:], strict=True)))


def _slices(
    loop: SequentialLoop,
    region: Operation,
    accesses: Sequence[ElementAccess],
    arrays: Sequence[SSAValue],
) -> list[AddressSlice]:
    """The parts of the outermost loops in a region that compute the subscripts of accesses."""
    if region is loop:
        return [address_slice(loop, arrays)]
    loops = dict.fromkeys(_outermost_loop(region, access) for access in accesses)
    around = region if isinstance(region, SequentialLoop) else None
    return [address_slice(each, arrays, around) for each in loops]


def _outermost_loop(region: Operation, access: Operation) -> SequentialLoop:
    """The outermost loop around an access inside a region."""
    found: SequentialLoop | None = None
    parent = access.parent_op()
    while parent is not None and parent is not region:
        found = parent if isinstance(parent, SequentialLoop) else found
        parent = parent.parent_op()
    if found is None:
        raise IrregularLoopError(
            "an element is accessed outside of inner loops", location_of(access)
        )
    return found


def _store(inspection: Inspection, name: str, noted: NotedRange) -> None:
    """Add the outputs: the first subscript, and how many there are; both are 0 for none."""
    code = inspection.code
    first, last = code.load(noted.first), code.load(noted.last)
    is_none = code.compared(last, "slt", first)
    zero = code.constant(0)
    size = code.sum(code.difference(last, first), 1)
    for end, value in (("first", first), ("size", size)):
        output = inspection.output(f"{name}_{end}")
        code.store(code.choice(is_none, zero, value), output)
