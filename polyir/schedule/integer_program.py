"""Lexicographic minima of integer programs over non-negative variables, through isl."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count

import islpy as isl

from polyir.limits import within_operations
from polyir.schedule.linear import Row, dot, primitive
from polyir.schedule.matrices import entries_of, matrix_of

Constraints = tuple[Row, ...]
"""Rows of coefficients, one for each variable, and a constant last: `row . (x, 1) >= 0`."""


OPERATIONS_LIMIT, OPERATIONS_A_ROW = 5_000, 20
"""What one minimum may take, more than any of those that PolyBench and long chains lead to."""

FAILURE_COST = 500_000
"""What a minimum that was given up counts as: its numbers are huge, and so is its time."""


ENTRIES_AN_OPERATION, PLACES_AN_OPERATION = 512, 4096
"""How many entries of a tableau, and how many places in it, isl goes over in the time of one of
its other operations: a small tableau stays sparse, a large one does not."""

USUAL_OPERATIONS, USUAL_OPERATIONS_A_ROW, VARIABLES_AN_OPERATION = 200, 10, 5
"""What making constraints irredundant takes with all that PolyBench and long chains lead to: so
many operations, so many for each row, and for each row one for so many variables."""

HARD_OPERATION = 2000
"""What each operation after those counts as."""


@dataclass
class IntegerProgram:
    """Linear constraints over `width` non-negative integer variables, each kept once."""

    width: int
    _equalities: dict[Row, None] = field(default_factory=dict)
    _inequalities: dict[Row, None] = field(default_factory=dict)
    _reduced: isl.BasicSet | None = field(default=None, init=False, repr=False, compare=False)

    def add_equality(self, row: Sequence[int]) -> None:
        """Demand `row . (x, 1) = 0`."""
        if any(row):
            self._equalities[primitive(row)] = None
            self._reduced = None

    def add_inequality(self, row: Sequence[int]) -> None:
        """Demand `row . (x, 1) >= 0`; what the variables' signs imply is dropped."""
        if any(entry < 0 for entry in row):
            self._inequalities[primitive(row)] = None
            self._reduced = None

    def limit(self, variables: Sequence[int], limits: Sequence[int | None]) -> None:
        """Demand that each of `variables` is at most its limit, if it has one."""
        for variable, most in zip(variables, limits, strict=True):
            if most is not None:
                row = [0] * (self.width + 1)
                row[variable], row[-1] = -1, most
                self.add_inequality(row)

    @property
    def equalities(self) -> tuple[Row, ...]:
        """The equalities."""
        return tuple(self._equalities)

    @property
    def inequalities(self) -> tuple[Row, ...]:
        """The inequalities, without the signs of the variables."""
        return tuple(self._inequalities)

    def without_redundancies(self) -> IntegerProgram:
        """The same solutions from no more constraints than needed."""
        if len(self._inequalities) + len(self._equalities) < 2:
            return self
        reduced = self._polyhedron()
        result = IntegerProgram(self.width)
        for row in entries_of(reduced.equalities_matrix(*_COLUMNS)):
            result.add_equality(row)
        for row in entries_of(reduced.inequalities_matrix(*_COLUMNS)):
            result.add_inequality(row)
        result._reduced = reduced
        return result

    def lexicographic_minimum(self, extra: Iterable[Row] = ()) -> Row | None:
        """The lexicographically smallest solution, with `extra` inequalities.

        `None` if there is no solution, or none that isl finds within the limit.
        """
        polyhedron = self._polyhedron().intersect(self._solutions((), extra))
        # isl's cutting planes may take for ever, most of all where constraints are redundant.
        reduced = polyhedron.remove_redundancies()
        # isl proves emptiness much faster than it fails to find a minimum.
        if reduced.is_empty():
            return None
        limit = OPERATIONS_LIMIT + OPERATIONS_A_ROW * (self.width + len(self._inequalities))
        minimum = within_operations(limit, reduced.lexmin)
        if minimum is None or minimum.is_empty():
            return None
        point = minimum.sample_point()
        return tuple(
            point.get_coordinate_val(isl.dim_type.set, variable).to_python()
            for variable in range(self.width)
        )

    def _polyhedron(self) -> isl.BasicSet:
        """All solutions, without redundant constraints; kept, for many minima may be asked for."""
        if self._reduced is None:
            signs = isl.BasicSet.positive_orthant(self._space())
            demanded = self._solutions(self._equalities, self._inequalities)
            solutions = signs.intersect(demanded)
            self._reduced = solutions.remove_redundancies()
        return self._reduced

    def _solutions(self, equalities: Iterable[Row], inequalities: Iterable[Row]) -> isl.BasicSet:
        return isl.BasicSet.from_constraint_matrices(
            self._space(),
            matrix_of(list(equalities), self.width + 1),
            matrix_of(list(inequalities), self.width + 1),
            *_COLUMNS,
        )

    def _space(self) -> isl.Space:
        return isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, self.width)


_COLUMNS = (isl.dim_type.set, isl.dim_type.div, isl.dim_type.param, isl.dim_type.cst)
"""The order of columns in constraint matrices: the variables, and the constant last."""


def lexicographic_minimum_of_choices(
    program: IntegerProgram,
    choices: Sequence[tuple[Constraints, ...]],
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


def _meets(solution: Row, choice: tuple[Constraints, ...]) -> bool:
    extended = (*solution, 1)
    return any(all(dot(row, extended) >= 0 for row in alternative) for alternative in choice)
