"""One hyperplane for a group of statements: the integer program of the Pluto algorithm.

The unknowns are the coefficients of one schedule row for every statement and the bound
u.n + w on all dependence distances. Paper 000: validity is equation 7, the bound equation 10,
the order of minimisation equation 12, linear independence equation 13.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polyir.schedule.dependences import Dependence
from polyir.schedule.integer_program import (
    Constraints,
    IntegerProgram,
    lexicographic_minimum_of_choices,
)
from polyir.schedule.linear import Row, orthogonal_complement
from polyir.schedule.problem import ScheduledStatement
from polyir.schedule.tree import AffineRow, Hyperplane

MINIMA_LIMIT = 400
"""How many integer programs one hyperplane may take; reached only with many skewed statements."""


@dataclass(frozen=True)
class StatementColumns:
    """The columns of one statement's row: positive and negative parts, and the constant.

    `negative` is empty where coefficients are not negative.
    """

    positive: tuple[int, ...]
    negative: tuple[int, ...]
    constant: int


class Layout:
    """Which column of the integer program holds which unknown.

    The columns are, in the order in which they are minimised: the sum of u, u, w, then for each
    statement its iterator coefficients, innermost first, and its constant. Innermost first makes
    an outer loop the preferred one among equals, so that the original order is kept where the
    dependences do not care. With `signed`, a coefficient is the difference of two unknowns of
    which the negative part is minimised first.
    """

    def __init__(
        self, parameter_count: int, statements: Sequence[ScheduledStatement], *, signed: bool
    ) -> None:
        self.bound_sum = 0
        self.bound_coefficients = tuple(range(1, 1 + parameter_count))
        self.bound_constant = 1 + parameter_count
        self.rows: dict[int, StatementColumns] = {}
        start = self.bound_constant + 1
        for statement in statements:
            depth = statement.depth
            inner_first = tuple(range(start + depth - 1, start - 1, -1))
            start += depth
            if signed:
                positive = tuple(column + depth for column in inner_first)
                start += depth
                self.rows[statement.position] = StatementColumns(positive, inner_first, start)
            else:
                self.rows[statement.position] = StatementColumns(inner_first, (), start)
            start += 1
        self.width = start


class HyperplaneProgram:
    """The integer program for one hyperplane of `statements`, to be solved again and again.

    `validity` are the dependences that must not be violated, and whose distance is bounded if
    they are also to be near; the distance of those in `proximity` is bounded in both directions.
    With `signed`, negative coefficients are considered.
    """

    def __init__(
        self,
        statements: Sequence[ScheduledStatement],
        parameter_count: int,
        validity: Sequence[Dependence],
        proximity: Sequence[Dependence],
        *,
        signed: bool = False,
    ) -> None:
        self._statements = tuple(statements)
        self._layout = Layout(parameter_count, statements, signed=signed)
        self._program = IntegerProgram(self._layout.width)
        self._define_bound_sum()
        for dependence in validity:
            self._demand_non_negative(dependence, sign=1, bounded=False)
            if dependence.is_near:
                self._demand_non_negative(dependence, sign=-1, bounded=True)
        for dependence in proximity:
            self._demand_non_negative(dependence, sign=-1, bounded=True)
            self._demand_non_negative(dependence, sign=1, bounded=True)

    def solve(self, found: Mapping[int, Sequence[Row]]) -> Hyperplane | None:
        """The best hyperplane that is independent of what was `found`, or `None`.

        `found` gives for each statement the directions that need no further row. A statement
        for which these span everything is not constrained to anything new.
        """
        choices = [
            self._independence(statement, complement)
            for statement in self._statements
            if (complement := orthogonal_complement(found[statement.position], statement.depth))
        ]
        solution = lexicographic_minimum_of_choices(self._program, choices, MINIMA_LIMIT)
        if solution is None:
            return None
        return {position: self._decode(position, solution) for position in self._layout.rows}

    def _define_bound_sum(self) -> None:
        row = [0] * (self._layout.width + 1)
        row[self._layout.bound_sum] = -1
        for column in self._layout.bound_coefficients:
            row[column] = 1
        self._program.add_equality(row)

    def _demand_non_negative(self, dependence: Dependence, *, sign: int, bounded: bool) -> None:
        """Demand that `sign` times the distance, plus u.n + w if `bounded`, is not negative."""
        forms = dependence.forms
        for row in forms.equalities:
            self._program.add_equality(self._substitute(dependence, row, sign, bounded))
        for row in forms.inequalities:
            self._program.add_inequality(self._substitute(dependence, row, sign, bounded))

    def _substitute(self, dependence: Dependence, row: Row, sign: int, bounded: bool) -> list[int]:
        """A constraint on the coefficients of the distance as one on the unknowns."""
        forms = dependence.forms
        constant, source_first = row[0], 1 + forms.parameter_count
        target_first = source_first + forms.source_depth
        result = [0] * (self._layout.width + 1)
        self._add_row(result, dependence.target, sign, row[target_first:], constant)
        self._add_row(result, dependence.source, -sign, row[source_first:target_first], constant)
        if bounded:
            result[self._layout.bound_constant] += constant
            for column, entry in zip(
                self._layout.bound_coefficients, row[1:source_first], strict=True
            ):
                result[column] += entry
        return result

    def _add_row(
        self, result: list[int], position: int, sign: int, iterators: Sequence[int], constant: int
    ) -> None:
        """Add `sign` times the product of (iterators, constant) with a statement's row."""
        columns = self._layout.rows[position]
        for column, entry in zip(columns.positive, iterators, strict=True):
            result[column] += sign * entry
        if columns.negative:
            for column, entry in zip(columns.negative, iterators, strict=True):
                result[column] -= sign * entry
        result[columns.constant] += sign * constant

    def _independence(
        self, statement: ScheduledStatement, complement: Sequence[Row]
    ) -> tuple[Constraints, ...]:
        """The alternatives that make a statement's row independent of those found.

        The product with some vector of the `complement` must not be zero, with either sign
        (section 4.1 needs both). Where the products cannot be negative, their sum says it in one.
        """
        columns = self._layout.rows[statement.position]
        if not columns.negative and all(entry >= 0 for row in complement for entry in row):
            total = tuple(map(sum, zip(*complement, strict=True)))
            return ((self._at_least_one(statement.position, 1, total),),)
        return tuple(
            (self._at_least_one(statement.position, sign, row),)
            for row in complement
            for sign in (1, -1)
        )

    def _at_least_one(self, position: int, sign: int, iterators: Row) -> Row:
        result = [0] * (self._layout.width + 1)
        self._add_row(result, position, sign, iterators, 0)
        result[-1] = -1
        return tuple(result)

    def _decode(self, position: int, solution: Row) -> AffineRow:
        columns = self._layout.rows[position]
        coefficients = [solution[column] for column in columns.positive]
        for iterator, column in enumerate(columns.negative):
            coefficients[iterator] -= solution[column]
        return AffineRow(tuple(coefficients), solution[columns.constant])
