"""Arrays and iterations in another order: the same integers, in loops that try all that may happen.

The index arrays lead to other index arrays, have other types, and one of them is an array that has
another order itself; arrays are longer than what is accessed, and have rows.
"""

from __future__ import annotations

import numpy as np
import pytest

import polyir

LOOPS = """
func.func @scatter(%n: index, %p: memref<?xindex>, %q: memref<?xi32>, %A: memref<?xi64>,
                   %B: memref<?x3xi64>, %w: memref<?xi64>) {
  affine.for %s = 0 to 3 {
    affine.for %i = 0 to %n {
      %c = affine.load %q[%i] : memref<?xi32>
      %ci = arith.index_cast %c : i32 to index
      %j = memref.load %p[%ci] : memref<?xindex>
      %v = affine.load %w[%i] : memref<?xi64>
      %old = memref.load %A[%j] : memref<?xi64>
      %new = arith.addi %old, %v : i64
      memref.store %new, %A[%j] : memref<?xi64>
      affine.for %d = 0 to 3 {
        %b = memref.load %B[%ci, %d] : memref<?x3xi64>
        %sum = arith.addi %b, %v : i64
        memref.store %sum, %B[%ci, %d] : memref<?x3xi64>
      }
    }
    affine.for %i = 0 to %n {
      %a = affine.load %A[%i] : memref<?xi64>
      %b = affine.load %B[%i, 1] : memref<?x3xi64>
      %c = arith.xori %a, %b : i64
      affine.store %c, %A[%i] : memref<?xi64>
    }
  }
  return
}
"""

PIPELINES = (
    "reorder-data",
    "reorder-data{method=breadth-first}",
    "reorder-iterations",
    "reorder-data,reorder-iterations",
    "reorder-data{method=breadth-first},inspect-wavefronts",
)


@pytest.mark.parametrize("backend", ["c", "llvm"])
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_same_integers(pipeline: str, backend: polyir.runtime.Backend) -> None:
    original = polyir.compile(LOOPS, "", backend=backend)
    changed = polyir.compile(LOOPS, pipeline, backend=backend)
    assert "scatter_inspector" in changed.source
    for seed in range(30):
        random = np.random.default_rng(seed)
        n = int(random.integers(1, 40))
        size = n + int(random.integers(0, 5))
        p = random.integers(0, n, size)
        q = random.integers(0, size, n).astype(np.int32)
        w = random.integers(0, 9, n)
        start = random.integers(0, 99, size), random.integers(0, 99, (size + 2, 3))
        expected, actual = ([each.copy() for each in start] for _ in range(2))
        original.scatter(n, p, q, *expected, w)
        changed.scatter(n, p, q, *actual, w)
        for one, other in zip(expected, actual, strict=True):
            np.testing.assert_array_equal(one, other)
