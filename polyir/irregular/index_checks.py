"""Whether all subscripts of a kernel with index arrays are within its arrays.

The check of a loop is a function that replays the accesses of the loop, and stops at the first
subscript that is out of bounds. It says which one that is in a report, an array of numbers. It
reads no element of an index array before it has checked that there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TypeAlias

from xdsl.dialects import affine, arith, func, memref, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    StringAttr,
)
from xdsl.dialects.cf import AssertOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.diagnostics import PolyirError, location_of
from polyir.irregular.checked_indices import (
    MOST_POSITIONS,
    REPORT_SIZE,
    CheckedAccess,
    IndexCheck,
    IndexChecks,
)
from polyir.irregular.code import Code
from polyir.irregular.extents import Extents, declared_extents
from polyir.irregular.inspection import INSPECTOR, Inspection
from polyir.irregular.plans import EXECUTOR, InspectionPlan, add_plans
from polyir.irregular.slices import (
    AddressSlice,
    Element,
    ElementAccess,
    address_slice,
    computed_subscripts,
)
from polyir.isl_names import unique_name
from polyir.loops.loop_forms import SequentialLoop
from polyir.model.raising.effects import LOADS


def index_checks(
    module: ModuleOp, names: Collection[str]
) -> tuple[IndexChecks, tuple[func.FuncOp, ...]]:
    """The checks of the kernels of `module`, and their functions, which have none of `names`.

    Kernels without index arrays have none; nor have loops whose index arrays are computed in the
    kernel itself.
    """
    if not any(_may_be_irregular(op) for op in module.walk()):
        return {}, ()
    checks: dict[str, list[IndexCheck]] = {}
    functions: list[func.FuncOp] = []
    taken = {*_functions(module), *names}
    for op in module.ops:
        if not isinstance(op, func.FuncOp) or len(op.body.blocks) != 1:
            continue
        if EXECUTOR in op.attributes or INSPECTOR in op.attributes:
            # The kernel calls them, and nobody else.
            continue
        name = op.sym_name.data
        for check, function in _checks_of(module, name):
            symbol = unique_name(f"{name}_indices", taken)
            taken.add(symbol)
            function.sym_name = StringAttr(symbol)
            functions.append(function)
            found = IndexCheck(symbol, check.operands, check.shapes, check.accesses)
            checks.setdefault(name, []).append(found)
    return checks, tuple(functions)


def _may_be_irregular(op: Operation) -> bool:
    return isinstance(op, memref.LoadOp | memref.StoreOp | scf.ForOp)


def _checks_of(module: ModuleOp, name: str) -> Iterator[tuple[IndexCheck, func.FuncOp]]:
    """The checks of a function, each with its function."""
    copy = module.clone()
    kernel = _function(copy, name)
    known = set(_functions(copy))
    made: list[tuple[CheckedAccess, ...]] = []
    try:
        for slice in tuple(_checked_loops(kernel, kernel)):
            inspection = Inspection(copy, slice)
            if inspection.runs_first:
                made.append(_add_check(inspection))
    except PolyirError:
        # Not even the bounds of a loop can be replayed.
        return
    if not made:
        return
    plan = add_plans(copy)[name]
    if not isinstance(plan, InspectionPlan):
        return
    count = len(kernel.body.block.args) - len(made)
    for call, accesses in zip(plan.inspectors, made, strict=True):
        function = _function(copy, call.symbol)
        assert call.symbol not in known
        operands = tuple(number if number < count else -1 for number in call.operands)
        arguments = function.body.block.args
        shapes = frozenset(
            number
            for number, argument in enumerate(arguments)
            if isinstance(argument.type, MemRefType)
            and not any(isinstance(use.operation, LOADS) for use in argument.uses)
        )
        _stop_early(function)
        function.detach()
        yield IndexCheck(call.symbol, operands, shapes, accesses), function


Report: TypeAlias = Callable[[str, Operation], None]
"""Gets messages, each with the operation that it is about."""


def add_index_checks(module: ModuleOp, report: Report) -> bool:
    """Let the kernels of `module` check their index arrays first, and end the program if need be.

    Says why loops are left; returns whether there is a check.
    """
    found = False
    for op in tuple(module.ops):
        if not isinstance(op, func.FuncOp) or len(op.body.blocks) != 1:
            continue
        for slice in tuple(_checked_loops(op, op)):
            inspection = Inspection(module, slice)
            if inspection.runs_first:
                _add_assertions(module, inspection)
                found = True
            else:
                text, place = inspection.place.reason or ("they are computed here", slice.loop)
                report(f"the index arrays of a loop are not checked: {text}", place)
    return found


def _add_assertions(module: ModuleOp, inspection: Inspection) -> None:
    """Call a check, and assert that it reports nothing."""
    known = set(_functions(module))
    accesses = _add_check(inspection)
    functions = _functions(module)
    # A split makes an executor and another kernel, too.
    (function,) = [
        functions[name]
        for name in functions
        if name not in known and not name.endswith("_executor")
    ]
    _stop_early(function)
    (call,) = [
        op
        for op in module.walk()
        if isinstance(op, func.CallOp) and op.callee.root_reference.data == function.sym_name.data
    ]
    code = Code(InsertPoint.after(call))
    found = code.load(call.arguments[-1], 0)
    for number, access in enumerate(accesses, 1):
        other = code.builder.insert(arith.CmpiOp(found, code.constant(number), "ne")).result
        code.add(AssertOp(other, _message(access)))


def _message(access: CheckedAccess) -> str:
    sources = [f"'{source[0]}'" for source in access.index_arrays if source is not None]
    what = f"{' or '.join(sources)} leads" if sources else "a subscript is"
    place = f"{access.place}: " if access.place else ""
    return f"{place}{what} out of the bounds of '{access.array}'"


def _functions(module: ModuleOp) -> dict[str, func.FuncOp]:
    return {op.sym_name.data: op for op in module.ops if isinstance(op, func.FuncOp)}


def _function(module: ModuleOp, name: str) -> func.FuncOp:
    return _functions(module)[name]


def _checked_loops(root: Operation, kernel: func.FuncOp) -> Iterator[AddressSlice]:
    """The outermost loops that have index arrays, and whose counters subscripts depend on."""
    for region in root.regions:
        for block in region.blocks:
            for op in block.ops:
                slice = _slice(op, kernel) if isinstance(op, SequentialLoop) else None
                if slice is not None:
                    yield slice
                else:
                    yield from _checked_loops(op, kernel)


def _slice(loop: SequentialLoop, kernel: func.FuncOp) -> AddressSlice | None:
    accessed = [op.memref for op in loop.walk() if isinstance(op, ElementAccess)]
    memories = [each for each in dict.fromkeys(accessed) if each in kernel.body.block.args]
    try:
        slice = address_slice(loop, memories)
    except PolyirError:
        return None
    is_irregular = any(isinstance(op, LOADS) for op in slice.needed)
    return slice if is_irregular and slice.uses_counter else None


def _add_check(inspection: Inspection) -> tuple[CheckedAccess, ...]:
    """Make an inspection the check of its loop."""
    report = inspection.output("report", lambda code, *_: [code.constant(REPORT_SIZE)])
    code, slice, bounds = inspection.code, inspection.slice, inspection.bounds
    extents = declared_extents(code, slice.memories, inspection.values)
    code.store(0, report, 0)
    checker = _Checker(report, extents)
    with code.loop("i", bounds.lower, bounds.upper, bounds.step) as (body, counter):
        slice.replay(body, counter, inspection.values, checker.visit)
    inspection.finish("indices")
    return tuple(checker.accesses)


class _Checker:
    """Adds the check of each access."""

    def __init__(self, report: SSAValue, extents: Extents) -> None:
        self._report, self._extents = report, extents
        self.accesses: list[CheckedAccess] = []

    def visit(self, code: Code, element: Element) -> None:
        """Check the subscripts of an access."""
        number = len(self.accesses) + 1
        sources: list[tuple[str, int] | None] = []
        for dimension, subscript in enumerate(element.subscripts):
            extent = self._extents[element.memory][dimension].size
            source = _source(subscript)
            position = [] if source is None else computed_subscripts(source, code, {})
            sources.append(None if source is None else (_name(source.memref), len(position)))
            is_wrong = code.builder.insert(arith.CmpiOp(subscript, extent, "uge")).result
            kept: list[SSAValue | int] = [
                number,
                dimension,
                subscript,
                extent,
                *position[:MOST_POSITIONS],
            ]
            with code.conditional(is_wrong) as inner:
                known = inner.load(self._report, 0)
                none = inner.builder.insert(arith.CmpiOp(known, inner.constant(0), "eq")).result
                with inner.conditional(none) as first:
                    for place, value in reversed(tuple(enumerate(kept))):
                        first.store(value, self._report, place)
        location = location_of(element.op)
        text = "" if location is None else str(location)
        self.accesses.append(CheckedAccess(_name(element.memory), tuple(sources), text))


def _source(subscript: SSAValue) -> affine.LoadOp | memref.LoadOp | None:
    """The load of an index array that gives a subscript."""
    op = subscript.owner
    while isinstance(op, arith.IndexCastOp | arith.ExtSIOp | arith.ExtUIOp):
        op = op.operands[0].owner
    return op if isinstance(op, affine.LoadOp | memref.LoadOp) else None


def _name(memory: SSAValue) -> str:
    return memory.name_hint or "memory"


# Out of bounds, a function must not go on: what it would read next is not there.


def _stop_early(function: func.FuncOp) -> None:
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
    found = code.load(report, 0)
    return code.builder.insert(arith.CmpiOp(found, code.constant(0), "eq")).result


def _guard(load: memref.LoadOp, report: SSAValue) -> None:
    """Load an element only if nothing has been reported; 0 then."""
    code = Code(InsertPoint.before(load))
    type = load.res.type
    zero = code.builder.insert(arith.ConstantOp(_zero(type))).result
    then, otherwise = Block(), Block([scf.YieldOp(zero)])
    guarded = scf.IfOp(_is_right(report, code), [type], Region(then), Region(otherwise))
    code.add(guarded)
    guarded.results[0].name_hint = load.res.name_hint
    load.res.replace_all_uses_with(guarded.results[0])
    load.detach()
    then.add_ops([load, scf.YieldOp(load.res)])


def _zero(type: Attribute) -> FloatAttr[AnyFloat] | IntegerAttr[IndexType | IntegerType]:
    if isinstance(type, IndexType | IntegerType):
        return IntegerAttr(0, type)
    assert isinstance(type, AnyFloat)
    return FloatAttr(0.0, type)


def _with_exit(loop: scf.ForOp, report: SSAValue) -> None:
    """Make a loop one that ends when something has been reported."""
    before, after = Block(arg_types=[IndexType()]), Block(arg_types=[IndexType()])
    test = Code(InsertPoint.at_end(before))
    is_in = test.builder.insert(arith.CmpiOp(before.args[0], loop.ub, "slt")).result
    goes_on = test.builder.insert(arith.AndIOp(is_in, _is_right(report, test))).result
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
