"""Which parallel loops do equal work in all their iterations."""

from __future__ import annotations

from few_operations import budget_of

from polyir.base.limits import within_operations
from polyir.transform.balance import is_balanced
from polyir.tree import ScheduleNode
from polyir.tree.isl_border import from_text

SKEWED_TILES = """{ domain: "[m, n] -> { S[t, i] : 0 <= t < m and 0 < i < n - 1 }", child: {
  schedule: "[m, n] -> [
    { S[t, i] -> [32 * floor(t / 32) + 32 * floor((2t + i) / 32)] },
    { S[t, i] -> [32 * floor((2t + i) / 32)] }]", child: {
  schedule: "[m, n] -> [{ S[t, i] -> [t] }, { S[t, i] -> [2t + i] }]" } } }"""

TRIANGLE = """{ domain: "[n] -> { S[i, j] : 0 <= i < n and 0 <= j <= i }", child: {
  schedule: "[n] -> [{ S[i, j] -> [i] }, { S[i, j] -> [j] }]" } }"""

TILES = """{ domain: "{ S[i] : 0 <= i < 100 }", child: {
  schedule: "[{ S[i] -> [SIZE * floor(i / SIZE)] }, { S[i] -> [i] }]" } }"""


def outermost_band(tree: str) -> ScheduleNode:
    return from_text(" ".join(tree.split())).root.child(0)


def test_skewed_tiles_are_seen_to_be_balanced_with_few_operations() -> None:
    band = outermost_band(SKEWED_TILES)
    assert within_operations(budget_of(50_000), lambda: is_balanced(band, 1)) is True


def test_a_triangle_is_not_balanced() -> None:
    assert not is_balanced(outermost_band(TRIANGLE), 0)


def test_without_parameters_iterations_differ_by_less_than_the_step() -> None:
    assert not is_balanced(outermost_band(TRIANGLE.replace("< n", "< 40")), 0)
    assert is_balanced(outermost_band(TILES.replace("SIZE", "32")), 0)
    # Few large tiles must be equal.
    assert not is_balanced(outermost_band(TILES.replace("SIZE", "64")), 0)


def test_many_instances_with_loops_of_their_own_are_not_balanced() -> None:
    square = TRIANGLE.replace("j <= i", "j < n")
    assert is_balanced(outermost_band(square), 0)
    assert not is_balanced(outermost_band(square), 0, uneven=("S",))
    # A few are too short, and one alone even more so.
    assert is_balanced(outermost_band(square.replace("j < n", "j < 3")), 0, uneven=("S",))
    assert is_balanced(outermost_band(square), 1, uneven=("S",))
