"""What an inspector runs of a loop: the part of its body that computes addresses.

An inspector runs before the loop, and must see the same addresses. So the index arrays must not be
written in between, and what a conditional or an inner loop does must not depend on what the loop
computes (J. Saltz, R. Mirchandaney and K. Crowley, "Run-time parallelization and scheduling of
loops", IEEE Transactions on Computers, 1991).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace

from xdsl.dialects import affine, arith, memref, scf
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from polyir.base.diagnostics import PolyirError, location_of
from polyir.irregular.loop_parts import known_range
from polyir.loops.affine_to_scf import bound, map_values
from polyir.loops.code import Code
from polyir.loops.loop_forms import SequentialLoop, computed, is_outside
from polyir.model.affine import NotAffineError
from polyir.model.affine_bounds import counter_bounds
from polyir.model.index_expressions import IndexExpression, compose
from polyir.model.memory_accesses import ElementAccess, ElementLoad, accesses_of
from polyir.model.raising.control import LOOPS, iterators_of
from polyir.model.raising.effects import (
    ALLOCATIONS,
    LOADS,
    STORES,
    base_of,
    inputs_of,
    is_pure,
    may_overlap,
    stores_in,
)
from polyir.model.writes import first_write


class CannotInspectError(PolyirError):
    """Why a loop cannot have an inspector, with the operation that this is about."""

    name = "irregular-loop"

    def __init__(self, message: str, op: Operation) -> None:
        super().__init__(message, location_of(op))
        self.op = op


@dataclass(frozen=True)
class Element:
    """An element of memory that an access of a loop is to.

    It has the memref of the program, and its subscripts in the inspector.
    """

    memory: SSAValue
    subscripts: tuple[SSAValue, ...]
    is_store: bool
    op: ElementAccess


Visit = Callable[[Code, Element], None]
"""Adds what an inspector does at an access, in the place of the access."""

Values = dict[SSAValue, SSAValue]
"""The values of an inspector that stand for those of the program."""


@dataclass(frozen=True)
class AddressSlice:
    """The part of a loop that computes the addresses of some `memories`.

    `accesses` are the loads and stores of them, `needed` the operations that compute their
    subscripts and the control around them, and `sources` the values from outside that these use.
    """

    loop: SequentialLoop
    memories: tuple[SSAValue, ...]
    accesses: tuple[ElementAccess, ...]
    needed: frozenset[Operation]
    sources: tuple[SSAValue, ...]

    @property
    def uses_counter(self) -> bool:
        """Whether subscripts, or what an iteration does, depend on the counter of the loop."""
        return self.depends_on(self.loop)

    def only(self, accesses: Sequence[ElementAccess]) -> AddressSlice:
        """The part for some of the accesses."""
        finder = _Needed(self.loop, self.loop)
        for access in accesses:
            finder.need_access(access)
        needed = frozenset(finder.found)
        return replace(self, accesses=tuple(accesses), needed=needed, sources=tuple(finder.sources))

    def replay(
        self,
        code: Code,
        counter: SSAValue,
        values: Values,
        visit: Visit,
        repeats: bool = True,
    ) -> None:
        """Add an iteration of the loop to an inspector, with `visit` in the place of accesses.

        `values` has the `sources`. Unless it `repeats`, inner loops in which all iterations have
        the same accesses have one.
        """
        mapping = {**values, self.loop.body.block.args[0]: counter}
        self._replay(self.loop.body.block, code, mapping, visit, repeats)

    def depends_on(self, loop: SequentialLoop) -> bool:
        """Whether accesses depend on the counter of a loop."""
        users = [use.operation for use in loop.body.block.args[0].uses]
        return any(op in self.needed or op in self.accesses or op.regions for op in users)

    def _replay(
        self, block: Block, code: Code, values: Values, visit: Visit, repeats: bool
    ) -> None:
        for op in block.ops:
            if op in self.accesses:
                assert isinstance(op, ElementAccess)
                places = tuple(computed_subscripts(op, code, values))
                visit(code, Element(op.memref, places, isinstance(op, STORES), op))
            if op in self.needed:
                code.add(op.clone(values))
            elif op not in self.accesses and any(inner in self.accesses for inner in op.walk()):
                self._replay_control(op, code, values, visit, repeats)

    def _replay_control(
        self, op: Operation, code: Code, values: Values, visit: Visit, repeats: bool
    ) -> None:
        """Add a loop or conditional, without the values that it carries or has as results."""
        if isinstance(op, SequentialLoop) and not (repeats or self.depends_on(op)):
            ((first, end, _),) = bounds_of(op, code, values)
            with code.conditional(code.compared(first, "slt", end)) as inner:
                values[op.body.block.args[0]] = first
                self._replay(op.body.block, inner, values, visit, repeats)
            return
        regions = [
            Region(
                [Block(arg_types=[each.type for each in block.args[:1]]) for block in region.blocks]
            )
            for region in op.regions
        ]
        copy: Operation
        match op:
            case affine.ForOp():
                lower = [values.get(each, each) for each in op.lowerBoundOperands]
                upper = [values.get(each, each) for each in op.upperBoundOperands]
                maps = op.lowerBoundMap, op.upperBoundMap
                copy = affine.ForOp.from_region(lower, upper, [], [], *maps, regions[0], op.step)
            case scf.ForOp():
                first, end, step = (values.get(each, each) for each in (op.lb, op.ub, op.step))
                copy = scf.ForOp(first, end, step, [], regions[0])
            case affine.ParallelOp() | scf.ParallelOp():
                self._replay_parallel(op, code, values, visit, repeats)
                return
            case _:
                operands = [values.get(each, each) for each in op.operands]
                copy = op.create(operands=operands, properties=op.properties, regions=regions)
        code.add(copy)
        terminator = affine.YieldOp if isinstance(op, affine.ForOp | affine.IfOp) else scf.YieldOp
        for region, new in zip(op.regions, regions, strict=True):
            for block, copied in zip(region.blocks, new.blocks, strict=True):
                for old, argument in zip(block.args, copied.args, strict=False):
                    values[old] = argument
                    argument.name_hint = old.name_hint
                inner = Code(InsertPoint.at_end(copied))
                self._replay(block, inner, values, visit, repeats)
                inner.add(terminator.create())

    def _replay_parallel(
        self,
        op: affine.ParallelOp | scf.ParallelOp,
        code: Code,
        values: Values,
        visit: Visit,
        repeats: bool,
    ) -> None:
        """Add loops that run one iteration after the other."""
        with ExitStack() as stack:
            for counter, (lower, upper, step) in zip(
                op.body.block.args, bounds_of(op, code, values), strict=True
            ):
                name = counter.name_hint or "i"
                code, mine = stack.enter_context(code.loop(name, lower, upper, step))
                values[counter] = mine
            self._replay(op.body.block, code, values, visit, repeats)


def address_slice(
    loop: SequentialLoop,
    memories: Collection[SSAValue] | None = None,
    around: SequentialLoop | None = None,
) -> AddressSlice:
    """The part of `loop` that computes the addresses of `memories`, or of all that it writes.

    With `around`, a loop that holds `loop`, they are of all that this one writes.

    Raises `PolyirError`, with a place, if an inspector cannot run it before the loop.
    """
    if loop.results:
        raise CannotInspectError("its iterations carry values in iter_args", loop)
    try:
        known_range(loop)
    except PolyirError as error:
        raise CannotInspectError(error.message, loop) from None
    for op in loop.walk():
        if not has_known_effects(op):
            raise CannotInspectError(f"an inspector cannot run '{op.name}'", op)
    writer = loop if around is None else around
    if memories is None:
        memories = _written_memories(writer)
    accesses = tuple(
        op
        for op in loop.walk()
        if isinstance(op, ElementAccess) and any(op.memref is memory for memory in memories)
    )
    finder = _Needed(loop, writer)
    for access in accesses:
        finder.need_access(access)
    return AddressSlice(
        loop, tuple(memories), accesses, frozenset(finder.found), tuple(finder.sources)
    )


def has_known_effects(op: Operation) -> bool:
    """Whether all that `op` itself may do to memory is known."""
    is_control = isinstance(op, (*LOOPS, affine.IfOp, scf.IfOp))
    is_yield = isinstance(op, affine.YieldOp | scf.YieldOp | scf.ReduceOp | scf.ReduceReturnOp)
    is_access = isinstance(op, ElementAccess)
    is_memory = isinstance(op, (*ALLOCATIONS, memref.DeallocOp, memref.DimOp))
    return is_control or is_yield or is_access or is_memory or is_pure(op)


def _written_memories(loop: SequentialLoop) -> tuple[SSAValue, ...]:
    """The memrefs from outside that the loop writes; raises if others share their memory."""
    stores = [store for store in stores_in(loop) if not is_made_in(store.memref, loop)]
    for store in stores:
        if not is_outside(store.memref, loop):
            raise CannotInspectError("an inspector cannot name the memory of this store", store.op)
    memories = tuple(dict.fromkeys(op.memref for op in stores))
    for op in loop.walk():
        if isinstance(op, ElementAccess):
            for memory in memories:
                if op.memref is not memory and may_overlap(op.memref, memory):
                    raise CannotInspectError(
                        "two memrefs may share memory, and one of them is written",
                        op,
                    )
    return memories


def is_made_in(memory: SSAValue, loop: SequentialLoop) -> bool:
    """Whether an allocation in the loop made a memref, or what it views."""
    base = base_of(memory)
    return (
        isinstance(base, SSAValue)
        and isinstance(base.owner, ALLOCATIONS)
        and not is_outside(base, loop)
    )


class _Needed:
    """The operations inside a loop that some values depend on, and the values from outside."""

    def __init__(self, loop: SequentialLoop, writer: SequentialLoop) -> None:
        self.found: dict[Operation, None] = {}
        self.sources: dict[SSAValue, None] = {}
        self._loop = loop
        self._writer = writer

    def need_access(self, access: ElementAccess) -> None:
        """Add the subscripts of an access, and the control around it."""
        for index in access.indices:
            self.need(index)
        self.need_control(access)

    def need(self, value: SSAValue) -> None:
        """Add a value, and what it depends on."""
        if is_outside(value, self._loop):
            self.sources[value] = None
            return
        owner = value.owner
        if isinstance(owner, Block):
            parent = owner.parent_op()
            assert parent is not None
            if not (isinstance(parent, LOOPS) and value in iterators_of(parent)):
                message = "an address depends on what a loop carries in iter_args"
                raise CannotInspectError(message, parent)
            return
        if owner in self.found:
            return
        for inner in owner.walk():
            self._require_the_same_before(inner)
        self.found[owner] = None
        for source in inputs_of(owner):
            self.need(source)
        self.need_control(owner)

    def need_control(self, op: Operation) -> None:
        """Add what decides whether and how often `op` runs in an iteration of the loop."""
        parent = op.parent_op()
        while parent is not None and parent is not self._loop:
            if parent not in self.found:
                for value in bound_operands(parent):
                    self.need(value)
            parent = parent.parent_op()

    def _require_the_same_before(self, op: Operation) -> None:
        """Raise if `op` may have other results before the loop than in it."""
        if isinstance(op, (*STORES, *ALLOCATIONS)):
            raise CannotInspectError("an address depends on memory that the loop writes", op)
        if isinstance(op, LOADS):
            writer = first_write(self._writer, op.memref)
            if writer is not None:
                name = op.memref.name_hint or "memory"
                raise CannotInspectError(
                    f"an address depends on '{name}', which the loop writes here",
                    writer,
                )


def bound_operands(op: Operation) -> Sequence[SSAValue]:
    """The operands of a loop that its bounds depend on, or all those of a conditional."""
    match op:
        case scf.ForOp():
            return op.operands[:3]
        case scf.ParallelOp():
            return (*op.lowerBound, *op.upperBound, *op.step)
        case affine.ForOp():
            return (*op.lowerBoundOperands, *op.upperBoundOperands)
        case _:
            return op.operands


def bounds_of(
    op: SequentialLoop | affine.ParallelOp | scf.ParallelOp, code: Code, values: Values
) -> Iterator[tuple[SSAValue, SSAValue, SSAValue | int]]:
    """The bounds and steps of the counters of a loop, as values of an inspector."""
    if isinstance(op, scf.ForOp):
        lower, upper, step = (values.get(each, each) for each in (op.lb, op.ub, op.step))
        yield lower, upper, step
    elif isinstance(op, scf.ParallelOp):
        for bounds in zip(op.lowerBound, op.upperBound, op.step, strict=True):
            lower, upper, step = (values.get(each, each) for each in bounds)
            yield lower, upper, step
    else:
        for counter in counter_bounds(op):
            lowest, end = (
                bound(map, [values.get(each, each) for each in operands], extremum, code.builder)
                for (map, operands), extremum in (
                    (counter.lower, arith.MaxSIOp),
                    (counter.upper, arith.MinSIOp),
                )
            )
            yield lowest, end, counter.step


def subscripts_of(op: ElementAccess, loop: SequentialLoop) -> tuple[IndexExpression, ...]:
    """The subscripts of an access in a loop, as sums of what the loop does not add up itself.

    Raises `PolyirError` for products of variables.
    """
    (access,) = accesses_of(op)
    try:
        return access.subscripts(lambda index: _expression(index, loop))
    except NotAffineError:
        raise CannotInspectError("a subscript is a product of variables", op) from None


def _expression(value: SSAValue, loop: SequentialLoop) -> IndexExpression:
    """A value as a sum, seen through additions and subtractions in the loop."""
    owner, number = value.owner, const_evaluate_operand(value)
    if number is not None:
        return IndexExpression((), number)
    if not is_outside(value, loop) and isinstance(owner, arith.AddiOp | arith.SubiOp):
        left, right = _expression(owner.lhs, loop), _expression(owner.rhs, loop)
        return left + right if isinstance(owner, arith.AddiOp) else left - right
    if not is_outside(value, loop) and isinstance(owner, affine.ApplyOp):
        with suppress(NotAffineError):
            operands = [_expression(each, loop) for each in owner.mapOperands]
            return compose(owner.map.data, operands)[0]
    return IndexExpression.of(value)


def first_subscript(op: ElementAccess) -> Hashable:
    """What stands for the first subscript of an access: accesses with the same have the same one.

    For elements of an index array, it is the place in this array, which must not change.
    """
    if isinstance(op, affine.LoadOp | affine.StoreOp):
        return op
    load = load_of_place(op.indices[0])
    return op.indices[0] if load is None else accesses_of(load)[0][1:]


def load_of_place(place: SSAValue) -> ElementLoad | None:
    """The load of an index array whose result, or a cast of it to an index, is a place."""
    owner = place.owner
    if isinstance(owner, arith.IndexCastOp):
        owner = owner.input.owner
    return owner if isinstance(owner, ElementLoad) else None


def computed_subscripts(op: ElementAccess, code: Code, values: Values) -> list[SSAValue]:
    """The subscripts of an access in an inspector."""
    (access,) = accesses_of(op)
    access = access._replace(indices=[values.get(index, index) for index in op.indices])
    if access.map is None:
        return list(access.indices)
    try:
        return [computed(each, False, code.builder) for each in access.subscripts()]
    except NotAffineError:
        # A product of variables is not a sum.
        return map_values(access.map, access.indices, code.builder)
