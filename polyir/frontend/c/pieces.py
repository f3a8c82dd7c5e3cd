"""Integers that are one affine function here and another one there.

C computes minima, maxima and rounded quotients from comparisons and truncating divisions:

    (n < 0) ? -((-n + 7) / 8) : n / 8        is floor(n / 8)
    n / 8 - (n % 8 < 0)                      is floor(n / 8)
    (a < b ? a : b) < c ? (a < b ? a : b) : c    is the least of a, b and c

Such a value is a list of pieces, each an affine function where some constraints hold. A function
that is equal on all pieces, or whose least or greatest values they are, is found by proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineBinaryOpKind

from polyir.frontend.c.builder import Builder, Extremum, extremum_of
from polyir.frontend.c.conditions import Condition, alternatives, opposite
from polyir.model.index_expressions import (
    Atom,
    Constraint,
    Division,
    IndexExpression,
)

MOST_PIECES: Final = 24
"""A value with more pieces stays what the operations of the source compute."""

_FLOOR: Final = AffineBinaryOpKind.FloorDiv
_CEIL: Final = AffineBinaryOpKind.CeilDiv


@dataclass(frozen=True)
class Piece:
    """The value where all constraints hold."""

    constraints: tuple[Constraint, ...]
    value: IndexExpression


Pieces = tuple[Piece, ...]
"""They cover all that is possible; where they overlap, they agree."""


class PiecewiseValues:
    """Computes with pieces at the builder's current place, where its facts hold."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._meanings: dict[SSAValue, Pieces] = {}

    def note(self, value: SSAValue, pieces: Pieces) -> None:
        """Remember the pieces of an index that is an opaque value otherwise."""
        self._meanings[value] = pieces

    def of(self, value: IndexExpression) -> Pieces:
        """A value that is one affine function."""
        return (Piece((), value),)

    def combined(
        self,
        left: Pieces,
        right: Pieces,
        operation: Callable[[IndexExpression, IndexExpression], IndexExpression],
    ) -> Pieces | None:
        """The result of an operation on two values; `None` if it has too many pieces."""
        pairs = (
            Piece((*one.constraints, *other.constraints), operation(one.value, other.value))
            for one in left
            for other in right
        )
        return self._possible(pairs)

    def quotient(self, dividend: Pieces, divisor: int) -> Pieces | None:
        """The quotient by a positive number, rounded to zero as C does."""
        return self._possible(
            Piece((*piece.constraints, *sign), piece.value.divide(kind, divisor))
            for piece in dividend
            for sign, kind in zip(_signs(piece.value), (_FLOOR, _CEIL), strict=True)
        )

    def remainder(self, dividend: Pieces, divisor: int) -> Pieces | None:
        """What C's division by a positive number leaves, with the sign of the dividend."""

        def rest(value: IndexExpression) -> IndexExpression:
            return value.divide(AffineBinaryOpKind.Mod, divisor)

        return self._possible(
            Piece((*piece.constraints, *sign), value)
            for piece in dividend
            for sign, value in zip(
                _signs(piece.value),
                (rest(piece.value), rest(piece.value.scale(-1)).scale(-1)),
                strict=True,
            )
        )

    def choice(self, condition: Condition, true: Pieces, false: Pieces) -> Pieces | None:
        """`true` where a condition holds, and `false` elsewhere.

        `None` if the condition depends on data, or if there are too many pieces.
        """
        arms = ((alternatives(condition), true), (alternatives(opposite(condition)), false))
        found: list[Piece] = []
        for held, pieces in arms:
            if held is None:
                return None
            found += [
                Piece((*constraints, *piece.constraints), piece.value)
                for constraints in held
                for piece in pieces
            ]
        return self._possible(found)

    def _possible(self, pieces: Iterable[Piece]) -> Pieces | None:
        """The pieces with instances, without constraints that always hold."""
        found: list[Piece] = []
        for piece in pieces:
            constraints = tuple(
                dict.fromkeys(each for each in piece.constraints if each.outcome is not True)
            )
            if self._builder.is_possible(constraints):
                found.append(replace(piece, constraints=constraints))
            if len(found) > MOST_PIECES:
                return None
        return tuple(found)

    # What the pieces are together

    def simplified(self, pieces: Pieces) -> IndexExpression | Extremum | None:
        """The affine function, or the minimum or maximum of some, that a value is; or `None`.

        Minima, maxima and quotients among the atoms are looked into only if nothing is found
        without.
        """
        found = self._simplified(pieces)
        if found is not None:
            return found
        expanded = self._expanded_pieces(pieces)
        return None if expanded is None or expanded == pieces else self._simplified(expanded)

    def _simplified(self, pieces: Pieces) -> IndexExpression | Extremum | None:
        values = _distinct(piece.value for piece in pieces)
        if not values:
            # This is never executed.
            return IndexExpression()
        if len(values) == 1:
            return values[0]
        for value in (*values, *_distinct(map(_rounded_otherwise, values))):
            if all(self._is_equal(piece, value) for piece in pieces):
                return value
        for is_minimum in (True, False):
            if all(self._is_first(piece, values, is_minimum) for piece in pieces):
                return Extremum(values, is_minimum)
        return None

    def _is_equal(self, piece: Piece, value: IndexExpression) -> bool:
        difference = piece.value - value
        return not any(
            self._builder.is_possible((*piece.constraints, _at_least_one(each)))
            for each in (difference, difference.scale(-1))
            if each != IndexExpression()
        )

    def _is_first(self, piece: Piece, values: Sequence[IndexExpression], is_minimum: bool) -> bool:
        sign = 1 if is_minimum else -1
        return not any(
            self._builder.is_possible(
                (*piece.constraints, _at_least_one((piece.value - value).scale(sign)))
            )
            for value in values
            if value != piece.value
        )

    # Atoms that stand for pieces

    def _expanded_pieces(self, pieces: Pieces) -> Pieces | None:
        """The pieces in terms of values that do not consist of pieces themselves."""
        found: list[Piece] = []
        for piece in pieces:
            expanded = self._expanded(piece.value)
            for constraint in piece.constraints:
                tested = self._expanded(constraint.expression)
                if expanded is None or tested is None:
                    return None
                expanded = self._possible(
                    Piece(
                        (
                            *one.constraints,
                            *other.constraints,
                            Constraint(other.value, constraint.is_equality),
                        ),
                        one.value,
                    )
                    for one in expanded
                    for other in tested
                )
            if expanded is None or len(found) > MOST_PIECES:
                return None
            found += expanded
        return tuple(found)

    def _expanded(self, expression: IndexExpression) -> Pieces | None:
        result: Pieces | None = self.of(IndexExpression((), expression.constant))
        for atom, coefficient in expression.terms:
            pieces = self._pieces_of_atom(atom)
            if result is None or pieces is None:
                return None
            scaled = tuple(replace(piece, value=piece.value.scale(coefficient)) for piece in pieces)
            if len(scaled) == 1:
                result = tuple(
                    replace(piece, value=piece.value + scaled[0].value) for piece in result
                )
            else:
                result = self.combined(result, scaled, IndexExpression.__add__)
        return result

    def _pieces_of_atom(self, atom: Atom) -> Pieces | None:
        if isinstance(atom, Division):
            dividend = self._expanded(atom.dividend)
            if dividend is None:
                return None
            return tuple(
                replace(piece, value=piece.value.divide(atom.kind, atom.divisor))
                for piece in dividend
            )
        if atom in self._meanings:
            return self._meanings[atom]
        extremum = extremum_of(atom)
        if extremum is None:
            return self.of(IndexExpression.of(atom))
        parts = [self._expanded(value) for value in extremum.values]
        return self._extremum(parts, 1 if extremum.is_minimum else -1)

    def _extremum(self, parts: Sequence[Pieces | None], sign: int) -> Pieces | None:
        """The least of some values, or for a negative `sign` the greatest."""
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        if all(len(part) == 1 for part in known):
            values = [part[0].value for part in known]
            return self._possible(
                Piece(tuple(_in_order(value, each, sign) for each in values), value)
                for value in values
            )
        result: Pieces | None = known[0]
        for part in known[1:]:
            result = result and self._possible(
                Piece((*one.constraints, *other.constraints, _in_order(first, second, sign)), first)
                for one in result
                for other in part
                for first, second in ((one.value, other.value), (other.value, one.value))
            )
        return result


def _in_order(first: IndexExpression, second: IndexExpression, sign: int) -> Constraint:
    return Constraint((second - first).scale(sign), False)


def _signs(value: IndexExpression) -> tuple[tuple[Constraint, ...], tuple[Constraint, ...]]:
    """The constraints that a value is not negative, and that it is."""
    return (Constraint(value, False),), (Constraint(value.scale(-1).shift(-1), False),)


def _at_least_one(value: IndexExpression) -> Constraint:
    return Constraint(value.shift(-1), False)


def _distinct(values: Iterable[IndexExpression]) -> tuple[IndexExpression, ...]:
    found: list[IndexExpression] = []
    for value in values:
        if all(value - other != IndexExpression() for other in found):
            found.append(value)
    return tuple(found)


def _rounded_otherwise(value: IndexExpression) -> IndexExpression:
    """The value with quotients rounded up where it rounds down, and down where it rounds up."""
    other = {_FLOOR: _CEIL, _CEIL: _FLOOR}
    result = IndexExpression((), value.constant)
    for atom, coefficient in value.terms:
        if isinstance(atom, Division) and atom.kind in other:
            quotient = atom.dividend.divide(other[atom.kind], atom.divisor)
            result += quotient.scale(coefficient)
        else:
            result += IndexExpression(((atom, coefficient),))
    return result
