"""The two rows that look at the reuse of array references: one carries little, one carries much.

Zinenko et al., "Unified Polyhedral Modeling of Temporal and Spatial Locality", 2017, sections 4.4
and 4.6.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from polyir.schedule.constraints import ScheduledStatement, Spanned, rows_left
from polyir.schedule.dependences import DependenceEdge
from polyir.schedule.integer_program import Choice
from polyir.schedule.row_problem import MINIMA_LIMIT, ObjectiveTerm, RowForm, RowProblem
from polyir.schedule.spatial.locality_graph import LocalityGroup, by_priority
from polyir.schedule.tree import Hyperplane

FEW_FORM = RowForm(
    (ObjectiveTerm.PARAMETER_SUM, ObjectiveTerm.ITERATOR_SUM), signed=True, parametric=True
)
MANY_FORM = RowForm(
    (ObjectiveTerm.ITERATOR_SUM, ObjectiveTerm.PARAMETER_SUM), signed=True, parametric=True
)


@dataclass(frozen=True)
class CarryingRow:
    """A row, and how many groups of spatial reuse it carries."""

    hyperplane: Hyperplane
    carried: int


class LocalityRows:
    """The integer programs for rows of `statements` under `edges`, each of which is made once.

    Validity edges must not have a negative distance. Where rows are to be coincident, coincidence
    edges have distance zero. A row must be new to what is `spanned`.
    """

    def __init__(
        self,
        statements: Sequence[ScheduledStatement],
        parameter_count: int,
        edges: Sequence[DependenceEdge],
    ) -> None:
        self.statements = tuple(statements)
        self._parameter_count = parameter_count
        self._edges = tuple(edges)
        self._problems: dict[tuple[RowForm, bool], RowProblem] = {}

    def _problem(self, form: RowForm, coincident: bool) -> RowProblem:
        """The integer program without the condition that the row is a new one."""
        key = form, coincident
        if key not in self._problems:
            problem = RowProblem(self.statements, self._parameter_count, form)
            problem.limit_coefficients()
            problem.add_edges(self._edges, coincident=coincident)
            self._problems[key] = problem
        return self._problems[key]

    def carrying_few(
        self, groups: Sequence[LocalityGroup], spanned: Spanned, *, coincident: bool
    ) -> Hyperplane | None:
        """The row whose distances along the reuse of `groups` are zero, as far as possible.

        Formula 4 minimises a bound on the distances of each group, first of the temporal and then
        of the spatial ones, in the order of rank and multiplicity. The first one that is not zero
        is taken out, and the minimum is searched again, until all that are left are zero. In
        other words: in this order, each is required to be zero if it can be, together with those
        required before. It is done in this way here, without unknowns for the bounds. Among the
        rows that are left, the sum of the parameters' coefficients is minimised, then that of the
        iterators'.

        `None` if there is no row at all.
        """
        problem = self._problem(FEW_FORM, coincident)
        left = rows_left(self.statements, spanned)
        choices = problem.independence(spanned, needing=left)
        solution = problem.solve(choices)
        if solution is None:
            return None
        met: list[tuple[DependenceEdge, ...]] = []
        for part in _parts(groups):
            if all(each.vanishes_on(solution.hyperplane) for each in part):
                # The solution is the smallest one of fewer demands, and meets this one.
                met.append(part)
                continue
            choices += [(problem.zero_distance(each),) for each in met]
            met = []
            demand: Choice = (problem.zero_distance(part),)
            other = problem.solve([*choices, demand])
            if other is not None:
                choices.append(demand)
                solution = other
        return solution.hyperplane

    def carrying_many(
        self, groups: Sequence[LocalityGroup], spanned: Spanned, *, coincident: bool
    ) -> CarryingRow | None:
        """The row with the smallest coefficients that carries the spatial reuse of most groups.

        Formula 5: first the sum of the iterators' coefficients is minimised, so that loops are
        not skewed for the sake of locality, then the number of groups that are not carried, then
        the sum of the parameters' coefficients. A group is carried if all its distances are at
        least 1, or all are at most -1, for lines have no direction. Slack is not used: a
        statement that could wait for a later row would carry nothing.

        `None` if there is no row at all.
        """
        problem = self._problem(MANY_FORM, coincident)
        choices = problem.independence(spanned)
        first = problem.solve(choices)
        if first is None:
            return None
        rows = first.hyperplane.values()
        least = sum(abs(entry) for row in rows for entry in row.coefficients)
        choices.append((problem.at_most(ObjectiveTerm.ITERATOR_SUM, least),))
        search = _Search(problem, choices, first.hyperplane)
        return search.best([each.spatial for each in by_priority(groups) if each.spatial])


def _parts(groups: Sequence[LocalityGroup]) -> list[tuple[DependenceEdge, ...]]:
    """What is to be zero, the most important first."""
    ordered = by_priority(groups)
    return [part for group in ordered for part in (group.temporal, group.spatial) if part]


Reuse = tuple[DependenceEdge, ...]
"""The spatial reuse of one group."""


@dataclass(frozen=True)
class _State:
    """Groups up to some number are decided: the demands to carry some, and the smallest row."""

    demands: tuple[Choice, ...]
    row: Hyperplane


class _Search:
    """Looks for the largest set of groups that one row carries, fewest given up first."""

    def __init__(self, problem: RowProblem, choices: Sequence[Choice], first: Hyperplane) -> None:
        self._problem = problem
        self._choices = tuple(choices)
        self._first = _State((), first)
        self._solved = 0

    def best(self, groups: Sequence[Reuse]) -> CarryingRow:
        """The row that carries most of `groups`; the first ones, where that leaves a choice."""
        possible = [group for group in groups if self._carrying(self._first, group) is not None]
        order = count()
        queue = [(0, 0, next(order), self._first)]
        while True:
            given_up, progress, _, state = heapq.heappop(queue)
            if progress == -len(possible) or self._solved >= MINIMA_LIMIT:
                carried = sum(is_carried(group, state.row) for group in groups)
                return CarryingRow(state.row, carried)
            carrying = self._carrying(state, possible[-progress])
            if carrying is not None:
                heapq.heappush(queue, (given_up, progress - 1, next(order), carrying))
            heapq.heappush(queue, (given_up + 1, progress - 1, next(order), state))

    def _carrying(self, state: _State, group: Reuse) -> _State | None:
        """The state in which `group` is carried too, if that is possible."""
        demand = tuple(self._problem.carried(group, sign) for sign in (1, -1))
        demands = (*state.demands, demand)
        if is_carried(group, state.row):
            return _State(demands, state.row)
        self._solved += 1
        solution = self._problem.solve((*self._choices, *demands))
        return None if solution is None else _State(demands, solution.hyperplane)


def is_carried(group: Reuse, row: Hyperplane) -> bool:
    """Whether all distances along `row` are at least 1, or all at most -1."""
    return any(all(each.is_carried_by(row, sign) for each in group) for sign in (1, -1))
