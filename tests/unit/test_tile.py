"""Tiling: the order of the points, the shape of the tiles, flags, options, what is left alone."""

from __future__ import annotations

import islpy as isl
import pytest
from execution import Instance, assert_respects, execution, flow, schedule

from polyir.base.diagnostics import LegalityError, OptionError
from polyir.dialects.dependence import Dependences
from polyir.model.tree_loops import member_steps
from polyir.transform.tile import TileOptions, tile
from polyir.tree import Schedule, ScheduleNode
from polyir.tree.addresses import LoopAddress
from polyir.tree.nodes import is_same

NOTHING = Dependences(value_based=False, items=())

SQUARE = """{ domain: "[n] -> { S[i, j] : 0 <= i, j < n }", child: {
  schedule: "[n] -> [{ S[i, j] -> [i] }, { S[i, j] -> [j] }]", permutable: 1,
  coincident: [1, 0] } }"""

SKEWED = """{ domain: "[T, n] -> { S[t, i] : 0 <= t < T and 0 <= i < n }", child: {
  schedule: "[T, n] -> [{ S[t, i] -> [t] }, { S[t, i] -> [t + i] }]", permutable: 1 } }"""


def band(tree: Schedule, *path: int) -> ScheduleNode:
    node = tree.root.child(0)
    for position in path:
        node = node.child(position)
    return node


def sorted_by(key: object, instances: list[Instance]) -> list[Instance]:
    assert callable(key)
    return sorted(instances, key=lambda instance: key(*instance[1]))


@pytest.mark.parametrize(("sizes", "first", "second"), [((2,), 2, 2), ((3, 2), 3, 2)])
def test_points_run_tile_by_tile(sizes: tuple[int, ...], first: int, second: int) -> None:
    outcome = tile(schedule(SQUARE), NOTHING, TileOptions(sizes))
    order = execution(outcome.schedule, n=7)
    assert len(order) == 49
    assert order == sorted_by(lambda i, j: (i // first, j // second, i, j), order)
    assert outcome.done == (f"tiled the band of 2 over S by {first} x {second}",)
    assert outcome.missed == ()


def test_skewed_members_give_skewed_tiles_that_respect_dependences() -> None:
    dependences = flow(
        "[T, n] -> { S[t, i] -> S[t + 1, k] : i - 1 <= k <= i + 1 and 0 <= t < T - 1 "
        "and 0 <= i, k < n }"
    )
    outcome = tile(schedule(SKEWED), dependences, TileOptions((3, 4)))
    order = execution(outcome.schedule, T=5, n=6)
    assert len(order) == 30
    assert order == sorted_by(lambda t, i: (t // 3, (t + i) // 4, t, t + i), order)
    assert_respects(order, dependences, T=5, n=6)


def test_levels_are_nested_from_the_inside_out() -> None:
    outcome = tile(schedule(SQUARE), NOTHING, TileOptions((2, 1), levels=2, ratio=3))
    order = execution(outcome.schedule, n=8)
    assert order == sorted_by(lambda i, j: (i // 6, j // 3, i // 2, j, i), order)
    assert outcome.done == ("tiled the band of 2 over S by 2 x 1 in tiles of 6 x 3",)


def test_tiling_again_cuts_the_points_and_leaves_the_tile_by_address() -> None:
    once = tile(schedule(SQUARE), NOTHING, TileOptions((6,))).schedule
    twice = tile(once, NOTHING, TileOptions((2,))).schedule
    at_once = tile(schedule(SQUARE), NOTHING, TileOptions((2,), levels=2, ratio=3)).schedule
    assert execution(twice, n=8) == execution(at_once, n=8)
    assert [member_steps(band(twice, *path)) for path in ((), (0,), (0, 0))] == [
        (6, 6),
        (2, 2),
        (1, 1),
    ]


def test_tile_loops_count_first_points_and_keep_the_flags() -> None:
    tiles = band(tile(schedule(SQUARE), NOTHING, TileOptions((4, 8))).schedule)
    assert member_steps(tiles) == (4, 8)
    for node in (tiles, tiles.child(0)):
        assert node.permutable
        assert [node.members[member].is_coincident for member in (0, 1)] == [True, False]


def test_unrolling_stays_with_the_points() -> None:
    text = SQUARE.replace("permutable: 1", 'permutable: 1, options: "{ unroll[1]; separate[0] }"')
    tiles = band(tile(schedule(text), NOTHING, TileOptions((32,))).schedule)
    kinds = [[node.members[member].kind for member in (0, 1)] for node in (tiles, tiles.child(0))]
    separate, unroll = isl.ast_loop_type.separate, isl.ast_loop_type.unroll
    assert kinds == [[separate, isl.ast_loop_type.default], [separate, unroll]]


def test_nested_bands_are_tiled_each() -> None:
    text = """{ domain: "{ S[i, j]: 0 <= i, j < 4; T[i, j]: 0 <= i, j < 4 }", child: { sequence: [
      { filter: "{ S[i, j] }", child: { schedule: "[{ S[i, j] -> [i] }, { S[i, j] -> [j] }]",
        permutable: 1 } },
      { filter: "{ T[i, j] }", child: { schedule: "[{ T[i, j] -> [i] }, { T[i, j] -> [j] }]" } }
    ] } }"""
    outcome = tile(schedule(text), NOTHING, TileOptions((2,)))
    order = execution(outcome.schedule)
    assert order[:5] == [("S", (0, 0)), ("S", (0, 1)), ("S", (1, 0)), ("S", (1, 1)), ("S", (0, 2))]
    assert order[16:] == [("T", (i, j)) for i in range(4) for j in range(4)]
    assert outcome.done == ("tiled the band of 2 over S by 2 x 2",)
    assert outcome.missed == ("not tiled: the band of 2 over T is not permutable",)


def test_narrow_bands_are_tiled_on_request() -> None:
    text = """{ domain: "{ S[i]: 0 <= i < 5 }", child: { schedule: "[{ S[i] -> [i] }]" } }"""
    left = tile(schedule(text), NOTHING, TileOptions((32,)))
    assert left.missed == (
        "nothing was tiled: no permutable band of 2 or more: "
        "the band of 1 over S has too few loops",
    )
    assert is_same(left.schedule.tree, schedule(text).tree)
    strips = tile(schedule(text), NOTHING, TileOptions((2,), min_width=1))
    assert member_steps(band(strips.schedule)) == (2,)


NESTED = """{ domain: "[n] -> { S[i, j] : 0 <= i, j < n }", child: {
  schedule: "[n] -> [{ S[i, j] -> [i] }]", child: { schedule: "[n] -> [{ S[i, j] -> [j] }]" } } }"""


def test_loops_of_the_source_are_merged_first() -> None:
    down = flow("[n] -> { S[i, j] -> S[i + 1, j + 1] : 0 <= i, j < n - 1 }")
    outcome = tile(schedule(NESTED), down, TileOptions((2,)))
    order = execution(outcome.schedule, n=5)
    assert order == sorted_by(lambda i, j: (i // 2, j // 2, i, j), order)


def test_the_reason_names_array_and_distance() -> None:
    back = flow("[n] -> { S[i, j] -> S[i + 1, j - 1] : 0 <= i < n - 1 and 1 <= j < n }")
    outcome = tile(schedule(NESTED), back, TileOptions((32,)))
    assert is_same(outcome.schedule.tree, schedule(NESTED).tree)
    assert outcome.missed == (
        "nothing was tiled: no permutable band of 2 or more: "
        "the band of 1 over S has too few loops, because array A carries (1,-1): "
        "S[0, 1] must run before S[1, 0] (n = 2)",
    )


def test_a_band_wrongly_called_permutable_is_refused() -> None:
    back = flow("[n] -> { S[i, j] -> S[i + 1, j - 1] : 0 <= i < n - 1 and 1 <= j < n }")
    with pytest.raises(LegalityError, match="tiling violates the flow dependence through A"):
        tile(schedule(SQUARE), back, TileOptions((32,)))


def test_tiles_of_one_point() -> None:
    outcome = tile(schedule(SQUARE), NOTHING, TileOptions((1,)))
    assert outcome.missed == (
        "nothing was tiled: tiles of a single point would not change the band of 2 over S",
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sizes": (4, 0)}, "tile sizes must be 1 or more: sizes=4,0"),
        ({"sizes": ()}, "tile sizes must be 1 or more: sizes=none"),
        ({"levels": 0}, "levels must be 1 or more: levels=0"),
        ({"min_width": -1}, "min-width must be 1 or more: min-width=-1"),
        ({"ratio": 0}, "ratio must be 1 or more: ratio=0"),
    ],
)
def test_bad_options_are_refused(options: dict[str, int], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        TileOptions(**{"sizes": (4,), **options})  # type: ignore[arg-type]


def test_a_band_with_an_isolated_part_is_left_alone() -> None:
    isolated = 'permutable: 1, options: "{ isolate[[] -> [i, j]] : 2 <= i <= 3 }"'
    outcome = tile(schedule(SQUARE.replace("permutable: 1", isolated)), NOTHING, TileOptions((32,)))
    assert outcome.missed == (
        "nothing was tiled: the band of 2 over S contains AST options, which refer to enclosing "
        "loops by position",
    )


def loops(*texts: str) -> tuple[LoopAddress, ...]:
    return tuple(map(LoopAddress.parse, texts))


CUBE = """{ domain: "{ S[i, j, k] : 0 <= i, j, k < 4 }", child: {
  schedule: "[{ S[i, j, k] -> [i] }, { S[i, j, k] -> [j] }]",
  child: { schedule: "[{ S[i, j, k] -> [k] }]" } } }"""


def test_loops_by_address_are_tiled_in_the_order_given() -> None:
    outcome = tile(schedule(CUBE), NOTHING, TileOptions((2, 3), loops=loops("S.2", "S.1")))
    order = execution(outcome.schedule)
    assert order == sorted_by(lambda i, j, k: (i, k // 2, j // 3, j, k), order)
    assert outcome.done == ("tiled S.2, S.1 by 2 x 3",)


def test_levels_by_address() -> None:
    options = TileOptions((2, 1), levels=2, ratio=2, loops=loops("S.0", "S.2"))
    order = execution(tile(schedule(CUBE), NOTHING, options).schedule)
    assert order == sorted_by(lambda i, j, k: (i // 4, k // 2, i // 2, k, i, j), order)


def test_illegal_tiles_by_address_are_refused() -> None:
    back = flow("[n] -> { S[i, j] -> S[i + 1, j - 1] : 0 <= i < n - 1 and 1 <= j < n }")
    with pytest.raises(LegalityError, match=r"tiling S\.0, S\.1 violates the flow dependence"):
        tile(schedule(NESTED), back, TileOptions((2,), loops=loops("S.0", "S.1")))


IMPERFECT = """{ domain: "{ S[i] : 0 <= i < 4; T[i, j] : 0 <= i, j < 4 }",
  child: { schedule: "[{ S[i] -> [i]; T[i, j] -> [i] }]", child: { sequence: [
  { filter: "{ S[i] }" }, { filter: "{ T[i, j] }", child: {
    schedule: "[{ T[i, j] -> [j] }]" } } ] } } }"""


@pytest.mark.parametrize(
    ("named", "message"),
    [
        (("T.0", "T.1"), "T.0 contains S, T, but T.1 does not contain S"),
        (("S.0", "T.0"), "S.0 and T.0 are the same loop"),
        (("S.1", "T.0"), "there is no loop 'S.1'"),
    ],
)
def test_loops_that_cannot_be_tiled_together(named: tuple[str, ...], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        tile(schedule(IMPERFECT), NOTHING, TileOptions((2,), loops=loops(*named)))
