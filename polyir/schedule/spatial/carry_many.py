"""The row that carries as many groups of reuse as possible: paper 001, section 4.6, formula (5)."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from polyir.schedule.dependences import Dependence
from polyir.schedule.linear import Row
from polyir.schedule.proximity_row import MINIMA_LIMIT
from polyir.schedule.signed_row import SignedRows
from polyir.schedule.spatial.locality_graph import LocalityGroup, by_priority
from polyir.schedule.spatial.rows import Choice, RowQuestion, minimum
from polyir.schedule.tree import Hyperplane

ITERATORS, PARAMETERS = range(2)

Group = tuple[Dependence, ...]


@dataclass(frozen=True)
class CarryingRow:
    """A row, and how many groups of spatial reuse it carries."""

    hyperplane: Hyperplane
    carried: int


def row_carrying_many(question: RowQuestion, groups: Sequence[LocalityGroup]) -> CarryingRow | None:
    """The row with the smallest coefficients that carries the spatial reuse of most groups.

    Formula (5): first the sum of the iterators' coefficients is minimised, so that loops are not
    skewed for the sake of locality, then the number of groups that are not carried, then the sum
    of the parameters' coefficients. A group is carried if all its distances are at least 1, or
    all are at most -1, for lines have no direction. Slack is not used: a statement that could
    wait for a later row would carry nothing.

    `None` if there is no row at all.
    """
    rows = question.program(PARAMETERS, ITERATORS)
    choices = question.independence(rows, slack=False)
    first = minimum(rows, choices)
    if first is None:
        return None
    # No larger than the minimum.
    shortest = [0] * (rows.width + 1)
    shortest[ITERATORS], shortest[-1] = -1, first[ITERATORS]
    search = _Search(rows, [*choices, ((tuple(shortest),),)], first)
    return search.best([each.spatial for each in by_priority(groups) if each.spatial])


@dataclass(frozen=True)
class _State:
    """Groups up to some number decided: the demands to carry some, and the smallest solution."""

    demands: tuple[Choice, ...]
    solution: Row


class _Search:
    """Looks for the largest set of groups that one row carries, fewest given up first."""

    def __init__(self, rows: SignedRows, choices: Sequence[Choice], first: Row) -> None:
        self._rows = rows
        self._choices = tuple(choices)
        self._first = _State((), first)
        self._solved = 0

    def best(self, groups: Sequence[Group]) -> CarryingRow:
        """The row that carries most of `groups`; the first ones, where that leaves a choice."""
        possible = [group for group in groups if self._carrying(self._first, group) is not None]
        order = count()
        queue = [(0, 0, next(order), self._first)]
        while True:
            given_up, progress, _, state = heapq.heappop(queue)
            if progress == -len(possible) or self._solved >= MINIMA_LIMIT:
                row = self._rows.decode(state.solution)
                return CarryingRow(row, sum(is_carried(group, row) for group in groups))
            carrying = self._carrying(state, possible[-progress])
            if carrying is not None:
                heapq.heappush(queue, (given_up, progress - 1, next(order), carrying))
            heapq.heappush(queue, (given_up + 1, progress - 1, next(order), state))

    def _carrying(self, state: _State, group: Group) -> _State | None:
        """The state in which `group` is carried too, if that is possible."""
        demand: Choice = tuple(
            tuple(row for each in group for row in self._rows.at_least_one(each, sign))
            for sign in (1, -1)
        )
        demands = (*state.demands, demand)
        if is_carried(group, self._rows.decode(state.solution)):
            return _State(demands, state.solution)
        self._solved += 1
        solution = minimum(self._rows, (*self._choices, *demands))
        return None if solution is None else _State(demands, solution)


def is_carried(group: Group, row: Hyperplane) -> bool:
    """Whether all distances along `row` are at least 1, or all at most -1."""
    return any(all(each.is_carried_by(row, sign) for each in group) for sign in (1, -1))
