"""Trees for isl's AST builder to fall back on: the same order."""

from __future__ import annotations

import islpy as isl
import pytest
from execution import execution, schedule

from polyir.codegen.counted_loops import with_counting_loops
from polyir.codegen.simpler_loops import (
    with_atomic_loops,
    with_loops_of_step_one,
    with_rolled_loops,
)
from polyir.tree import Schedule

TILES = """{ domain: "[n] -> { S[i, j] : 0 <= i, j < n; T[i] : 0 <= i < n }", child: {
  schedule: "[n] -> [{ S[i, j] -> [(4*floor((i)/4))]; T[i] -> [(4*floor((i)/4))] }]",
  permutable: 1, child: {
  schedule: "[n] -> [{ S[i, j] -> [i]; T[i] -> [i] }, { S[i, j] -> [j]; T[i] -> [n] }]",
  options: "{ unroll[x] : x = 1 }" } } }"""

# The values are 1, 3, 5, ...
OFFSET = """{ domain: "[n] -> { S[i] : 0 <= i < n }", child: {
  schedule: "[n] -> [{ S[i] -> [2i + 1] }]" } }"""


def counted_members(tree: Schedule) -> str:
    return str(tree.root.child(0).band.partial_schedule)


@pytest.mark.parametrize("text", [TILES, OFFSET])
def test_the_order_is_the_same(text: str) -> None:
    tree = schedule(text)
    counting = with_counting_loops(tree)
    assert execution(counting, n=7) == execution(tree, n=7)
    assert execution(with_atomic_loops(counting), n=7) == execution(tree, n=7)


# The values of j are every other one, from i on.
DIAGONALS = """{ domain: "[n] -> { S[i, j] : 0 <= i <= j < n and (i + j) mod 2 = 0 }", child: {
  schedule: "[n] -> [{ S[i, j] -> [(i)] }]", child: {
  schedule: "[n] -> [{ S[i, j] -> [(j)] }]" } } }"""


def test_loops_of_step_one() -> None:
    for text in (TILES, OFFSET, DIAGONALS):
        tree = schedule(text)
        assert execution(with_loops_of_step_one(tree), n=7) == execution(tree, n=7)
    tree = with_loops_of_step_one(schedule(DIAGONALS))
    assert "floor" not in counted_members(tree)
    assert "floor((j)/2)" in str(tree.root.child(0).child(0).band.partial_schedule)


# The first and the last iteration of the inner loop are apart.
ISOLATED = """{ domain: "[n] -> { S[i, j] : 0 <= i <= j < n and (i + j) mod 2 = 0 }", child: {
  schedule: "[n] -> [{ S[i, j] -> [(i)] }]", child: {
  schedule: "[n] -> [{ S[i, j] -> [(j)] }]",
  options: "[n] -> { isolate[[i] -> [j]] : i < j < n - 2 }" } } }"""


def test_isolated_iterations_keep_their_loops() -> None:
    tree = schedule(ISOLATED)
    for same in (tree, tree.within(tree.domain)):
        assert with_loops_of_step_one(same) is same


# Whole tiles are apart, in atomic loops.
WHOLE_TILES = (
    "[n] -> { isolate[[t] -> [u, i]] : t <= n - 4 and u <= n - 3; isolate[[] -> atomic[0]] }"
)
ISOLATED_TILES = f"""{{ domain: "[n] -> {{ S[i, j] : 0 <= i, j < n }}", child: {{
  schedule: "[n] -> [{{ S[i, j] -> [(4*floor((i)/4))] }}]", child: {{
  schedule: "[n] -> [{{ S[i, j] -> [(3*floor((j)/3))] }}, {{ S[i, j] -> [(i)] }}]",
  options: "{WHOLE_TILES}", child: {{
  schedule: "[n] -> [{{ S[i, j] -> [(j)] }}]" }} }} }} }}"""


def test_isolated_iterations_name_numbers_of_tiles() -> None:
    tree = schedule(ISOLATED_TILES)
    assert with_counting_loops(tree) is tree
    counting = with_counting_loops(tree, isolated=True)
    assert execution(counting, n=7) == execution(tree, n=7)
    # Below a mark each.
    band = counting.root.child(0).child(0).child(0).child(0)
    numbers = WHOLE_TILES.replace("t <=", "4t <=").replace("u <=", "3u <=")
    assert band.options.is_equal(isl.UnionSet(numbers))


def test_loop_kinds_are_kept_and_open_ones_become_atomic() -> None:
    below_mark = with_counting_loops(schedule(TILES)).root.child(0).child(0)
    for band in (below_mark, with_atomic_loops(schedule(TILES)).root.child(0)):
        points = band.child(0)
        assert points.members[1].kind == isl.ast_loop_type.unroll
    tiles = with_atomic_loops(schedule(TILES)).root.child(0)
    assert tiles.members[0].kind == isl.ast_loop_type.atomic
    rolled = with_rolled_loops(schedule(TILES)).root.child(0).child(0)
    assert rolled.members[1].kind == isl.ast_loop_type.default
