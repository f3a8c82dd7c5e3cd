"""Parallel loops, as OpenMP pragmas before ordinary loops.

Only the outermost of nested parallel loops gets a pragma. A loop with a reduction is written
as a sequential loop, for which the order of the iterations is free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import accumulate

from xdsl.dialects import affine, omp, scf
from xdsl.dialects.builtin import DenseIntElementsAttr, IntegerAttr, StringAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.traits import IsTerminator

from polyir.dialects.affine_semantics import REDUCTION_KINDS
from polyir.dialects.reductions import combination_of, neutral_element
from polyir.target.c.affine import literal, maximum, minimum
from polyir.target.c.body import Body
from polyir.target.c.control import (
    Loop,
    declare_carried,
    declare_variable,
    emit_carrying_block,
    loop_head,
)
from polyir.target.c.expressions import (
    Expression,
    Name,
    Variable,
)
from polyir.target.c.operations import computation
from polyir.target.c.types import refuse


@contextmanager
def _loops(body: Body, loops: Sequence[Loop]) -> Iterator[None]:
    """The heads of nested loops, the lines written inside, and all that closes them."""
    with ExitStack() as stack:
        for loop in loops:
            stack.enter_context(body.names.scope())
            stack.enter_context(body.writer.block(loop_head(body, loop)))
        yield


@contextmanager
def _parallel(body: Body, directive: str, loop_count: int = 1) -> Iterator[None]:
    """A pragma, unless the code around it runs in parallel already."""
    was_parallel = body.in_parallel
    if body.openmp and not was_parallel:
        collapse = f" collapse({loop_count})" if loop_count > 1 else ""
        body.writer.line(f"#pragma omp {directive}{collapse}")
    body.in_parallel = True
    yield
    body.in_parallel = was_parallel


def emit_affine_parallel(body: Body, op: affine.ParallelOp) -> None:
    block = op.body.block
    lower_map, upper_map = op.lowerBoundsMap.data, op.upperBoundsMap.data
    split = lower_map.num_dims + lower_map.num_symbols
    lower = _grouped(body, lower_map, op.lowerBoundsGroups, op.map_operands[:split], maximum)
    upper = _grouped(body, upper_map, op.upperBoundsGroups, op.map_operands[split:], minimum)
    loops = [
        Loop(counter, low, high, literal(step.value.data))
        for counter, low, high, step in zip(block.args, lower, upper, op.steps.data, strict=True)
    ]
    if op.results:
        _emit_affine_reduction(body, op, loops)
        return
    body.before_region(op)
    with _parallel(body, "parallel for", len(loops)), _loops(body, loops):
        body.emit_block(block)


def _grouped(
    body: Body,
    map: AffineMap,
    groups: DenseIntElementsAttr,
    operands: Sequence[SSAValue],
    combine: Callable[[Sequence[Expression]], Expression],
) -> list[Expression]:
    """One bound for each group of results of `map`."""
    results = body.take_map(map, operands)
    ends = list(accumulate(int(size) for size in groups.get_values()))
    return [combine(results[first:last]) for first, last in zip([0, *ends], ends, strict=False)]


def _emit_affine_reduction(body: Body, op: affine.ParallelOp, loops: Sequence[Loop]) -> None:
    """Each result starts in the neutral value of its kind and takes in what is yielded."""
    block = op.body.block
    results: list[Variable] = []
    for result, kind in zip(op.results, op.reductions.data, strict=True):
        neutral = _neutral(op, kind, result.type)
        results.append(declare_variable(body, result, neutral))
    body.before_region(op)
    with _loops(body, loops):
        terminator = body.emit_block(block)
        yielded = terminator.operands if terminator else ()
        for variable, kind, value in zip(results, op.reductions.data, yielded, strict=True):
            right = body.take(value)
            left = Name(right.type, variable)
            body.assign([variable], [_combine(op, kind, value, left, right)])


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
    raise refuse(op, f"the C target does not know the reduction {kind}")


def _neutral(op: Operation, kind: Attribute, type: Attribute) -> Expression:
    """The value from which a reduction starts."""
    neutral = neutral_element(_kind_name(op, kind), type)
    if neutral is None:
        raise refuse(op, f"the reduction {kind} does not fit the type {type}")
    return computation(neutral, ())


def _combine(
    op: Operation, kind: Attribute, value: SSAValue, left: Expression, right: Expression
) -> Expression:
    """The expression of the operation that a kind of reduction stands for."""
    combination = combination_of(_kind_name(op, kind))
    assert combination is not None
    return computation(combination(*Block(arg_types=(value.type, value.type)).args), (left, right))


def _loop(
    body: Body,
    counter: SSAValue,
    lower: SSAValue,
    upper: SSAValue,
    step: SSAValue,
    is_inclusive: bool = False,
) -> Loop:
    """A loop whose bounds and step are values."""
    lower_bound, upper_bound = body.take_invariant(lower), body.take_invariant(upper)
    return Loop(counter, lower_bound, upper_bound, body.take_invariant(step), is_inclusive)


def emit_scf_parallel(body: Body, op: scf.ParallelOp) -> None:
    block = op.body.block
    bounds = zip(block.args, op.lowerBound, op.upperBound, op.step, strict=True)
    loops = [_loop(body, *limits) for limits in bounds]
    if not op.results:
        body.before_region(op)
        with _parallel(body, "parallel for", len(loops)), _loops(body, loops):
            body.emit_block(block)
        return
    reduce = block.last_op
    assert isinstance(reduce, scf.ReduceOp)
    arguments = [region.block.args[0] for region in reduce.reductions]
    carried = declare_carried(body, op, op.initVals, arguments)
    body.before_region(op)
    with _loops(body, loops):
        body.emit_block(block)
        for variable, value, region in zip(carried, reduce.args, reduce.reductions, strict=True):
            body.define(region.block.args[1], body.take_name(value))
            emit_carrying_block(body, region.block, [variable])


def emit_omp_parallel(body: Body, op: omp.ParallelOp) -> None:
    """`parallel for` if the region is one loop nest, else a block run by all threads."""
    _refuse_clauses(op, (op.allocate_vars, op.private_vars, op.reduction_vars, op.if_expr))
    clauses = ""
    if op.num_threads is not None:
        clauses = f" num_threads({body.text(body.take(op.num_threads))})"
    block = op.region.block
    body.before_region(op)
    only = block.first_op
    if isinstance(only, omp.WsLoopOp) and _ends_after(block, only):
        _emit_worksharing(body, only, f"parallel for{clauses}")
        return
    if body.openmp:
        body.writer.line(f"#pragma omp parallel{clauses}")
    with body.nested("{"):
        body.emit_block(block)


def _ends_after(block: Block, op: Operation) -> bool:
    return op.next_op is None or op.next_op.has_trait(IsTerminator())


def emit_omp_loop(body: Body, op: omp.WsLoopOp) -> None:
    _emit_worksharing(body, op, "for")


def _emit_worksharing(body: Body, op: omp.WsLoopOp, directive: str) -> None:
    _refuse_clauses(op, (op.allocate_vars, op.linear_vars, op.private_vars, op.reduction_vars))
    if op.schedule_kind is not None:
        chunk = "" if op.schedule_chunk is None else f", {body.text(body.take(op.schedule_chunk))}"
        directive += f" schedule({op.schedule_kind.data}{chunk})"
    if op.nowait is not None:
        directive += " nowait"
    nest = op.body.block.first_op
    if not isinstance(nest, omp.LoopNestOp):
        raise refuse(op, "the C target wants an omp.loop_nest directly inside omp.wsloop")
    block = nest.body.block
    bounds = zip(block.args, nest.lowerBound, nest.upperBound, nest.step, strict=True)
    is_inclusive = nest.loop_inclusive is not None
    loops = [_loop(body, *limits, is_inclusive) for limits in bounds]
    body.before_region(op)
    with _parallel(body, directive, len(loops)), _loops(body, loops):
        body.emit_block(block)


def _refuse_clauses(op: Operation, clauses: Sequence[object]) -> None:
    if any(clauses):
        raise refuse(op, f"the C target does not know a clause of this {op.name}")
