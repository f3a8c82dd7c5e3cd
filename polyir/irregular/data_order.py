"""Data in the order in which an irregular loop accesses it.

An inspector numbers the elements of the arrays that a loop accesses by index arrays. The executor
works on copies of the arrays in that order, and on copies of the index arrays with the new numbers
(pointer update). No operation changes its place, so results do not change. At the end, the
elements are copied back (A. Rajopadhye and others, "Computations on Iteration Spaces", The Compiler
Design Handbook, 2007, section 15.3.2.3).

- Consecutive packing: in the order of the first access (C. Ding and K. Kennedy, "Improving cache
  performance in dynamic applications through data and computation reorganization at run time",
  PLDI 1999).
- Breadth first: in the order of a breadth-first search. The neighbours of an element are those
  that an iteration accesses just before and after it (I. Al-Furaih and S. Ranka, "Memory hierarchy
  management for iterative graph structures", IPPS 1998).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial, reduce
from typing import Literal, TypeAlias

from xdsl.dialects import affine, arith, memref, scf
from xdsl.dialects.builtin import IndexType, MemRefType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from polyir.diagnostics import PolyirError, location_of
from polyir.irregular.code import Code
from polyir.irregular.inspection import Bounds, Inspection, bounds_before, move_body
from polyir.irregular.slices import AddressSlice, Element, ElementAccess, Values, address_slice
from polyir.irregular.wavefronts import Report
from polyir.loops.loop_forms import SequentialLoop, computed, is_outside, range_of
from polyir.model.affine import NotAffineError
from polyir.model.index_expressions import IndexExpression, compose
from polyir.model.raising.effects import LOADS, STORES, is_pure, may_overlap, stores_in

Method: TypeAlias = Literal["packing", "breadth-first"]


def data_slice(loop: SequentialLoop) -> AddressSlice | None:
    """The part of a loop that computes the places in arrays that come out of index arrays.

    These are the first subscripts. `None` if there are none; raises `PolyirError` if an inspector
    cannot run it before the loop.
    """
    memories = [
        op.memref
        for op in loop.walk()
        if isinstance(op, memref.LoadOp | memref.StoreOp)
        and is_outside(op.memref, loop)
        and op.indices
        and _index_load(op.indices[0], loop) is not None
    ]
    return address_slice(loop, memories=dict.fromkeys(memories)) if memories else None


def _index_load(place: SSAValue, around: Operation) -> affine.LoadOp | memref.LoadOp | None:
    """The load of an index array inside an operation whose result is a place."""
    owner = place.owner
    if isinstance(owner, arith.IndexCastOp):
        owner = owner.input.owner
    if isinstance(owner, affine.LoadOp | memref.LoadOp) and around.is_ancestor(owner):
        return owner
    return None


def reorder_data(module: ModuleOp, slice: AddressSlice, method: Method, report: Report) -> None:
    """Let the memories of a slice have the order in which its loop accesses them.

    The new order holds in the outermost loop that does not write the index arrays. Loops over the
    elements there, whose iterations access nothing but their own element, have the new order, too.
    Raises `PolyirError` if arrays are accessed in other ways than element by element.
    """
    inspection = Inspection(module, slice)
    region = inspection.place.before
    loops = _element_loops(region, slice.memories, inspection)
    memories = (*slice.memories, *_further_memories(region, loops))
    accesses = _accesses_in(region, memories)
    pointers = _pointers(accesses, region, inspection)
    for message, op in inspection.messages:
        report(message, op)
    number = partial(_number_of_places, memories=slice.memories)
    places = inspection.output("places", number)
    elements = inspection.output("elements", number)
    updated = {
        pointer: inspection.output(
            f"{pointer.name_hint or 'pointers'}_updated",
            partial(_same_extents, memory=pointer),
            rank=len(_shape(pointer)),
        )
        for pointer in pointers
    }
    _Inspector(inspection, places, elements, method).fill()
    for pointer, output in updated.items():
        _update_pointers(inspection, pointer, output, places)
    new_places, new_elements, *new_pointers = inspection.finish()
    known: Values = dict(zip(pointers, new_pointers, strict=True))
    executor = _Executor(region, accesses, new_places, new_elements, known)
    executor.rewrite(memories, loops)


def _number_of_places(
    code: Code, bounds: Bounds, values: Values, memories: tuple[SSAValue, ...]
) -> list[SSAValue]:
    """The greatest number of elements of the memories, at least 1."""
    mapped = (values.get(memory, memory) for memory in memories)
    return [reduce(code.maximum, (code.extents(each)[0] for each in mapped), code.constant(1))]


def _shape(memory: SSAValue) -> tuple[int, ...]:
    assert isinstance(memory.type, MemRefType)
    return memory.type.get_shape()


def _same_extents(code: Code, bounds: Bounds, values: Values, memory: SSAValue) -> list[SSAValue]:
    return code.extents(values.get(memory, memory))


def _element_loops(
    region: Operation, memories: tuple[SSAValue, ...], inspection: Inspection
) -> list[SequentialLoop]:
    """The loops over elements of the memories whose iterations access their own element only.

    So they may run in any order.
    """
    return [
        op
        for op in region.walk()
        if isinstance(op, affine.ForOp | scf.ForOp)
        and op is not inspection.slice.loop
        and _is_element_loop(op, memories)
    ]


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
                if not is_outside(op.memref, loop) or not _is_at(op, counter):
                    return False
                is_in_step |= op.memref in memories and op.parent is loop.body.block
            elif any(may_overlap(op.memref, other) for other in written):
                return False
        elif not (op.regions or op.has_trait(IsTerminator) or is_pure(op)):
            return False
    return is_in_step and not any(
        may_overlap(one, other) for one in written for other in written if one is not other
    )


def _is_at(access: ElementAccess, counter: SSAValue) -> bool:
    """Whether the first subscript of an access is the counter of a loop."""
    if isinstance(access, memref.LoadOp | memref.StoreOp):
        return bool(access.indices) and access.indices[0] is counter
    try:
        places = compose(access.map.data, [IndexExpression.of(each) for each in access.indices])
    except NotAffineError:
        return False
    return bool(places) and places[0] == IndexExpression.of(counter)


def _further_memories(region: Operation, loops: list[SequentialLoop]) -> list[SSAValue]:
    """The memories that are accessed at the counters of element loops only."""
    found: dict[SSAValue, bool] = {}
    for op in region.walk():
        for operand in op.operands:
            if isinstance(operand.type, MemRefType):
                loop = next((each for each in loops if each.is_ancestor(op)), None)
                is_at = (
                    loop is not None
                    and isinstance(op, ElementAccess)
                    and _is_at(op, loop.body.block.args[0])
                )
                found[operand] = found.get(operand, is_outside(operand, region)) and is_at
    return [memory for memory, is_at in found.items() if is_at]


def _accesses_in(region: Operation, memories: tuple[SSAValue, ...]) -> list[ElementAccess]:
    """The accesses to memories in a region; raises if it uses them in another way."""
    found: list[ElementAccess] = []
    for op in region.walk():
        for operand in op.operands:
            if not isinstance(operand.type, MemRefType):
                continue
            if operand in memories:
                if not isinstance(op, ElementAccess) or operand is not op.memref:
                    raise PolyirError(f"'{op.name}' uses an array as a whole", location_of(op))
                found.append(op)
            elif any(may_overlap(operand, memory) for memory in memories):
                raise PolyirError(
                    "two memrefs may share memory, and one of them is reordered", location_of(op)
                )
    return found


def _pointers(
    accesses: list[ElementAccess], region: Operation, inspection: Inspection
) -> tuple[SSAValue, ...]:
    """The index arrays whose elements are places, if the inspector has them."""
    found: dict[SSAValue, None] = {}
    for access in accesses:
        load = None
        if isinstance(access, memref.LoadOp | memref.StoreOp) and access.indices:
            load = _index_load(access.indices[0], region)
        if load is not None and load.memref in inspection.values:
            found[load.memref] = None
    return tuple(found)


class _Inspector:
    """Makes the code that numbers the elements."""

    def __init__(
        self, inspection: Inspection, places: SSAValue, elements: SSAValue, method: Method
    ) -> None:
        self._inspection, self._places, self._method = inspection, places, method
        self._elements = elements
        self._code = inspection.code
        self._number = self._code.extent(places, 0)

    def fill(self) -> None:
        """Add the code that fills the arrays of new places, and of the element in each place."""
        code = self._code
        code.fill(self._places, -1, [self._number])
        count = code.cell("count")
        code.store(0, count)
        if self._method == "packing":
            self._visit(lambda code, element: self._number_next(code, element, count))
            with code.loop("e", 0, self._number) as (body, element):
                self._number_next(body, element, count)
                body.store(element, self._elements, body.load(self._places, element))
        else:
            starts, neighbours = self._graph()
            self._search(starts, neighbours, count)
            code.free(starts, neighbours)

    def _graph(self) -> tuple[SSAValue, SSAValue]:
        """Add the code that finds the neighbours of each element.

        Those of element e are from `starts[e]` to before `starts[e + 1]`.
        """
        code = self._code
        size = code.sum(self._number, 2)
        starts = code.array("starts", size)
        code.fill(starts, 0, [size])

        # The places are moved up by two: they are where to put the next neighbour, until the end.
        def count(code: Code, element: SSAValue) -> None:
            place = code.sum(element, 2)
            code.store(code.sum(code.load(starts, place), 1), starts, place)

        def count_both(code: Code, one: SSAValue, other: SSAValue) -> None:
            count(code, one)
            count(code, other)

        self._visit_neighbours(count_both)
        with code.loop("e", 0, code.sum(self._number, 1)) as (body, element):
            next = body.sum(element, 1)
            total = body.sum(body.load(starts, element), body.load(starts, next))
            body.store(total, starts, next)
        last = code.load(starts, code.sum(self._number, 1))
        neighbours = code.array("neighbours", last)

        def add(code: Code, one: SSAValue, other: SSAValue) -> None:
            for element, neighbour in ((one, other), (other, one)):
                place = code.sum(element, 1)
                target = code.load(starts, place)
                code.store(neighbour, neighbours, target)
                code.store(code.sum(target, 1), starts, place)

        self._visit_neighbours(add)
        return starts, neighbours

    def _search(self, starts: SSAValue, neighbours: SSAValue, count: SSAValue) -> None:
        """Add the breadth-first search: `elements` is its queue.

        Each of its steps takes an element from the queue, or looks at the next one that may begin
        another part of the graph.
        """
        code = self._code
        head, next = code.cell("head"), code.cell("next")
        code.store(0, head)
        code.store(0, next)
        with code.loop("step", 0, code.product(self._number, 2)) as (body, _):
            at = body.load(head)
            with body.either(at, "slt", body.load(count)) as (take, look):
                element = take.load(self._elements, at)
                take.store(take.sum(at, 1), head)
                first = take.load(starts, element)
                end = take.load(starts, take.sum(element, 1))
                with take.loop("k", first, end) as (inner, place):
                    self._enqueue(inner, inner.load(neighbours, place), count)
                candidate = look.load(next)
                look.store(look.sum(candidate, 1), next)
                self._enqueue(look, candidate, count)

    def _enqueue(self, code: Code, element: SSAValue, count: SSAValue) -> None:
        """Give an element the next place, and put it there, if it has none."""
        with code.either(code.load(self._places, element), "slt", 0) as (then, _):
            place = then.load(count)
            then.store(place, self._places, element)
            then.store(element, self._elements, place)
            then.store(then.sum(place, 1), count)

    def _visit_neighbours(self, visit: Callable[[Code, SSAValue, SSAValue], None]) -> None:
        """Visit each two elements that an iteration accesses one after the other."""
        last = self._code.cell("last")

        def visit_pair(code: Code, element: SSAValue) -> None:
            before = code.load(last)
            code.store(element, last)
            with code.either(before, "sge", 0) as (then, _):
                visit(then, before, element)

        self._visit(visit_pair, lambda code: code.store(-1, last))

    def _number_next(self, code: Code, element: SSAValue, count: SSAValue) -> None:
        """Give an element the next place, if it has none."""
        known, next = code.load(self._places, element), code.load(count)
        code.store(code.select(known, "slt", 0, next, known), self._places, element)
        after = code.select(known, "slt", 0, code.sum(next, 1), next)
        code.store(after, count)

    def _visit(
        self,
        visit: Callable[[Code, SSAValue], None],
        begin: Callable[[Code], None] = lambda code: None,
    ) -> None:
        """Visit the elements that the loop accesses; `begin` comes before each iteration."""
        bounds, values = self._inspection.bounds, self._inspection.values
        seen: set[SSAValue] = set()

        def visit_once(code: Code, element: Element) -> None:
            place = element.subscripts[0]
            if place not in seen:
                seen.add(place)
                visit(code, place)

        loop = self._code.loop("i", bounds.lower, bounds.upper, bounds.step)
        with loop as (body, counter):
            begin(body)
            self._inspection.slice.replay(body, counter, values, visit_once)


def _update_pointers(
    inspection: Inspection, pointer: SSAValue, output: SSAValue, places: SSAValue
) -> None:
    """Add the code that fills a copy of an index array with the new places.

    Elements of it that are no places stay as they are: they may be of use for something else.
    """
    code, old = inspection.code, inspection.values[pointer]
    last = code.difference(code.extent(places, 0), 1)
    with code.loops("e", code.extents(old)) as (body, indices):
        value = body.load(old, *indices)
        if not isinstance(value.type, IndexType):
            value = body.index(value)
        inside = body.minimum(body.maximum(value, 0), last)
        moved = body.select(inside, "eq", value, body.load(places, inside), value)
        body.store(moved, output, *indices)


@dataclass(frozen=True)
class _Moved:
    """Where the body of a loop over elements goes: its element there, and the place of that."""

    code: Code
    element: SSAValue
    place: SSAValue


@dataclass(frozen=True)
class _Executor:
    """Lets the operations in a region access copies of arrays in the new order."""

    region: Operation
    accesses: list[ElementAccess]
    places: SSAValue
    elements: SSAValue
    pointers: Values
    updated: dict[Operation, SSAValue] = field(default_factory=dict)
    moved: dict[tuple[SSAValue, Block | None], SSAValue] = field(default_factory=dict)

    def rewrite(self, memories: tuple[SSAValue, ...], loops: list[SequentialLoop]) -> None:
        """Copy the memories, access the copies, and copy them back where they are written."""
        copies = {memory: self._copied(memory) for memory in memories}
        with ExitStack() as stack:
            moves = {loop: stack.enter_context(self._in_new_order(loop)) for loop in loops}
            places: Values = {loop.body.block.args[0]: moved.place for loop, moved in moves.items()}
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
        number = before.extent(self.places, 0)
        extents = before.extents(memory)
        name = f"{memory.name_hint or 'memory'}_packed"
        copy = before.array(name, number, *extents[1:], element=memory.type.element_type)
        # What is at no place is not accessed: the loop would be out of bounds of another memory.
        extents[0] = before.minimum(extents[0], number)
        self._copy(before, memory, copy, extents, is_back=False)
        after = Code(InsertPoint.after(self.region))
        if any(each.memref is memory and isinstance(each, STORES) for each in self.accesses):
            self._copy(after, memory, copy, extents, is_back=True)
        after.free(copy)
        return copy

    @contextmanager
    def _in_new_order(self, loop: SequentialLoop) -> Iterator[_Moved]:
        """A loop over places, for the body of a loop over elements."""
        bounds = bounds_before(loop)
        code = Code(InsertPoint.before(loop))
        with code.loop("t", 0, code.extent(self.places, 0)) as (body, place):
            element = body.load(self.elements, place)
            with body.within(bounds.lower, element, bounds.upper) as inner:
                yield _Moved(inner, element, place)

    def _copy(
        self, code: Code, memory: SSAValue, copy: SSAValue, extents: list[SSAValue], is_back: bool
    ) -> None:
        with code.copy_loops("e", extents) as (body, indices):
            moved = (body.load(self.places, indices[0]), *indices[1:])
            if is_back:
                body.store(body.load(copy, *moved), memory, *indices)
            else:
                body.store(body.load(memory, *indices), copy, *moved)

    def _redirect(self, access: ElementAccess, copy: SSAValue, places: Values) -> None:
        """Let an access take the element from the copy; `places` are those of counters."""
        code = Code(InsertPoint.before(access))
        if isinstance(access, memref.LoadOp | memref.StoreOp):
            first, *others = access.indices
        else:
            indices = [IndexExpression.of(index) for index in access.indices]
            expressions = compose(access.map.data, indices)
            first, *others = (computed(each, False, code.builder) for each in expressions)
        place = places.get(first) or self._updated(first) or self._moved(first, access)
        if isinstance(access, LOADS):
            value = code.load(copy, place, *others)
            value.name_hint = access.results[0].name_hint
            access.results[0].replace_all_uses_with(value)
        else:
            assert isinstance(access, STORES)
            code.store(access.value, copy, place, *others)
        Rewriter.erase_op(access)

    def _moved(self, element: SSAValue, access: Operation) -> SSAValue:
        """The place of an element, loaded once in a block."""
        key = element, access.parent
        if key not in self.moved:
            self.moved[key] = Code(InsertPoint.before(access)).load(self.places, element)
        return self.moved[key]

    def _updated(self, place: SSAValue) -> SSAValue | None:
        """The new place, if an index array that was updated has it."""
        load = _index_load(place, self.region)
        if load is None or load.memref not in self.pointers:
            return None
        if load not in self.updated:
            pointer = self.pointers[load.memref]
            moved: affine.LoadOp | memref.LoadOp
            if isinstance(load, memref.LoadOp):
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
