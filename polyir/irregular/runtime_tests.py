"""Run-time tests: whether the iterations of an irregular loop are independent.

The test is linear in the number of accesses. If all stores to a memref, or all loads from it, are
at the counter plus something that does not change in the loop, the subscript of another access
says which iteration it may conflict with, and no table is needed for that. Otherwise, a table has
the iteration that writes each element: no other one may write or read it (L. Rauchwerger and
D. Padua, "The LRPD test: speculative run-time parallelization of loops with privatization and
reduction parallelization", PLDI 1995, without its speculation). The idea of two versions of the
loop is of section 15.3.2.2 of "Computations on Iteration Spaces", The Compiler Design Handbook,
2007.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from xdsl.dialects import affine, arith, func, memref, scf
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint

from polyir.base.diagnostics import Report
from polyir.irregular.candidates import dependent_values
from polyir.irregular.extents import Extent, places_of
from polyir.irregular.inspection import Inspection
from polyir.irregular.loop_parts import bounds_before, move_to_parallel_loop
from polyir.irregular.slices import (
    AddressSlice,
    CannotInspectError,
    Element,
    Values,
    subscripts_of,
)
from polyir.loops.code import Code
from polyir.loops.loop_forms import SequentialLoop, computed, is_outside
from polyir.model.index_expressions import IndexExpression
from polyir.model.memory_accesses import ElementAccess
from polyir.model.raising.control import LOOPS
from polyir.model.raising.effects import LOADS, STORES


class CannotTestError(Exception):
    """Why a loop gets no test, with the operation that this is about."""

    def __init__(self, message: str, op: Operation) -> None:
        super().__init__(message)
        self.op = op


def add_runtime_test(slice: AddressSlice, always: bool, report: Report) -> None:
    """Replace a loop by a parallel one and itself, of which a test at run time chooses one.

    Raises `CannotTestError` if the test cannot succeed and, unless `always`, if it costs more than
    the loop and is not in front of a loop around that one.
    """
    tests = [_test_of(slice, memory) for memory in slice.memories]
    _require_hope(slice)
    passes = _passes(slice, tests)
    cost, whole = sum(map(_cost_of_pass, passes)), _cost_of_loop(slice.loop)
    inspection = Inspection(slice)
    if inspection.has_unknown_extents and any(test.has_table for test in tests):
        cost += _cost_of_pass(_Pass(slice, compared=list(slice.accesses)))
    if cost > whole and not always and not _is_repeated(inspection):
        raise CannotTestError(
            f"the test costs more than the loop, about {cost} operations for the {whole} of an "
            "iteration, and no loop around repeats it (always=true tests all the same)",
            slice.loop,
        )
    inspection.explain(report)
    report(
        f"the loop runs in parallel if a test of about {cost} operations an iteration, which has "
        f"{whole}, finds no dependence",
        slice.loop,
    )
    independent = inspection.output("independent")
    _Inspector(inspection, passes).fill(independent)
    _execute(slice.loop, *inspection.finish())


@dataclass(frozen=True)
class _Form:
    """The subscript of a dimension is the counter plus `rest`, which does not change."""

    dimension: int
    rest: IndexExpression


@dataclass(frozen=True)
class _Test:
    """How to find the conflicts of a memref.

    With a `form`, all stores have it, or all loads do if `is_of_loads`; else there is none.
    """

    memory: SSAValue
    stores: tuple[ElementAccess, ...]
    loads: tuple[ElementAccess, ...]
    form: _Form | None
    is_of_loads: bool = False

    @property
    def has_table(self) -> bool:
        """Whether the iteration that writes each element must be known."""
        return self.form is None or self.is_of_loads

    @property
    def compared(self) -> tuple[ElementAccess, ...]:
        """The accesses whose subscripts tell the iteration that they may conflict with."""
        if self.form is None:
            return ()
        if self.is_of_loads:
            return self.stores
        return self.loads


@dataclass
class _Pass:
    """A visit of all iterations that tests some accesses."""

    slice: AddressSlice
    tests: list[_Test] = field(default_factory=list)
    marked: list[ElementAccess] = field(default_factory=list)
    looked_up: list[ElementAccess] = field(default_factory=list)
    compared: list[ElementAccess] = field(default_factory=list)


def _test_of(slice: AddressSlice, memory: SSAValue) -> _Test:
    mine = [op for op in slice.accesses if op.memref is memory]
    stores = tuple(op for op in mine if isinstance(op, STORES))
    loads = tuple(op for op in mine if isinstance(op, LOADS))
    form = _common_form(stores, slice.loop)
    if form is not None:
        others = tuple(op for op in loads if form not in _forms(op, slice.loop))
        return _Test(memory, stores, others, form)
    form = _common_form(loads, slice.loop)
    return _Test(memory, stores, loads, form, is_of_loads=form is not None)


def _common_form(accesses: Sequence[ElementAccess], loop: SequentialLoop) -> _Form | None:
    """A form that all of some accesses have."""
    forms = [_forms(op, loop) for op in accesses] or [[]]
    return next((form for form in forms[0] if all(form in each for each in forms)), None)


def _forms(op: ElementAccess, loop: SequentialLoop) -> list[_Form]:
    """The dimensions in which the subscript of an access is the counter plus a constant."""
    counter = IndexExpression.of(loop.body.block.args[0])
    try:
        subscripts = subscripts_of(op, loop)
    except CannotInspectError:
        return []
    found = []
    for dimension, subscript in enumerate(subscripts):
        rest = subscript - counter
        if all(isinstance(atom, SSAValue) and is_outside(atom, loop) for atom, _ in rest.terms):
            found.append(_Form(dimension, rest))
    return found


def _require_hope(slice: AddressSlice) -> None:
    """Raise `CannotTestError` if all iterations write one element."""
    changing = dependent_values(slice.loop)
    for op in slice.accesses:
        is_fixed = not any(index in changing for index in op.indices)
        if isinstance(op, STORES) and is_fixed and op.parent_op() is slice.loop:
            raise CannotTestError("all iterations write the same element here", op)


def _passes(slice: AddressSlice, tests: Sequence[_Test]) -> list[_Pass]:
    """The visits that the tests need: who writes what comes before who reads it."""
    marked = [op for test in tests if test.has_table for op in test.stores]
    compared = [op for test in tests for op in test.compared]
    looked_up = [op for test in tests if test.form is None for op in test.loads]
    first = [op for op in slice.accesses if op in marked or op in compared]
    found = []
    if first:
        found.append(_Pass(slice.only(first), list(tests), marked, [], compared))
    if looked_up:
        found.append(_Pass(slice.only(looked_up), list(tests), [], looked_up))
    return found


_ACCESS, _DIVISION, _FUNCTION = 4, 10, 20
"""The costs of operations beside simple arithmetic, which is 1; only their order matters."""

_MARK, _LOOK_UP, _COMPARE = 2 * _ACCESS, _ACCESS + 2, 3

_REPEATED = 8
"""How often an inner loop is taken to run: as often in the test as in the loop."""


def _cost_of_loop(loop: SequentialLoop) -> int:
    """What an iteration of a loop costs."""
    return sum(_cost(op, loop) for op in loop.body.block.walk())


def _cost_of_pass(visit: _Pass) -> int:
    """What a visit of an iteration costs."""
    loop = visit.slice.loop
    cost = sum(_cost(op, loop) for op in visit.slice.needed)
    for accesses, mine in (
        (visit.marked, _MARK),
        (visit.looked_up, _LOOK_UP),
        (visit.compared, _COMPARE),
    ):
        cost += sum(mine * _times(op, loop) for op in accesses)
    return cost


def _cost(op: Operation, loop: SequentialLoop) -> int:
    if isinstance(op, (*LOADS, *STORES)):
        mine = _ACCESS
    elif op.name.startswith("math.") or isinstance(op, func.CallOp):
        mine = _FUNCTION
    elif op.name.startswith("arith.") and ("div" in op.name or "rem" in op.name):
        mine = _DIVISION
    else:
        is_free = isinstance(op, arith.ConstantOp | affine.YieldOp | scf.YieldOp | memref.AllocaOp)
        mine = 0 if is_free else 1
    return mine * _times(op, loop)


def _times(op: Operation, loop: SequentialLoop) -> int:
    """How often an operation runs in an iteration of a loop."""
    times = 1
    parent = op.parent_op()
    while parent is not None and parent is not loop:
        if isinstance(parent, LOOPS):
            times *= _REPEATED
        parent = parent.parent_op()
    return times


def _is_repeated(inspection: Inspection) -> bool:
    """Whether the inspector is in front of a loop that has the loop inside."""
    parent = inspection.slice.loop.parent_op()
    while parent is not None and inspection.place.before.is_ancestor(parent):
        if isinstance(parent, LOOPS):
            return True
        parent = parent.parent_op()
    return False


@dataclass(frozen=True)
class _Table:
    """The iteration that writes each element of a memref, from 1 on, or 0."""

    array: SSAValue
    extents: Sequence[Extent]


class _Inspector:
    """Makes the body of a test."""

    def __init__(self, inspection: Inspection, passes: Sequence[_Pass]) -> None:
        self._inspection = inspection
        self._code, self._values = inspection.code, inspection.values
        self._bounds, self._passes = inspection.bounds, passes
        self._tests = {test.memory: test for each in passes for test in each.tests}

    def fill(self, independent: SSAValue) -> None:
        """Add the code that fills the output."""
        code, bounds = self._code, self._bounds
        code.store(1, independent)
        tables = self._tables()
        for each in self._passes:
            with code.loop("i", bounds.lower, bounds.upper, bounds.step) as (body, counter):
                mark = body.sum(body.difference(counter, bounds.lower), 1)
                visit = partial(self._test, each, counter, mark, tables, independent)
                each.slice.replay(body, counter, self._values, visit)
        code.free(*(table.array for table in tables.values()))

    def _tables(self) -> dict[SSAValue, _Table]:
        """The tables of the memrefs that need one: no iteration has written anything."""
        wanted = [memory for memory, test in self._tests.items() if test.has_table]
        extents = self._inspection.extents() if wanted else {}
        found: dict[SSAValue, _Table] = {}
        for memory in wanted:
            sizes = [extent.size for extent in extents[memory]]
            array = self._code.array(f"{memory.name_hint or 'memory'}_writer", *sizes)
            self._code.fill(array, 0, sizes)
            found[memory] = _Table(array, extents[memory])
        return found

    def _test(
        self,
        visit: _Pass,
        counter: SSAValue,
        mark: SSAValue,
        tables: Mapping[SSAValue, _Table],
        independent: SSAValue,
        code: Code,
        element: Element,
    ) -> None:
        """Add what a visit tests at an access of the iteration with the number `mark`."""
        if element.op in visit.compared:
            is_other = self._is_other(code, self._tests[element.memory], element, counter)
            _fail_if(code, independent, is_other)
        if element.op in (*visit.marked, *visit.looked_up):
            table = tables[element.memory]
            places = places_of(code, table.extents, element.subscripts)
            known = code.load(table.array, *places)
            is_other = code.both(code.compared(known, "ne", 0), code.compared(known, "ne", mark))
            _fail_if(code, independent, is_other)
            if element.is_store:
                code.store(mark, table.array, *places)

    def _is_other(self, code: Code, test: _Test, element: Element, counter: SSAValue) -> SSAValue:
        """Whether another iteration has the element as its own, by the form of the others."""
        assert test.form is not None
        rest = _evaluated(test.form.rest, code, self._values)
        other = code.difference(element.subscripts[test.form.dimension], rest)
        holds = code.compared(other, "ne", counter)
        holds = code.both(holds, code.compared(other, "sge", self._bounds.lower))
        return code.both(holds, code.compared(other, "slt", self._bounds.upper))


def _evaluated(expression: IndexExpression, code: Code, values: Values) -> SSAValue:
    """A sum of values from outside a loop, in its inspector."""
    mapped = IndexExpression((), expression.constant)
    for atom, factor in expression.terms:
        assert isinstance(atom, SSAValue)
        mapped += IndexExpression.of(values.get(atom, atom)).scale(factor)
    return computed(mapped, False, code.builder)


def _fail_if(code: Code, independent: SSAValue, holds: SSAValue) -> None:
    """Let the test say that there is a dependence if `holds`."""
    known = code.load(independent)
    code.store(code.choice(holds, code.constant(0), known), independent)


def _execute(loop: SequentialLoop, independent: SSAValue) -> None:
    """Choose the parallel or the original loop."""
    before = Code(InsertPoint.before(loop))
    is_independent = before.compared(before.load(independent), "ne", 0)
    bounds = bounds_before(loop)
    parallel, original = Block(), Block()
    before = Code(InsertPoint.before(loop))
    before.add(scf.IfOp(is_independent, [], Region(parallel), Region(original)))
    copy = loop.clone()
    loop.detach()  # type: ignore[no-untyped-call]
    original.add_ops([loop, scf.YieldOp()])
    move_to_parallel_loop(copy, bounds, Code(InsertPoint.at_end(parallel)))
    copy.erase()
    parallel.add_op(scf.YieldOp())
