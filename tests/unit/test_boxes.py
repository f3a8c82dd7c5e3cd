"""Boxes around sets and relations."""

from __future__ import annotations

import islpy as isl
import pytest

from polyir.sets.boxes import (
    NoBoxError,
    box_of,
    box_of_images,
    constant_box,
    ends_of,
    images_in,
    interval,
    most_values,
    shape_of,
)


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


@pytest.mark.parametrize(
    ("cells", "context", "sides"),
    [
        ("[n] -> { [i] : 0 <= i < n }", "[n] -> { : }", [("{ [(0)] }", "n")]),
        ("[n] -> { [i] : n <= i < 2n }", "[n] -> { : n > 0 }", [("{ [(n)] }", "n")]),
        ("[n, m] -> { [i] : 3 <= i < n and i < m }", "[n, m] -> { : }", [("{ [(3)] }", None)]),
        # The least j is even, so it is not an affine function of n.
        (
            "[n] -> { [i, j] : i mod 2 = 0 and j mod 2 = 0 and 0 <= i < n and -i <= j <= 2n - i }",
            "[n] -> { : n > 0 }",
            [("(0)", None), ("(1 - n)", None)],
        ),
    ],
)
def test_box_is_the_smallest(cells: str, context: str, sides: list[tuple[str, str | None]]) -> None:
    for side, (lower, extent) in zip(box_of(isl.Set(cells), isl.Set(context)), sides, strict=True):
        assert lower.strip("{ }") in str(side.lower)
        if extent is not None:
            wanted = isl.PwAff(f"[n] -> {{ [({extent})] }}")
            assert side.extent.intersect_params(isl.Set(context)).is_equal(
                wanted.intersect_domain(side.extent.domain()).intersect_params(isl.Set(context))
            )


def test_unbounded_cells_have_no_box() -> None:
    with pytest.raises(NoBoxError, match="dimension 1 is not bounded"):
        box_of(isl.Set("{ [i] : i >= 0 }"), isl.Set("{ : }"))


@pytest.mark.parametrize(
    ("relation", "box"),
    [
        # One side is a tile, the other what a stencil reads of it.
        (
            "[n] -> { [t] -> A[i, j] : 32t <= i < 32t + 32 and i < n and i - 1 <= j <= i + 1 }",
            [("[(32t)] }", 32), ("[(-1 + 32t)] }", 34)],
        ),
        # Of two lower bounds, that with the smaller box.
        ("{ [t, u] -> [a] : t <= a <= t + 9 and u <= a <= u + 3 }", [("[(u)] }", 4)]),
        # Every other value, and a division.
        ("{ [t] -> [a] : exists e : a = 2e and t <= a < t + 8 }", [("[(t)] }", 8)]),
        ("{ [t] -> [floor(t/4), 3] }", [("[(floor((t)/4))] }", 1), ("[(3)] }", 1)]),
        ("[n] -> { [t] -> [a] : 0 <= a < n and t >= 0 }", None),
        ("{ [t] -> [] }", []),
    ],
)
def test_the_box_of_images(relation: str, box: list[tuple[str, int]] | None) -> None:
    images = isl.Map(relation)
    found = box_of_images(images)
    if box is None or not box:
        assert found == (None if box is None else ())
        return
    assert found is not None
    assert [(str(side.lower).split(" -> ")[-1], side.size) for side in found] == box
    assert images.reset_tuple_id(isl.dim_type.out).is_subset(images_in(found))


def test_a_box_of_images_with_a_size_that_depends_on_parameters() -> None:
    images = isl.Map("[n] -> { [t] -> [a, b] : t <= a <= t + 2 and t <= b < t + n }")
    assert box_of_images(images) is None
    box = box_of_images(images, is_dynamic=True)
    assert box is not None
    assert [side.size for side in box] == [3, None]
    assert box[1].extent.is_equal(isl.PwAff("[n] -> { [(n)] : n > 0 }"))


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        (
            "[n] -> { [x] : n > 0 and x >= 0 and (x < n or x = n + 3) }",
            "[n] -> { [x] : 0 <= x <= n + 3 and n > 0 }",
        ),
        # Not to n - 1, but to the last multiple of 3 before n.
        (
            "[n] -> { [x] : exists e : x = 3e and 0 <= x < n }",
            "[n] -> { [x] : exists e : 3e < n <= 3e + 3 and 0 <= x <= 3e }",
        ),
        ("{ [x] : false }", "{ [x] : false }"),
    ],
)
def test_the_interval_ends_at_values(values: str, wanted: str) -> None:
    assert interval(isl.Set(values)).is_equal(isl.Set(wanted))
