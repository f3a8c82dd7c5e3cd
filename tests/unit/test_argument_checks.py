"""What compiled functions check before they run: sizes within the context, arrays that overlap."""

from __future__ import annotations

import copy
import inspect
import pickle
import time
from itertools import product

import islpy as isl
import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

import polyir
from polyir.api import Backend
from polyir.base.diagnostics import PolyirError
from polyir.model.arguments import Source
from polyir.model.requirements import Requirement, requirements_of
from polyir.runtime.argument_checks import (
    ArgumentChecks,
    ArgumentError,
    ArgumentTypeError,
    describe,
)

SHIFTED = """
func.func @shifted(%A: memref<8x?xf64>, %B: memref<?xf64>, %n: index, %m: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i + 2, %j] : memref<8x?xf64>
      affine.store %a, %B[2 * %j + %n] : memref<?xf64>
    }
  }
  return
}
"""
PIPELINES = (
    "",
    "poly-raise",
    "pluto-schedule,tile,mark-parallel",
    "pluto-schedule,tile,lower-poly",
)


def _is_in_bounds(columns: int, length: int, n: int, m: int) -> bool:
    """By running all instances."""
    accesses = [(i + 2, j, 2 * j + n) for i, j in product(range(n), range(m))]
    return all(i < 8 and j < columns and k < length for i, j, k in accesses)


@pytest.mark.parametrize("backend", ["c", "llvm"])
@pytest.mark.parametrize("pipeline", PIPELINES)
def test_sizes_are_refused_exactly_where_an_access_is_out_of_bounds(
    backend: Backend, pipeline: str
) -> None:
    if backend == "llvm":
        pytest.importorskip("llvmlite")
    shifted = polyir.compile(SHIFTED, pipeline, backend=backend).shifted
    refused = 0
    for columns, length, n, m in product((1, 3, 4), (1, 6, 12), (-1, 0, 2, 6, 7), (-2, 0, 1, 4)):
        arguments = (np.zeros((8, columns)), np.zeros(length), n, m)
        if _is_in_bounds(columns, length, n, m):
            shifted(*arguments)
        else:
            refused += 1
            with pytest.raises(ArgumentError, match="outside the context"):
                shifted(*arguments)
    assert refused > 20


def test_the_message_says_the_context() -> None:
    shifted = polyir.compile(SHIFTED, "").shifted
    with pytest.raises(PolyirError, match=r"n = 7, m = 1 .* context .* n <= 6.*'A' is accessed"):
        shifted(np.zeros((8, 9)), np.zeros(40), 7, 1)


def test_strided_subscripts_and_conditions_on_remainders() -> None:
    text = """
    func.func @even(%A: memref<10xf32>, %n: index) {
      %zero = arith.constant 0.0 : f32
      affine.for %i = 0 to %n step 3 {
        affine.if affine_set<(d0) : (d0 mod 2 == 0)>(%i) {
          affine.store %zero, %A[%i floordiv 2] : memref<10xf32>
        }
      }
      return
    }
    """
    even = polyir.compile(text, "").even
    # The instances are 0, 6, 12, 18, 24: the last one needs an eleventh element.
    even(np.zeros(10, np.float32), 24)
    with pytest.raises(ArgumentError, match="n = 25 is outside"):
        even(np.zeros(10, np.float32), 25)


def test_accesses_that_depend_on_data_refuse_nothing() -> None:
    text = """
    func.func @some(%A: memref<4xf64>, %n: index, %is_safe: i1) {
      %one = arith.constant 1.0 : f64
      scf.if %is_safe {
        affine.for %i = 0 to %n {
          affine.store %one, %A[%i] : memref<4xf64>
        }
      }
      return
    }
    """
    array = np.zeros(4)
    polyir.compile(text, "").some(array, 4000, False)
    assert not array.any()


def test_queried_extents_with_and_without_tile_sizes() -> None:
    text = """
    func.func @f(%A: memref<?xf64>, %B: memref<?xf64>) {
      %c0 = arith.constant 0 : index
      %n = memref.dim %A, %c0 : memref<?xf64>
      affine.for %i = 0 to %n {
        %a = affine.load %A[%i] : memref<?xf64>
        affine.store %a, %B[%i] : memref<?xf64>
      }
      return
    }
    """
    function = polyir.compile(text, "").f
    function(np.zeros(3), np.zeros(3))
    with pytest.raises(ArgumentError, match=r"B_0 = 2 are outside"):
        function(np.zeros(3), np.zeros(2))
    tiled = polyir.compile(text, "pluto-schedule,tile-symbolic{min-width=1},lower-poly").f
    for size in (0, 2, 99):
        tiled(np.zeros(3), np.zeros(3), size)
        with pytest.raises(ArgumentError, match="B_0 = 2 are outside"):
            tiled(np.zeros(3), np.zeros(2), size)


ADD = """
func.func @add(%A: memref<?xf64>, %B: memref<?xf64>, %C: memref<?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i] : memref<?xf64>
    %b = affine.load %B[%i] : memref<?xf64>
    %s = arith.addf %a, %b : f64
    affine.store %s, %C[%i] : memref<?xf64>
  }
  return
}
"""


@pytest.mark.parametrize("backend", ["c", "llvm"])
def test_arrays_that_overlap(backend: Backend) -> None:
    if backend == "llvm":
        pytest.importorskip("llvmlite")
    add = polyir.compile(ADD, backend=backend).add
    memory = np.arange(10.0)
    with pytest.raises(ArgumentError, match="add: the arrays 'B' and 'C' overlap"):
        add(np.zeros(4), memory[:4], memory[3:7], 4)
    with pytest.raises(ArgumentError, match="'A' and 'C' overlap"):
        add(memory, memory[2:4], memory[:1], 1)
    # Arrays that are only read may overlap; so may neighbours, and empty arrays.
    add(memory[:4], memory[1:5], memory[5:9], 4)
    assert list(memory[5:9]) == [1.0, 3.0, 5.0, 7.0]
    add(memory[:0], memory[:4], memory[2:2], 0)


def test_unchecked_calls_run() -> None:
    add = polyir.compile(ADD, "").add
    memory = np.arange(4.0)
    add(memory, memory, memory, 4, unchecked=True)
    assert list(memory) == [0.0, 2.0, 4.0, 6.0]


def test_keyword_arguments() -> None:
    add = polyir.compile(ADD, "").add
    a, c = np.ones(3), np.zeros(3)
    add(a, n=3, C=c, B=a)
    assert list(c) == [2.0, 2.0, 2.0]
    for wrong, message in (
        (lambda: add(a, a, c, m=3), "no parameter 'm'; parameters: A, B, C, n"),
        (lambda: add(a, a, c, 3, n=3), "two values for the parameter 'n'"),
        (lambda: add(a, C=c, n=3), "takes 4 arguments, not 3: 'B' missing"),
        (lambda: add(a, a, c), "takes 4 arguments, not 3"),
    ):
        with pytest.raises(ArgumentTypeError, match=message):
            wrong()
    signature = "(A: 'double[?]', B: 'double[?]', C: 'double[?]', n: 'int64_t', *, unchecked=False)"
    assert str(inspect.signature(add)) == signature


@pytest.mark.parametrize("backend", ["c", "llvm"])
def test_modules_are_copied_and_pickled(backend: Backend) -> None:
    if backend == "llvm":
        pytest.importorskip("llvmlite")
    module = polyir.compile(ADD, backend=backend)
    assert copy.copy(module) is module
    assert copy.deepcopy(module) is module
    for add in (pickle.loads(pickle.dumps(module)).add, pickle.loads(pickle.dumps(module.add))):
        c = np.zeros(2)
        add(np.ones(2), np.ones(2), c, 2)
        assert list(c) == [2.0, 2.0]
        with pytest.raises(ArgumentError, match="outside the context"):
            add(np.ones(2), np.ones(2), c, 3)


def test_requirements_of_a_function() -> None:
    module = polyir.run_pipeline(polyir.parse(ADD), "poly-raise")
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    found = requirements_of(function)
    assert [each.names for each in found] == [("n", "A_0"), ("n", "B_0"), ("n", "C_0")]
    assert found[2].sources == (Source(3), Source(2, 0))
    checks = ArgumentChecks(found)
    a = np.zeros(3)
    assert checks.first_violated((a, a, np.zeros(2), 3)) == 2
    assert checks.first_violated((a, a, a, 3)) == -1


def test_a_requirement_with_many_quantifiers() -> None:
    """Such sets come from schedules with large coefficients; without quantifiers, isl hangs."""
    excluded = isl.Set(
        "[n, m, k] -> { : exists (e0, e1, e2, e3, e4, e5, e6: -5 + m <= e0 <= 7 + m and "
        "2e0 >= -1 + k and e3 > 46e1 and 0 <= e3 <= 45 + 46e1 and e3 <= -46 + 46n and "
        "-59 - 4m - 54e2 <= 25e3 <= -35 - 4m - 54e2 and -68 - 2m + e3 <= 41e4 <= -72 + e3 and "
        "-42 - 2m + e3 <= 54e4 <= 11 - 2m + e3 and -9 - 4m - 25e3 <= 54e5 <= 19 - 4m - 25e3 and "
        "32 - 41e0 - 247e3 <= 533e6 <= 28 + 2m - 41e0 - 247e3 and "
        "-64 + 2m - 54e0 - 325e3 <= 702e6 <= -11 + 2m - 54e0 - 325e3) }"
    )
    checks = ArgumentChecks((Requirement(excluded, (Source(0), Source(1), Source(2)), "hard"),))
    assert [checks.first_violated(each) for each in ((53, 62, 126), (17, 48, 54))] == [0, 0]
    assert [checks.first_violated(each) for each in ((53, 62, 140), (17, 20, 60))] == [-1, -1]
    assert describe(checks.requirements[0], (53, 62, 126)).startswith("n = 53, m = 62, k = 126 ")


def test_a_requirement_with_large_coefficients() -> None:
    """What each of isl's operations takes grows with their number: it would take minutes."""
    excluded = isl.Set(
        "[n, m, k] -> { : exists (e0, e1, e2, e3: 2e0 >= k and -3 + 2e0 <= 3e1 <= -2 + 2e0 and "
        "-18831 + n <= 6e2 <= 2 + n and 18834e3 <= -18006 - n + 6278e0 - 30564e2 and "
        "9495475e3 <= -9077989 + 3164112e0 - 15409350e2 and "
        "28486425e3 >= -27233991 - 1542n + 9495475e0 - 46228050e2 and -54467930 - n + 18984672e0 "
        "- 92456100e2 <= 56972850e3 <= -54449097 - n + 18984672e0 - 92456100e2) }"
    )
    checks = ArgumentChecks((Requirement(excluded, (Source(0), Source(1), Source(2)), "hard"),))
    began = time.process_time()
    assert checks.first_violated((6, 6, 12)) == -1
    assert time.process_time() - began < 10
