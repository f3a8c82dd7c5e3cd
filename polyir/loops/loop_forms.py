"""Loops and conditionals of the affine and scf dialects in one form, and how to change them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import reduce

from xdsl.builder import Builder
from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import AffineMapAttr, AffineSetAttr, IndexType, IntegerAttr, i1
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineBinaryOpKind, AffineSet
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.dialects.affine_extra import MaxOp
from polyir.dialects.affine_semantics import is_valid_dimension
from polyir.loops.loop_ranges import LoopRange, ranges_of
from polyir.model.affine_operations import (
    is_semi_affine,
    map_operands,
    set_bounds,
    set_map_operands,
)
from polyir.model.index_expressions import (
    Atom,
    Constraint,
    IndexExpression,
    map_of,
    set_of,
)
from polyir.model.raising.control import LOOPS, ConditionalOp, LoopOp
from polyir.model.raising.effects import is_pure

SequentialLoop = affine.ForOp | scf.ForOp


def range_of(loop: LoopOp) -> LoopRange | None:
    """The range of `loop`, if it has one counter of type index, with a constant step.

    `None` for a parallel loop with a reduction.
    """
    ranges = ranges_of(loop)
    is_parallel = isinstance(loop, affine.ParallelOp | scf.ParallelOp)
    if len(ranges) != 1 or ranges[0].step is None or (is_parallel and loop.results):
        return None
    return ranges[0]


def set_range(loop: LoopOp, range: LoopRange) -> None:
    """Give `loop` the bounds of `range`; for `scf`, their values are computed before it."""
    if isinstance(loop, affine.ForOp | affine.ParallelOp):
        set_bounds(loop, range.lower, range.upper)
        return
    builder = Builder(InsertPoint.before(loop))
    (old,) = ranges_of(loop)
    for position, known, bounds, combination in (
        (0, old.lower, range.lower, arith.MaxSIOp),
        (1, old.upper, range.upper, arith.MinSIOp),
    ):
        if bounds == known:
            continue
        values = [computed(bound, False, builder) for bound in bounds]
        loop.operands[position] = reduce(
            lambda one, other: builder.insert(combination(one, other)).result, values
        )


def may_bound(loop: LoopOp, expression: IndexExpression) -> bool:
    """Whether `expression` may be a bound of `loop` under its dialect's rules for operands."""
    if isinstance(loop, affine.ForOp | affine.ParallelOp):
        return all(is_valid_dimension(value) for value in expression.values())
    return True


def initial_values(loop: LoopOp) -> tuple[SSAValue, ...]:
    """The initial values of the iteration arguments of `loop`."""
    match loop:
        case affine.ForOp():
            return tuple(loop.inits)
        case scf.ForOp():
            return tuple(loop.iter_args)
        case _:
            return ()


def set_initial_values(loop: LoopOp, values: Sequence[SSAValue]) -> None:
    """Set the initial values of the iteration arguments of `loop`."""
    if values:
        loop.operands = (*loop.operands[: -len(values)], *values)


def with_carried_values(
    loop: SequentialLoop, initial: Sequence[SSAValue], body: Region
) -> SequentialLoop:
    """A loop with the range of `loop`, `body`, and further iteration arguments from `initial`."""
    carried = (*initial_values(loop), *initial)
    new: SequentialLoop
    if isinstance(loop, scf.ForOp):
        new = scf.ForOp(loop.lb, loop.ub, loop.step, carried, body)
    else:
        new = affine.ForOp.from_region(
            loop.lowerBoundOperands,
            loop.upperBoundOperands,
            carried,
            [value.type for value in carried],
            loop.lowerBoundMap,
            loop.upperBoundMap,
            body,
            loop.step,
        )
    new.attributes, new.location = dict(loop.attributes), loop.location
    return new


@contextmanager
def staging_before(op: Operation) -> Iterator[Block]:
    """A block to build the replacement of `op` in; operations left in it are erased at the end.

    It is before `op`: the valid operands of affine maps depend on the enclosing operations.
    """
    always = AffineSetAttr(AffineSet(0, 0, ()))
    block = Block()
    regions = [Region(block), Region()]
    host = affine.IfOp.create(properties={"condition": always}, regions=regions)
    Builder(InsertPoint.before(op)).insert(host)
    try:
        yield block
    finally:
        Rewriter.erase_op(host, safe_erase=False)


def add_first_iteration(loop: LoopOp, counter: IndexExpression, block: Block) -> None:
    """Add the first iteration of `loop`, and a yield of its values, to the empty `block`.

    `counter` is composed into the affine maps, and computed if it is used as a value.
    """
    body = loop.body.block
    value = counter.value
    if value is None:
        value = computed(counter, is_affine(loop), Builder(InsertPoint.at_end(block)))
        value.name_hint = body.args[0].name_hint
    mapping = dict(zip(body.args, (value, *initial_values(loop)), strict=True))
    for op in body.ops:
        block.add_op(op.clone(mapping))
    if isinstance(loop, scf.ParallelOp):
        _set_terminator(block, scf.YieldOp)
    for op in block.walk():
        maps = map_operands(op)
        if maps is not None and value in op.operands[maps] and not is_semi_affine(op):
            operands = [
                counter if operand is value else IndexExpression.of(operand)
                for operand in op.operands[maps]
            ]
            set_map_operands(op, operands)


def is_affine(loop: LoopOp) -> bool:
    """Whether `loop` is of the affine dialect; for loops of `scf`, `arith` is used instead."""
    return isinstance(loop, affine.ForOp | affine.ParallelOp)


def computed(expression: IndexExpression, in_affine: bool, builder: Builder) -> SSAValue:
    """A value of `expression`: itself, a constant, or the result of `affine.apply` or `arith`.

    `affine` is used only with `in_affine`, and only if its rules allow it.
    """
    if expression.value is not None:
        return expression.value
    if expression.is_constant:
        number = IntegerAttr.from_index_int_value(expression.constant)
        return builder.insert(arith.ConstantOp(number)).result
    if in_affine and all(is_valid_dimension(value) for value in expression.values()):
        map, operands = map_of([expression])
        return builder.insert(affine.ApplyOp(operands, AffineMapAttr(map))).result
    values = [_product(_atom(atom, builder), factor, builder) for atom, factor in expression.terms]
    if expression.constant:
        values.append(_constant(expression.constant, builder))
    return reduce(lambda one, other: builder.insert(arith.AddiOp(one, other)).result, values)


def extreme_bound(
    bounds: Sequence[IndexExpression], kind: type[MaxOp] | type[affine.MinOp], builder: Builder
) -> SSAValue:
    """The greatest, or the smallest, of some bounds."""
    if len(bounds) == 1:
        return computed(bounds[0], True, builder)
    values, operands = map_of(bounds)
    return builder.insert(kind(operands, AffineMapAttr(values))).result


def _constant(value: int, builder: Builder) -> SSAValue:
    return computed(IndexExpression((), value), False, builder)


def _atom(atom: Atom, builder: Builder) -> SSAValue:
    if isinstance(atom, SSAValue):
        return atom
    dividend = computed(atom.dividend, False, builder)
    divisor = _constant(atom.divisor, builder)
    if atom.kind is AffineBinaryOpKind.CeilDiv:
        return builder.insert(arith.CeilDivSIOp(dividend, divisor)).result
    quotient = builder.insert(arith.FloorDivSIOp(dividend, divisor)).result
    if atom.kind is AffineBinaryOpKind.FloorDiv:
        return quotient
    multiple = builder.insert(arith.MuliOp(quotient, divisor)).result
    return builder.insert(arith.SubiOp(dividend, multiple)).result


def _product(value: SSAValue, factor: int, builder: Builder) -> SSAValue:
    if factor == 1:
        return value
    return builder.insert(arith.MuliOp(value, _constant(factor, builder))).result


def conditional(
    constraints: Sequence[Constraint],
    then: Block,
    otherwise: Block | None,
    loop: LoopOp,
    builder: Builder,
) -> ConditionalOp:
    """Run `then` if `constraints` hold, and `otherwise` if not.

    Both end with a yield of `affine` or `scf`, whose values are the results. The dialect is that
    of `loop` if its rules allow it.
    """
    in_affine = is_affine(loop) and all(
        is_valid_dimension(value) for c in constraints for value in c.expression.values()
    )
    blocks = [then] if otherwise is None else [then, otherwise]
    for block in blocks:
        _set_terminator(block, affine.YieldOp if in_affine else scf.YieldOp)
    assert then.last_op is not None
    types = [operand.type for operand in then.last_op.operands]
    regions = [Region(then), Region(blocks[1:])]
    op: ConditionalOp
    if in_affine:
        condition, operands = set_of(constraints)
        op = affine.IfOp.create(
            operands=operands,
            result_types=types,
            properties={"condition": condition},
            regions=regions,
        )
    else:
        tests = [_test(constraint, builder) for constraint in constraints]
        holds = reduce(lambda one, other: builder.insert(arith.AndIOp(one, other)).result, tests)
        op = scf.IfOp(holds, types, regions[0], regions[1])
    op.location = loop.location
    return builder.insert(op)


def _set_terminator(block: Block, kind: type[affine.YieldOp] | type[scf.YieldOp]) -> None:
    last = block.last_op
    assert last is not None
    if not isinstance(last, kind):
        block.insert_op_before(kind.create(operands=last.operands), last)
        Rewriter.erase_op(last)


def _test(constraint: Constraint, builder: Builder) -> SSAValue:
    """A value that is true if `constraint` holds."""
    expression = constraint.expression
    left = computed(expression.shift(-expression.constant), False, builder)
    right = _constant(-expression.constant, builder)
    predicate = "eq" if constraint.is_equality else "sge"
    return builder.insert(arith.CmpiOp(left, right, predicate)).result


def is_outside(value: SSAValue, op: Operation) -> bool:
    """Whether `value` is defined outside `op`."""
    owner = value.owner.parent_op() if isinstance(value.owner, Block) else value.owner
    return owner is None or not op.is_ancestor(owner)


def inline(block: Block, op: Operation) -> None:
    """Replace `op` by the operations of `block`, which ends with a yield.

    The yielded values replace the results of `op`.
    """
    where, terminator = op.parent, block.last_op
    assert where is not None
    assert terminator is not None
    yielded = tuple(terminator.operands)
    for inner in tuple(block.ops):
        if inner is not terminator:
            inner.detach()
            where.insert_op_before(inner, op)
    for result, value in zip(op.results, yielded, strict=True):
        result.replace_all_uses_with(value)
    Rewriter.erase_op(op)


def erase_idle(operations: Sequence[Operation]) -> None:
    """Erase unused index arithmetic, and empty loops and conditionals."""
    # Backwards, users come before what they use, and operations before what holds them.
    for op in reversed([inner for outer in operations for inner in outer.walk()]):
        if any(result.first_use is not None for result in op.results):
            continue
        is_index = len(op.results) == 1 and op.results[0].type in (IndexType(), i1)
        is_control = isinstance(op, (*LOOPS, affine.IfOp, scf.IfOp))
        blocks = [inner for region in op.regions for inner in region.blocks]
        is_empty = all(inner.first_op is inner.last_op for inner in blocks)
        if (is_index and is_pure(op)) or (is_control and is_empty):
            Rewriter.erase_op(op)
