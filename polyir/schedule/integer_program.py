"""Lexicographic minima of integer programs, by isl."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from functools import partial
from itertools import count

import islpy as isl

from polyir.base import budgets
from polyir.base.limits import within_operations
from polyir.schedule.linear import Row

Choice = tuple[isl.BasicSet, ...]
"""Alternatives, of which at least one must hold."""


def lexicographic_minimum(solutions: isl.BasicSet) -> isl.Point | None:
    """The lexicographically smallest integer point of `solutions`, which has no parameters.

    All dimensions of `solutions` must have a lower bound. `None` if it is empty.
    """
    # `lexmin` would look for an integer point first, to find out for which parameters there is
    # one. That can take hours where the minimum itself takes milliseconds.
    everywhere = isl.BasicSet.universe(solutions.get_space().params())
    minimum, _ = solutions.partial_lexmin(everywhere)
    return None if minimum.is_empty() else minimum.sample_point()


def lexicographic_minimum_of_choices(
    solutions: isl.BasicSet, choices: Sequence[Choice], limit: int
) -> Row | None:
    """The smallest point of `solutions` that is in one alternative of every choice.

    Choices are only made where the minimum without them is in no alternative, smallest minimum
    first (branch and bound), so the result is exact, unless a minimum takes isl too many
    operations: its part is left out. `None` if there is no solution, or none after `limit` minima.
    """
    for choice in choices:
        if len(choice) == 1:
            solutions = solutions.intersect(choice[0])
    open_choices = [choice for choice in choices if len(choice) > 1]
    order = count()
    queue: list[tuple[Row, int, isl.Point, isl.BasicSet]] = []

    def push(part: isl.BasicSet) -> None:
        minimum = partial(lexicographic_minimum, part)
        point = within_operations(budgets.INTEGER_PROGRAM, minimum)
        if point is not None:
            heapq.heappush(queue, (_coordinates(point), next(order), point, part))

    push(solutions)
    solved = 1
    while queue:
        coordinates, _, point, part = heapq.heappop(queue)
        unmet = next((each for each in open_choices if not _meets(point, each)), None)
        if unmet is None:
            return coordinates
        if solved >= limit:
            return None
        for alternative in unmet:
            push(part.intersect(alternative))
            solved += 1
    return None


def _meets(point: isl.Point, choice: Choice) -> bool:
    where = isl.BasicSet.from_point(point)
    return any(where.is_subset(alternative) for alternative in choice)


def _coordinates(point: isl.Point) -> Row:
    # To ask for them one by one takes four times as long as to print all.
    text = str(point)
    entries = text[text.index("[") + 1 : text.rindex("]")]
    return tuple(map(int, entries.split(","))) if entries else ()
