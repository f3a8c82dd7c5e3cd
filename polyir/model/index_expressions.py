"""Quasi-affine expressions over SSA values: simplified, composed, and put into affine maps.

Code generation composes expressions of three origins: isl's AST, the affine maps of statement
bodies, and index arithmetic. All become sums `constant + sum of coefficient * atom`, where an
atom is an SSA value or a quotient or remainder by a positive constant. Division rounds as in
MLIR's affine expressions: `floordiv` down, `ceildiv` up, and `mod` is never negative.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import gcd

from xdsl.dialects.builtin import AffineSetAttr
from xdsl.ir import SSAValue
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

from polyir.base.diagnostics import PolyirError
from polyir.dialects.affine_semantics import is_valid_symbol
from polyir.model.affine import NotAffineError


class WideNumberError(PolyirError):
    """A number that no index has: it does not fit into 64 bits."""

    name = "wide-number"


def require_index_number(number: int) -> int:
    """`number`; raises `WideNumberError` if it does not fit in an index."""
    if not is_index_number(number):
        # Python prints no numbers of thousands of digits.
        shown = str(number) if number.bit_length() < 256 else f"of {number.bit_length()} bits"
        raise WideNumberError(f"an index expression needs the number {shown}, beyond 64 bits")
    return number


def is_index_number(number: int) -> bool:
    """Whether a number fits in an index, which has 64 bits and a sign."""
    return -(1 << 63) <= number < 1 << 63


@dataclass(frozen=True)
class Division:
    """`dividend` mod, floordiv or ceildiv the positive constant `divisor`."""

    kind: AffineBinaryOpKind
    dividend: IndexExpression
    divisor: int


Atom = SSAValue | Division


@dataclass(frozen=True)
class IndexExpression:
    """A sum of atoms with nonzero coefficients, in the order they were written, and a constant."""

    terms: tuple[tuple[Atom, int], ...] = ()
    constant: int = 0

    @staticmethod
    def of(value: SSAValue) -> IndexExpression:
        """The expression that is one SSA value of type index."""
        return IndexExpression(((value, 1),))

    @property
    def is_constant(self) -> bool:
        """Whether no atom is left."""
        return not self.terms

    @property
    def value(self) -> SSAValue | None:
        """The SSA value that this expression is, if it is nothing else."""
        match self:
            case IndexExpression(((SSAValue() as value, 1),), 0):
                return value
            case _:
                return None

    @property
    def wide_number(self) -> int | None:
        """A number in it that does not fit in an index."""
        for atom, factor in (*self.terms, (None, self.constant)):
            if not is_index_number(factor):
                return factor
            if isinstance(atom, Division):
                inner = atom.dividend.wide_number
                if inner is not None or not is_index_number(atom.divisor):
                    return atom.divisor if inner is None else inner
        return None

    def __add__(self, other: IndexExpression) -> IndexExpression:
        coefficients = dict(self.terms)
        for atom, coefficient in other.terms:
            coefficients[atom] = coefficients.get(atom, 0) + coefficient
        terms = tuple(item for item in coefficients.items() if item[1] != 0)
        return IndexExpression(terms, self.constant + other.constant)

    def __sub__(self, other: IndexExpression) -> IndexExpression:
        return self + other.scale(-1)

    def shift(self, constant: int) -> IndexExpression:
        """This expression plus a constant."""
        return IndexExpression(self.terms, self.constant + constant)

    def successor(self) -> IndexExpression:
        """This expression plus one, with `(e floordiv c) + 1` written `(e + 1) ceildiv c`."""
        match self:
            case IndexExpression(((Division(AffineBinaryOpKind.FloorDiv) as division, 1),), 0):
                dividend = division.dividend.shift(1)
                return dividend.divide(AffineBinaryOpKind.CeilDiv, division.divisor)
            case _:
                return self.shift(1)

    def scale(self, factor: int) -> IndexExpression:
        """This expression times a constant."""
        if factor == 0:
            return IndexExpression()
        terms = tuple((atom, coefficient * factor) for atom, coefficient in self.terms)
        return IndexExpression(terms, self.constant * factor)

    def divide(self, kind: AffineBinaryOpKind, divisor: int) -> IndexExpression:
        """Quotient or remainder by a positive constant, simplified.

        Multiples of the divisor leave the dividend, then the greatest common divisor of what
        is left is cancelled. Raises `NotAffineError` if `divisor` is not positive.
        """
        if divisor <= 0:
            raise NotAffineError(f"{kind.get_token()} by {divisor}, which is not positive")
        multiple = IndexExpression(
            tuple((atom, factor) for atom, factor in self.terms if factor % divisor == 0),
            self.constant if self.constant % divisor == 0 else 0,
        )
        rest = self - multiple
        if kind is AffineBinaryOpKind.Mod:
            return rest._remainder(divisor)
        exact = IndexExpression(
            tuple((atom, factor // divisor) for atom, factor in multiple.terms),
            multiple.constant // divisor,
        )
        return exact + rest._quotient(kind, divisor)

    def negate_quotient(self) -> IndexExpression:
        """The negative of this expression, with `-(e floordiv c)` written `-e ceildiv c`."""
        match self:
            case IndexExpression(((Division(AffineBinaryOpKind.FloorDiv) as division, 1),), 0):
                negative = division.dividend.scale(-1)
                return negative.divide(AffineBinaryOpKind.CeilDiv, division.divisor)
            case _:
                return self.scale(-1)

    def _quotient(self, kind: AffineBinaryOpKind, divisor: int) -> IndexExpression:
        common = gcd(divisor, *(coefficient for _, coefficient in self.terms))
        # floor((g*e + k) / (g*c)) = floor((e + floor(k/g)) / c), and so for the ceiling.
        if kind is AffineBinaryOpKind.CeilDiv:
            constant = -(-self.constant // common)
        else:
            constant = self.constant // common
        terms = tuple((atom, coefficient // common) for atom, coefficient in self.terms)
        dividend, divisor = IndexExpression(terms, constant), divisor // common
        if divisor == 1:
            return dividend
        match dividend:
            case IndexExpression((), constant):
                rounded_down = kind is not AffineBinaryOpKind.CeilDiv
                quotient = constant // divisor if rounded_down else -(-constant // divisor)
                return IndexExpression((), quotient)
            case IndexExpression(((Division() as inner, 1),), 0) if inner.kind is kind:
                return inner.dividend.divide(kind, inner.divisor * divisor)
            case _:
                return IndexExpression(((Division(kind, dividend, divisor), 1),))

    def _remainder(self, divisor: int) -> IndexExpression:
        common = gcd(divisor, self.constant, *(coefficient for _, coefficient in self.terms))
        terms = tuple((atom, coefficient // common) for atom, coefficient in self.terms)
        dividend, reduced = IndexExpression(terms, self.constant // common), divisor // common
        if reduced == 1:
            return IndexExpression()
        if dividend.is_constant:
            return IndexExpression((), dividend.constant % reduced * common)
        remainder = Division(AffineBinaryOpKind.Mod, dividend, reduced)
        return IndexExpression(((remainder, common),))

    def values(self) -> Iterator[SSAValue]:
        """The SSA values in the expression, in order, perhaps several times."""
        for atom, _ in self.terms:
            if isinstance(atom, Division):
                yield from atom.dividend.values()
            else:
                yield atom

    def to_affine(self, variable: Callable[[SSAValue], AffineExpr]) -> AffineExpr:
        """This as an `AffineExpr`, with positive terms first; `variable` numbers the values."""
        result: AffineExpr | None = None
        for atom, coefficient in sorted(self.terms, key=lambda term: term[1] < 0):
            term = _affine_atom(atom, variable)
            if coefficient != 1:
                term = AffineBinaryOpExpr(
                    AffineBinaryOpKind.Mul, term, AffineConstantExpr(coefficient)
                )
            result = term if result is None else _sum(result, term)
        if result is None:
            return AffineConstantExpr(self.constant)
        return _sum(result, AffineConstantExpr(self.constant)) if self.constant else result


def _affine_atom(atom: Atom, variable: Callable[[SSAValue], AffineExpr]) -> AffineExpr:
    if isinstance(atom, Division):
        dividend = atom.dividend.to_affine(variable)
        return AffineBinaryOpExpr(atom.kind, dividend, AffineConstantExpr(atom.divisor))
    return variable(atom)


def _sum(left: AffineExpr, right: AffineExpr) -> AffineExpr:
    return AffineBinaryOpExpr(AffineBinaryOpKind.Add, left, right)


def expression_of(
    expression: AffineExpr,
    dimensions: Sequence[IndexExpression],
    symbols: Sequence[IndexExpression],
) -> IndexExpression:
    """`expression` with its dimensions and symbols replaced.

    Raises `NotAffineError` for products of two variables and for division by anything but a
    positive constant.
    """
    match expression:
        case AffineConstantExpr(value=value):
            return IndexExpression((), value)
        case AffineDimExpr(position=position):
            return dimensions[position]
        case AffineSymExpr(position=position):
            return symbols[position]
        case AffineBinaryOpExpr(kind=kind, lhs=lhs, rhs=rhs):
            left = expression_of(lhs, dimensions, symbols)
            right = expression_of(rhs, dimensions, symbols)
            return combine(kind, left, right)
        case _:
            raise NotAffineError(f"unknown affine expression {expression}")


def combine(
    kind: AffineBinaryOpKind, left: IndexExpression, right: IndexExpression
) -> IndexExpression:
    """`left` combined with `right`; raises `NotAffineError` where the result is not affine."""
    if kind is AffineBinaryOpKind.Add:
        return left + right
    if kind is AffineBinaryOpKind.Mul and left.is_constant:
        return right.scale(left.constant)
    if not right.is_constant:
        raise NotAffineError(f"{kind.get_token()} of two variables")
    if kind is AffineBinaryOpKind.Mul:
        return left.scale(right.constant)
    return left.divide(kind, right.constant)


def compose(map: AffineMap, operands: Sequence[IndexExpression]) -> tuple[IndexExpression, ...]:
    """The results of `map` applied to `operands`, dimensions first; as `expression_of`."""
    dimensions, symbols = operands[: map.num_dims], operands[map.num_dims :]
    return tuple(expression_of(result, dimensions, symbols) for result in map.results)


@dataclass(frozen=True)
class Numbering:
    """An affine map's or set's numbering of the values that its expressions use.

    Dimensions come first, then symbols, each in the order of their first use.
    """

    dimensions: tuple[SSAValue, ...]
    symbols: tuple[SSAValue, ...]

    @staticmethod
    def over(expressions: Iterable[IndexExpression], dimensions_only: bool = False) -> Numbering:
        """Number the values of `expressions`; all as dimensions where a short form asks for it."""
        values = tuple(dict.fromkeys(v for item in expressions for v in item.values()))
        if dimensions_only:
            return Numbering(values, ())
        symbolic = tuple(is_valid_symbol(value) for value in values)
        pairs = tuple(zip(values, symbolic, strict=True))
        return Numbering(
            tuple(value for value, is_symbol in pairs if not is_symbol),
            tuple(value for value, is_symbol in pairs if is_symbol),
        )

    @property
    def operands(self) -> tuple[SSAValue, ...]:
        """The values, dimensions first, as an operation takes them."""
        return self.dimensions + self.symbols

    def expression(self, expression: IndexExpression) -> AffineExpr:
        """`expression` in terms of the numbered dimensions and symbols."""
        numbers: dict[SSAValue, AffineExpr] = {
            value: AffineDimExpr(position) for position, value in enumerate(self.dimensions)
        }
        numbers |= {value: AffineSymExpr(position) for position, value in enumerate(self.symbols)}
        return expression.to_affine(numbers.__getitem__)


def map_of(
    expressions: Sequence[IndexExpression], dimensions_only: bool = False
) -> tuple[AffineMap, tuple[SSAValue, ...]]:
    """An affine map with `expressions` as results, and its operands.

    Raises `WideNumberError`.
    """
    _require_index_numbers(expressions)
    numbering = Numbering.over(expressions, dimensions_only)
    results = tuple(numbering.expression(expression) for expression in expressions)
    return AffineMap(len(numbering.dimensions), len(numbering.symbols), results), numbering.operands


def _require_index_numbers(expressions: Iterable[IndexExpression]) -> None:
    for expression in expressions:
        number = expression.wide_number
        if number is not None:
            require_index_number(number)


@dataclass(frozen=True)
class Constraint:
    """`expression == 0`, or `expression >= 0`."""

    expression: IndexExpression
    is_equality: bool

    @property
    def nonnegative(self) -> tuple[IndexExpression, ...]:
        """What is not negative where it holds, and only there."""
        opposite = (self.expression.scale(-1),) if self.is_equality else ()
        return (self.expression, *opposite)

    @property
    def outcome(self) -> bool | None:
        """Whether it holds, if the expression is a constant; else `None`."""
        if not self.expression.is_constant:
            return None
        value = self.expression.constant
        return value == 0 if self.is_equality else value >= 0


def set_of(constraints: Sequence[Constraint]) -> tuple[AffineSetAttr, tuple[SSAValue, ...]]:
    """An affine set with the given constraints, and its operands; raises `WideNumberError`."""
    _require_index_numbers(constraint.expression for constraint in constraints)
    numbering = Numbering.over(constraint.expression for constraint in constraints)
    zero = AffineConstantExpr(0)
    items = tuple(
        AffineConstraintExpr(
            AffineConstraintKind.eq if constraint.is_equality else AffineConstraintKind.ge,
            numbering.expression(constraint.expression),
            zero,
            canonicalize=False,
        )
        for constraint in constraints
    )
    condition = AffineSet(len(numbering.dimensions), len(numbering.symbols), items)
    return AffineSetAttr(condition), numbering.operands
