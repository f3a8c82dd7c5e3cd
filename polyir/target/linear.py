"""Affine expressions as sums of terms, for the targets that write them as a person would."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineExpr,
)

Term = tuple[AffineExpr, int]
"""An expression that is not a sum, and its coefficient, which is not zero."""


@dataclass(frozen=True)
class LinearSum:
    """`constant` plus the sum of `coefficient * expression` over `terms`, in their order."""

    terms: tuple[Term, ...]
    constant: int

    @property
    def positive(self) -> tuple[Term, ...]:
        """The terms with a positive coefficient."""
        return tuple(term for term in self.terms if term[1] > 0)

    @property
    def negative(self) -> tuple[Term, ...]:
        """The terms with a negative coefficient, without its sign."""
        return tuple((atom, -coefficient) for atom, coefficient in self.terms if coefficient < 0)

    @property
    def negated(self) -> LinearSum:
        return LinearSum(tuple((atom, -factor) for atom, factor in self.terms), -self.constant)


def linear_sum(expression: AffineExpr) -> LinearSum:
    """`expression` as a sum. The same expression may occur in several terms."""
    match expression:
        case AffineConstantExpr(value=value):
            return LinearSum((), value)
        case AffineBinaryOpExpr(kind=AffineBinaryOpKind.Add, lhs=lhs, rhs=rhs):
            left, right = linear_sum(lhs), linear_sum(rhs)
            return LinearSum(left.terms + right.terms, left.constant + right.constant)
        case AffineBinaryOpExpr(
            kind=AffineBinaryOpKind.Mul, lhs=lhs, rhs=AffineConstantExpr(value=value)
        ) if value != 0:
            return LinearSum(((lhs, value),), 0)
        case _:
            return LinearSum(((expression, 1),), 0)


def difference(constraint: AffineConstraintExpr) -> LinearSum:
    """The sum that is zero, for an equality, or at least zero, if the constraint holds."""
    left, right = linear_sum(constraint.lhs), linear_sum(constraint.rhs)
    if constraint.kind is AffineConstraintKind.le:
        left, right = right, left
    return LinearSum(left.terms + right.negated.terms, left.constant - right.constant)
