"""Arrays and iterations in another order: the same integers, in loops that try all that may happen.

The index arrays lead to other index arrays and have other types; one leads to several arrays, and
several lead to one; arrays are longer than what is accessed, have rows, and are of different sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from oracle import Argument

import polyir

Make = Callable[[np.random.Generator, int], list[Argument]]


@dataclass(frozen=True)
class Program:
    """A function `f` in MLIR's syntax, and arguments of it for some size."""

    text: str
    arguments: Make


def nested(random: np.random.Generator, n: int) -> list[Argument]:
    size = n + int(random.integers(0, 5))
    return [
        n,
        random.integers(0, n, size),
        random.integers(0, size, n).astype(np.int32),
        random.integers(0, 99, size),
        random.integers(0, 99, (size + 2, 3)),
        random.integers(0, 9, n),
    ]


def mesh(random: np.random.Generator, n: int) -> list[Argument]:
    cells = 2 * n + 3
    return [
        n,
        random.integers(0, n, n),
        random.integers(0, n, n),
        random.integers(0, cells, n),
        random.integers(0, 99, n),
        random.integers(0, 99, n + 1),
        random.integers(0, 99, cells),
    ]


PROGRAMS = {
    "nested index arrays, rows, and an element loop": Program(
        """
func.func @f(%n: index, %p: memref<?xindex>, %q: memref<?xi32>, %A: memref<?xi64>,
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
""",
        nested,
    ),
    "two numberings, and a loop that accesses elements in another way": Program(
        """
func.func @f(%n: index, %p: memref<?xindex>, %q: memref<?xindex>, %r: memref<?xindex>,
             %A: memref<?xi64>, %B: memref<?xi64>, %cells: memref<?xi64>) {
  affine.for %s = 0 to 3 {
    affine.for %i = 0 to %n {
      %pi = affine.load %p[%i] : memref<?xindex>
      %qi = affine.load %q[%i] : memref<?xindex>
      %ri = affine.load %r[%i] : memref<?xindex>
      %b = memref.load %B[%pi] : memref<?xi64>
      %c = memref.load %B[%qi] : memref<?xi64>
      %bc = arith.muli %b, %c : i64
      %a = memref.load %A[%pi] : memref<?xi64>
      %a2 = arith.addi %a, %bc : i64
      memref.store %a2, %A[%pi] : memref<?xi64>
      %d = memref.load %A[%qi] : memref<?xi64>
      %d2 = arith.addi %d, %b : i64
      memref.store %d2, %A[%qi] : memref<?xi64>
      %e = memref.load %cells[%ri] : memref<?xi64>
      %e2 = arith.addi %e, %bc : i64
      memref.store %e2, %cells[%ri] : memref<?xi64>
    }
    affine.for %i = 1 to %n {
      %a = affine.load %A[%i] : memref<?xi64>
      %b = affine.load %B[%i - 1] : memref<?xi64>
      %c = arith.xori %a, %b : i64
      affine.store %c, %B[%i] : memref<?xi64>
    }
    affine.for %i = 0 to %n {
      %a = affine.load %cells[2 * %i] : memref<?xi64>
      affine.store %a, %cells[%i] : memref<?xi64>
    }
  }
  return
}
""",
        mesh,
    ),
    "iterations without dependences": Program(
        """
func.func @f(%n: index, %p: memref<?xindex> {poly.index_array = #poly.index_array<injective>},
             %q: memref<?xindex>, %r: memref<?xindex>, %A: memref<?xi64>, %B: memref<?xi64>,
             %cells: memref<?xi64>) {
  affine.for %i = 0 to %n {
    %pi = affine.load %p[%n - %i - 1] : memref<?xindex>
    %ri = affine.load %r[%i] : memref<?xindex>
    %qi = affine.load %q[%i] : memref<?xindex>
    %b = memref.load %cells[%ri] : memref<?xi64>
    %c = memref.load %cells[%qi] : memref<?xi64>
    %old = memref.load %A[%pi] : memref<?xi64>
    %x = arith.muli %b, %old : i64
    memref.store %x, %A[%pi] : memref<?xi64>
    %y = arith.subi %x, %c : i64
    affine.store %y, %B[%i + 1] : memref<?xi64>
  }
  return
}
""",
        lambda random, n: [n, random.permutation(n), *mesh(random, n)[2:]],
    ),
}

PIPELINES = (
    "reorder-data",
    "reorder-data{method=breadth-first}",
    "reorder-data{method=cuthill-mckee}",
    "reorder-data{method=partition part=3}",
    "reorder-iterations",
    "reorder-iterations{method=sorting}",
    "reorder-data,reorder-iterations",
    "reorder-data{method=cuthill-mckee},reorder-iterations{method=sorting}",
    "reorder-data{method=breadth-first},inspect-wavefronts",
)


@pytest.mark.parametrize("backend", ["c", "llvm"])
@pytest.mark.parametrize("pipeline", PIPELINES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_same_integers(name: str, pipeline: str, backend: polyir.runtime.Backend) -> None:
    program = PROGRAMS[name]
    original = polyir.compile(program.text, "", backend=backend)
    changed = polyir.compile(program.text, pipeline, backend=backend)
    assert "f_inspector" in changed.source
    for seed in range(30):
        random = np.random.default_rng(seed)
        given = program.arguments(random, int(random.integers(1, 40)))
        expected, actual = (
            [each.copy() if isinstance(each, np.ndarray) else each for each in given]
            for _ in range(2)
        )
        original.f(*expected)
        changed.f(*actual)
        for one, other in zip(expected, actual, strict=True):
            np.testing.assert_array_equal(one, other)
