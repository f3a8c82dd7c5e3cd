"""Loops and conditions, and the pragmas above them.

Only the outermost of nested parallel loops is shared among OpenMP's threads. A loop with a
reduction is written as a sequential loop, which is an order that its meaning allows.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from xdsl.dialects import affine, omp, scf
from xdsl.dialects.builtin import IntegerAttr, StringAttr, VectorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.traits import IsTerminator

from polyir.dialects.affine_semantics import REDUCTION_KINDS
from polyir.dialects.allocation_checks import ORIGINAL
from polyir.dialects.reductions import combination_of, neutral_element
from polyir.model.affine_bounds import counter_bounds
from polyir.model.iteration_arrays import arrays_of_iterations
from polyir.target.abi import Scalar, scalar_type
from polyir.target.c.affine import set_sides
from polyir.target.c.body import Body, fitted
from polyir.target.c.memory import translate_alloc, translate_dealloc
from polyir.target.c.operations import computation
from polyir.target.c.syntax import (
    Break,
    Compound,
    CStatement,
    Declaration,
    Expression,
    For,
    If,
    IntegerLiteral,
    Name,
    OriginalCode,
    Pragma,
    While,
    literal,
    negate,
)
from polyir.target.errors import unsupported
from polyir.target.loop_hints import loop_hints

# ------------------------------------------------------------------------------------ loops


@dataclass(frozen=True)
class _Range:
    """The values of a counter: from `lower` in steps of `step`, below `upper` (or up to it)."""

    counter: SSAValue
    lower: Expression
    upper: Expression
    step: Expression
    is_inclusive: bool = False


def _nest(
    body: Body, ranges: Sequence[_Range], fill: Callable[[], None], pragmas: Sequence[Pragma] = ()
) -> None:
    """Nested loops, the outermost one with `pragmas`; `fill` adds what the innermost one holds.

    Without ranges, there is no loop around it.
    """
    if not ranges:
        fill()
        return
    first, *others = ranges
    type = scalar_type(first.counter.type)
    with body.nested() as statements:
        variable = body.names.for_value(first.counter, "i")
        body.bind(first.counter, Name(type, variable))
        if others:
            _nest(body, others, fill)
        else:
            fill()
    bounds = (first.lower, first.upper, first.step, first.is_inclusive)
    body.add(For(type, variable, *bounds, tuple(statements), tuple(pragmas)))


def _hint_pragmas(body: Body, op: Operation) -> list[Pragma]:
    """The pragma for the attributes of a loop that is written as a sequential one.

    Vectors are preferred to unrolling.
    """
    simd = _simd(body, op)
    if simd:
        return [Pragma(f"omp{simd}")]
    factor, words = loop_hints(op).unroll_factor, body.dialect.unroll
    return [] if factor is None or words is None else [Pragma(words.format(factor))]


def _simd(body: Body, op: Operation) -> str:
    """OpenMP's words for a loop that is executed in vectors; nothing if that cannot be said.

    Directives that share work among threads must not be nested inside such a loop.
    """
    width = loop_hints(op).vector_width
    if width is None or not body.openmp:
        return ""
    others = (inner for inner in op.walk() if inner is not op)
    if any(_has_directive(inner, body.in_parallel) or _is_call(inner) for inner in others):
        return ""
    return f" simd simdlen({width})"


_MATH_IN_VECTORS: Final = frozenset(
    f"math.{name}" for name in ("absf", "absi", "ceil", "copysign", "floor", "fma", "sqrt", "trunc")
)
"""The operations of the dialect that C compilers have instructions for."""


def _is_call(op: Operation) -> bool:
    """Whether an operation is a call of a function, which has no form for vectors."""
    is_library_call = op.name.startswith("math.") and op.name not in _MATH_IN_VECTORS
    return is_library_call or op.name == "func.call"


def _has_directive(op: Operation, in_parallel: bool) -> bool:
    """Whether an operation is written with an OpenMP directive for threads."""
    if isinstance(op, affine.ParallelOp | scf.ParallelOp):
        return not op.results and not in_parallel
    return isinstance(op, omp.ParallelOp) or (isinstance(op, omp.WsLoopOp) and not in_parallel)


def translate_affine_for(body: Body, op: affine.ForOp) -> None:
    (range,) = _affine_ranges(body, op)
    _translate_for(body, op, range, op.inits)


def _affine_ranges(body: Body, op: affine.ForOp | affine.ParallelOp) -> list[_Range]:
    return [
        _Range(counter, body.maximum(*lower), body.minimum(*upper), literal(step))
        for counter, lower, upper, step in counter_bounds(op)
    ]


def translate_scf_for(body: Body, op: scf.ForOp) -> None:
    bounds = _Range(
        op.body.block.args[0], body.value(op.lb), body.value(op.ub), body.value(op.step)
    )
    _translate_for(body, op, bounds, op.iter_args)


def _translate_for(
    body: Body, op: affine.ForOp | scf.ForOp, bounds: _Range, inits: Sequence[SSAValue]
) -> None:
    """A sequential loop; what it carries is in variables that keep the results after it."""
    block = op.body.block
    carried = _declare_carried(body, op, inits, block.args[1:])
    pragmas = _hint_pragmas(body, op)
    _nest(body, [bounds], lambda: _translate_carrying(body, block, carried), pragmas)


def _declare_carried(
    body: Body, op: Operation, inits: Sequence[SSAValue], arguments: Sequence[SSAValue]
) -> list[Name | None]:
    """Declare a variable for each value that a loop carries; `None` if it is not read."""
    carried: list[Name | None] = []
    for init, argument, result in zip(inits, arguments, op.results, strict=True):
        if not body.is_live(result):
            carried.append(None)
            continue
        start = body.value(init)
        if isinstance(start, Name) and _is_only_continued(init, result):
            name = start
            body.bind(result, name)
        else:
            name = _declare_result(body, result, start, argument.name_hint)
        body.bind(argument, name)
        carried.append(name)
    return carried


def _is_only_continued(init: SSAValue, result: SSAValue) -> bool:
    """Whether the loop around only passes what it carries on to a loop that starts with `init`.

    Both can carry it in one variable.
    """
    if not isinstance(init, BlockArgument) or init.index == 0:
        return False
    outer, end = init.block.parent_op(), result.get_user_of_unique_use()
    return (
        isinstance(outer, affine.ForOp | scf.ForOp)
        and init.has_one_use()
        and end is not None
        and end is init.block.last_op
        and end.operands[init.index - 1] is result
    )


def _declare_result(
    body: Body, result: SSAValue, start: Expression | None, other_name: str | None = None
) -> Name:
    """A variable that will hold `result` and starts with `start`."""
    type = body.type_of(result)
    start = None if start is None else fitted(type, start)
    # One name for several results says less than the names of what the loop carries.
    names = (result.name_hint, other_name)
    is_only_result = isinstance(result.owner, Operation) and len(result.owner.results) == 1
    first, second = names if is_only_result else reversed(names)
    variable = body.names.fresh(first or second or "t")
    body.add(Declaration(type, variable, start))
    name = Name(type, variable)
    body.bind(result, name)
    return name


def _translate_carrying(body: Body, block: Block, targets: Sequence[Name | None]) -> None:
    """A block whose terminator's operands are assigned to `targets`."""
    body.updates |= _updates(block, targets)
    terminator = body.translate_block(block)
    operands = terminator.operands if terminator is not None else ()
    pairs = [
        (target, body.value(operand))
        for target, operand in zip(targets, operands, strict=True)
        if target is not None
    ]
    body.assign([target for target, _ in pairs], [value for _, value in pairs])


def _updates(block: Block, targets: Sequence[Name | None]) -> dict[SSAValue, Name]:
    """The vectors that a loop carries and that are read only where they are computed anew.

    They are assigned there: compilers that keep the order of statements then need few registers.
    """
    last, arguments = block.last_op, block.args[len(block.args) - len(targets) :]
    updates: dict[SSAValue, Name] = {}
    if last is None or len(arguments) != len(targets):
        return updates
    for argument, operand, target in zip(arguments, last.operands, targets, strict=True):
        user = argument.get_user_of_unique_use()
        is_update = user is not None and user is operand.owner and user.parent is block
        if is_update and target is not None and isinstance(operand.type, VectorType):
            updates[operand] = target
    return updates


def translate_scf_while(body: Body, op: scf.WhileOp) -> None:
    """A loop that ends where its condition fails.

    What it carries is in variables; where the condition passes on just what the loop carries, they
    are the results, too.
    """
    before, after = op.before_region.block, op.after_region.block
    condition = before.last_op
    assert isinstance(condition, scf.ConditionOp)
    shares = tuple(condition.args) == tuple(before.args)
    carried = [
        _declare_while_value(body, op, argument, body.value(init), n if shares else None)
        for n, (argument, init) in enumerate(zip(before.args, op.arguments, strict=True))
    ]
    results = carried if shares else [_declare_result(body, result, None) for result in op.results]
    for name, argument, result in zip(results, after.args, op.results, strict=True):
        body.bind(argument, name)
        body.bind(result, name)
    with body.nested() as statements:
        body.translate_block(before)
        passed = [body.value(value) for value in condition.args]
        if not shares:
            body.assign(results, passed)
        test = body.value(condition.condition)
        if statements:
            body.add(If(negate(test), (Break(),), ()))
            test = IntegerLiteral(Scalar.BOOL, 1)
        end = body.translate_block(after)
        assert end is not None
        body.assign(carried, [body.value(value) for value in end.operands])
    body.add(While(test, tuple(statements)))


def _declare_while_value(
    body: Body, op: scf.WhileOp, argument: SSAValue, start: Expression, result: int | None
) -> Name:
    """A variable for a value that a `scf.while` carries, named as it is or as its result is."""
    type = body.type_of(argument)
    hint = argument.name_hint or (None if result is None else op.results[result].name_hint)
    variable = body.names.fresh(hint or "t")
    body.add(Declaration(type, variable, fitted(type, start)))
    name = Name(type, variable)
    body.bind(argument, name)
    return name


# ------------------------------------------------------------------------------------ conditions


def translate_affine_if(body: Body, op: affine.IfOp) -> None:
    set = op.condition.data
    condition = body.operands(set_sides(set), set.num_dims, op.args).condition(set)
    _translate_if(body, op, condition)


def translate_scf_if(body: Body, op: scf.IfOp) -> None:
    _translate_if(body, op, body.value(op.cond))


def _translate_if(body: Body, op: affine.IfOp | scf.IfOp, condition: Expression) -> None:
    """A condition; its results are variables that each branch assigns."""
    targets = [
        _declare_result(body, result, None) if body.is_live(result) else None
        for result in op.results
    ]
    branches: list[list[CStatement]] = []
    for region in op.regions:
        with body.nested() as statements:
            if not _is_empty(region):
                _translate_carrying(body, region.block, targets)
        branches.append(statements)
    then, otherwise = branches
    if ORIGINAL in op.attributes:
        otherwise.append(OriginalCode())
    body.add(If(condition, tuple(then), tuple(otherwise)))


def _is_empty(region: Region) -> bool:
    """Whether a region does nothing: it has no block, or one with a mere terminator."""
    block = region.blocks.first
    if block is None or block.last_op is None:
        return True
    only = block.last_op
    return block.first_op is only and only.has_trait(IsTerminator()) and not only.operands


# ------------------------------------------------------------------------------------ parallelism


_NO_CLAUSES = Pragma("")


@contextmanager
def _shared(
    body: Body,
    op: Operation,
    count: int,
    directive: str = "parallel for",
    clauses: Pragma = _NO_CLAUSES,
) -> Iterator[list[Pragma]]:
    """The pragmas of a nest of `count` loops whose iterations are shared among threads.

    Inside a parallel loop, or without OpenMP, the loops are sequential.
    """
    was_parallel, body.in_parallel = body.in_parallel, True
    if body.openmp and not was_parallel:
        more = f" collapse({count})" if count > 1 else _simd(body, op)
        text = f"omp {directive}{more}{clauses.directive}"
        if loop_hints(op).is_dynamic and "schedule(" not in clauses.directive:
            text += " schedule(dynamic)"
        pragmas = [Pragma(text, clauses.operands)]
    else:
        pragmas = _hint_pragmas(body, op) if count == 1 else []
    yield pragmas
    body.in_parallel = was_parallel


def translate_affine_parallel(body: Body, op: affine.ParallelOp) -> None:
    block = op.body.block
    ranges = _affine_ranges(body, op)
    if op.results:
        _translate_affine_reduction(body, op, ranges)
        return
    if not ranges:
        # No iterations are shared: a parallel loop inside is the outermost one.
        _translate_plain(body, block)
        return
    _translate_shared(body, op, ranges, block)


def _translate_shared(body: Body, op: Operation, ranges: Sequence[_Range], block: Block) -> None:
    """A loop nest that a team of threads shares.

    What each iteration allocates, each thread allocates once: memory that a C library gives back to
    the system must be mapped again, page by page.
    """
    arrays = arrays_of_iterations(block) if body.openmp and not body.in_parallel else ()
    if not arrays:
        with _shared(body, op, len(ranges)) as pragmas:
            _nest(body, ranges, lambda: _translate_plain(body, block), pragmas)
        return
    done = {each for array in arrays for each in array}
    with body.nested() as statements:
        for allocation, _ in arrays:
            translate_alloc(body, allocation)
        # The end of the team waits for all threads.
        with _shared(body, op, len(ranges), "for", Pragma(" nowait")) as pragmas:
            _nest(body, ranges, lambda: _translate_plain(body, block, done), pragmas)
        for _, free in arrays:
            translate_dealloc(body, free)
    body.add(Compound(tuple(statements), (Pragma("omp parallel"),)))


def _translate_plain(body: Body, block: Block, done: Container[Operation] = ()) -> None:
    """A block that passes nothing on."""
    body.translate_block(block, done)


def _translate_affine_reduction(
    body: Body, op: affine.ParallelOp, ranges: Sequence[_Range]
) -> None:
    """Each result starts as the neutral value of its kind and takes in what is yielded."""
    pairs = [
        (_declare_result(body, result, _neutral(op, kind, result.type)), kind)
        for result, kind in zip(op.results, op.reductions.data, strict=True)
    ]

    def fill() -> None:
        terminator = body.translate_block(op.body.block)
        yielded = terminator.operands if terminator is not None else ()
        for (target, kind), value in zip(pairs, yielded, strict=True):
            combined = _combine(op, kind, value, target, body.value(value))
            body.assign([target], [combined])

    _nest(body, ranges, fill)


def _kind_name(op: Operation, kind: Attribute) -> str:
    """The name of a kind of reduction, which MLIR gives by its number."""
    match kind:
        case StringAttr(data=name) if combination_of(name):
            return name
        case IntegerAttr(value=number) if 0 <= number.data < len(REDUCTION_KINDS):
            if combination_of(REDUCTION_KINDS[number.data]):
                return REDUCTION_KINDS[number.data]
        case _:
            pass
    raise unsupported(op, f"reduction {kind} is not supported by the C target")


def _neutral(op: Operation, kind: Attribute, type: Attribute) -> Expression:
    """The value from which a reduction starts."""
    neutral = neutral_element(_kind_name(op, kind), type)
    if neutral is None:
        raise unsupported(op, f"reduction {kind} is not defined for type '{type}'")
    return computation(neutral, ())


def _combine(
    op: Operation, kind: Attribute, value: SSAValue, left: Expression, right: Expression
) -> Expression:
    """The expression of the operation that a kind of reduction stands for."""
    combination = combination_of(_kind_name(op, kind))
    assert combination is not None
    return computation(combination(*Block(arg_types=(value.type, value.type)).args), (left, right))


def translate_scf_parallel(body: Body, op: scf.ParallelOp) -> None:
    block = op.body.block
    ranges = _ranges(body, block, op)
    if not op.results:
        _translate_shared(body, op, ranges, block)
        return
    reduce = block.last_op
    assert isinstance(reduce, scf.ReduceOp)
    arguments = [region.block.args[0] for region in reduce.reductions]
    carried = _declare_carried(body, op, op.initVals, arguments)

    def fill() -> None:
        body.translate_block(block)
        for target, value, region in zip(carried, reduce.args, reduce.reductions, strict=True):
            if target is not None:
                body.bind(region.block.args[1], body.value(value))
                _translate_carrying(body, region.block, [target])

    _nest(body, ranges, fill)


def _ranges(
    body: Body, block: Block, op: scf.ParallelOp | omp.LoopNestOp, is_inclusive: bool = False
) -> list[_Range]:
    """The ranges of loops whose bounds and steps are values."""
    values = (
        [body.value(value) for value in part] for part in (op.lowerBound, op.upperBound, op.step)
    )
    return [
        _Range(counter, lower, upper, step, is_inclusive)
        for counter, lower, upper, step in zip(block.args, *values, strict=True)
    ]


# ------------------------------------------------------------------------------------ OpenMP


def translate_omp_parallel(body: Body, op: omp.ParallelOp) -> None:
    """`parallel for` if the region is one loop nest, else statements that all threads execute."""
    _refuse_clauses(op, (op.allocate_vars, op.private_vars, op.reduction_vars, op.if_expr))
    threads = () if op.num_threads is None else (body.value(op.num_threads),)
    clause = " num_threads({})" * len(threads)
    block = op.region.block
    only = block.first_op
    if isinstance(only, omp.WsLoopOp) and _is_last(only):
        _translate_worksharing(body, only, "parallel for", Pragma(clause, threads))
        return
    pragmas = (Pragma(f"omp parallel{clause}", threads),) if body.openmp else ()
    with body.nested() as statements:
        body.translate_block(block)
    body.add(Compound(tuple(statements), pragmas))


def _is_last(op: Operation) -> bool:
    """Whether nothing but a terminator follows an operation in its block."""
    return op.next_op is None or op.next_op.has_trait(IsTerminator())


def translate_omp_loop(body: Body, op: omp.WsLoopOp) -> None:
    _translate_worksharing(body, op, "for", _NO_CLAUSES)


def _translate_worksharing(body: Body, op: omp.WsLoopOp, directive: str, clauses: Pragma) -> None:
    _refuse_clauses(op, (op.allocate_vars, op.linear_vars, op.private_vars, op.reduction_vars))
    text, operands = clauses.directive, clauses.operands
    if op.schedule_kind is not None:
        chunk = () if op.schedule_chunk is None else (body.value(op.schedule_chunk),)
        text += f" schedule({op.schedule_kind.data}{', {}' * len(chunk)})"
        operands += chunk
    if op.nowait is not None:
        text += " nowait"
    nest = op.body.block.first_op
    if not isinstance(nest, omp.LoopNestOp):
        raise unsupported(op, "expected an omp.loop_nest directly inside omp.wsloop")
    block = nest.body.block
    ranges = _ranges(body, block, nest, nest.loop_inclusive is not None)
    with _shared(body, op, len(ranges), directive, Pragma(text, operands)) as pragmas:
        _nest(body, ranges, lambda: _translate_plain(body, block), pragmas)


def _refuse_clauses(op: Operation, clauses: Sequence[object]) -> None:
    if any(clauses):
        raise unsupported(op, f"this {op.name} has a clause that the C target does not support")
