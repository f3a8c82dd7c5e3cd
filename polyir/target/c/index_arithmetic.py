"""Sums and products of indices as a person writes them: `b - a` for `0 - (a - b)`, no `1 * a`."""

from __future__ import annotations

from polyir.target.abi import Scalar
from polyir.target.c.syntax import Binary, Expression, IntegerLiteral, Unary, arithmetic, literal


def sum_of(left: Expression, right: Expression) -> Expression:
    """`left + right`."""
    if isinstance(right, IntegerLiteral):
        return _plus(left, right.value)
    if left == literal(0):
        return right
    positive_right, positive_left = _negated(right), _negated(left)
    if positive_right is not None:
        return arithmetic("-", left, positive_right)
    if positive_left is not None:
        return arithmetic("-", right, positive_left)
    return arithmetic("+", left, right)


def difference_of(left: Expression, right: Expression) -> Expression:
    """`left - right`."""
    if isinstance(right, IntegerLiteral) and _fits(-right.value):
        return _plus(left, -right.value)
    if left == literal(0):
        return opposite_of(right)
    positive = _negated(right)
    return arithmetic("-", left, right) if positive is None else sum_of(left, positive)


def opposite_of(expression: Expression) -> Expression:
    """`-expression`."""
    if isinstance(expression, IntegerLiteral) and _fits(-expression.value):
        return literal(-expression.value)
    return _unsigned_opposite(expression) or Unary(Scalar.INT64, "-", expression)


def _unsigned_opposite(expression: Expression) -> Expression | None:
    """`-expression`, if it can be written without a sign at its start."""
    match expression:
        case Binary(operator="-", left=left, right=right):
            return difference_of(right, left)
        case Binary(operator="+", left=left, right=right):
            for one, other in ((left, right), (right, left)):
                start = _unsigned_opposite(one)
                if start is not None:
                    return difference_of(start, other)
            return None
        case _:
            return _negated(expression)


def _negated(expression: Expression) -> Expression | None:
    """The expression without its sign, if it is written with one."""
    match expression:
        case Unary(operator="-", operand=operand):
            return operand
        case Binary(operator="*", left=IntegerLiteral(value=value), right=right) if value < 0:
            return product(literal(-value), right)
        case _:
            return None


def _plus(left: Expression, constant: int) -> Expression:
    """`left + constant`, where a constant at the end of `left` is added to `constant`."""
    match left:
        case IntegerLiteral(value=value) if _fits(value + constant):
            return literal(value + constant)
        case Binary(operator="+", left=rest, right=IntegerLiteral(value=value)) if _fits(
            value + constant
        ):
            return _plus(rest, value + constant)
        case Binary(operator="-", left=rest, right=IntegerLiteral(value=value)) if _fits(
            constant - value
        ):
            return _plus(rest, constant - value)
        case _:
            if constant == 0:
                return left
            reordered = _subtracted_from(constant, left) if constant > 0 else None
            return reordered or arithmetic("+", left, literal(constant))


def _subtracted_from(constant: int, expression: Expression) -> Expression | None:
    """`constant - a - b` for the expression `-a - b`; `None` if it does not start with a sign."""
    positive = _negated(expression)
    if positive is not None:
        return arithmetic("-", literal(constant), positive)
    match expression:
        case Binary(operator="+" | "-" as operator, left=left, right=right):
            start = _subtracted_from(constant, left)
            return None if start is None else arithmetic(operator, start, right)
        case _:
            return None


def product(left: Expression, right: Expression) -> Expression:
    """The constant factor stands first: `32 * i`."""
    if isinstance(right, IntegerLiteral):
        left, right = right, left
    match left, right:
        case IntegerLiteral(value=0), _:
            return left
        case IntegerLiteral(value=1), _:
            return right
        case IntegerLiteral(value=first), IntegerLiteral(value=second) if _fits(first * second):
            return literal(first * second)
        case IntegerLiteral(value=-1), _:
            return opposite_of(right)
        case _:
            return arithmetic("*", left, right)


def _fits(value: int) -> bool:
    return -(2**63) <= value < 2**63
