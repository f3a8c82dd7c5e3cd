"""Convex sets around sets."""

from __future__ import annotations

import islpy as isl
import pytest

from polyir.sets.hulls import convex_with_strides


@pytest.mark.parametrize(
    ("values", "hull"),
    [
        (
            # No value is below 0, where floor(t/6) is not.
            "[m] -> { [t] : m <= 7 and exists i, j : t = 6i + j and 0 <= i < m and 0 <= j < m-1 }",
            "[m] -> { [t] : 0 <= t <= 7m - 8 and m <= 7 }",
        ),
        (
            "{ [t] : t mod 4 = 1 and 0 <= t <= 8 or t = 21 }",
            "{ [t] : t mod 4 = 1 and 1 <= t <= 21 }",
        ),
        ("{ [t] : t >= 3 or t <= 0 }", "{ [t] : t >= 3 or t <= 0 }"),
    ],
)
def test_convex_with_strides(values: str, hull: str) -> None:
    found = convex_with_strides(isl.Set(values))
    assert isl.Set(values).is_subset(found)
    assert found.is_equal(isl.Set(hull))
