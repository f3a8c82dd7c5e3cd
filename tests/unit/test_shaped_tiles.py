"""Tiles of given shapes: the order of the points, legality, flags, what is left alone."""

from __future__ import annotations

import pytest
from execution import assert_respects, execution, flow, schedule

from polyir.base.diagnostics import LegalityError, OptionError
from polyir.transform.shaped_tiles import Shape, ShapedTileOptions, tile_with_shape
from polyir.transform.tile import runs_over_tiles
from polyir.tree.nodes import is_same

SPACE = """{ domain: "[n] -> { S[i, j] : 0 <= i, j < n }", child: {
  schedule: "[n] -> [{ S[i, j] -> [i] }]", child: {
    schedule: "[n] -> [{ S[i, j] -> [j] }]" } } }"""

# A stencil in place: three distance vectors, one with a negative second component.
STENCIL = flow(
    "[n] -> { S[i, j] -> S[i, j + 1] : 0 <= i < n and 0 <= j < n - 1 }",
    "[n] -> { S[i, j] -> S[i + 1, j] : 0 <= i < n - 1 and 0 <= j < n }",
    "[n] -> { S[i, j] -> S[i + 1, j - 1] : 0 <= i < n - 1 and 1 <= j < n }",
)


Rows = tuple[tuple[int, ...], ...]


def floors(shape: Rows, sizes: tuple[int, ...], point: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(
        sum(factor * value for factor, value in zip(row, point, strict=False)) // size
        for row, size in zip(shape, sizes, strict=True)
    )


@pytest.mark.parametrize(
    ("shape", "sizes", "permutable"),
    [
        (((1, 0), (1, 1)), (3, 3), True),
        # The determinant is 2: not unimodular.
        (((3, 1), (1, 1)), (4, 3), True),
        (((1, 1), (1, 0)), (2, 5), True),
        # Hexagons: three cuts of two loops.
        (((1, 0), (1, 1), (2, 1)), (3, 4, 5), True),
        # One cut alone: strips.
        (((2, 1),), (4,), True),
        # Strips that are ordered by i alone.
        (((1, 0), (-1, 3)), (1, 4), False),
    ],
)
def test_points_run_tile_by_tile(shape: Rows, sizes: tuple[int, ...], permutable: bool) -> None:
    outcome = tile_with_shape(schedule(SPACE), STENCIL, ShapedTileOptions(Shape(shape), sizes))
    order = execution(outcome.schedule, n=9)
    assert len(order) == 81
    assert order == sorted(order, key=lambda at: (floors(shape, sizes, at[1]), at[1]))
    assert_respects(order, STENCIL, n=9)
    tiles = outcome.schedule.root.child(0)
    assert tiles.permutable is permutable
    assert tiles.coincident == (False,) * len(shape)
    assert outcome.missed == ()


def test_rectangles_of_the_space_as_it_stands_are_refused() -> None:
    with pytest.raises(LegalityError, match="tiling with this shape violates the flow dependence"):
        tile_with_shape(schedule(SPACE), STENCIL, ShapedTileOptions(Shape(((1, 0), (0, 1))), (3,)))


def test_levels_and_flags() -> None:
    down = flow("[n] -> { S[i, j] -> S[i + 1, j] : 0 <= i < n - 1 and 0 <= j < n }")
    text = SPACE.replace('[j] }]"', '[j] }]", coincident: [1]')
    shape = ((1, 0), (0, 2))
    options = ShapedTileOptions(Shape(shape), (2,), levels=2, ratio=2)
    tree = tile_with_shape(schedule(text), down, options).schedule
    outer = tree.root.child(0)
    for tiles in (outer, outer.child(0)):
        assert tiles.coincident == (False, True)
        assert runs_over_tiles(tiles)
    assert not runs_over_tiles(outer.child(0).child(0))
    order = execution(tree, n=7)
    assert order == sorted(
        order, key=lambda at: (floors(shape, (4, 4), at[1]), floors(shape, (2, 2), at[1]), at[1])
    )


def test_nests_that_are_too_narrow() -> None:
    options = ShapedTileOptions(Shape(((1, 0, 0),)), (32,))
    outcome = tile_with_shape(schedule(SPACE), STENCIL, options)
    assert is_same(outcome.schedule.tree, schedule(SPACE).tree)
    assert outcome.missed == (
        "nothing was tiled: the nest of 2 over S does not have 3 perfectly nested loops",
    )


def test_the_outermost_loops_of_a_deeper_nest() -> None:
    outcome = tile_with_shape(schedule(SPACE), STENCIL, ShapedTileOptions(Shape(((1,),)), (4,)))
    order = execution(outcome.schedule, n=9)
    assert order == sorted(order, key=lambda at: at[1])
    assert outcome.done == ("tiled the nest of 2 over S along (1)",)


def test_shapes_from_text() -> None:
    assert Shape.parse("1,0;-1,3") == Shape(((1, 0), (-1, 3)))
    assert str(Shape.parse("1,0;-1,3")) == "1,0;-1,3"
    assert Shape.parse("2") == Shape(((2,),))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,x;1,1", "a shape must be rows of numbers, such as 1,0;1,1: shape=1,x;1,1"),
        ("1,0;", "a shape must be rows of numbers"),
        ("1,0;1", "the rows of a shape must have the same length: shape=1,0;1"),
        ("1,0;0,0", "a row of a shape must not be all zero: shape=1,0;0,0"),
    ],
)
def test_bad_shapes(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Shape.parse(text)
