"""What a report says of tiles and caches."""

from __future__ import annotations

from scop_after import scop_after

from polyir.report.footprints import Estimate, estimate_of
from polyir.report.trees import tree_view

PRODUCT = """
func.func @product(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
"""


def estimated(pipeline: str) -> Estimate:
    scop = scop_after(PRODUCT, pipeline)
    estimate = estimate_of(scop, tree_view(scop, None))
    assert estimate is not None
    return estimate


def test_footprint_of_a_tile() -> None:
    (tile,) = estimated("tile{sizes=16,8,4 min-width=1}").footprints
    assert tile.sizes == (16, 8, 4)
    assert tile.elements == {"A": 16 * 4, "B": 4 * 8, "C": 16 * 8}
    assert tile.bytes == 8 * (64 + 32 + 128)


def test_without_tiles_there_is_no_footprint_and_more_traffic() -> None:
    plain, tiled = estimated("poly-dependences"), estimated("tile{sizes=32 min-width=1}")
    assert plain.footprints == ()
    assert plain.parameters == {"n": 1000}
    assert tiled.traffic[0] < plain.traffic[0]
