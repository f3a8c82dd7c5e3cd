"""Loops over index arrays compute the same bits after passes that use facts about the arrays."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import polyir
from polyir.runtime import CompiledModule

ROOT = Path(__file__).parents[2]

Arguments = dict[str, object]


def _argument(facts: str) -> str:
    return f"memref<?xindex> {{poly.index_array = #poly.index_array<{facts}>}}"


SCATTER = f"""
func.func @f(%n: index, %p: {_argument("injective")}, %A: memref<?xf64>, %B: memref<?xf64>) {{
  affine.for %i = 0 to %n {{
    %e = affine.load %p[%i] : memref<?xindex>
    %b = affine.load %B[%i] : memref<?xf64>
    %a = memref.load %A[%e] : memref<?xf64>
    %c = arith.addf %a, %b : f64
    memref.store %c, %A[%e] : memref<?xf64>
  }}
  return
}}"""

ROWS = f"""
func.func @f(%n: index, %p: {_argument("nondecreasing")}, %A: memref<?xf64>, %B: memref<?xf64>) {{
  %one = arith.constant 1 : index
  affine.for %i = 0 to %n {{
    %lo = affine.load %p[%i] : memref<?xindex>
    %hi = affine.load %p[%i + 1] : memref<?xindex>
    %b = affine.load %B[%i] : memref<?xf64>
    scf.for %k = %lo to %hi step %one {{
      %a = memref.load %A[%k] : memref<?xf64>
      %c = arith.mulf %a, %b : f64
      memref.store %c, %A[%k] : memref<?xf64>
    }}
  }}
  return
}}"""

SWEEPS = """
func.func @f(%n: index, %p: memref<?xindex>, %q: memref<?xindex>, %A: memref<?xf64>) {
  %one = arith.constant 1 : index
  affine.for %s = 0 to 3 {
    affine.for %i = 0 to %n {
      %lo = affine.load %p[%i] : memref<?xindex>
      %hi = affine.load %p[%i + 1] : memref<?xindex>
      %start = affine.load %A[%i] : memref<?xf64>
      %sum = scf.for %k = %lo to %hi step %one iter_args(%t = %start) -> f64 {
        %c = memref.load %q[%k] : memref<?xindex>
        %a = memref.load %A[%c] : memref<?xf64>
        %u = arith.addf %t, %a : f64
        scf.yield %u : f64
      }
      affine.store %sum, %A[%i] : memref<?xf64>
    }
  }
  return
}"""


def _vectors(n: int, random: np.random.Generator) -> Arguments:
    return {"A": random.random(n), "B": random.random(n)}


def _scatter(n: int, random: np.random.Generator) -> Arguments:
    return {"n": n, "p": random.permutation(n), **_vectors(n, random)}


def _rows(n: int, random: np.random.Generator) -> Arguments:
    return {"n": n, "p": np.sort(random.integers(0, n + 1, n + 1)), **_vectors(n, random)}


def _sweeps(n: int, random: np.random.Generator) -> Arguments:
    rows = np.sort(random.integers(0, 3 * n + 1, n + 1))
    return {"n": n, "p": rows, "q": random.integers(0, n, 3 * n), "A": random.random(n)}


def _gather(n: int, random: np.random.Generator) -> Arguments:
    m = n + 5
    return {
        "n": n,
        "l": 3,
        "m": m,
        "pos": random.integers(3, m + 1, n),
        "B": random.random((n, m + 1)),
        "C": np.zeros((n, n)),
    }


@cache
def compiled(text: str, pipeline: str) -> CompiledModule:
    return polyir.compile(text, pipeline=pipeline)


FIGURE = (ROOT / "examples/irregular/fig15-16.mlir").read_text()

DATA = "poly-raise{data-loops=true}"

CASES: dict[str, tuple[str, Callable[[int, np.random.Generator], Arguments], str, bool]] = {
    "scatter": (SCATTER, _scatter, "pluto-schedule,mark-parallel", True),
    "scatter in tiles": (SCATTER, _scatter, "tile{sizes=4},mark-parallel", True),
    "rows": (ROWS, _rows, f"{DATA},mark-parallel", True),
    "tiles of rows": (ROWS, _rows, f"{DATA},tile{{sizes=4}},mark-parallel", True),
    "optimised rows": (ROWS, _rows, f"{DATA},optimize", False),
    "sweeps": (SWEEPS, _sweeps, f"{DATA},pluto-schedule,mark-parallel", False),
    "optimised sweeps": (SWEEPS, _sweeps, f"{DATA},optimize", False),
    "private array": (FIGURE, _gather, "privatize,mark-parallel", True),
    "private array that is local": (FIGURE, _gather, "privatize,promote,mark-parallel", True),
}


@pytest.mark.parametrize("name", CASES)
def test_bits_are_those_of_the_original(name: str) -> None:
    text, make, pipeline, is_parallel = CASES[name]
    original, transformed = compiled(text, ""), compiled(text, pipeline)
    assert not is_parallel or "omp parallel" in transformed.source
    function = "fill_and_gather" if text is FIGURE else "f"
    for n in (1, 2, 17, 40):
        for seed in range(5):
            given = make(n, np.random.default_rng(seed))
            results = []
            for module in (original, transformed):
                arrays = {
                    key: value.copy() if isinstance(value, np.ndarray) else value
                    for key, value in given.items()
                }
                with module.threads(2):
                    module[function](**arrays)
                results.append(
                    [each.tobytes() for each in arrays.values() if isinstance(each, np.ndarray)]
                )
            assert results[0] == results[1]
