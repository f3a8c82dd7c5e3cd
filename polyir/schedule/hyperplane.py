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
from polyir.schedule.layout import Layout
from polyir.schedule.linear import Row, orthogonal_complement
from polyir.schedule.problem import ScheduledStatement
from polyir.schedule.tree import AffineRow, DistanceBound, Hyperplane

MINIMA_LIMIT = 400
"""How many integer programs one hyperplane may take; reached only with many skewed statements."""


@dataclass(frozen=True)
class BoundedHyperplane:
    """A hyperplane and the bound on the dependence distances along it."""

    hyperplane: Hyperplane
    bound: DistanceBound


class HyperplaneProgram:
    """The integer program for one hyperplane of `statements`, to be solved again and again.

    With `signed`, negative coefficients are considered.
    """

    def __init__(
        self,
        statements: Sequence[ScheduledStatement],
        parameter_count: int,
        dependences: Sequence[Dependence],
        *,
        signed: bool = False,
    ) -> None:
        self._statements = tuple(statements)
        self._dependences = tuple(dependences)
        self._signed = signed
        depths = {statement.position: statement.depth for statement in statements}
        self._layout = Layout(parameter_count, depths, signed=signed)
        self._program = IntegerProgram(self._layout.width)
        self._define_bound_sum()
        for statement in self._statements:
            self._limit(statement)
        for dependence in dependences:
            self._add(dependence)
        # Many dependences ask for the same; every minimum pays for what is left.
        self._program = self._program.without_redundancies()

    def solve_independent(self, found: Mapping[int, Sequence[Row]]) -> BoundedHyperplane | None:
        """The best hyperplane that is independent of what was `found`, or `None`.

        `found` gives for each statement the directions that need no further row. A statement
        for which these span everything is not constrained to anything new.
        """
        choices = [
            self._independence(statement, complement)
            for statement in self._statements
            if (complement := orthogonal_complement(found[statement.position], statement.depth))
        ]
        return self._solve(choices)

    def solve_carrying(self) -> BoundedHyperplane | None:
        """The best hyperplane that carries part of some dependence, or `None`.

        By Farkas' lemma a distance that is nowhere negative is a non-negative combination of
        facets of its cone, and zero everywhere only if its product with each of them is zero.
        """
        total = [0] * (self._layout.width + 1)
        for dependence in self._dependences:
            if dependence.is_ordered:
                for row in dependence.distance_facets(self._layout):
                    total = [a + b for a, b in zip(total, row, strict=True)]
        total[-1] = -1
        return self._solve([((tuple(total),),)])

    def _solve(self, choices: Sequence[tuple[Constraints, ...]]) -> BoundedHyperplane | None:
        solution = lexicographic_minimum_of_choices(self._program, choices, MINIMA_LIMIT)
        if solution is None:
            return None
        hyperplane = {position: self._decode(position, solution) for position in self._layout.rows}
        bound = DistanceBound(
            tuple(solution[column] for column in self._layout.bound_coefficients),
            solution[self._layout.bound_constant],
        )
        return BoundedHyperplane(hyperplane, bound)

    def _define_bound_sum(self) -> None:
        row = [0] * (self._layout.width + 1)
        row[self._layout.bound_sum] = -1
        for column in self._layout.bound_coefficients:
            row[column] = 1
        self._program.add_equality(row)

    def _limit(self, statement: ScheduledStatement) -> None:
        """Keep the statement's coefficients below those that coalesce its loops."""
        columns = self._layout.rows[statement.position]
        self._program.limit(columns.positive, statement.coefficient_limits)
        if columns.negative:
            self._program.limit(columns.negative, statement.coefficient_limits)

    def _add(self, dependence: Dependence) -> None:
        """Add the constraints of one dependence, written for its own statements only."""
        part = dependence.layout(signed=self._signed)
        constraints = dependence.constraints(signed=self._signed)
        image = self._layout.embedding(part)
        for row in constraints.equalities:
            self._program.add_equality(self._scattered(row, image))
        for row in constraints.inequalities:
            self._program.add_inequality(self._scattered(row, image))

    def _scattered(self, row: Row, image: Sequence[int]) -> list[int]:
        result = [0] * (self._layout.width + 1)
        result[-1] = row[-1]
        for column, entry in zip(image, row, strict=False):
            result[column] += entry
        return result

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
        self._layout.add_row(result, position, sign, iterators, 0)
        result[-1] = -1
        return tuple(result)

    def _decode(self, position: int, solution: Row) -> AffineRow:
        columns = self._layout.rows[position]
        coefficients = [solution[column] for column in columns.positive]
        for iterator, column in enumerate(columns.negative):
            coefficients[iterator] -= solution[column]
        return AffineRow(tuple(coefficients), solution[columns.constant])
