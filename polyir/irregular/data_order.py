"""Data in the order in which an irregular loop accesses it.

An inspector numbers the elements of the arrays that a loop accesses by index arrays. The executor
works on copies of the arrays in that order, and on copies of the index arrays with the new numbers
(pointer update). No operation changes its place, so results do not change. At the end, the
elements are copied back (A. Rajopadhye and others, "Computations on Iteration Spaces", The Compiler
Design Handbook, 2007, section 15.3.2.3).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial, reduce

from xdsl.dialects import affine, arith, memref
from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from polyir.base.diagnostics import Report, location_of
from polyir.irregular.data_groups import index_load, is_at
from polyir.irregular.inspection import Inspection, has_unknown_extents
from polyir.irregular.loop_parts import Bounds, IrregularLoopError, bounds_before, move_body
from polyir.irregular.numbering import Numbers, number_elements
from polyir.irregular.orders import Method
from polyir.irregular.placement import inspected_region
from polyir.irregular.slices import (
    AddressSlice,
    Values,
    computed_subscripts,
)
from polyir.irregular.subscript_ranges import RangesInMemory, inspect_ranges
from polyir.loops.code import Code
from polyir.loops.loop_forms import SequentialLoop, is_outside, range_of
from polyir.model.affine import NotAffineError
from polyir.model.memory_accesses import ElementAccess, ElementLoad, ElementStore, accesses_of
from polyir.model.raising.context import shape_of
from polyir.model.raising.effects import is_pure, may_overlap, stores_in


@dataclass(frozen=True)
class Order:
    """A method, and how many elements stay together in a partition."""

    method: Method
    part: int


def reorder_data(slice: AddressSlice, order: Order, report: Report) -> None:
    """Let the memories of a slice have the order in which its loop accesses them.

    The new order holds in the outermost loop that does not write the index arrays. Loops over the
    elements there, whose iterations access nothing but their own element, have the new order, too.
    Raises `PolyirError` if arrays are accessed in other ways than element by element.
    """
    region = inspected_region(slice)
    loops = _element_loops(region, slice)
    memories = (*slice.memories, *_further_memories(region, loops))
    accesses = _accesses_in(region, memories)
    loads = _index_loads(accesses, region, slice)
    pointers = tuple(dict.fromkeys(load.memref for load in loads))
    ranges = None
    if has_unknown_extents(slice):
        ranges = inspect_ranges(slice.loop, region, (*accesses, *loads), memories)
    inspection = Inspection(slice, cells=_needed_ranges(ranges, pointers))
    inspection.explain(report)
    sizes = _Sizes(slice.memories, ranges)
    outputs = (
        inspection.output("places", sizes.number),
        inspection.output("elements", sizes.number),
    )
    updated = {
        pointer: inspection.output(
            f"{pointer.name_hint or 'pointers'}_updated",
            partial(sizes.extents, memory=pointer),
            rank=len(shape_of(pointer)),
        )
        for pointer in pointers
    }
    numbers = Numbers(*outputs)
    inner = sizes.mapped(inspection.values)
    number_elements(inspection, numbers, order.method, order.part, inner.first(inspection.code))
    for pointer, output in updated.items():
        _update_pointers(inspection, inner, pointer, output, numbers.places)
    places, elements, *new_pointers = inspection.finish()
    known: Values = dict(zip(pointers, new_pointers, strict=True))
    executor = _Executor(region, accesses, Numbers(places, elements), known, sizes)
    executor.rewrite(memories, loops)


def _needed_ranges(ranges: RangesInMemory | None, pointers: tuple[SSAValue, ...]) -> list[SSAValue]:
    """The numbers in memory that an inspector reads."""
    if ranges is None:
        return []
    of_pointers = (ranges.of[pointer] for pointer in pointers)
    return [
        ranges.common.first,
        *(cell for each in of_pointers for cell in (each.first, each.size)),
    ]


@dataclass(frozen=True)
class _Sizes:
    """How many elements there are: those of the memories, or what the `ranges` of subscripts say.

    All memories have a common numbering, which begins at `first`.
    """

    memories: tuple[SSAValue, ...]
    ranges: RangesInMemory | None

    def mapped(self, values: Values) -> _Sizes:
        """The sizes in terms of the values that stand for those of the program."""
        if self.ranges is None:
            return self
        common = self.ranges.common.mapped(values)
        of = {array: each.mapped(values) for array, each in self.ranges.of.items()}
        return _Sizes(self.memories, RangesInMemory(common, of))

    def number(self, code: Code, bounds: Bounds, values: Values) -> list[SSAValue]:
        """The greatest number of elements, at least 1."""
        if self.ranges is not None:
            return [code.maximum(code.load(self.ranges.common.mapped(values).size), 1)]
        mapped = (values.get(memory, memory) for memory in self.memories)
        return [reduce(code.maximum, (code.extents(each)[0] for each in mapped), code.constant(1))]

    def first(self, code: Code) -> SSAValue | None:
        """The first subscript of all; `None` is 0."""
        return None if self.ranges is None else code.load(self.ranges.common.first)

    def first_of(self, code: Code, memory: SSAValue) -> SSAValue:
        """The first subscript of a memory."""
        return code.constant(0) if self.ranges is None else code.load(self.ranges.of[memory].first)

    def extents(
        self, code: Code, bounds: Bounds | None, values: Values, memory: SSAValue
    ) -> list[SSAValue]:
        """The extents of a memory."""
        if self.ranges is None:
            return code.extents(values.get(memory, memory))
        rows = [code.constant(extent) for extent in shape_of(memory)[1:]]
        return [code.load(self.ranges.of[memory].mapped(values).size), *rows]


def _element_loops(region: Operation, slice: AddressSlice) -> list[SequentialLoop]:
    """The loops over elements of the memories whose iterations access their own element only.

    So they may run in any order.
    """
    found: list[SequentialLoop] = []
    for op in region.walk():
        if any(outer.is_ancestor(op) for outer in (slice.loop, *found)):
            continue
        if isinstance(op, SequentialLoop) and _is_element_loop(op, slice.memories):
            found.append(op)
    return found


def _is_element_loop(loop: SequentialLoop, memories: tuple[SSAValue, ...]) -> bool:
    range = range_of(loop)
    if range is None or range.step != 1 or loop.results:
        return False
    counter = loop.body.block.args[0]
    written = {op.memref for op in stores_in(loop)}
    is_in_step = False
    for op in loop.walk():
        if isinstance(op, ElementAccess):
            if op.memref in written or op.memref in memories:
                if not is_outside(op.memref, loop) or not is_at(op, counter):
                    return False
                is_in_step |= op.memref in memories and op.parent is loop.body.block
            elif any(may_overlap(op.memref, other) for other in written):
                return False
        elif not (op.regions or op.has_trait(IsTerminator) or is_pure(op)):
            return False
    return is_in_step and not any(
        may_overlap(one, other) for one in written for other in written if one is not other
    )


def _further_memories(region: Operation, loops: list[SequentialLoop]) -> list[SSAValue]:
    """The memories that are accessed at the counters of element loops only."""
    found: dict[SSAValue, bool] = {}
    for op in region.walk():
        for operand in op.operands:
            if isinstance(operand.type, MemRefType):
                loop = next((each for each in loops if each.is_ancestor(op)), None)
                is_own = (
                    loop is not None
                    and isinstance(op, ElementAccess)
                    and is_at(op, loop.body.block.args[0])
                )
                found[operand] = found.get(operand, is_outside(operand, region)) and is_own
    return [memory for memory, is_own in found.items() if is_own]


def _accesses_in(region: Operation, memories: tuple[SSAValue, ...]) -> list[ElementAccess]:
    """The accesses to memories in a region; raises if it uses them in another way."""
    found: list[ElementAccess] = []
    for op in region.walk():
        for operand in op.operands:
            if not isinstance(operand.type, MemRefType):
                continue
            if operand in memories:
                if not isinstance(op, ElementAccess) or operand is not op.memref:
                    raise IrregularLoopError(
                        f"'{op.name}' uses an array as a whole", location_of(op)
                    )
                _require_affine(op)
                found.append(op)
            elif any(may_overlap(operand, memory) for memory in memories):
                raise IrregularLoopError(
                    "two memrefs may share memory, and one of them is reordered", location_of(op)
                )
    return found


def _index_loads(
    accesses: list[ElementAccess], region: Operation, slice: AddressSlice
) -> tuple[ElementLoad, ...]:
    """The loads of index arrays whose elements are places, if the inspector has the arrays."""
    found: dict[ElementLoad, None] = {}
    for access in accesses:
        load = None
        if isinstance(access, memref.LoadOp | memref.StoreOp) and access.indices:
            load = index_load(access.indices[0], region)
        if load is not None and load.memref in slice.sources and is_outside(load.memref, region):
            _require_affine(load)
            found[load] = None
    return tuple(found)


def _require_affine(access: ElementAccess) -> None:
    """Raise `PolyirError` for subscripts that cannot be computed as values."""
    try:
        accesses_of(access)[0].subscripts()
    except NotAffineError as error:
        raise IrregularLoopError(str(error), location_of(access)) from None


def _update_pointers(
    inspection: Inspection, sizes: _Sizes, pointer: SSAValue, output: SSAValue, places: SSAValue
) -> None:
    """Add the code that fills a copy of an index array with the new places.

    Elements of it that are not places stay as they are: they may be of use for something else.
    """
    code, old = inspection.code, inspection.values[pointer]
    last = code.difference(code.extent(places, 0), 1)
    first, begin = sizes.first(code), sizes.first_of(code, pointer)
    with code.loops("e", sizes.extents(code, None, inspection.values, pointer)) as (body, indices):
        value = body.load(old, body.sum(indices[0], begin), *indices[1:])
        if not isinstance(value.type, IndexType):
            value = body.index(value)
        element = value if first is None else body.difference(value, first)
        inside = body.minimum(body.maximum(element, 0), last)
        moved = body.select(inside, "eq", element, body.load(places, inside), value)
        body.store(moved, output, *indices)


@dataclass(frozen=True)
class _Moved:
    """Where the body of a loop over elements goes: its element there, and the place of that."""

    code: Code
    element: SSAValue
    place: SSAValue


@dataclass(frozen=True)
class _Places:
    """The places of counters, and the values before the region that others are computed from.

    These are the first subscripts of all memories, and of the index arrays.
    """

    of_counters: Values
    first: SSAValue | None
    begins: Values


@dataclass(frozen=True)
class _Executor:
    """Lets the operations in a region access copies of arrays in the new order."""

    region: Operation
    accesses: list[ElementAccess]
    numbers: Numbers
    pointers: Values
    sizes: _Sizes
    updated: dict[Operation, SSAValue] = field(default_factory=dict)
    moved: dict[tuple[SSAValue, Block | None], SSAValue] = field(default_factory=dict)

    def rewrite(self, memories: tuple[SSAValue, ...], loops: list[SequentialLoop]) -> None:
        """Copy the memories, access the copies, and copy them back where they are written."""
        before = Code(InsertPoint.before(self.region))
        first = self.sizes.first(before)
        begins = {each: self.sizes.first_of(before, each) for each in self.pointers}
        copies = {memory: self._copied(memory) for memory in memories}
        with ExitStack() as stack:
            moves = {loop: stack.enter_context(self._in_new_order(loop, first)) for loop in loops}
            counters: Values = {
                loop.body.block.args[0]: moved.place for loop, moved in moves.items()
            }
            places = _Places(counters, first, begins)
            for access in self.accesses:
                self._redirect(access, copies[access.memref], places)
            for loop, moved in moves.items():
                move_body(loop, moved.element, moved.code)
        for load in self.updated:
            _erase_unused(load)
        for loop in loops:
            Rewriter.erase_op(loop)

    def _copied(self, memory: SSAValue) -> SSAValue:
        """A copy of a memory in the new order, copied back if it is written."""
        assert isinstance(memory.type, MemRefType)
        before = Code(InsertPoint.before(self.region))
        number = before.extent(self.numbers.places, 0)
        extents = self.sizes.extents(before, None, {}, memory)
        name = f"{memory.name_hint or 'memory'}_packed"
        copy = before.array(name, number, *extents[1:], element=memory.type.element_type)
        # What is at no place is not accessed: the loop would be out of bounds of another memory.
        extents[0] = before.minimum(extents[0], number)
        self._copy(before, memory, copy, extents, is_back=False)
        after = Code(InsertPoint.after(self.region))
        if any(each.memref is memory and isinstance(each, ElementStore) for each in self.accesses):
            self._copy(after, memory, copy, extents, is_back=True)
        after.free(copy)
        return copy

    @contextmanager
    def _in_new_order(self, loop: SequentialLoop, first: SSAValue | None) -> Iterator[_Moved]:
        """A loop over places, for the body of a loop over elements."""
        bounds = bounds_before(loop)
        code = Code(InsertPoint.before(loop))
        with code.loop("t", 0, code.extent(self.numbers.places, 0)) as (body, place):
            element = body.load(self.numbers.elements, place)
            element = element if first is None else body.sum(element, first)
            with body.within(bounds.lower, element, bounds.upper) as inner:
                yield _Moved(inner, element, place)

    def _copy(
        self, code: Code, memory: SSAValue, copy: SSAValue, extents: list[SSAValue], is_back: bool
    ) -> None:
        begin = self.sizes.first_of(code, memory)
        first = self.sizes.first(code)
        # Counted from the first subscript of all, the elements begin here.
        offset = code.constant(0) if first is None else code.difference(begin, first)
        with code.copy_loops("e", extents) as (body, indices):
            moved = (body.load(self.numbers.places, body.sum(indices[0], offset)), *indices[1:])
            own = (body.sum(indices[0], begin), *indices[1:])
            if is_back:
                body.store(body.load(copy, *moved), memory, *own)
            else:
                body.store(body.load(memory, *own), copy, *moved)

    def _redirect(self, access: ElementAccess, copy: SSAValue, places: _Places) -> None:
        """Let an access take the element from the copy."""
        code = Code(InsertPoint.before(access))
        first, *others = computed_subscripts(access, code, {})
        place = (
            places.of_counters.get(first)
            or self._updated(first, places)
            or self._moved(first, access, places)
        )
        if isinstance(access, ElementLoad):
            value = code.load(copy, place, *others)
            value.name_hint = access.results[0].name_hint
            access.results[0].replace_all_uses_with(value)
        else:
            code.store(access.value, copy, place, *others)
        Rewriter.erase_op(access)

    def _moved(self, element: SSAValue, access: Operation, places: _Places) -> SSAValue:
        """The place of an element, loaded once in a block."""
        key = element, access.parent
        if key not in self.moved:
            code = Code(InsertPoint.before(access))
            own = element if places.first is None else code.difference(element, places.first)
            self.moved[key] = code.load(self.numbers.places, own)
        return self.moved[key]

    def _updated(self, place: SSAValue, places: _Places) -> SSAValue | None:
        """The new place, if an index array that was updated has it."""
        load = index_load(place, self.region)
        if load is None or load.memref not in self.pointers:
            return None
        if load not in self.updated:
            pointer = self.pointers[load.memref]
            moved: ElementLoad
            if places.first is not None:
                code = Code(InsertPoint.before(load))
                begin, *others = computed_subscripts(load, code, {})
                own = code.difference(begin, places.begins[load.memref])
                moved = memref.LoadOp.get(pointer, [own, *others])
            elif isinstance(load, memref.LoadOp):
                moved = memref.LoadOp.get(pointer, load.indices)
            else:
                moved = affine.LoadOp(pointer, load.indices, load.map, IndexType())
            Rewriter.insert_op(moved, InsertPoint.after(load))
            moved.results[0].name_hint = load.results[0].name_hint
            self.updated[load] = moved.results[0]
        return self.updated[load]


def _erase_unused(load: Operation) -> None:
    """Erase a load of an index array that is not used any more, and its casts."""
    for use in tuple(load.results[0].uses):
        if isinstance(use.operation, arith.IndexCastOp) and use.operation.result.first_use is None:
            Rewriter.erase_op(use.operation)
    if load.results[0].first_use is None:
        Rewriter.erase_op(load)
