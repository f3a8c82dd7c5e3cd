"""Whether all subscripts of a kernel with index arrays are within its arrays.

The check of a loop is a function that replays the accesses of the loop, and stops at the first
subscript that is out of bounds. It says which one that is in a report, an array of numbers. It
reads no element of an index array before it has checked that there is one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import (
    IndexType,
    MemRefType,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.base.diagnostics import PolyirError, location_of
from polyir.dialects.index_arrays import INSPECTOR
from polyir.irregular.checked_indices import (
    MOST_POSITIONS,
    REPORT_SIZE,
    CheckedAccess,
    CheckedSubscript,
    IndexCheck,
    IndexChecks,
)
from polyir.irregular.extents import UNKNOWN_EXTENTS, Extent, declared_extents
from polyir.irregular.index_limits import PromisedRange, promised_range, sources_of_range
from polyir.irregular.inspection import Inspection
from polyir.irregular.plans import EXECUTOR, InspectionPlan, add_plans, functions_in, is_read
from polyir.irregular.slices import (
    AddressSlice,
    Element,
    Values,
    address_slice,
    computed_subscripts,
)
from polyir.irregular.stated_extents import sources_of_extents, stated_extents
from polyir.loops.code import Code, zero_of
from polyir.loops.loop_forms import SequentialLoop
from polyir.model.memory_accesses import ElementAccess, ElementLoad
from polyir.model.raising.effects import LOADS
from polyir.sets.names import unique_name


def index_checks(
    module: ModuleOp, names: Collection[str]
) -> tuple[IndexChecks, tuple[func.FuncOp, ...]]:
    """The checks of the kernels of `module`, and their functions, which have none of `names`.

    Kernels without index arrays have none; nor have loops whose index arrays are computed in the
    kernel itself.
    """
    if not any(isinstance(op, memref.LoadOp | memref.StoreOp | scf.ForOp) for op in module.walk()):
        return {}, ()
    checks: dict[str, list[IndexCheck]] = {}
    functions: list[func.FuncOp] = []
    taken = {*functions_in(module.body.block), *names}
    for op in module.ops:
        if not isinstance(op, func.FuncOp) or len(op.body.blocks) != 1:
            continue
        if EXECUTOR in op.attributes or INSPECTOR in op.attributes:
            # The kernel calls them, and nobody else.
            continue
        name = op.sym_name.data
        # Most functions have none, and then the module need not be copied for them.
        if next(checked_loops(op, op), None) is None:
            continue
        for check, function in _checks_of(module, name):
            symbol = unique_name(f"{name}_indices", taken)
            taken.add(symbol)
            function.sym_name = StringAttr(symbol)
            functions.append(function)
            found = IndexCheck(symbol, check.operands, check.shapes, check.accesses)
            checks.setdefault(name, []).append(found)
    return checks, tuple(functions)


def _checks_of(module: ModuleOp, name: str) -> Iterator[tuple[IndexCheck, func.FuncOp]]:
    """The checks of a function, each with its function."""
    copy = module.clone()
    known = functions_in(copy.body.block)
    kernel = known[name]
    made: list[tuple[CheckedAccess, ...]] = []
    try:
        for slice in tuple(checked_loops(kernel, kernel)):
            inspection = Inspection(slice)
            if inspection.runs_first:
                made.append(add_check(inspection))
    except PolyirError:
        # Not even the bounds of a loop can be replayed.
        return
    if not made:
        return
    plan = add_plans(copy)[name]
    if not isinstance(plan, InspectionPlan):
        return
    count = len(kernel.body.block.args) - len(made)
    functions = functions_in(copy.body.block)
    for call, accesses in zip(plan.inspectors, made, strict=True):
        function = functions[call.symbol]
        assert call.symbol not in known
        operands = tuple(number if number < count else -1 for number in call.operands)
        arguments = function.body.block.args
        shapes = frozenset(
            number
            for number, argument in enumerate(arguments)
            if isinstance(argument.type, MemRefType) and not is_read(argument, function.body.block)
        )
        stop_early(function)
        function.detach()
        yield IndexCheck(call.symbol, operands, shapes, accesses), function


def checked_loops(root: Operation, kernel: func.FuncOp) -> Iterator[AddressSlice]:
    """The outermost loops that have index arrays, and whose counters subscripts depend on."""
    for region in root.regions:
        for block in region.blocks:
            for op in block.ops:
                slice = _slice(op, kernel) if isinstance(op, SequentialLoop) else None
                if slice is not None:
                    yield slice
                else:
                    yield from checked_loops(op, kernel)


def _slice(loop: SequentialLoop, kernel: func.FuncOp) -> AddressSlice | None:
    accessed = [op.memref for op in loop.walk() if isinstance(op, ElementAccess)]
    memories = [each for each in dict.fromkeys(accessed) if each in kernel.body.block.args]
    try:
        slice = address_slice(loop, memories)
    except PolyirError:
        return None
    is_irregular = any(isinstance(op, LOADS) for op in slice.needed)
    if not is_irregular or not slice.uses_counter:
        return None
    return _with_limits(slice) if UNKNOWN_EXTENTS in kernel.attributes else slice


def _with_limits(slice: AddressSlice) -> AddressSlice:
    """A slice that has the arguments among its sources from which the known extents follow."""
    found: dict[SSAValue, None] = dict.fromkeys(slice.sources)
    loaded = [op.memref for op in slice.needed if isinstance(op, LOADS)]
    for memory in (*slice.memories, *loaded):
        found |= dict.fromkeys((*sources_of_extents(memory), *sources_of_range(memory)))
    return replace(slice, sources=tuple(found))


def add_check(inspection: Inspection) -> tuple[CheckedAccess, ...]:
    """Make an inspection the check of its loop.

    Where extents are not known, subscripts are compared with the ranges that are promised of index
    arrays, if any.
    """
    report = inspection.output("report", lambda code, *_: [code.constant(REPORT_SIZE)])
    code, slice, bounds = inspection.code, inspection.slice, inspection.bounds
    values = inspection.values
    limits = _Limits({}, {})
    if inspection.has_unknown_extents:
        limits.add_stated(code, slice, values)
    else:
        for memory, extents in declared_extents(code, slice.memories, values).items():
            limits.extents[memory] = list(extents)
    # All of it has a value, because messages may be given numbers that they do not print.
    for place in range(REPORT_SIZE):
        code.store(0, report, place)
    checker = _Checker(report, limits)
    with code.loop("i", bounds.lower, bounds.upper, bounds.step) as (body, counter):
        slice.replay(body, counter, values, checker.visit)
    inspection.finish("indices")
    return tuple(checker.accesses)


@dataclass(frozen=True)
class _Limits:
    """The extents of memories that are known, and the promised ranges of index arrays, which have
    the names that they have in the check."""

    extents: dict[SSAValue, list[Extent | None]]
    ranges: dict[SSAValue, PromisedRange]

    def add_stated(self, code: Code, slice: AddressSlice, values: Values) -> None:
        """Add what is known of pointers of C."""
        for memory in slice.memories:
            self.extents[memory] = stated_extents(code, memory, values)
        for memory in dict.fromkeys(op.memref for op in slice.needed if isinstance(op, LOADS)):
            range = promised_range(code, memory, values)
            if range is not None and memory in values:
                self.ranges[values[memory]] = range


class _Checker:
    """Adds the check of each access."""

    def __init__(self, report: SSAValue, limits: _Limits) -> None:
        self._report, self._limits = report, limits
        self.accesses: list[CheckedAccess] = []

    def visit(self, code: Code, element: Element) -> None:
        """Check the subscripts of an access."""
        checked: list[CheckedSubscript] = []
        for dimension, subscript in enumerate(element.subscripts):
            source = _source(subscript)
            extent = self._limits.extents[element.memory][dimension]
            range = None if source is None else self._limits.ranges.get(source.memref)
            if extent is not None:
                is_wrong = code.compared(subscript, "uge", extent.size)
                limit = extent.size
            elif range is not None:
                below = code.compared(subscript, "slt", range.first)
                is_wrong = code.either_holds(below, code.compared(subscript, "sgt", range.last))
                limit = range.last
            else:
                continue
            position = [] if source is None else computed_subscripts(source, code, {})
            name = None if source is None else (_name(source.memref), len(position))
            checked.append(CheckedSubscript(dimension, name, extent is None))
            number = len(self.accesses) + 1
            found = position[:MOST_POSITIONS]
            self._note(code, is_wrong, [number, dimension, subscript, limit, *found])
        if checked:
            location = location_of(element.op)
            place = "" if location is None else str(location)
            rank = len(element.subscripts)
            self.accesses.append(CheckedAccess(_name(element.memory), rank, tuple(checked), place))

    def _note(self, code: Code, is_wrong: SSAValue, kept: list[SSAValue | int]) -> None:
        """Fill the report if a subscript is wrong, and nothing was before."""
        with code.conditional(is_wrong) as inner:
            known = inner.load(self._report, 0)
            none = inner.compared(known, "eq", 0)
            with inner.conditional(none) as first:
                for place, value in reversed(tuple(enumerate(kept))):
                    first.store(value, self._report, place)


def _source(subscript: SSAValue) -> ElementLoad | None:
    """The load of an index array that gives a subscript."""
    op = subscript.owner
    while isinstance(op, arith.IndexCastOp | arith.ExtSIOp | arith.ExtUIOp):
        op = op.operands[0].owner
    return op if isinstance(op, ElementLoad) else None


def _name(memory: SSAValue) -> str:
    return memory.name_hint or "memory"


# Out of bounds, a function must not go on: what it would read next is not there.


def stop_early(function: func.FuncOp) -> None:
    """Guard the loads of a check, and let its loops end after the first report."""
    report = function.body.block.args[-1]
    operations = tuple(function.walk())
    for op in operations:
        if isinstance(op, memref.LoadOp) and op.memref is not report:
            _guard(op, report)
    for op in reversed(operations):
        if isinstance(op, scf.ForOp):
            _with_exit(op, report)


def _is_right(report: SSAValue, code: Code) -> SSAValue:
    """Whether nothing has been reported."""
    return code.compared(code.load(report, 0), "eq", 0)


def _guard(load: memref.LoadOp, report: SSAValue) -> None:
    """Load an element only if nothing has been reported; 0 then."""
    code = Code(InsertPoint.before(load))
    type = load.res.type
    zero = code.builder.insert(zero_of(type)).result
    then, otherwise = Block(), Block([scf.YieldOp(zero)])
    guarded = scf.IfOp(_is_right(report, code), [type], Region(then), Region(otherwise))
    code.add(guarded)
    guarded.results[0].name_hint = load.res.name_hint
    load.res.replace_all_uses_with(guarded.results[0])
    load.detach()
    then.add_ops([load, scf.YieldOp(load.res)])


def _with_exit(loop: scf.ForOp, report: SSAValue) -> None:
    """Make a loop one that ends when something has been reported."""
    before, after = Block(arg_types=[IndexType()]), Block(arg_types=[IndexType()])
    test = Code(InsertPoint.at_end(before))
    is_in = test.compared(before.args[0], "slt", loop.ub)
    goes_on = test.both(is_in, _is_right(report, test))
    test.add(scf.ConditionOp(goes_on, before.args[0]))
    counter = loop.body.block.args[0]
    after.args[0].name_hint = counter.name_hint
    counter.replace_all_uses_with(after.args[0])
    for op in tuple(loop.body.block.ops):
        op.detach()
        if not isinstance(op, scf.YieldOp):
            after.add_op(op)
    end = Code(InsertPoint.at_end(after))
    end.add(scf.YieldOp(end.sum(after.args[0], loop.step)))
    while_loop = scf.WhileOp([loop.lb], [IndexType()], [before], [after])
    Rewriter.replace_op(loop, while_loop, [])
