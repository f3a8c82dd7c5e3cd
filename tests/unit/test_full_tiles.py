"""Full tiles: which they are, that the order stays, what is left alone."""

from __future__ import annotations

from collections import defaultdict

import islpy as isl
import pytest
from execution import Instance, execution, flow, pairs, schedule

from polyir.base.diagnostics import LegalityError
from polyir.dialects.dependence import Dependences
from polyir.sets.lists import maps_of
from polyir.transform.diamond import DiamondOptions, diamond_tile
from polyir.transform.full_tiles import FullTileOptions, full_tiles, separate_full_tiles
from polyir.transform.tile import TileOptions, tile
from polyir.tree import Kind, Schedule, ScheduleNode
from polyir.tree.nodes import is_same

NOTHING = Dependences(value_based=False, items=())
ANY = isl.Set("{ : }")

RECTANGLE = """{ domain: "[n, m] -> { S[i, j] : 0 <= i < n and 0 <= j < m }", child: {
  schedule: "[n, m] -> [{ S[i, j] -> [i] }, { S[i, j] -> [j] }]", permutable: 1 } }"""

TRIANGLE = """{ domain: "[n, m] -> { S[i, j] : 0 <= j <= i < n }", child: {
  schedule: "[n, m] -> [{ S[i, j] -> [i] }, { S[i, j] -> [j] }]", permutable: 1 } }"""

SKEWED = """{ domain: "[n, m] -> { S[i, j] : 0 <= i < n and 0 <= j < m }", child: {
  schedule: "[n, m] -> [{ S[i, j] -> [i] }, { S[i, j] -> [i + j] }]", permutable: 1 } }"""

# T is where j = 0 only, and has all its points in each tile there.
NARROW = """{ domain: "[n, m] -> { S[i, j] : 0 <= i < n and 0 <= j < m; T[i] : 0 <= i < n }",
  child: { schedule: "[n, m] -> [{ S[i, j] -> [i]; T[i] -> [i] }, { S[i, j] -> [j]; T[i] -> [0] }]",
  permutable: 1, child: { sequence: [ { filter: "{ T[i] }" }, { filter: "{ S[i, j] }" } ] } } }"""

# One is above the diagonal, the other below: no tile has whole rows of both.
HALVES = """{ domain: "[n, m] -> { S[i, j] : 0 <= i < j < m; T[i, j] : 0 <= j <= i < m }",
  child: { schedule:
    "[n, m] -> [{ S[i, j] -> [i]; T[i, j] -> [i] }, { S[i, j] -> [j]; T[i, j] -> [j] }]",
  permutable: 1, child: { sequence: [ { filter: "{ T[i,j] }" }, { filter: "{ S[i,j] }" } ] } } }"""

# The loop over k is not tiled: its bounds do not matter.
INNER = """{ domain: "[n, m] -> { S[i, j, k] : 0 <= i < n and 0 <= j < m and 0 <= k < i }",
  child: { schedule: "[n, m] -> [{ S[i, j, k] -> [i] }, { S[i, j, k] -> [j] }]", permutable: 1,
  child: { schedule: "[n, m] -> [{ S[i, j, k] -> [k] }]" } } }"""

Tile = tuple[int, ...]


def outermost_band(tree: Schedule) -> ScheduleNode:
    node = tree.root
    while node.kind is not Kind.BAND:
        node = node.child(0)
    return node


def tiles_of_statements(tree: Schedule, **parameters: int) -> dict[str, dict[Tile, list[Instance]]]:
    """For each statement, the instances in each tile of the outermost band."""
    places = isl.UnionMap.from_multi_union_pw_aff(outermost_band(tree).band.partial_schedule)
    found: dict[str, dict[Tile, list[Instance]]] = defaultdict(lambda: defaultdict(list))
    for part in maps_of(places.intersect_domain(tree.domain)):
        for instance, position in pairs(part, **parameters):
            found[instance[0]][position].append(instance)
    return found


def points_of(tiles: isl.Set, **parameters: int) -> list[Tile]:
    domain = isl.Map.from_domain_and_range(isl.Set("{ X[] }"), tiles)
    return sorted(position for _, position in pairs(domain, **parameters))


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        (RECTANGLE, {"S": 6}),
        (TRIANGLE, {"S": 6}),
        (SKEWED, {"S": 6}),
        (NARROW, {"S": 6, "T": 3}),
        (HALVES, {"S": 6, "T": 6}),
    ],
)
@pytest.mark.parametrize(("n", "m"), [(7, 9), (6, 4), (2, 1), (12, 12)])
def test_a_tile_is_full_if_no_statement_in_it_lacks_a_point(
    text: str, counts: dict[str, int], n: int, m: int
) -> None:
    """`counts` is how many points of a statement a tile of 3 x 2 can have."""
    tree = tile(schedule(text), NOTHING, TileOptions((3, 2))).schedule
    statements = tiles_of_statements(tree, n=n, m=m)
    everything = {place for tiles in statements.values() for place in tiles}
    expected = sorted(
        place
        for place in everything
        if all(
            len(tiles[place]) == counts[name]
            for name, tiles in statements.items()
            if place in tiles
        )
    )
    classes = full_tiles(outermost_band(tree), ANY)
    found = [points_of(part, n=n, m=m) for part in classes]
    assert sorted(place for part in found for place in part) == expected
    for part in found:
        present = {
            tuple(name for name in counts if place in statements.get(name, {})) for place in part
        }
        assert len(present) <= 1


def test_loops_that_are_not_tiled_do_not_matter() -> None:
    tree = tile(schedule(INNER), NOTHING, TileOptions((3, 2))).schedule
    (full,) = full_tiles(outermost_band(tree), ANY)
    assert points_of(full, n=7, m=5) == [(3, 0), (3, 2)]


@pytest.mark.parametrize("text", [RECTANGLE, TRIANGLE, SKEWED, NARROW, HALVES, INNER])
def test_the_order_stays_as_it_is(text: str) -> None:
    tree = tile(schedule(text), NOTHING, TileOptions((3, 2))).schedule
    outcome = separate_full_tiles(tree, NOTHING, ANY)
    assert outcome.missed == ()
    assert outcome.done
    assert execution(outcome.schedule, n=8, m=9) == execution(tree, n=8, m=9)
    kinds = [
        outermost_band(outcome.schedule).kind,
        outermost_band(outcome.schedule).child(0).kind,
    ]
    assert kinds == [Kind.BAND, Kind.SEQUENCE]


def test_diamonds_can_be_full() -> None:
    stencil = schedule(
        """{ domain: "[T, n] -> { S[t, i] : 0 <= t < T and 0 <= i < n }", child: {
        schedule: "[T, n] -> [{ S[t, i] -> [t] }, { S[t, i] -> [t + i] }]", permutable: 1 } }"""
    )
    dependences = flow(
        "[T, n] -> { S[t, i] -> S[t + 1, k] : i - 1 <= k <= i + 1 and 0 <= t < T - 1 "
        "and 0 <= i, k < n }"
    )
    tree = diamond_tile(stencil, dependences, DiamondOptions(4)).schedule
    (full,) = full_tiles(outermost_band(tree), ANY)
    statements = tiles_of_statements(tree, T=9, n=11)["S"]
    # h = t - i and g = t + i have one parity: 8 of 16 pairs are points.
    expected = sorted(place for place, points in statements.items() if len(points) == 8)
    assert points_of(full, T=9, n=11) == expected
    separated = separate_full_tiles(tree, dependences, ANY)
    assert execution(separated.schedule, T=9, n=11) == execution(tree, T=9, n=11)


def test_the_kind_of_the_point_loops() -> None:
    tree = tile(schedule(RECTANGLE), NOTHING, TileOptions((3, 2))).schedule
    sequence = outermost_band(
        separate_full_tiles(tree, NOTHING, ANY, FullTileOptions("separate")).schedule
    ).child(0)
    for position in range(sequence.n_children):
        points = sequence.child(position).child(0)
        assert [points.members[member].kind for member in (0, 1)] == [
            isl.ast_loop_type.separate
        ] * 2


def test_only_full_tiles_need_no_sequence() -> None:
    whole = isl.Set("[n, m] -> { : exists a, b : n = 3a and m = 2b }")
    tree = tile(schedule(RECTANGLE), NOTHING, TileOptions((3, 2))).schedule
    separated = separate_full_tiles(tree, NOTHING, whole).schedule
    assert outermost_band(separated).child(0).kind is Kind.BAND


def test_no_tile_is_ever_full() -> None:
    tree = tile(schedule(RECTANGLE), NOTHING, TileOptions((9,))).schedule
    outcome = separate_full_tiles(tree, NOTHING, isl.Set("[n, m] -> { : n < 5 }"))
    assert is_same(outcome.schedule.tree, tree.tree)
    assert outcome.missed == (
        "no full tiles were separated: the band of 2 over S has no full tiles",
    )


def test_a_tree_without_tiles() -> None:
    outcome = separate_full_tiles(schedule(RECTANGLE), NOTHING, ANY)
    assert outcome.missed == ("no full tiles were separated: there is no band of tile loops",)


def test_an_illegal_tree_is_refused() -> None:
    tree = tile(schedule(RECTANGLE), NOTHING, TileOptions((3, 2))).schedule
    back = flow("[n, m] -> { S[i, j] -> S[i + 1, j - 1] : 0 <= i < n - 1 and 1 <= j < m }")
    with pytest.raises(LegalityError, match="the separation of full tiles violates the flow"):
        separate_full_tiles(tree, back, ANY)
