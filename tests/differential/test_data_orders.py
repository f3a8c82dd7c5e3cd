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


# A call changes `w` in each time step; `rare` has an element for the last iterations only.
NOT_COPIED = """
func.func @double(%n: index, %w: memref<?xi64>) {
  affine.for %i = 0 to %n {
    %a = affine.load %w[%i] : memref<?xi64>
    %b = arith.addi %a, %a : i64
    affine.store %b, %w[%i] : memref<?xi64>
  }
  return
}
func.func @add(%n: index, %p: memref<?xindex>, %w: memref<?xi64>, %X: memref<?xi64>) {
  affine.for %s = 0 to 3 {
    affine.for %i = 0 to %n {
      %e = affine.load %p[%i] : memref<?xindex>
      %v = affine.load %w[%i] : memref<?xi64>
      %x = memref.load %X[%e] : memref<?xi64>
      %y = arith.addi %x, %v : i64
      memref.store %y, %X[%e] : memref<?xi64>
    }
    func.call @double(%n, %w) : (index, memref<?xi64>) -> ()
  }
  return
}
func.func @add_some(%n: index, %p: memref<?xindex>, %rare: memref<?xi64>, %X: memref<?xi64>) {
  %one = arith.constant 1 : i64
  affine.for %i = 0 to %n {
    %e = affine.load %p[%i] : memref<?xindex>
    %is_rare = arith.cmpi eq, %e, %n : index
    %v = scf.if %is_rare -> i64 {
      %r = affine.load %rare[%i] : memref<?xi64>
      scf.yield %r : i64
    } else {
      scf.yield %one : i64
    }
    %x = memref.load %X[%e] : memref<?xi64>
    %y = arith.addi %x, %v : i64
    memref.store %y, %X[%e] : memref<?xi64>
  }
  return
}
"""


def test_what_changes_or_is_not_always_read_is_not_copied() -> None:
    original = polyir.compile(NOT_COPIED, "")
    changed = polyir.compile(NOT_COPIED, "reorder-iterations")
    assert "add_executor" in changed.source
    assert "add_some_executor" in changed.source
    assert "w_sorted" not in changed.source
    assert "rare_sorted" not in changed.source
    p = np.array([2, 0, 1, 2])
    results = []
    for module in (original, changed):
        w, elements = np.arange(1, 5), np.zeros(3, np.int64)
        module.add(4, p, w, elements)
        results.append(elements)
    np.testing.assert_array_equal(*results)
