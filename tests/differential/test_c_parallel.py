"""Parallel loops through the C target, with 1 and 2 threads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from oracle import MISSING_TOOLS_REASON, Oracle, mlir_opt_available

from polyir.api import Backend, compile_loops, parse
from polyir.frontend.parse import parse_module
from polyir.loops.openmp import convert_parallel_to_omp
from polyir.runtime import CompilerOptions, compare_bits, compile_module

FLAGS = ("-std=c99", "-O1", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")

LOOPS = """
func.func @loops(%n: index, %A: memref<?x?xf64>, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f64
  affine.parallel (%i, %j) = (0, max(2, 1)) to (symbol(%n), min(symbol(%n), 9)) step (1, 3) {
    %a = affine.load %A[%i, %j] : memref<?x?xf64>
    %b = arith.addf %a, %one : f64
    affine.store %b, %A[%i, %j] : memref<?x?xf64>
    affine.parallel (%k) = (0) to (2) {
      affine.store %a, %A[%i, %j - %k - 1] : memref<?x?xf64>
    }
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c2) {
    %a = memref.load %A[%i, %i] : memref<?x?xf64>
    %t = arith.fptosi %a : f64 to i32
    memref.store %t, %x[%i] : memref<?xi32>
    scf.reduce
  }
  return
}
func.func @reductions(%n: index, %A: memref<?x?xf64>, %x: memref<?xi32>)
    -> (i32, i32, i32, f64, f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %start = arith.constant 0.5 : f64
  %any = affine.parallel (%i) = (0) to (symbol(%n)) reduce ("ori") -> i32 {
    %v = affine.load %x[%i] : memref<?xi32>
    affine.yield %v : i32
  }
  %p, %all = affine.parallel (%i) = (0) to (symbol(%n)) reduce ("muli", "andi") -> (i32, i32) {
    %v = affine.load %x[%i] : memref<?xi32>
    affine.yield %v, %v : i32, i32
  }
  %sum = affine.parallel (%i, %j) = (0, 0) to (symbol(%n), 3) reduce ("addf") -> f64 {
    %v = affine.load %A[%i, %j] : memref<?x?xf64>
    affine.yield %v : f64
  }
  %difference = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%start) -> f64 {
    %v = memref.load %A[%i, %i] : memref<?x?xf64>
    scf.reduce(%v : f64) {
    ^bb0(%total: f64, %next: f64):
      %s = arith.subf %total, %next : f64
      scf.reduce.return %s : f64
    }
  }
  return %any, %p, %all, %sum, %difference : i32, i32, i32, f64, f64
}
"""

OPENMP = """
func.func @openmp(%n: index, %x: memref<?xi64>, %y: memref<?x?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : i64
  "omp.parallel"() <{operandSegmentSizes = array<i32: 0, 0, 0, 0, 0, 0>}> ({
    "omp.wsloop"() <{operandSegmentSizes = array<i32: 0, 0, 0, 0, 0, 0, 0>}> ({
      "omp.loop_nest"(%c1, %n, %c1) <{loop_inclusive}> ({
      ^bb0(%i: index):
        %wide = arith.index_cast %i : index to i64
        %j = arith.subi %i, %c1 : index
        memref.store %wide, %x[%j] : memref<?xi64>
        "omp.yield"() : () -> ()
      }) : (index, index, index) -> ()
    }) : () -> ()
    "omp.terminator"() : () -> ()
  }) : () -> ()
  "omp.parallel"() <{operandSegmentSizes = array<i32: 0, 0, 0, 0, 0, 0>}> ({
    %double = arith.addi %c3, %c3 overflow<nsw> : i64
    "omp.wsloop"() <{operandSegmentSizes = array<i32: 0, 0, 0, 0, 0, 0, 0>}> ({
      "omp.loop_nest"(%c0, %c0, %n, %n, %c1, %c1) ({
      ^bb0(%i: index, %j: index):
        memref.store %double, %y[%i, %j] : memref<?x?xi64>
        "omp.yield"() : () -> ()
      }) : (index, index, index, index, index, index) -> ()
    }) : () -> ()
    "omp.terminator"() : () -> ()
  }) : () -> ()
  return
}
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYIR_CACHE", str(tmp_path))


@pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)
def test_parallel_loops_and_reductions(tmp_path: Path) -> None:
    oracle = Oracle(LOOPS, tmp_path)
    compiled = compile_module(parse_module(LOOPS), CompilerOptions(flags=FLAGS))
    generator = np.random.default_rng(3)
    start = (generator.uniform(-9, 9, (11, 11)), generator.integers(-99, 99, 11, np.int32))
    expected = [array.copy() for array in start]
    oracle("loops", 11, *expected)
    for count in (1, 2):
        actual = [array.copy() for array in start]
        with compiled.threads(count):
            compiled.loops(11, *actual)
            assert compiled.reductions(11, *actual) == oracle("reductions", 11, *expected)
        assert compare_bits(expected, actual) is None


def test_openmp_loops() -> None:
    compiled = compile_module(parse_module(OPENMP), CompilerOptions(flags=FLAGS))
    pragmas = [line.strip() for line in compiled.source.splitlines() if "#pragma" in line]
    assert pragmas == [
        "#pragma omp parallel for",
        "#pragma omp parallel",
        "#pragma omp for collapse(2)",
    ]
    for count in (1, 2):
        x, y = np.zeros(7, np.int64), np.zeros((7, 7), np.int64)
        with compiled.threads(count):
            compiled.openmp(7, x, y)
        assert x.tolist() == [1, 2, 3, 4, 5, 6, 7]
        assert (y == 6).all()


ARRAYS = """
func.func @arrays(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  affine.parallel (%i) = (0) to (%n) {
    %row = memref.alloc(%n) {alignment = 64} : memref<?xf64>
    %some = memref.alloc(%i) : memref<?xf64>
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      affine.store %a, %row[%n - %j - 1] : memref<?xf64>
    }
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %a = affine.load %row[%j] : memref<?xf64>
      affine.store %a, %some[%i - %j - 1] : memref<?xf64>
    }
    affine.for %j = 0 to %n {
      %a = affine.load %row[%j] : memref<?xf64>
      affine.store %a, %A[%i, %j] : memref<?x?xf64>
    }
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %a = affine.load %some[%j] : memref<?xf64>
      affine.store %a, %A[%i, %j] : memref<?x?xf64>
    }
    memref.dealloc %some : memref<?xf64>
    memref.dealloc %row : memref<?xf64>
  } {poly.dynamic = #poly.dynamic}
  affine.parallel (%i, %j) = (0, 0) to (%n, %n) {
    affine.parallel (%k) = (0) to (1) {
      %pair = memref.alloc() : memref<2xf64>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = affine.load %B[%i, %j] : memref<?x?xf64>
      affine.store %a, %pair[0] : memref<2xf64>
      affine.store %b, %pair[1] : memref<2xf64>
      %c = affine.load %pair[0] : memref<2xf64>
      %d = affine.load %pair[1] : memref<2xf64>
      %e = arith.subf %c, %d : f64
      affine.store %e, %B[%i, %j] : memref<?x?xf64>
      memref.dealloc %pair : memref<2xf64>
    }
  }
  return
}
"""


@pytest.mark.parametrize("backend", ["c", "llvm"])
@pytest.mark.parametrize("convert", [False, True])
def test_arrays_of_threads(backend: Backend, convert: bool) -> None:
    """Arrays of iterations: of one size, of another in each iteration, in nested loops."""
    module = parse(ARRAYS)
    if convert:
        convert_parallel_to_omp(module)
    compiled = compile_loops(module, backend=backend)
    generator = np.random.default_rng(5)
    for n in (0, 1, 2, 33):
        start = generator.uniform(-9, 9, (2, n, n))
        expected = start.copy()
        expected[0] = start[0][:, ::-1]
        for i in range(n):
            expected[0, i, :i] = expected[0, i, :i][::-1]
        expected[1] = expected[0] - start[1]
        for count in (1, 2):
            actual = start.copy()
            with compiled.threads(count):
                compiled.arrays(n, *actual)
            assert compare_bits([expected], [actual]) is None


HINTS = """
func.func @hints(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  affine.parallel (%i) = (0) to (%n) {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %ab = arith.mulf %a, %b : f64
        affine.store %ab, %A[%i, %j + 20] : memref<?x?xf64>
      } {poly.unroll = #poly.unroll<4>, other.note = "of a plug-in"}
    } {poly.vector = #poly.vector<8>}
  } {poly.vector = #poly.vector<4>}
  affine.for %i = 0 to %n {
    affine.parallel (%j) = (0) to (%n) {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = arith.addf %a, %a : f64
      affine.store %b, %A[%i, %j] : memref<?x?xf64>
    } {poly.vector = #poly.vector<8>}
  } {poly.vector = #poly.vector<4>, poly.unroll = #poly.unroll<2>}
  return
}
"""


def test_hints_change_no_bit() -> None:
    """Nested vector loops, and a vector loop around a parallel one, which OpenMP forbids."""
    flags = CompilerOptions(flags=(*FLAGS, "-O3", "-march=native"))
    module = parse(HINTS)
    hinted = compile_module(module, flags)
    assert [line.strip() for line in hinted.source.splitlines() if "#pragma" in line] == [
        "#pragma omp parallel for simd simdlen(4)",
        "#pragma omp simd simdlen(8)",
        "#pragma GCC unroll 4",
        "#pragma GCC unroll 2",
        "#pragma omp parallel for simd simdlen(8)",
    ]
    for op in module.walk():
        op.attributes.clear()
    plain = compile_module(module, flags)
    start = np.random.default_rng(3).uniform(-9, 9, (2, 19, 40))
    expected = start.copy()
    plain.hints(19, *expected)
    for compiled in (hinted, compile_loops(parse(HINTS), backend="llvm")):
        for count in (1, 2):
            actual = start.copy()
            with compiled.threads(count):
                compiled.hints(19, *actual)
            assert compare_bits([expected], [actual]) is None
