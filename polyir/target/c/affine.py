"""Affine maps and sets as C expressions; `mod`, `floordiv` and `ceildiv` as MLIR means them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
    AffineSymExpr,
)

from polyir.target.c.expressions import (
    Binary,
    Call,
    Expression,
    IntegerLiteral,
    Unary,
    arithmetic,
    compare,
)
from polyir.target.c.helpers import PREFIX
from polyir.target.c.types import Scalar


def literal(value: int) -> IntegerLiteral:
    """A constant of type `index`."""
    return IntegerLiteral(Scalar.INT64, value)


def affine_expression(
    expression: AffineExpr, dimensions: Sequence[Expression], symbols: Sequence[Expression]
) -> Expression:
    """`expression` with its dimensions and symbols replaced by C expressions."""
    match expression:
        case AffineConstantExpr(value=value):
            return literal(value)
        case AffineDimExpr(position=position):
            return dimensions[position]
        case AffineSymExpr(position=position):
            return symbols[position]
        case AffineBinaryOpExpr(kind=kind, lhs=lhs, rhs=rhs):
            left = affine_expression(lhs, dimensions, symbols)
            right = affine_expression(rhs, dimensions, symbols)
            match kind:
                case AffineBinaryOpKind.Add:
                    return _sum(left, right)
                case AffineBinaryOpKind.Mul:
                    return _product(left, right)
                case AffineBinaryOpKind.Mod:
                    return _helper("mod", left, right)
                case AffineBinaryOpKind.FloorDiv:
                    return _helper("floordiv", left, right)
                case AffineBinaryOpKind.CeilDiv:
                    return _helper("ceildiv", left, right)
        case _:
            raise TypeError(f"no affine expression: {expression!r}")


def apply_map(map: AffineMap, operands: Sequence[Expression]) -> list[Expression]:
    """The results of `map` on `operands`: the dimensions, then the symbols."""
    dimensions, symbols = operands[: map.num_dims], operands[map.num_dims :]
    return [affine_expression(result, dimensions, symbols) for result in map.results]


def condition(set: AffineSet, operands: Sequence[Expression]) -> Expression:
    """Whether `operands` lie in `set`."""
    dimensions, symbols = operands[: set.num_dims], operands[set.num_dims :]
    tests = [
        compare(
            constraint.kind.value,
            affine_expression(constraint.lhs, dimensions, symbols),
            affine_expression(constraint.rhs, dimensions, symbols),
        )
        for constraint in set.constraints
    ]
    if not tests:
        return IntegerLiteral(Scalar.BOOL, 1)
    return reduce(lambda left, right: Binary(Scalar.BOOL, "&&", left, right), tests)


def minimum(values: Sequence[Expression]) -> Expression:
    """The least of the values of type `index`."""
    return reduce(lambda left, right: _helper("min", left, right), values)


def maximum(values: Sequence[Expression]) -> Expression:
    """The greatest of the values of type `index`."""
    return reduce(lambda left, right: _helper("max", left, right), values)


def occurrences(expressions: Sequence[AffineExpr], num_dims: int) -> dict[int, int]:
    """How often each operand (dimensions, then symbols) occurs in `expressions`."""
    counts: dict[int, int] = {}
    for expression in expressions:
        for part in expression.post_order():
            match part:
                case AffineDimExpr(position=position):
                    counts[position] = counts.get(position, 0) + 1
                case AffineSymExpr(position=position):
                    counts[num_dims + position] = counts.get(num_dims + position, 0) + 1
                case _:
                    pass
    return counts


def _helper(name: str, left: Expression, right: Expression) -> Expression:
    return Call(Scalar.INT64, f"{PREFIX}{name}", (left, right))


def _negated(expression: Expression) -> Expression | None:
    """What the expression is the negation of, if it is written as one."""
    match expression:
        case IntegerLiteral(value=value) if value < 0:
            return literal(-value)
        case Unary(operator="-", operand=operand):
            return operand
        case Binary(operator="*", left=IntegerLiteral(value=value), right=right) if value < 0:
            return _product(literal(-value), right)
        case _:
            return None


def _sum(left: Expression, right: Expression) -> Expression:
    positive_right, positive_left = _negated(right), _negated(left)
    if positive_right is not None:
        return arithmetic("-", left, positive_right)
    if positive_left is not None:
        return arithmetic("-", right, positive_left)
    return arithmetic("+", left, right)


def _product(left: Expression, right: Expression) -> Expression:
    """The constant factor stands first: `32 * i`."""
    if isinstance(right, IntegerLiteral):
        left, right = right, left
    match left:
        case IntegerLiteral(value=1):
            return right
        case IntegerLiteral(value=-1):
            return Unary(Scalar.INT64, "-", right)
        case _:
            return arithmetic("*", left, right)
