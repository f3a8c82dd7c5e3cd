"""Tile sizes and grids of ranks for the outermost band of a program."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyir import api
from polyir.base.diagnostics import PolyirError, remarks_to
from polyir.choose.network import CLUSTER, Network
from polyir.dialects.scop import ScopOp
from polyir.distributed.tile_choice import best_tiles
from polyir.distributed.time_model import best_grid
from polyir.model.scop import Scop, scop_of
from polyir.tools.polyir_simulate_ranks import main

NETWORK = Network(alpha=1e-6, beta=1e-9, iteration=1e-8)

RECURRENCE = """
func.func @recurrence(%n: index, %m: index, %A: memref<?x?xf64>) {
  affine.for %i = 1 to %n {
    affine.for %j = 1 to %m {
      %up = affine.load %A[%i - 1, %j] : memref<?x?xf64>
      %left = affine.load %A[%i, %j - 1] : memref<?x?xf64>
      %sum = arith.addf %up, %left : f64
      affine.store %sum, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
"""

STENCIL = """
func.func @stencil(%n: index, %m: index, %A: memref<?xf64>) {
  affine.for %t = 0 to %n {
    affine.for %i = 1 to %m {
      %left = affine.load %A[%i - 1] : memref<?xf64>
      %right = affine.load %A[%i + 1] : memref<?xf64>
      %sum = arith.addf %left, %right : f64
      affine.store %sum, %A[%i] : memref<?xf64>
    }
  }
  return
}
"""


def scheduled(text: str) -> Scop:
    with remarks_to(lambda _: None):
        module = api.run_pipeline(api.parse(text), "pluto-schedule")
    (op,) = (each for each in module.walk() if isinstance(each, ScopOp))
    return scop_of(op)


def test_a_rectangle_of_iterations_has_no_slope() -> None:
    found = best_tiles(scheduled(RECURRENCE), {"n": 501, "m": 801}, 4, NETWORK)
    assert found == best_grid([800], 500, 4, NETWORK, [0.0])


def test_later_columns_of_a_skewed_space_start_later() -> None:
    """The loops are t and t + i, from 1 to n + m - 2 = 1298: the last column has t = 499 only.

    Half of the box, about, has iterations: its points have as much less work on average.
    """
    n, m = 500, 800
    columns = n + m - 2
    work = Network(NETWORK.alpha, NETWORK.beta, NETWORK.iteration * n * (m - 1) / (n * columns))
    found = best_tiles(scheduled(STENCIL), {"n": n, "m": m}, 4, NETWORK)
    assert found == best_grid([columns], n, 4, work, [(n - 1) / (columns - 1)])


def test_nothing_is_chosen_for_nothing_or_for_too_many_ranks() -> None:
    scop = scheduled(RECURRENCE)
    assert best_tiles(scop, {"n": 1, "m": 1}, 2, NETWORK) is None
    assert best_tiles(scop, {"n": 10, "m": 10}, 100, NETWORK) is None


def test_one_loop_has_no_tiles() -> None:
    text = """
    func.func @scale(%n: index, %A: memref<?xf64>) {
      affine.for %i = 0 to %n {
        %x = affine.load %A[%i] : memref<?xf64>
        %y = arith.addf %x, %x : f64
        affine.store %y, %A[%i] : memref<?xf64>
      }
      return
    }
    """
    with pytest.raises(PolyirError, match="no two permutable loops"):
        best_tiles(scheduled(text), {"n": 10}, 2, NETWORK)


def test_the_tool_prints_a_line_for_each_number_of_ranks(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "recurrence.mlir"
    path.write_text(RECURRENCE)
    arguments = ["--pluto-schedule", "--best-tiles", "--ranks=1,4,1000", "--default-size=501"]
    assert main([*arguments, str(path)]) == 0
    header, one, four, many = capsys.readouterr().out.splitlines()
    assert header.split() == ["ranks", "grid", "tile", "seconds", "efficiency"]
    found = best_grid([500], 500, 4, CLUSTER, [0.0])
    assert found is not None
    tile = [str(found.height), "x", str(found.widths[0])]
    assert four.split()[:5] == ["4", "4", *tile]
    assert float(one.split()[-1]) > float(four.split()[-1])
    assert many.split(maxsplit=1) == ["1000", "more ranks than columns of tiles"]
