"""Bounds of accesses outside of loops are checked before a call, as those in loops are."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

import polyir
from polyir.runtime.argument_checks import ArgumentError

TEXT = """
#low = affine_set<(d0) : (-d0 + 5 >= 0)>
func.func @store(%A: memref<?xf64>, %n: index, %m: index) {
  %z = arith.constant 7.0 : f64
  affine.store %z, %A[symbol(%n) + 3] : memref<?xf64>
  return
}
func.func @load(%A: memref<?xf64>, %n: index, %m: index) -> f64 {
  %x = affine.load %A[2 * symbol(%n) + symbol(%m)] : memref<?xf64>
  return %x : f64
}
func.func @computed(%A: memref<?xf64>, %n: index, %m: index) {
  %z = arith.constant 7.0 : f64
  %c2 = arith.constant 2 : index
  %k = arith.subi %n, %c2 : index
  memref.store %z, %A[%k] : memref<?xf64>
  return
}
func.func @last(%A: memref<?xf64>, %n: index, %m: index) {
  %z = arith.constant 7.0 : f64
  %c0 = arith.constant 0 : index
  %size = memref.dim %A, %c0 : memref<?xf64>
  affine.store %z, %A[symbol(%size) - symbol(%m)] : memref<?xf64>
  return
}
func.func @guarded(%A: memref<?xf64>, %n: index, %m: index) {
  %z = arith.constant 7.0 : f64
  affine.if #low(%n) {
    affine.store %z, %A[symbol(%n)] : memref<?xf64>
  } else {
    affine.store %z, %A[symbol(%m)] : memref<?xf64>
  }
  return
}
func.func @compared(%A: memref<?xf64>, %n: index, %m: index) {
  %z = arith.constant 7.0 : f64
  %is_less = arith.cmpi slt, %n, %m : index
  scf.if %is_less {
    memref.store %z, %A[%n] : memref<?xf64>
  }
  return
}
func.func @around(%A: memref<?xf64>, %n: index, %m: index) -> f64 {
  %z = arith.constant 7.0 : f64
  %x = affine.load %A[symbol(%n) + 1] : memref<?xf64>
  affine.for %i = 0 to %n {
    affine.store %z, %A[%i] : memref<?xf64>
  }
  %y = affine.load %A[symbol(%m)] : memref<?xf64>
  %s = arith.addf %x, %y : f64
  return %s : f64
}
func.func @vector(%A: memref<?xf64>, %n: index, %m: index) {
  %v = affine.vector_load %A[symbol(%n)] : memref<?xf64>, vector<4xf64>
  affine.vector_store %v, %A[symbol(%m)] : memref<?xf64>, vector<4xf64>
  return
}
"""
SUBSCRIPTS: dict[str, Callable[[int, int, int], list[int]]] = {
    "store": lambda size, n, m: [n + 3],
    "load": lambda size, n, m: [2 * n + m],
    "computed": lambda size, n, m: [n - 2],
    "last": lambda size, n, m: [size - m],
    "guarded": lambda size, n, m: [n if n <= 5 else m],
    "compared": lambda size, n, m: [n] if n < m else [],
    "around": lambda size, n, m: [n + 1, *range(n), m],
    "vector": lambda size, n, m: [n, n + 3, m, m + 3],
}
"""What each function accesses in an array of `size` elements."""


@pytest.mark.parametrize("passes", ["", "optimize", "poly-raise", "convert-affine-to-scf"])
def test_calls_are_refused_exactly_where_an_access_is_out_of_bounds(passes: str) -> None:
    text = TEXT
    if passes == "convert-affine-to-scf":
        text = text[: text.index("func.func @vector")]
    module = polyir.compile(text, passes)
    for name in module:
        refused = 0
        for size, n, m in product((1, 4, 9), range(-4, 8), (-1, 0, 1, 5)):
            found = SUBSCRIPTS[name](size, n, m)
            # The functions have no way to go beyond the part that they are given.
            memory = np.zeros(40)
            if all(0 <= each < size for each in found):
                module[name](memory[15 : 15 + size], n, m)
            else:
                refused += 1
                with pytest.raises(ArgumentError, match="'A' is accessed out of bounds"):
                    module[name](memory[15 : 15 + size], n, m)
            assert not memory[:15].any()
            assert not memory[15 + size :].any()
        assert 0 < refused < 144, name


def test_static_extents_and_several_dimensions() -> None:
    text = """
    func.func @f(%A: memref<3x?xf64>, %B: memref<4xf32>, %n: index, %is_on: i1) {
      %x = affine.load %A[symbol(%n) floordiv 2, symbol(%n)] : memref<3x?xf64>
      affine.store %x, %A[2, symbol(%n) mod 3] : memref<3x?xf64>
      %z = arith.constant 1.0 : f32
      scf.if %is_on {
        memref.store %z, %B[%n] : memref<4xf32>
      }
      return
    }
    """
    function = polyir.compile(text, []).f
    few = np.zeros(4, np.float32)
    for n in range(-2, 9):
        for columns in (1, 2, 3, 7):
            is_right = 0 <= n // 2 < 3 and 0 <= n < columns and n % 3 < columns
            array = np.zeros((3, columns))
            if is_right:
                function(array, few, n, False)
            else:
                with pytest.raises(ArgumentError, match="'A' is accessed out of bounds"):
                    function(array, few, n, False)
    # What depends on data is not known before.
    function(np.zeros((3, 7)), few, 3, True)
    assert few[3] == 1.0


def test_local_memory_and_products_are_left_out() -> None:
    text = """
    func.func @f(%A: memref<?xf64>, %n: index) -> f64 {
      %t = memref.alloca() : memref<4xf64>
      %z = arith.constant 1.5 : f64
      %c1 = arith.constant 1 : index
      affine.store %z, %t[3] : memref<4xf64>
      %k = arith.muli %n, %n : index
      %x = memref.load %A[%k] : memref<?xf64>
      %y = affine.load %t[3] : memref<4xf64>
      %s = arith.addf %x, %y : f64
      return %s : f64
    }
    """
    assert polyir.compile(text, []).f(np.arange(10.0), 3) == 10.5
