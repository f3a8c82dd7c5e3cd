"""Affine maps and sets as C expressions, with MLIR's `mod`, `floordiv` and `ceildiv`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
    AffineSymExpr,
)

from polyir.target.abi import PREFIX, Scalar
from polyir.target.c.index_arithmetic import product, sum_of
from polyir.target.c.syntax import (
    Binary,
    Call,
    Expression,
    IntegerLiteral,
    arithmetic,
    compare,
    literal,
)
from polyir.target.linear import LinearSum, difference


@dataclass(frozen=True)
class AffineOperands:
    """The operands of a map or set: dimensions, then symbols.

    `nonnegative` says which of them are known not to be negative: C's `/` and `%`, which round
    towards zero, then do for MLIR's division.
    """

    values: Sequence[Expression]
    nonnegative: Sequence[bool]
    num_dims: int

    def map(self, map: AffineMap) -> list[Expression]:
        """The results of `map`."""
        return [self.expression(result) for result in map.results]

    def minimum(self, results: Sequence[AffineExpr]) -> Expression:
        """The least of the results of a map."""
        return self._extremum("min", results)

    def maximum(self, results: Sequence[AffineExpr]) -> Expression:
        """The greatest of the results of a map, without constants that another one exceeds."""
        floor = 0 if any(self._is_nonnegative(result) for result in _variables(results)) else None
        return self._extremum(
            "max",
            [
                result
                for result in results
                if floor is None
                or not isinstance(result, AffineConstantExpr)
                or result.value > floor
            ],
        )

    def _extremum(self, name: str, results: Sequence[AffineExpr]) -> Expression:
        """One call of a helper after the other; equal values are compared once."""
        values = dict.fromkeys(self.expression(result) for result in results)
        return reduce(lambda left, right: _helper(name, left, right), values)

    def condition(self, set: AffineSet) -> Expression:
        """Whether the operands are in `set`."""
        tests = [self._test(constraint) for constraint in set.constraints]
        if not tests:
            return IntegerLiteral(Scalar.BOOL, 1)
        return reduce(lambda left, right: Binary(Scalar.BOOL, "&&", left, right), tests)

    def expression(self, expression: AffineExpr) -> Expression:
        """`expression` of the operands."""
        match expression:
            case AffineConstantExpr(value=value):
                return literal(value)
            case AffineDimExpr(position=position):
                return self.values[position]
            case AffineSymExpr(position=position):
                return self.values[self.num_dims + position]
            case AffineBinaryOpExpr(kind=kind, lhs=lhs, rhs=rhs):
                left, right = self.expression(lhs), self.expression(rhs)
                match kind:
                    case AffineBinaryOpKind.Add:
                        return sum_of(left, right)
                    case AffineBinaryOpKind.Mul:
                        return product(left, right)
                    case _:
                        is_exact = self._is_nonnegative(lhs) and _is_positive_constant(rhs)
                        return _quotient(kind, left, right, is_exact)
            case _:
                raise TypeError(f"unknown affine expression {expression!r}")

    def _is_nonnegative(self, expression: AffineExpr) -> bool:
        """Whether `expression` is known not to be negative."""
        return is_nonnegative(expression, self.nonnegative, self.num_dims)

    def _test(self, constraint: AffineConstraintExpr) -> Expression:
        """A constraint as a person writes it: `i < n`, `n - i >= 32`, `i == 3`, `n <= 0`.

        Without a constant to compare with, every term is on the side where it is positive.
        """
        total = difference(constraint)
        terms, constant = self._merged(total)
        is_equality = constraint.kind is AffineConstraintKind.eq
        if abs(constant) >= 2**63:
            # Its opposite is not a number of 64 bits.
            left, right = self.expression(constraint.lhs), self.expression(constraint.rhs)
            return compare(constraint.kind.value, left, right)
        if is_equality and not constant:
            remainder = self._plain_remainder(total)
            if remainder is not None:
                return compare("==", remainder, literal(0))
        positive = [(atom, factor) for atom, factor in terms.items() if factor > 0]
        negative = [(atom, -factor) for atom, factor in terms.items() if factor < 0]
        if not terms:
            holds = constant == 0 if is_equality else constant >= 0
            return IntegerLiteral(Scalar.BOOL, int(holds))
        if positive and negative and constant in ((0,) if is_equality else (0, -1)):
            if is_equality:
                first_is_positive = next(iter(terms.values())) > 0
                sides = (positive, negative) if first_is_positive else (negative, positive)
                return compare("==", _terms(sides[0]), _terms(sides[1]))
            return compare("<" if constant else "<=", _terms(negative), _terms(positive))
        if positive and (constant <= 0 or not negative):
            operator = "==" if is_equality else ">="
            return compare(operator, _terms(positive, negative), literal(-constant))
        operator = "==" if is_equality else "<="
        return compare(operator, _terms(negative, positive), literal(constant))

    def _plain_remainder(self, total: LinearSum) -> Expression | None:
        """`a % c` for the sum `a mod c`: whether it is zero does not depend on the rounding."""
        match total.terms:
            case ((AffineBinaryOpExpr(kind=AffineBinaryOpKind.Mod, lhs=lhs, rhs=rhs), _),):
                if _is_positive_constant(rhs):
                    return arithmetic("%", self.expression(lhs), self.expression(rhs))
            case _:
                pass
        return None

    def _merged(self, total: LinearSum) -> tuple[dict[Expression, int], int]:
        """The terms of a sum and its constant, for operands that are equal or literals."""
        terms: dict[Expression, int] = {}
        constant = total.constant
        for atom, factor in total.terms:
            expression = self.expression(atom)
            if isinstance(expression, IntegerLiteral):
                constant += factor * expression.value
            else:
                terms[expression] = terms.get(expression, 0) + factor
        return {atom: factor for atom, factor in terms.items() if factor}, constant


_Terms = Sequence[tuple[Expression, int]]


def _terms(added: _Terms, subtracted: _Terms = ()) -> Expression:
    """The difference of two sums of terms, of which the first has a term."""
    factors = (*added, *((atom, -factor) for atom, factor in subtracted))
    return reduce(sum_of, (product(literal(factor), atom) for atom, factor in factors))


def _variables(results: Sequence[AffineExpr]) -> list[AffineExpr]:
    """Those of `results` that are not constants."""
    return [result for result in results if not isinstance(result, AffineConstantExpr)]


def is_nonnegative(expression: AffineExpr, nonnegative: Sequence[bool], num_dims: int) -> bool:
    """Whether `expression` cannot be negative, given which of its operands cannot."""
    match expression:
        case AffineConstantExpr(value=value):
            return value >= 0
        case AffineDimExpr(position=position):
            return nonnegative[position]
        case AffineSymExpr(position=position):
            return nonnegative[num_dims + position]
        case AffineBinaryOpExpr(kind=kind, lhs=lhs, rhs=rhs):
            if kind is AffineBinaryOpKind.Mod:
                return _is_positive_constant(rhs)
            sides = [is_nonnegative(side, nonnegative, num_dims) for side in (lhs, rhs)]
            is_division = kind in (AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.CeilDiv)
            return all(sides) and (not is_division or _is_positive_constant(rhs))
        case _:
            return False


def _is_positive_constant(expression: AffineExpr) -> bool:
    return isinstance(expression, AffineConstantExpr) and expression.value > 0


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


def set_sides(set: AffineSet) -> list[AffineExpr]:
    """Both sides of each constraint of a set."""
    return [side for constraint in set.constraints for side in (constraint.lhs, constraint.rhs)]


def linear_index(indices: Sequence[Expression], extents: Sequence[Expression]) -> Expression:
    """The number of an element of a row-major array: `i * n + j`."""
    number: Expression = literal(0)
    for index, extent in zip(indices, extents, strict=True):
        number = _sum_of_terms(number if number == literal(0) else product(number, extent), index)
    return number


def _sum_of_terms(left: Expression, right: Expression) -> Expression:
    """`left + right` without parentheses around a sum on the right."""
    match left, right:
        case IntegerLiteral(value=0), _:
            return right
        case _, Binary(type=Scalar.INT64, operator="+" | "-" as operator, left=first, right=last):
            rest = _sum_of_terms(left, first)
            return sum_of(rest, last) if operator == "+" else arithmetic("-", rest, last)
        case _:
            return sum_of(left, right)


_DIVISIONS = {
    AffineBinaryOpKind.Mod: "mod",
    AffineBinaryOpKind.FloorDiv: "floordiv",
    AffineBinaryOpKind.CeilDiv: "ceildiv",
}


def _quotient(
    kind: AffineBinaryOpKind, left: Expression, right: Expression, is_plain: bool
) -> Expression:
    """A quotient or remainder; `is_plain` if the dividend is not negative, the divisor a constant.

    Then C's operators give MLIR's result, and no helper is needed.
    """
    if not is_plain:
        return _helper(_DIVISIONS[kind], left, right)
    if kind is AffineBinaryOpKind.Mod:
        return arithmetic("%", left, right)
    if kind is AffineBinaryOpKind.CeilDiv:
        assert isinstance(right, IntegerLiteral)
        left = sum_of(left, literal(right.value - 1))
    return arithmetic("/", left, right)


def _helper(name: str, left: Expression, right: Expression) -> Expression:
    return Call(Scalar.INT64, f"{PREFIX}{name}", (left, right))
