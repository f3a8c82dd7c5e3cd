"""What the pictures of a report show: sizes, points, arrows, tiles, fronts; and their JSON."""

from __future__ import annotations

import json

from scop_after import STENCIL, scop_after

from polyir.model.scop import Scop
from polyir.report.picture_data import json_of
from polyir.report.picture_sizes import MOST_POINTS, drawn_of
from polyir.report.pictures import Execution, Pictures, Scene, fronts_of, largest_stride
from polyir.report.trees import tree_view
from polyir.view.layout import Node
from polyir.view.picture import Coordinates

ROWS = """
func.func @rows(%A: memref<{0}x{0}xf64>) {{
  affine.for %i = 0 to {0} {{
    affine.for %j = 1 to {0} {{
      %0 = affine.load %A[%i, %j - 1] : memref<{0}x{0}xf64>
      affine.store %0, %A[%i, %j] : memref<{0}x{0}xf64>
    }}
  }}
  return
}}
"""

DEEP = """
func.func @deep(%n: index, %A: memref<?x?x?x?xf64>, %s: memref<f64>) {
  %zero = arith.constant 0.0 : f64
  affine.store %zero, %s[] : memref<f64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        affine.for %l = 0 to %n {
          affine.store %zero, %A[%i, %j, %k, %l] : memref<?x?x?x?xf64>
        }
      }
    }
  }
  return
}
"""


def pictured(scop: Scop) -> tuple[Pictures, Scene, Execution]:
    tree = tree_view(scop, scop.dependences)
    pictures = Pictures()
    assert pictures.add(scop, "f", tree, largest_stride(tree)) == 0
    (execution,), (scene,) = pictures.executions, pictures.scenes
    return pictures, scene, execution


def test_sizes_are_such_that_tiles_show() -> None:
    drawn = drawn_of(scop_after(STENCIL), 32)
    assert drawn.parameters == {"steps": 40, "n": 40}
    assert drawn.width == 0


def test_sizes_are_small_without_tiles() -> None:
    drawn = drawn_of(scop_after(STENCIL), 1)
    assert drawn.parameters == {"steps": 16, "n": 16}


def test_of_large_fixed_domains_only_a_corner_is_drawn() -> None:
    drawn = drawn_of(scop_after(ROWS.format(1000)), 1)
    (points,) = drawn.instances
    assert drawn.width == 16
    assert points.count_val().to_python() == 16 * 16 <= MOST_POINTS
    assert points.dim_min_val(1).to_python() == 1


def test_statements_of_four_dimensions_are_left_out() -> None:
    pictures, scene, _ = pictured(scop_after(DEEP))
    assert scene.statements == ("S0",)
    assert scene.drawn.left_out == ("S1",)
    assert pictures.arrows[0].pairs == {}


def test_points_arrows_order_and_tiles() -> None:
    scop = scop_after(STENCIL, "tile{sizes=8 min-width=1}")
    pictures, scene, execution = pictured(scop)
    steps, n = scene.drawn.parameters["steps"], scene.drawn.parameters["n"]
    assert [node for _, node in scene.nodes] == [
        (t, i) for t in range(steps) for i in range(1, n - 1)
    ]
    assert sorted(execution.order) == list(range(len(scene.nodes)))
    assert max(execution.tiles) > 0
    numbers = dict(zip(scene.nodes, execution.order, strict=True))
    (arrows,) = pictures.arrows
    assert not arrows.is_sample
    flow = {(scene.nodes[a], scene.nodes[b]) for a, b in arrows.pairs["flow"]}
    assert (("S0", (0, 1)), ("S0", (0, 2))) in flow
    for pairs in arrows.pairs.values():
        assert all(execution.order[source] < execution.order[target] for source, target in pairs)
    assert numbers["S0", (0, 1)] == 0


def test_fronts_of_a_parallel_loop_go_on_together() -> None:
    _, scene, execution = pictured(scop_after(ROWS.format(5)))
    fronts = dict(zip(scene.nodes, execution.fronts, strict=True))
    # Loop i carries nothing, so all rows begin at once.
    assert all(fronts["S0", (i, j)] == j - 1 for i in range(5) for j in range(1, 5))


def test_no_iteration_of_a_parallel_loop_waits_and_what_follows_waits_for_all() -> None:
    dates: dict[Node, Coordinates] = {
        ("S", (0,)): (0, 0, 0),
        ("S", (1,)): (0, 1, 1),
        ("S", (2,)): (0, 1, 2),
        ("T", ()): (1, 0, 0),
    }
    fronts = fronts_of(dates, {"S": (False, True), "T": (False,)})
    assert fronts == {("S", (0,)): 0, ("S", (1,)): 0, ("S", (2,)): 1, ("T", ()): 2}


def test_steps_share_points_and_arrows() -> None:
    pictures = Pictures()
    for pipeline in ("poly-dependences", "tile{sizes=8 min-width=1}"):
        scop = scop_after(STENCIL, pipeline)
        pictures.add(scop, "stencil", tree_view(scop, scop.dependences), 8)
    assert len(pictures.executions) == 2
    assert len(pictures.scenes) == len(pictures.arrows) == 1
    assert pictures.executions[0].tiles != pictures.executions[1].tiles


def test_planes_stand_apart() -> None:
    _, scene, _ = pictured(
        scop_after(DEEP.replace("to %n {\n        affine", "to 1 {\n        affine"))
    )
    assert len(set(scene.places)) == len(scene.places)


def test_json_has_all_and_ends_no_script() -> None:
    pictures, scene, execution = pictured(scop_after(STENCIL))
    text = json_of(pictures)
    assert "<" not in text
    data = json.loads(text)
    assert data["executions"][0]["order"] == list(execution.order)
    assert len(data["scenes"][0]["places"]) == 2 * len(scene.nodes)
    axis = data["scenes"][0]["axes"][0]
    assert (axis["name"], axis["range"]) == ("t", [0, scene.drawn.parameters["steps"] - 1])
