"""Divided loops: which of them have the same blocks."""

from __future__ import annotations

import islpy as isl
import pytest

from polyir.distributed.phases import TiledRange

EVEN = "[n] -> {{ [{0}] : n > 3 and n mod 2 = 0 }}"


@pytest.mark.parametrize(
    ("greatest", "is_near"), [("n/2 - 1", True), ("(n + 4)/2", True), ("n - 1", False)]
)
def test_bounds_that_are_fractions_of_a_parameter(greatest: str, is_near: bool) -> None:
    """They are integers all the same, for these parameters."""

    def loop(last: str) -> TiledRange:
        return TiledRange(isl.PwAff(EVEN.format("0")), isl.PwAff(EVEN.format(last)), 1, 0)

    assert loop("floor((n + 1)/2)").is_near(loop(greatest)) is is_near
