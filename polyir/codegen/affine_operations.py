"""The affine dialect's operations as functions of the operands of their maps."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import affine
from xdsl.dialects.builtin import AffineMapAttr, DenseArrayBase, i32
from xdsl.ir import Operation
from xdsl.ir.affine import AffineConstraintKind, AffineSet

from polyir.dialects.affine_extra import MaxOp, PrefetchOp
from polyir.model.index_expressions import (
    Constraint,
    IndexExpression,
    compose,
    expression_of,
    map_of,
    set_of,
)


def map_operands(op: Operation) -> slice | None:
    """Where among its operands those of the maps of `op` stand; `None` if it has no maps."""
    match op:
        case affine.LoadOp() | affine.VectorLoadOp() | PrefetchOp():
            return slice(1, None)
        case affine.StoreOp() | affine.VectorStoreOp():
            return slice(2, None)
        case affine.ForOp():
            return slice(0, len(op.lowerBoundOperands) + len(op.upperBoundOperands))
        case affine.ApplyOp() | affine.MinOp() | MaxOp() | affine.IfOp() | affine.ParallelOp():
            return slice(0, None)
        case _:
            return None


def set_map_operands(op: Operation, operands: Sequence[IndexExpression]) -> None:
    """Let `operands` take the places of the operands of `op`'s maps.

    They are composed into the maps, which are simplified and name each value once.
    """
    match op:
        case (
            affine.LoadOp()
            | affine.VectorLoadOp()
            | PrefetchOp()
            | affine.StoreOp()
            | affine.VectorStoreOp()
        ):
            # A parameter is a dimension here, so that the short form, without `symbol(...)`,
            # reads back as the same map.
            map, values = map_of(compose(op.map.data, operands), dimensions_only=True)
            others = len(op.operands) - len(op.indices)
            op.operands = (*op.operands[:others], *values)
            op.map = AffineMapAttr(map)
        case affine.ApplyOp() | affine.MinOp() | MaxOp():
            map, op.operands = map_of(compose(op.map.data, operands))
            op.map = AffineMapAttr(map)
        case affine.IfOp():
            op.condition, op.operands = set_of(constraints_of(op.condition.data, operands))
        case affine.ForOp():
            _set_loop_operands(op, operands)
        case affine.ParallelOp():
            count = op.lowerBoundsMap.data.num_dims + op.lowerBoundsMap.data.num_symbols
            lower, lower_values = map_of(compose(op.lowerBoundsMap.data, operands[:count]))
            upper, upper_values = map_of(compose(op.upperBoundsMap.data, operands[count:]))
            op.lowerBoundsMap, op.upperBoundsMap = AffineMapAttr(lower), AffineMapAttr(upper)
            op.operands = (*lower_values, *upper_values)
        case _:
            raise AssertionError(f"{op.name} has no maps")


def _set_loop_operands(op: affine.ForOp, operands: Sequence[IndexExpression]) -> None:
    count = len(op.lowerBoundOperands)
    lower, lower_values = map_of(compose(op.lowerBoundMap.data, operands[:count]))
    upper, upper_values = map_of(compose(op.upperBoundMap.data, operands[count:]))
    op.lowerBoundMap, op.upperBoundMap = AffineMapAttr(lower), AffineMapAttr(upper)
    initial = tuple(op.inits)
    op.operands = (*lower_values, *upper_values, *initial)
    sizes = [len(lower_values), len(upper_values), len(initial)]
    op.properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, sizes)


def constraints_of(
    condition: AffineSet, operands: Sequence[IndexExpression]
) -> tuple[Constraint, ...]:
    """The constraints of `condition` on `operands`, dimensions first."""
    dimensions, symbols = operands[: condition.num_dims], operands[condition.num_dims :]
    constraints = []
    for constraint in condition.constraints:
        left = expression_of(constraint.lhs, dimensions, symbols)
        right = expression_of(constraint.rhs, dimensions, symbols)
        if constraint.kind is AffineConstraintKind.le:
            left, right = right, left
        is_equality = constraint.kind is AffineConstraintKind.eq
        constraints.append(Constraint(left - right, is_equality))
    return tuple(constraints)
