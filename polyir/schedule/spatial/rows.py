"""What the two integer problems have in common: paper 001, sections 4.4 and 4.6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polyir.schedule.dependences import Dependence
from polyir.schedule.integer_program import Constraints, lexicographic_minimum_of_choices
from polyir.schedule.linear import Row, orthogonal_complement
from polyir.schedule.problem import ScheduledStatement
from polyir.schedule.proximity_row import MINIMA_LIMIT, rows_left
from polyir.schedule.signed_row import SignedRows
from polyir.schedule.tree import Hyperplane

Choice = tuple[Constraints, ...]
"""Alternatives, one of which must hold."""


@dataclass(frozen=True)
class RowQuestion:
    """What is asked of one row of `statements`.

    Ordered ones of `dependences` must not have a negative distance. With `coincident`,
    coincident ones have distance zero. `found` gives for each statement the directions that
    need no further row.
    """

    statements: tuple[ScheduledStatement, ...]
    parameter_count: int
    dependences: tuple[Dependence, ...]
    found: Mapping[int, tuple[Row, ...]]
    coincident: bool

    @property
    def rows_left(self) -> int:
        """How many rows are to be found, this one among them."""
        return rows_left(self.statements, self.found)

    def program(self, parameters: int, iterators: int) -> SignedRows:
        """The integer program of the row, with two leading unknowns.

        They are the sums of the coefficients of parameters and of iterators, which come first
        in the order in which they are numbered.
        """
        rows = SignedRows(self.statements, self.parameter_count, 2)
        rows.define_coefficient_sums(parameters, iterators)
        rows.limit_coefficients(self.statements)
        for dependence in self.dependences:
            if dependence.is_local or (self.coincident and dependence.is_coincident):
                rows.demand_zero_distance(dependence)
            elif dependence.is_ordered:
                rows.demand_order(dependence)
        return rows

    def independence(self, rows: SignedRows, *, slack: bool) -> list[Choice]:
        """For each statement that needs a row the ways in which it can be a new one.

        With `slack`, nothing is asked of a statement that needs fewer rows than others.
        """
        choices = []
        for statement in self.statements:
            complement = orthogonal_complement(self.found[statement.position], statement.depth)
            if complement and (not slack or len(complement) == self.rows_left):
                choices.append(rows.non_zero(statement.position, complement))
        return choices


def minimum(rows: SignedRows, choices: Sequence[Choice]) -> Row | None:
    """The smallest solution that meets one alternative of every choice, if there is one."""
    return lexicographic_minimum_of_choices(rows.program, choices, MINIMA_LIMIT)


def vanish(dependences: Sequence[Dependence], row: Hyperplane) -> bool:
    """Whether all distances along `row` are zero by Farkas' lemma."""
    return all(each.vanishes_on(row) for each in dependences)
