"""Run-time checks of aliases where index arrays decide which elements a region accesses.

The accesses of the region are replayed without its arithmetic, to find the first and the last
subscript of each array. The index arrays are read before anything is written. If what is written
does not overlap them, then by these subscripts, so they are the same in the region: it writes its
first element where the replay says, and so it goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Final

from xdsl.dialects import affine, arith, func, scf
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.base.diagnostics import PolyirError, SourceLocation
from polyir.frontend.c.places import SourceArgument
from polyir.irregular.inspection import Inspection
from polyir.irregular.noted_ranges import NotedRange, new_range
from polyir.irregular.slices import (
    AddressSlice,
    Element,
    Values,
    address_slice,
    bound_operands,
    bounds_of,
)
from polyir.loops.code import Code
from polyir.loops.loop_forms import SequentialLoop, is_outside
from polyir.model.index_expressions import IndexExpression
from polyir.model.memory_accesses import ElementAccess, accesses_of
from polyir.model.raising.control import LOOPS
from polyir.regions.alias_checks import FoundRanges
from polyir.target.c.region import ElementRange


def found_ranges(
    module: ModuleOp,
    arguments: Sequence[SourceArgument],
    operands: Sequence[int],
    location: SourceLocation,
) -> FoundRanges:
    """The ranges of some arguments of a region, given by their positions.

    `module` holds the region's function, which has not been raised; it is not changed. Raises
    `PolyirError` if the accesses cannot be replayed before the region.
    """
    copy = module.clone()
    function = next(op for op in copy.ops if isinstance(op, func.FuncOp) and not op.is_declaration)
    name = function.sym_name.data
    memories = {function.body.block.args[operand]: operand for operand in operands}
    slices = tuple(_slices(function, tuple(memories)))
    _require_all(function, slices, tuple(memories), location)
    if not slices:
        raise PolyirError("no loop in it accesses what may overlap", location, name="may-overlap")
    inspected = [_inspected(slice, location) for slice in slices]
    results = _Results(copy, name, arguments)
    ranges = {
        operand: [
            results.range(box, operand)
            for each in inspected
            for box in each.boxes
            if box.memory is memory
        ]
        for memory, operand in memories.items()
    }
    conditions = tuple(results.condition(each.is_done) for each in inspected if each.is_done)
    called = results.finish()
    is_long = not all(each.is_quick for each in inspected)
    return FoundRanges(results.kernel, ranges, called, is_long, conditions)


LEAST_REPEATS: Final = 8
"""A replay is worth it if each access is made so often: it takes as long as one of them."""


@dataclass(frozen=True)
class _Inspected:
    """The boxes of the accesses in a loop, and whether finding them takes little time.

    If the number in the cell `is_done` is 0, they have not been looked for.
    """

    boxes: Sequence[_Box]
    is_quick: bool
    is_done: SSAValue | None


PARTS: Final = 64
"""Into so many parts a loop is divided for threads that replay its accesses."""


@dataclass(frozen=True)
class _Box:
    """The first and the last subscript of each dimension of an argument.

    Their cells are arguments of the executor.
    """

    memory: SSAValue
    ranges: tuple[NotedRange, ...]


def _slices(root: Operation, memories: Sequence[SSAValue]) -> Iterator[AddressSlice]:
    """The outermost loops whose counters decide which elements of `memories` are accessed."""
    for region in root.regions:
        for block in region.blocks:
            for op in tuple(block.ops):
                if isinstance(op, SequentialLoop):
                    accessed = {
                        each.memref for each in op.walk() if isinstance(each, ElementAccess)
                    }
                    slice = address_slice(op, [each for each in memories if each in accessed])
                    if slice.uses_counter and slice.accesses:
                        yield slice
                        continue
                if isinstance(op, affine.ForOp | affine.IfOp | scf.ForOp | scf.IfOp):
                    yield from _slices(op, memories)


def _require_all(
    function: func.FuncOp,
    slices: Sequence[AddressSlice],
    memories: Sequence[SSAValue],
    location: SourceLocation,
) -> None:
    """Raise unless slices have all accesses to some memories."""
    known = {access for slice in slices for access in slice.accesses}
    for op in function.walk():
        if any(memory in op.operands for memory in memories) and op not in known:
            raise PolyirError(
                "an element is accessed outside of a loop", location, name="may-overlap"
            )


def _inspected(slice: AddressSlice, location: SourceLocation) -> _Inspected:
    """Add the function that finds the subscripts of a loop, and its call.

    It takes little time if it has fewer loops in each other than the loop has, or one long run.
    """
    inspection = Inspection(slice, with_memories=False)
    if not inspection.runs_first:
        text, _ = inspection.place.reason or ("they are computed here", slice.loop)
        raise PolyirError(
            f"its subscripts are not known before it: {text}", location, name="may-overlap"
        )
    code = outer = inspection.code
    bounds = inspection.bounds
    noted: dict[SSAValue, list[NotedRange]] = {}
    for memory in slice.memories:
        assert isinstance(memory.type, MemRefType)
        name = memory.name_hint or "memory"
        noted[memory] = [
            NotedRange(inspection.output(f"{name}_first"), inspection.output(f"{name}_last"))
            for _ in memory.type.get_shape()
        ]
    ranges = [range for each in noted.values() for range in each]
    parts = code.local_array("found", PARTS, 2 * len(ranges))
    is_done: SSAValue | None = None
    with ExitStack() as stack:
        for range in ranges:
            range.clear(code)
        repeats = _repeats(slice, code, inspection.values)
        if repeats is not None:
            is_done = inspection.output("is_done")
            is_worth = code.compared(repeats, "sge", LEAST_REPEATS)
            code.store(code.choice(is_worth, code.constant(1), code.constant(0)), is_done)
            code = stack.enter_context(code.conditional(is_worth))
        steps = code.quotient(code.steps(bounds.lower, bounds.upper, bounds.step), PARTS)
        size = code.product(code.sum(steps, 1), bounds.step)
        with code.parallel_loop("part", 0, PARTS) as (inner, part):
            own = {
                memory: [new_range(inner, memory.name_hint or "memory") for _ in each]
                for memory, each in noted.items()
            }

            def note(code: Code, element: Element) -> None:
                for subscript, range in zip(element.subscripts, own[element.memory], strict=True):
                    range.note(code, subscript)

            first = inner.sum(bounds.lower, inner.product(part, size))
            last = inner.minimum(inner.sum(first, size), bounds.upper)
            with inner.loop("i", first, last, bounds.step) as (body, counter):
                slice.replay(body, counter, inspection.values, note, repeats=False)
            is_quick = _depth(_loop_of(counter)) < _depth(slice.loop)
            is_quick |= _visits_rows_at_once(inner, counter)
            for place, range in enumerate(range for each in own.values() for range in each):
                inner.store(inner.load(range.first), parts, part, 2 * place)
                inner.store(inner.load(range.last), parts, part, 2 * place + 1)
        with code.loop("part", 0, PARTS, 1) as (body, part):
            for place, range in enumerate(ranges):
                ends = (body.load(parts, part, 2 * place + end) for end in (0, 1))
                range.note_ends(body, *ends)
    for range in ranges:
        is_none = outer.compared(outer.load(range.last), "slt", outer.load(range.first))
        with outer.conditional(is_none) as then:
            # Of an array without accesses, the first element counts: it lies in the array.
            range.clear(then, 0, 0)
    found = iter(inspection.finish("subscripts"))
    boxes = [
        _Box(memory, tuple(NotedRange(next(found), next(found)) for _ in each))
        for memory, each in noted.items()
    ]
    return _Inspected(boxes, is_quick, next(found, None))


def _repeats(slice: AddressSlice, code: Code, values: Values) -> SSAValue | None:
    """How often the loop makes each access, where that is known: how often the replay saves it."""
    product: SSAValue | None = None
    for op in slice.loop.walk():
        if not isinstance(op, SequentialLoop) or op is slice.loop or slice.depends_on(op):
            continue
        is_known = all(is_outside(operand, slice.loop) for operand in bound_operands(op))
        if is_known and any(map(op.is_ancestor, slice.accesses)):
            ((lower, upper, step),) = bounds_of(op, code, values)
            steps = code.steps(lower, upper, step)
            product = steps if product is None else code.product(product, steps)
    return product


def _visits_rows_at_once(code: Code, counter: SSAValue) -> bool:
    """Let the loop just added visit all rows in one run, if they are next to each other.

        for i in [a, b):                      if row[i] <= row[i + 1] for all i in [a, b):
          for k in [row[i], row[i + 1]):  =>    for k in [row[a], row[b]):  note(k)
            note(k)                           else: as before

    What is noted must depend on nothing else of `counter`. Long loops run in vectors. Returns
    whether it visits all in one run.
    """
    loop = _loop_of(counter)
    ends = tuple(dict.fromkeys(use.operation for use in counter.uses))
    if len(ends) != 2 or not all(isinstance(each, affine.LoadOp) for each in ends):
        return not any(op.regions for op in loop.body.block.ops)
    accesses = [access for each in ends for access in accesses_of(each)]
    (one, other), (row, same) = zip(*((a.subscripts(), a.memref) for a in accesses), strict=True)
    ahead = [b - a for a, b in zip(one, other, strict=True)]
    first, last = ends
    if ahead == [IndexExpression((), -1)]:
        (first, last), ahead = (last, first), [IndexExpression((), 1)]
    if row is not same or ahead != [IndexExpression((), 1)] or dict(one[0].terms).get(counter) != 1:
        return False
    # Others are unsigned numbers, which are ordered otherwise.
    users = [use.operation for each in ends for use in each.results[0].uses]
    if not all(isinstance(each, arith.IndexCastOp) for each in users):
        return False
    loop.detach()

    def end(code: Code, op: Operation, at: SSAValue) -> SSAValue:
        copy = op.clone({counter: at})
        code.add(copy)
        return copy.results[0]

    are_ordered = code.cell("ordered")
    code.store(1, are_ordered)
    with code.loop("i", loop.lb, loop.ub, loop.step) as (body, at):
        here, after = (body.index(end(body, each, at)) for each in (first, last))
        is_row = body.compared(here, "sle", after)
        number = body.choice(is_row, body.constant(1), body.constant(0))
        body.store(body.minimum(body.load(are_ordered), number), are_ordered)
    some = code.choice(
        code.compared(loop.lb, "slt", loop.ub), code.load(are_ordered), code.constant(0)
    )
    with code.either(some, "eq", 1) as (then, otherwise):
        known = {
            first.results[0]: end(then, first, loop.lb),
            last.results[0]: end(then, last, then.sum(loop.ub, -1)),
        }
        for op in loop.body.block.ops:
            if op not in ends and not isinstance(op, scf.YieldOp):
                then.add(op.clone(known))
        otherwise.add(loop)
    return True


def _loop_of(counter: SSAValue) -> scf.ForOp:
    assert isinstance(counter.owner, Block)
    loop = counter.owner.parent_op()
    assert isinstance(loop, scf.ForOp)
    return loop


def _depth(op: Operation) -> int:
    """How many loops there are in each other."""
    inner = (each for region in op.regions for block in region.blocks for each in block.ops)
    return isinstance(op, LOOPS) + max(map(_depth, inner), default=0)


class _Results:
    """Makes a kernel that has been split a function of the subscripts that its boxes have."""

    def __init__(self, module: ModuleOp, name: str, arguments: Sequence[SourceArgument]) -> None:
        functions = {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}
        self.kernel = functions[name]
        self._functions, self._arguments = functions, arguments
        executor = functions[f"{name}_executor"]
        (self._call,) = (
            op
            for op in self.kernel.body.block.ops
            if isinstance(op, func.CallOp) and op.callee.root_reference.data == f"{name}_executor"
        )
        self._known: dict[SSAValue, SSAValue] = dict(
            zip(executor.body.block.args, self._call.arguments, strict=True)
        )
        self._code = Code(InsertPoint.before(self._call))
        self._results: list[SSAValue] = []

    def range(self, box: _Box, operand: int) -> ElementRange:
        """The range of an argument in a box."""
        values = [
            (self._code.load(self._known[each.first]), self._code.load(self._known[each.last]))
            for each in box.ranges
        ]
        ends = tuple((self._position(first), self._position(last)) for first, last in values)
        origin = self._arguments[operand].origin
        if origin.pointer in (None, origin.root):
            return ElementRange(operand, ends)
        first, last = values[0]
        return ElementRange(operand, ends, self._position(self._code.compared(first, "sle", last)))

    def condition(self, cell: SSAValue) -> int:
        """The position of whether a number is not 0."""
        return self._position(self._code.compared(self._code.load(self._known[cell]), "ne", 0))

    def _position(self, value: SSAValue) -> int:
        self._results.append(value)
        return len(self._results) - 1

    def finish(self) -> tuple[func.FuncOp, ...]:
        """Return the results instead of running the executor; the functions that are called."""
        block = self.kernel.body.block
        last = block.last_op
        assert last is not None
        Rewriter.replace_op(last, func.ReturnOp(*self._results))
        Rewriter.erase_op(self._call)
        called = (op for op in block.ops if isinstance(op, func.CallOp))
        return tuple(self._functions[op.callee.root_reference.data] for op in called)
