"""Arrays and iterations in another order: the same integers, in loops that try all that may happen.

The index arrays lead to other index arrays and have other types; one leads to several arrays, and
several lead to one; arrays are longer than what is accessed, have rows, and are of different sizes.
The short selection runs each combination of a program and passes in C or in LLVM, the matrix in
both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from kernel_runs import FLAGS
from oracle import Argument
from suites import in_turn

import polyir
from polyir.api import Backend
from polyir.runtime import CompiledModule, CompilerOptions

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
COMBINATIONS = [(name, pipeline) for name in PROGRAMS for pipeline in PIPELINES]


@cache
def compiled(name: str, pipeline: str, backend: Backend) -> CompiledModule:
    options = CompilerOptions(flags=FLAGS) if backend == "c" else None
    return polyir.compile(PROGRAMS[name].text, pipeline, options, backend)


BACKENDS: tuple[Backend, ...] = ("c", "llvm")


@pytest.mark.parametrize(
    ("combination", "backend"),
    in_turn(COMBINATIONS, BACKENDS, 4),
    ids=lambda each: each if isinstance(each, str) else "-".join(each),
)
def test_same_integers(combination: tuple[str, str], backend: Backend) -> None:
    name, pipeline = combination
    program = PROGRAMS[name]
    original = compiled(name, "", backend)
    changed = compiled(name, pipeline, backend)
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
