"""Boxes around sets and relations."""

from __future__ import annotations

import islpy as isl
import pytest

from polyir.sets.boxes import constant_box, ends_of, most_values, shape_of


@pytest.mark.parametrize(
    ("points", "ends"),
    [
        ("{ [x, y] : 2 <= x <= 9 and y = 3x }", ((2, 9), (6, 27))),
        ("{ [x, y] : 0 <= x <= y and x + 2y <= 7 }", ((0, 2), (0, 3))),
        ("{ [x, y] : (x = 1 or x = 5) and -3 <= y < x }", ((1, 5), (-3, 4))),
        ("[n] -> { [x, y] : n <= 4 and 0 <= x < n and n - 2 <= y <= n }", ((0, 3), (-1, 4))),
        ("{ [x, 2x] : exists e : x = 3e and 1 <= x <= 8 }", ((3, 6), (6, 12))),
        ("{ [] }", ()),
    ],
)
def test_the_constant_box_is_the_smallest(points: str, ends: tuple[tuple[int, int], ...]) -> None:
    assert constant_box(isl.Set(points)) == ends
    assert shape_of(isl.Set(points)) == tuple(last - first + 1 for first, last in ends)


def test_ends_that_are_not_there() -> None:
    assert ends_of(isl.Set("[n] -> { [x] : 3 <= x < n }"), 0) == (3, None)
    assert ends_of(isl.Set("{ [x, y] : x <= 2 and y = x }"), 1) == (None, 2)
    assert ends_of(isl.Set("{ [x] : false }"), 0) == (None, None)
    assert shape_of(isl.Set("{ [x, y] : false }")) == (0, 0)


@pytest.mark.parametrize(
    ("values", "most"),
    [
        ("[n] -> { [i] -> [v] : 0 <= i < n and 4i <= v <= 4i + 3 and v < n }", 4),
        ("[n] -> { [i] -> [v] : 0 <= i < n and n <= v < n + 5 }", 5),
        ("{ [i] -> [v] : 0 <= v <= i <= 6 }", 7),
        ("{ [i, j] -> [v] : (v = i or v = i + 2j) and 0 <= j <= 3 }", 7),
        ("[n] -> { [i] -> [v] : 0 <= v < n }", None),
        ("{ [i] -> [v] : false }", None),
    ],
)
def test_the_most_values_of_one_iteration(values: str, most: int | None) -> None:
    assert most_values(isl.Map(values)) == most
