"""Numbers of points against isl's, which visits each."""

from __future__ import annotations

import islpy as isl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyir.distributed.counting import CountingError, fixed, number_of_points

SETS = [
    "{ [] : 1 = 1 }",
    "{ [i] : i > 3 and i < 2 }",
    "{ [i, j, k] : 0 <= i < j < k < 30 }",
    "{ [s, i, j] : s mod 32 = 0 and 0 <= s < 99 and (i + s) mod 2 = 0 and 0 <= i <= s + 3"
    " and 0 <= j < 7 }",
    "{ [s, i] : 0 <= i < 50 and s = floor(i / 3) + floor((i + 1) / 4) }",
    "{ [i, j] : 0 <= i < 50 and 2 i <= 3 j <= 5 i + 4 }",
    "{ [i, j] : 0 <= i <= 50 and 0 <= j <= 10 and (i > 2 j or i + j < 7) }",
    "{ [i, j] : 2 i = 3 j and 0 <= i < 50 }",
    "{ [i] : exists (j : 0 <= j < 20 and i = 3 j) or exists (j : 0 <= j < 9 and i = 4 j) }",
    "{ A[i, j, k] : 0 <= i < 9 and i <= j + k <= 2 i and -5 <= j - k <= 3 }",
]


@pytest.mark.parametrize("text", SETS)
def test_numbers_are_those_of_isl(text: str) -> None:
    points = isl.Set(text)
    assert number_of_points(points) == points.count_val().to_python()


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-3, 20), *[st.integers(-3, 3)] * 3), min_size=0, max_size=4),
    st.integers(1, 5),
)
def test_random_sets(rows: list[tuple[int, int, int, int]], stride: int) -> None:
    bounds = [f"{a} + {b} x + {c} y + {d} z >= 0" for a, b, c, d in rows]
    box = "0 <= x < 8 and -4 <= y < 5 and 0 <= z < 6"
    points = isl.Set(
        f"{{ [x, y, z] : {' and '.join([box, *bounds])} and (x + y) mod {stride} = 0 }}"
    )
    assert number_of_points(points) == points.count_val().to_python()


def test_large_sets_are_not_visited() -> None:
    n = 10**9
    triangle = isl.Set(f"{{ [i, j, k] : 0 <= i < j < k < {n} }}")
    assert number_of_points(triangle) == n * (n - 1) * (n - 2) // 6


def test_what_cannot_be_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyir.distributed.counting.MOST_VISITED", 50)
    for text in ("{ [i] : i >= 0 }", "{ [i, j] : 0 <= i < 4 }"):
        with pytest.raises(CountingError, match="not bounded"):
            number_of_points(isl.Set(text))
    with pytest.raises(CountingError, match="visits"):
        number_of_points(isl.Set("{ [i, j] : 0 <= 2 i + 3 j <= 5 and 0 <= 3 i - 5 j < 99999999 }"))


def test_parameters_are_replaced() -> None:
    points = fixed(isl.Set("[n, m] -> { [i] : 0 <= i < n + m }"), {"n": 3, "m": 4, "other": 1})
    assert points.dim(isl.dim_type.param) == 0
    assert number_of_points(points) == 7
