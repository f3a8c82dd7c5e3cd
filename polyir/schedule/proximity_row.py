"""One row of a band in isl's manner: the integer program of paper 001, section 3.2, formula (3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from polyir.schedule.dependences import Dependence
from polyir.schedule.hyperplane import BoundedHyperplane
from polyir.schedule.integer_program import lexicographic_minimum_of_choices
from polyir.schedule.linear import Row, orthogonal_complement, rank
from polyir.schedule.problem import ScheduledStatement
from polyir.schedule.signed_row import SignedRows
from polyir.schedule.tree import DistanceBound

BOUND_SUM, BOUND_CONSTANT, PARAMETERS, ITERATORS, FIRST_BOUND = range(5)
"""The leading unknowns: the sum of the bound's coefficients without their signs, the bound's
constant w, the sums of the rows' coefficients of parameters and of iterators; then for each
parameter the negative and the positive part of its coefficient u in the bound."""

MINIMA_LIMIT = 400
"""How many integer programs one row may take."""


class ProximityRows:
    """The integer program for one row of `statements`, to be solved again and again.

    Ordered dependences have no negative distance; of those that are near the distance is
    bounded by u.n + w. With `coincident`, coincident ones have distance zero.
    """

    def __init__(
        self,
        statements: Sequence[ScheduledStatement],
        parameter_count: int,
        dependences: Sequence[Dependence],
        *,
        coincident: bool,
    ) -> None:
        self._statements = tuple(statements)
        self._negative = tuple(FIRST_BOUND + 2 * place for place in range(parameter_count))
        self._positive = tuple(column + 1 for column in self._negative)
        self._rows = SignedRows(statements, parameter_count, FIRST_BOUND + 2 * parameter_count)
        self._rows.define_sum(BOUND_SUM, self._negative + self._positive)
        self._rows.define_coefficient_sums(PARAMETERS, ITERATORS)
        self._rows.limit_coefficients(statements)
        for dependence in dependences:
            if dependence.is_local or (coincident and dependence.is_coincident):
                self._rows.demand_zero_distance(dependence)
                continue
            if dependence.is_ordered:
                self._rows.demand_order(dependence)
            if dependence.is_near:
                self._demand_bound(dependence, 1)
                if not dependence.is_ordered:
                    self._demand_bound(dependence, -1)

    def solve(self, found: Mapping[int, Sequence[Row]]) -> BoundedHyperplane | None:
        """The best row that is new for the statements that need one now, or `None`.

        `found` gives for each statement the directions that need no further row. A statement
        with fewer rows to come than others has slack: nothing is asked of it until as many are
        left as it needs (section 3.3).
        """
        left = rows_left(self._statements, found)
        choices = [
            self._rows.non_zero(statement.position, complement)
            for statement in self._statements
            if left
            and len(complement := orthogonal_complement(found[statement.position], statement.depth))
            == left
        ]
        solution = lexicographic_minimum_of_choices(self._rows.program, choices, MINIMA_LIMIT)
        if solution is None:
            return None
        bound = DistanceBound(
            tuple(
                solution[positive] - solution[negative]
                for positive, negative in zip(self._positive, self._negative, strict=True)
            ),
            solution[BOUND_CONSTANT],
        )
        return BoundedHyperplane(self._rows.decode(solution), bound)

    def _demand_bound(self, dependence: Dependence, sign: int) -> None:
        """Demand that u.n + w is at least `sign` times the distance."""
        program = self._rows.program
        for cone, add in (
            (dependence.forms.equalities, program.add_equality),
            (dependence.forms.inequalities, program.add_inequality),
        ):
            for row in cone:
                constraint = self._rows.distance_row(dependence, row, -sign)
                constraint[BOUND_CONSTANT] += row[0]
                for place, (positive, negative) in enumerate(
                    zip(self._positive, self._negative, strict=True)
                ):
                    constraint[positive] += row[1 + place]
                    constraint[negative] -= row[1 + place]
                add(constraint)


def rows_left(statements: Sequence[ScheduledStatement], found: Mapping[int, Sequence[Row]]) -> int:
    """The largest number of rows that one of `statements` still needs."""
    needs = (each.depth - rank(found[each.position], each.depth) for each in statements)
    return max(needs, default=0)
