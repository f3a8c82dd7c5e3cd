"""Affine operations as scf, memref, vector and arith operations.

`convert_affine_to_scf` converts all operations; `legalize_affine` only those that MLIR would not
accept, because an operand of one of their maps is neither a valid dimension nor a valid symbol
(for example, the iterator of an `scf.for` or a loaded index).

`floordiv` rounds down and `mod` is never negative, as in MLIR's affine dialect: the quotient is
`arith.floordivsi`, and the remainder is `a - (a floordiv c) * c`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from xdsl.builder import Builder
from xdsl.dialects import affine, arith, memref, scf
from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr, VectorType, i1
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
    AffineSymExpr,
)
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.base.diagnostics import PolyirError, location_of
from polyir.dialects.affine_extra import MaxOp, PrefetchOp
from polyir.dialects.affine_semantics import is_valid_dimension, is_valid_symbol
from polyir.dialects.reductions import Combination, combination_of, neutral_element
from polyir.model.affine_bounds import counter_bounds
from polyir.model.affine_operations import UNDEFINED_DIVISION, has_undefined_division, map_operands
from polyir.model.memory_accesses import accesses_of


def convert_affine_to_scf(root: Operation) -> None:
    """Convert every affine operation from `root` down, except `root` itself.

    Raises `PolyirError` for a reduction of an `affine.parallel` that `scf` cannot express.
    """
    for region in root.regions:
        for block in region.blocks:
            for op in tuple(block.ops):
                _convert(op, lambda _: True)


def legalize_affine(root: Operation) -> None:
    """Convert the affine operations from `root` down whose operands MLIR would not accept."""
    _convert(root, _is_illegal)


def _convert(op: Operation, wanted: Callable[[Operation], bool]) -> None:
    """Convert `op` if it is `wanted`, and then what it holds.

    Outer operations come first: the new form of a loop decides where its iterator may be used.
    """
    regions: Sequence[Region] = op.regions
    if map_operands(op) is not None and wanted(op):
        if has_undefined_division(op):
            raise PolyirError(UNDEFINED_DIVISION, location_of(op), name="undefined-division")
        regions = _replace(op)
    for region in regions:
        for block in region.blocks:
            for inner in tuple(block.ops):
                _convert(inner, wanted)


def _is_illegal(op: Operation) -> bool:
    """Whether an operand of a map of `op` is neither a valid dimension nor a valid symbol."""
    maps = map_operands(op)
    assert maps is not None
    symbols = _symbol_positions(op)
    return any(
        not (is_valid_symbol(value) if position in symbols else is_valid_dimension(value))
        for position, value in enumerate(op.operands[maps])
    )


def _symbol_positions(op: Operation) -> tuple[int, ...]:
    """Which of the map operands of `op` are symbols."""
    shapes: list[AffineMap | AffineSet]
    match op:
        case affine.ForOp():
            shapes = [op.lowerBoundMap.data, op.upperBoundMap.data]
        case affine.ParallelOp():
            shapes = [op.lowerBoundsMap.data, op.upperBoundsMap.data]
        case affine.IfOp():
            shapes = [op.condition.data]
        case _:
            shapes = [_map_of(op)]
    positions: list[int] = []
    first = 0
    for shape in shapes:
        count = shape.num_dims + shape.num_symbols
        positions += range(first + shape.num_dims, first + count)
        first += count
    return tuple(positions)


@dataclass(frozen=True)
class _Lowered:
    """The replacement of an operation: its results, and where its regions were moved to."""

    results: Sequence[SSAValue] = ()
    regions: Sequence[Region] = ()


def _map_of(op: Operation) -> AffineMap:
    """The map of an operation that has exactly one."""
    attribute = op.properties["map"]
    assert isinstance(attribute, AffineMapAttr)
    return attribute.data


def _replace(op: Operation) -> Sequence[Region]:
    """Replace one affine operation by its scf, memref, vector or arith form.

    Returns the regions with the former contents of the regions of `op`, not converted yet.
    """
    builder = Builder(InsertPoint.before(op))
    replacement = _replacement(op, builder)
    for old, new in zip(op.results, replacement.results, strict=True):
        old.replace_all_uses_with(new)
    Rewriter.erase_op(op)
    return replacement.regions


def _replacement(op: Operation, builder: Builder) -> _Lowered:
    """Build what replaces `op` where `builder` stands."""
    match op:
        case affine.ForOp():
            return _for(op, builder)
        case affine.ParallelOp():
            return _parallel(op, builder)
        case affine.IfOp():
            condition = _condition(op.condition.data, op.args, builder)
            true, false = _moved(op.then_region), _moved(op.else_region)
            conditional = scf.IfOp(condition, op.result_types, true, false)
            return _inserted(conditional, op, builder)
        case affine.ApplyOp():
            return _Lowered(map_values(op.map.data, op.mapOperands, builder))
        case affine.MinOp():
            return _Lowered([bound(op.map.data, op.arguments, arith.MinSIOp, builder)])
        case MaxOp():
            return _Lowered([bound(op.map.data, op.arguments, arith.MaxSIOp, builder)])
        case PrefetchOp():
            return _Lowered()
        case _:
            return _inserted(_access(op, builder), op, builder)


def _inserted(new: Operation, old: Operation, builder: Builder) -> _Lowered:
    new.location = old.location
    builder.insert(new)
    return _Lowered(new.results, new.regions)


def _for(op: affine.ForOp, builder: Builder) -> _Lowered:
    lower = bound(op.lowerBoundMap.data, op.lowerBoundOperands, arith.MaxSIOp, builder)
    upper = bound(op.upperBoundMap.data, op.upperBoundOperands, arith.MinSIOp, builder)
    step = constant_index(op.step.value.data, builder)
    loop = scf.ForOp(lower, upper, step, op.inits, _moved(op.body))
    loop.attributes.update(op.attributes)
    return _inserted(loop, op, builder)


def _parallel(op: affine.ParallelOp, builder: Builder) -> _Lowered:
    reductions = _reductions(op, builder)
    if not op.body.block.args:
        # It runs once, and `scf.parallel` needs a counter.
        return _inserted(_run_once(op, reductions, builder), op, builder)
    lower, upper = parallel_loop_bounds(op, builder)
    steps = [constant_index(step.value.data, builder) for step in op.steps]
    body = _moved(op.body)
    values: Sequence[SSAValue] = ()
    if isinstance(last := body.block.last_op, scf.YieldOp):
        values = tuple(last.arguments)
        Rewriter.erase_op(last)
    regions = [_reduction(each.combination, each.neutral.type) for each in reductions]
    body.block.add_op(scf.ReduceOp(values, regions))
    loop = scf.ParallelOp(lower, upper, steps, body, [each.neutral for each in reductions])
    loop.attributes.update(op.attributes)
    return _inserted(loop, op, builder)


@dataclass(frozen=True)
class _LoopResult:
    neutral: SSAValue
    combination: Combination


def _reductions(op: affine.ParallelOp, builder: Builder) -> list[_LoopResult]:
    found: list[_LoopResult] = []
    for kind, result in zip(op.reductions, op.results, strict=True):
        neutral, combination = neutral_element(kind.data, result.type), combination_of(kind.data)
        if neutral is None or combination is None:
            raise PolyirError(
                f"a reduction '{kind.data}' cannot be converted to scf",
                location_of(op),
                name="unsupported-by-target",
            )
        found.append(_LoopResult(builder.insert(neutral).result, combination))
    return found


def _run_once(
    op: affine.ParallelOp, reductions: Sequence[_LoopResult], builder: Builder
) -> scf.IfOp:
    """The body, as a branch that is always taken."""
    always = builder.insert(arith.ConstantOp.from_int_and_width(1, i1)).result
    body, otherwise = _moved(op.body), Region()
    last = body.block.last_op
    if reductions and isinstance(last, scf.YieldOp):
        combined = [
            each.combination(each.neutral, value)
            for each, value in zip(reductions, last.arguments, strict=True)
        ]
        body.block.insert_ops_before(combined, last)
        last.operands = [each.results[0] for each in combined]
        otherwise.add_block(Block([scf.YieldOp(*(each.neutral for each in reductions))]))
    return scf.IfOp(always, op.result_types, body, otherwise)


def _reduction(combination: Combination, type: Attribute) -> Region:
    """The region of an `scf.reduce` that combines two values."""
    block = Block(arg_types=[type, type])
    combined = combination(*block.args)
    block.add_ops([combined, scf.ReduceReturnOp(combined.results[0])])
    return Region(block)


def parallel_loop_bounds(
    op: affine.ParallelOp, builder: Builder
) -> tuple[list[SSAValue], list[SSAValue]]:
    """Compute the lower and the (exclusive) upper bounds of the loops of `op`."""
    bounds = counter_bounds(op)
    lower = [bound(*each.lower, arith.MaxSIOp, builder) for each in bounds]
    return lower, [bound(*each.upper, arith.MinSIOp, builder) for each in bounds]


_Combination = type[arith.MaxSIOp] | type[arith.MinSIOp]


def bound(
    map: AffineMap, operands: Sequence[SSAValue], combination: _Combination, builder: Builder
) -> SSAValue:
    """Compute the greatest (least) result of `map` on `operands`."""
    values = map_values(map, operands, builder)
    return reduce(lambda one, other: builder.insert(combination(one, other)).result, values)


def map_values(map: AffineMap, operands: Sequence[SSAValue], builder: Builder) -> list[SSAValue]:
    """Compute the results of `map` on `operands`, dimensions first."""
    dimensions, symbols = operands[: map.num_dims], operands[map.num_dims :]
    return [_value(result, dimensions, symbols, builder) for result in map.results]


def _value(
    expression: AffineExpr,
    dimensions: Sequence[SSAValue],
    symbols: Sequence[SSAValue],
    builder: Builder,
) -> SSAValue:
    match expression:
        case AffineConstantExpr(value=value):
            return constant_index(value, builder)
        case AffineDimExpr(position=position):
            return dimensions[position]
        case AffineSymExpr(position=position):
            return symbols[position]
        case AffineBinaryOpExpr(
            AffineBinaryOpKind.Add,
            lhs,
            AffineBinaryOpExpr(AffineBinaryOpKind.Mul, rhs, AffineConstantExpr(-1)),
        ):
            left = _value(lhs, dimensions, symbols, builder)
            right = _value(rhs, dimensions, symbols, builder)
            return builder.insert(arith.SubiOp(left, right)).result
        case AffineBinaryOpExpr(kind=kind, lhs=lhs, rhs=rhs):
            left = _value(lhs, dimensions, symbols, builder)
            right = _value(rhs, dimensions, symbols, builder)
            return _arithmetic(kind, left, right, builder)
        case _:
            raise AssertionError(f"unknown affine expression {expression}")


def _arithmetic(
    kind: AffineBinaryOpKind, left: SSAValue, right: SSAValue, builder: Builder
) -> SSAValue:
    match kind:
        case AffineBinaryOpKind.Add:
            return builder.insert(arith.AddiOp(left, right)).result
        case AffineBinaryOpKind.Mul:
            return builder.insert(arith.MuliOp(left, right)).result
        case AffineBinaryOpKind.FloorDiv:
            return builder.insert(arith.FloorDivSIOp(left, right)).result
        case AffineBinaryOpKind.CeilDiv:
            return builder.insert(arith.CeilDivSIOp(left, right)).result
        case AffineBinaryOpKind.Mod:
            # `arith.remsi` has the sign of the dividend.
            quotient = builder.insert(arith.FloorDivSIOp(left, right)).result
            multiple = builder.insert(arith.MuliOp(quotient, right)).result
            return builder.insert(arith.SubiOp(left, multiple)).result


def _condition(condition: AffineSet, operands: Sequence[SSAValue], builder: Builder) -> SSAValue:
    """Compute whether `operands` are in the set `condition`."""
    dimensions, symbols = operands[: condition.num_dims], operands[condition.num_dims :]
    holds: list[SSAValue] = []
    for constraint in condition.constraints:
        left = _value(constraint.lhs, dimensions, symbols, builder)
        right = _value(constraint.rhs, dimensions, symbols, builder)
        comparison = arith.CmpiOp(left, right, _PREDICATES[constraint.kind])
        holds.append(builder.insert(comparison).result)
    if not holds:
        return builder.insert(arith.ConstantOp.from_int_and_width(1, i1)).result
    return reduce(lambda one, other: builder.insert(arith.AndIOp(one, other)).result, holds)


_PREDICATES: Mapping[AffineConstraintKind, str] = {
    AffineConstraintKind.eq: "eq",
    AffineConstraintKind.ge: "sge",
    AffineConstraintKind.le: "sle",
}


def _access(op: Operation, builder: Builder) -> Operation:
    (access,) = accesses_of(op)
    assert access.map is not None, f"no scf form of {op.name}"
    indices, type = map_values(access.map, access.indices, builder), access.value.type
    if not access.extents:
        if access.is_write:
            return memref.StoreOp.get(access.value, access.memref, indices)
        return memref.LoadOp.get(access.memref, indices)
    # It takes a while to import, and few programs have vectors.
    from xdsl.dialects import vector

    if access.is_write:
        return vector.StoreOp(access.value, access.memref, indices)
    assert isinstance(type, VectorType)
    return vector.LoadOp(access.memref, indices, type)


def constant_index(value: int, builder: Builder) -> SSAValue:
    """A constant of type index."""
    return builder.insert(arith.ConstantOp(IntegerAttr.from_index_int_value(value))).result


def _moved(region: Region) -> Region:
    """The contents of `region` in a new one, the terminators made those of scf."""
    moved = Region()
    region.move_blocks(moved)
    for block in moved.blocks:
        last = block.last_op
        if isinstance(last, affine.YieldOp):
            block.insert_op_before(scf.YieldOp(*last.arguments), last)
            Rewriter.erase_op(last)
    return moved
