"""Lexicographic minima of integer programs over non-negative variables, by isl."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from itertools import count

import islpy as isl

from polyir.schedule.linear import Row, dot, matrix_of, primitive

Constraints = tuple[Row, ...]
"""Rows with a coefficient for each variable and a constant last: `row . (x, 1) >= 0`."""

Choice = tuple[Constraints, ...]
"""Alternatives, of which at least one must hold."""


class IntegerProgram:
    """Linear constraints over `width` non-negative integer variables, each kept once."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._equalities: dict[Row, None] = {}
        self._inequalities: dict[Row, None] = {}
        self._solutions: isl.BasicSet | None = None

    def add_equality(self, row: Sequence[int]) -> None:
        """Demand `row . (x, 1) = 0`."""
        if any(row):
            self._equalities[primitive(row)] = None
            self._solutions = None

    def add_inequality(self, row: Sequence[int]) -> None:
        """Demand `row . (x, 1) >= 0`; a row without a negative entry demands nothing."""
        if any(entry < 0 for entry in row):
            self._inequalities[primitive(row)] = None
            self._solutions = None

    def add_sum(self, total: int, variables: Iterable[int]) -> None:
        """Make the variable `total` the sum of `variables`."""
        row = [0] * (self.width + 1)
        row[total] = -1
        for variable in variables:
            row[variable] += 1
        self.add_equality(row)

    def add_upper_bounds(self, variables: Sequence[int], bounds: Sequence[int | None]) -> None:
        """Demand that each of `variables` is at most its bound, if it has one."""
        for variable, bound in zip(variables, bounds, strict=True):
            if bound is not None:
                row = [0] * (self.width + 1)
                row[variable], row[-1] = -1, bound
                self.add_inequality(row)

    def lexicographic_minimum(self, extra: Iterable[Row] = ()) -> Row | None:
        """The lexicographically smallest solution that meets the inequalities `extra` too.

        `None` if there is no solution.
        """
        if self._solutions is None:
            self._solutions = isl.BasicSet.positive_orthant(self._space()).intersect(
                self._polyhedron(self._equalities, self._inequalities)
            )
        solutions = self._solutions.intersect(self._polyhedron((), extra))
        # `lexmin` would look for an integer point first, to find out for which parameters there
        # is one. That can take hours where the minimum itself takes milliseconds.
        everywhere = isl.BasicSet.universe(self._space().params())
        minimum, _ = solutions.partial_lexmin(everywhere)
        if minimum.is_empty():
            return None
        point = minimum.sample_point()
        return tuple(
            point.get_coordinate_val(isl.dim_type.set, variable).to_python()
            for variable in range(self.width)
        )

    def _polyhedron(self, equalities: Iterable[Row], inequalities: Iterable[Row]) -> isl.BasicSet:
        kinds = isl.dim_type
        return isl.BasicSet.from_constraint_matrices(
            self._space(),
            matrix_of(list(equalities), self.width + 1),
            matrix_of(list(inequalities), self.width + 1),
            *(kinds.set, kinds.div, kinds.param, kinds.cst),
        )

    def _space(self) -> isl.Space:
        return isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, self.width)


def lexicographic_minimum_of_choices(
    program: IntegerProgram,
    choices: Sequence[Choice],
    limit: int,
) -> Row | None:
    """The smallest solution of `program` that meets one alternative of every choice.

    Each choice is a disjunction of conjunctions of inequalities. Choices are only made where the
    minimum without them meets no alternative, cheapest minimum first (branch and bound), so the
    result is exact; it is `None` if there is no solution, or none after `limit` minima.
    """
    forced = tuple(row for choice in choices if len(choice) == 1 for row in choice[0])
    open_choices = [choice for choice in choices if len(choice) > 1]
    order = count()
    queue: list[tuple[Row, int, Constraints]] = []

    def push(extra: Constraints) -> None:
        solution = program.lexicographic_minimum(extra)
        if solution is not None:
            heapq.heappush(queue, (solution, next(order), extra))

    push(forced)
    solved = 1
    while queue:
        solution, _, extra = heapq.heappop(queue)
        unmet = next((each for each in open_choices if not _meets(solution, each)), None)
        if unmet is None:
            return solution
        if solved >= limit:
            return None
        for alternative in unmet:
            push(extra + alternative)
            solved += 1
    return None


def _meets(solution: Row, choice: Choice) -> bool:
    extended = (*solution, 1)
    return any(all(dot(row, extended) >= 0 for row in alternative) for alternative in choice)
