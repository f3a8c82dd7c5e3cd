"""What pictures show: counted as numbers, and in the SVG."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import groupby
from pathlib import Path

import islpy as isl
import pytest
from scop_after import STENCIL, scop_after

from polyir.base.diagnostics import OptionError, PolyirError
from polyir.dialects.dependence import DependenceKind
from polyir.model.scop import Scop
from polyir.sets.lists import maps_of
from polyir.sets.maps import at_sizes
from polyir.tree import Kind, ScheduleNode
from polyir.view.draw import check_format, draw
from polyir.view.layout import outline, planes_of, sampled
from polyir.view.picture import Picture, parameter_values, picture_of

POLYBENCH = Path(__file__).parents[2] / "benchmarks" / "polybench"

CUBE = """
func.func @cube(%n: index, %A: memref<?x?x?xf64>, %s: memref<f64>) {
  %zero = arith.constant 0.0 : f64
  affine.store %zero, %s[] : memref<f64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %0 = affine.load %s[] : memref<f64>
        affine.store %0, %A[%i, %j, %k] : memref<?x?x?xf64>
      }
    }
  }
  return
}
"""


def shown(text: str, pipeline: str = "poly-dependences", **parameters: int) -> Picture:
    scop = scop_after(text, pipeline)
    assert scop.dependences is not None
    return picture_of(scop, scop.dependences, parameters)


def test_instances_and_dependences_are_all_there() -> None:
    picture = shown(STENCIL, steps=3, n=6)
    (panel,) = picture.panels
    assert panel.names == ("t", "i")
    points = [instance.iterators for instance in panel.instances]
    assert points == [(t, i) for t in range(3) for i in range(1, 5)]
    assert [instance.number for instance in panel.instances] == list(range(1, 13))
    flow = [
        (arrow.source[1], arrow.target[1])
        for arrow in picture.arrows
        if arrow.kind is DependenceKind.FLOW
    ]
    assert sorted(flow) == [((t, i), (t, i + 1)) for t in range(3) for i in range(1, 4)]


def test_points_are_numbered_in_execution_order_and_tiles_in_the_order_of_their_begin() -> None:
    picture = shown(STENCIL, "tile{sizes=2 min-width=1}", steps=2, n=6)
    (panel,) = picture.panels
    # Loop i alone is tiled, 1 with nothing, 2 with 3, 4 alone, in each of the two steps.
    found = {instance.iterators: (instance.number, instance.tile) for instance in panel.instances}
    assert picture.tiles > 1
    for (t, i), (number, tile) in found.items():
        assert number == 4 * t + i
        same = [point for point, (_, other) in found.items() if other == tile]
        assert all(point[1] // 2 == i // 2 for point in same)
    begun = [instance.tile for instance in panel.instances]
    assert list(dict.fromkeys(begun)) == sorted(set(begun))


def test_without_tiles_all_points_are_in_one() -> None:
    assert shown(STENCIL, steps=3, n=6).tiles == 1
    # What statements of different depth are in a sequence is not a tile.
    assert shown(CUBE, n=2).tiles == 1


def test_values_are_those_of_the_parameters() -> None:
    scop = scop_after(STENCIL)
    assert parameter_values(scop, (3, 6), 9) == {"steps": 3, "n": 6}
    assert parameter_values(scop, (), 9) == {"steps": 9, "n": 9}
    with pytest.raises(OptionError, match="expected one value per parameter \\(steps, n\\), got 1"):
        parameter_values(scop, (3,), 9)


def test_too_many_instances_are_refused() -> None:
    with pytest.raises(
        OptionError, match="S0 has 998000 points, more than 20000: choose a smaller size"
    ):
        shown(STENCIL, steps=1000, n=1000)


def test_file_names_tell_the_format() -> None:
    check_format("a/b.svg")
    with pytest.raises(OptionError, match=r"'a.gif' must end in .svg or .png"):
        check_format("a.gif")


@pytest.mark.parametrize(
    ("text", "parameters", "points"),
    [(STENCIL, {"steps": 3, "n": 6}, {"S0": 12}), (CUBE, {"n": 2}, {"S0": 1, "S1": 8})],
    ids=["plane", "space"],
)
def test_svg_has_a_mark_for_each_point_and_is_the_same_each_time(
    text: str, parameters: dict[str, int], points: dict[str, int], tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    picture = shown(text, **parameters)
    first, second = tmp_path / "first.svg", tmp_path / "second.svg"
    draw(picture, str(first), numbered=True)
    draw(picture, str(second), numbered=True)
    svg = first.read_text()
    assert svg == second.read_text()
    for statement, count in points.items():
        (group,) = re.findall(rf'<g id="points-{statement}">(.*?)\n   </g>', svg, re.DOTALL)
        assert group.count("<use ") == count
    numbers = re.findall(r">(\d+)</text>", svg)
    assert set(map(str, range(1, sum(points.values()) + 1))) <= set(numbers)
    arrows = [arrow for arrow in picture.arrows if arrow.source[0] == arrow.target[0]]
    assert len(re.findall(r'<g id="arrow-S\d">', svg)) == len(arrows)


def test_png_is_written(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    file = tmp_path / "picture.png"
    draw(shown(STENCIL, steps=2, n=4), str(file), numbered=False)
    assert file.read_bytes().startswith(b"\x89PNG")


def test_a_file_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    with pytest.raises(PolyirError, match=r"cannot write .*none/picture\.svg"):
        draw(shown(STENCIL, steps=2, n=4), str(tmp_path / "none" / "picture.svg"), numbered=False)


PAIR = """
func.func @pair(%steps: index, %n: index, %A: memref<?xf64>, %B: memref<?xf64>) {
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      %0 = affine.load %A[%i - 1] : memref<?xf64>
      %1 = affine.load %A[%i + 1] : memref<?xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %B[%i] : memref<?xf64>
    }
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      %0 = affine.load %B[%i] : memref<?xf64>
      affine.store %0, %A[%i] : memref<?xf64>
    }
  }
  return
}
"""


def test_statements_with_the_same_iterators_share_a_plane() -> None:
    (plane,) = planes_of(shown(PAIR, steps=3, n=5).panels)
    assert (plane.statements, plane.names) == (("S0", "S1"), ("t", "i"))
    assert len(set(plane.places.values())) == len(plane.places) == 18
    for (statement, (t, i)), (x, y) in plane.places.items():
        assert y == i
        assert 0 < (t - x if statement == "S0" else x - t) < 0.3


def test_rows_of_statements_with_one_iterator() -> None:
    program = (
        "func.func @f(%A: memref<9xf64>, %B: memref<9xf64>) {\n  %z = arith.constant 0.0 : f64"
    )
    for array in "AB":
        program += f"\n  affine.for %i = 0 to 3 {{ affine.store %z, %{array}[%i] : memref<9xf64> }}"
    (plane,) = planes_of(shown(program + "\n  return\n}").panels)
    assert plane.places["S0", (2,)] == (2.0, 0.0)
    assert plane.places["S1", (2,)] == (2.0, -1.0)


def test_space_is_cut_into_slices() -> None:
    _, plane = planes_of(shown(CUBE, n=4).panels)
    assert [frame.title for frame in plane.frames] == ["i = 0", "i = 1", "i = 2", "i = 3"]
    assert plane.names == ("j", "k")
    assert len(set(plane.places.values())) == 64
    for frame in plane.frames:
        (left, bottom), (right, top) = frame.corner, frame.far_corner
        inside = [
            p for p in plane.places.values() if left <= p[0] <= right and bottom <= p[1] <= top
        ]
        assert len(inside) == 16


def test_a_sample_of_arrows_has_all_arrows_of_its_sources() -> None:
    arrows = shown(PAIR, steps=8, n=12).arrows
    assert sampled(arrows, len(arrows)) == arrows
    assert sampled(arrows, 0) == ()
    kept = sampled(arrows, 100)
    assert 80 <= len(kept) <= 120
    sources = {arrow.source for arrow in kept}
    assert kept == tuple(arrow for arrow in arrows if arrow.source in sources)


def test_outlines_are_convex_and_around_their_points() -> None:
    places = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 0.0)]
    corners = outline(places, 0.3)
    for (ax, ay), (bx, by) in zip(corners, (*corners[1:], corners[0]), strict=True):
        for x, y in places:
            # To the left of each side, and not nearer than the radius, less the rounding.
            distance = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / (
                (bx - ax) ** 2 + (by - ay) ** 2
            ) ** 0.5
            assert distance > 0.29


def test_kinds_and_arrays_choose_arrows() -> None:
    scop = scop_after(PAIR)
    assert scop.dependences is not None
    sizes = {"steps": 3, "n": 5}
    chosen = picture_of(scop, scop.dependences, sizes, (), [DependenceKind.FLOW], ["B"])
    # From B[i] to the statement that copies it.
    assert len(chosen.arrows) == 9
    assert {arrow.kind for arrow in chosen.arrows} == {DependenceKind.FLOW}
    assert all(arrow.source[1] == arrow.target[1] for arrow in chosen.arrows)


def svg_of(picture: Picture, folder: Path, numbered: bool, arrows: int = 300) -> tuple[str, int]:
    pytest.importorskip("matplotlib", reason="pictures need matplotlib")
    count = draw(picture, str(folder / "picture.svg"), numbered, arrows)
    return (folder / "picture.svg").read_text(), count


def test_tiles_have_outlines_and_are_in_the_legend(tmp_path: Path) -> None:
    picture = shown(PAIR, "pluto-schedule,tile{sizes=3}", steps=4, n=8)
    svg, _ = svg_of(picture, tmp_path, numbered=True)
    assert picture.tiles > 2
    for tile in range(1, picture.tiles + 1):
        assert svg.count(f'<g id="tile-{tile}">') == 1
        assert f">tile {tile}</text>" in svg
    for label in ("flow", "anti", "output", "S0", "S1"):
        assert f">{label}</text>" in svg
    plain, _ = svg_of(picture, tmp_path, numbered=False)
    assert "tile" not in plain


def test_a_slice_has_its_part_of_a_tile(tmp_path: Path) -> None:
    picture = shown(CUBE, "tile{sizes=2}", n=4)
    svg, _ = svg_of(picture, tmp_path, numbered=True)
    # One for the statement before the loops, and eight tiles in two slices each.
    assert len(re.findall(r'<g id="tile-\d+">', svg)) == 1 + 8 * 2


def test_few_arrows_of_many_are_shown_and_counted(tmp_path: Path) -> None:
    picture = shown(PAIR, steps=8, n=12)
    svg, count = svg_of(picture, tmp_path, numbered=False, arrows=50)
    assert len(re.findall(r'<g id="arrow-', svg)) == count < 100
    assert f">{count} of {len(picture.arrows)} dependences are shown</text>" in svg
    svg, count = svg_of(picture, tmp_path, numbered=False, arrows=0)
    assert (count, svg.count("arrow-")) == (0, 0)


def test_numbers_are_shown_only_where_they_can_be_read(tmp_path: Path) -> None:
    small, _ = svg_of(shown(STENCIL, steps=4, n=6), tmp_path, numbered=True)
    assert ">16</text>" in small
    large, _ = svg_of(shown(STENCIL, steps=50, n=80), tmp_path, numbered=True)
    assert ">1234</text>" not in large


def test_arrows_between_planes_are_few(tmp_path: Path) -> None:
    picture = shown(CUBE, n=4)
    svg, _ = svg_of(picture, tmp_path, numbered=False)
    assert len(picture.arrows) == 64
    assert 0 < len(re.findall(r'<g id="arrow-S0-S1">', svg)) <= 8


def is_band(node: ScheduleNode) -> bool:
    return node.kind is Kind.BAND


def tiles_by_isl(scop: Scop, parameters: Mapping[str, int]) -> dict[str, int]:
    """How many tiles each statement has: the values of the loops over tiles and around them.

    These are the loops of a band right above another one.
    """
    point = at_sizes(isl.Set.universe(scop.context.get_space()), parameters)
    found: dict[str, int] = {}

    def visit(node: ScheduleNode) -> None:
        children = node.children()
        bands = [each for each in children if is_band(each)]
        if bands and is_band(node):
            (child,) = bands
            relation = child.prefix_schedule.intersect_domain(child.domain)
            for part in maps_of(relation.intersect_params(point)):
                name = part.get_tuple_name(isl.dim_type.in_)
                found[name] = int(part.range().count_val().to_python())
        for child in children:
            visit(child)

    visit(scop.schedule.root)
    return found


@pytest.mark.parametrize(
    ("kernel", "tile", "size"),
    [
        ("gemm", "sizes=4", 6),
        ("gemm", "sizes=2,4,3", 7),
        ("2mm", "sizes=3", 5),
        ("mvt", "sizes=2,3", 7),
        ("atax", "sizes=4", 9),
        ("syrk", "sizes=3", 6),
        ("trmm", "sizes=2", 5),
        ("jacobi-2d", "sizes=2", 6),
        ("gemver", "sizes=4", 10),
    ],
)
def test_each_statement_has_as_many_tiles_as_its_loops_over_tiles_have_values(
    kernel: str, tile: str, size: int
) -> None:
    text = (POLYBENCH / f"{kernel}.mlir").read_text()
    scop = scop_after(text, f"pluto-schedule,tile{{{tile}}}")
    assert scop.dependences is not None
    parameters = parameter_values(scop, (), size)
    picture = picture_of(scop, scop.dependences, parameters)
    expected = tiles_by_isl(scop, parameters)
    assert expected
    found = {panel.statement: {each.tile for each in panel.instances} for panel in picture.panels}
    assert {name: len(found[name]) for name in expected} == expected
    # Statements that run one after the other have no tile in common.
    if kernel == "gemm":
        assert found["S0"].isdisjoint(found["S1"])
        assert picture.tiles == sum(expected.values())
    # Nothing else runs between the instances of a tile.
    order = sorted((each.number, each.tile) for p in picture.panels for each in p.instances)
    assert len([*groupby(order, lambda each: each[1])]) == picture.tiles
