"""Schedulers do not run through two loops by one row that coalesces them."""

from __future__ import annotations

from collections.abc import Callable

import islpy as isl
import pytest

from polyir.schedule.constraints import ScheduleConstraints, coefficient_bounds
from polyir.schedule.isl_style import isl_style_schedule
from polyir.schedule.pluto import pluto_schedule
from polyir.schedule.tree import ScheduleResult


@pytest.mark.parametrize(
    ("domain", "bounds"),
    [
        ("[n] -> { S[i, j] : 0 <= i < n and 0 <= j <= 25 }", (13, None)),
        ("[n] -> { S[i, j] : 0 <= i < n and 0 <= j < n }", (None, None)),
        ("[n] -> { S[i, j] : 0 <= i < n and 0 <= j < n and n <= 9 }", (5, 5)),
        ("{ S[i, j, k] : 0 <= i < 100 and 0 <= j < 3 and k = 7 }", (1, 1, 2)),
        ("{ S[i] : 0 <= i < 100 }", (None,)),
        ("{ S[i, j] : i < j < i }", (None, None)),
    ],
)
def test_bounds(domain: str, bounds: tuple[int | None, ...]) -> None:
    assert coefficient_bounds(isl.Set(domain)) == bounds


# Each instance must run before the next one, and j has 26 values at most.
DOMAIN = isl.UnionSet("[n] -> { S[i, j] : 0 <= i < n and 0 <= j < n }")
CONTEXT = isl.Set("[n] -> { : n <= 26 }")
NEXT = isl.UnionMap(
    "[n] -> { S[i, j] -> S[i, j + 1] : 0 <= i < n <= 26 and 0 <= j < n - 1;"
    " S[i, j] -> S[i + 1, 0] : 0 <= i < n - 1 and j = n - 1 and n <= 26 }"
)
PROBLEM = ScheduleConstraints(DOMAIN, CONTEXT, NEXT, NEXT, ("S",), NEXT)


@pytest.mark.parametrize("schedule", [pluto_schedule, isl_style_schedule])
def test_rows_are_loops(schedule: Callable[[ScheduleConstraints], ScheduleResult]) -> None:
    result = schedule(PROBLEM)
    expected = isl.UnionMap("{ S[i, j] -> [i, j] }")
    assert result.schedule.map.gist_domain(DOMAIN).is_equal(expected)
