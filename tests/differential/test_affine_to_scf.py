"""convert-affine-to-scf against MLIR's own lowering of the same program, signs included."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from oracle import MISSING_TOOLS_REASON, Oracle, mlir_opt_available
from traces import mlir_text

from polyir.frontend.parse import parse_module
from polyir.loops.affine_to_scf import convert_affine_to_scf
from polyir.loops.openmp import convert_parallel_to_omp

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

DIVISIONS = """
func.func @run(%out: memref<?x6xi64>, %n: index) {
  affine.parallel (%row) = (0) to (symbol(%n)) {
    %i = affine.apply affine_map<(d0)[s0] -> (d0 - s0 floordiv 2)>(%row)[%n]
    %0 = affine.apply affine_map<(d0) -> (d0 mod 5)>(%i)
    %1 = affine.apply affine_map<(d0) -> (d0 floordiv 4)>(%i)
    %2 = affine.apply affine_map<(d0) -> (d0 ceildiv 4)>(%i)
    %3 = affine.apply affine_map<(d0)[s0] -> (((d0 - 3) mod 7) * 3 - (s0 - d0) ceildiv 3)>(%i)[%n]
    %4 = affine.min affine_map<(d0) -> (d0 floordiv 3, d0 mod 3, -2)>(%i)
    %5 = affine.max affine_map<(d0) -> (d0 ceildiv 3, -(d0 mod 3), 1)>(%i)
    %6 = arith.index_cast %0 : index to i64
    %7 = arith.index_cast %1 : index to i64
    %8 = arith.index_cast %2 : index to i64
    %9 = arith.index_cast %3 : index to i64
    %10 = arith.index_cast %4 : index to i64
    %11 = arith.index_cast %5 : index to i64
    affine.store %6, %out[%row, 0] : memref<?x6xi64>
    affine.store %7, %out[%row, 1] : memref<?x6xi64>
    affine.store %8, %out[%row, 2] : memref<?x6xi64>
    affine.store %9, %out[%row, 3] : memref<?x6xi64>
    affine.store %10, %out[%row, 4] : memref<?x6xi64>
    affine.store %11, %out[%row, 5] : memref<?x6xi64>
  }
  return
}
"""

CONTROL = """
func.func @run(%out: memref<?x6xi64>, %n: index) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  affine.parallel (%i, %j) = (0, 0) to (min(%n, 50), 6) step (1, 2) {
    %count, %last = affine.for %k = max affine_map<(d0) -> (-d0, d0 - 20)>(%i)
        to min affine_map<(d0)[s0] -> (d0, s0 - d0)>(%i)[%n] step 3
        iter_args(%c = %zero, %l = %one) -> (i64, i64) {
      %next = affine.if affine_set<(d0, d1) : (d0 - d1 + 3 >= 0, (d0 + d1) mod 2 == 0)>(%k, %j)
          -> i64 {
        %more = arith.addi %c, %one : i64
        affine.yield %more : i64
      } else {
        affine.yield %c : i64
      }
      %data = arith.index_cast %k : index to i64
      affine.yield %next, %data : i64, i64
    }
    affine.store %count, %out[%i, %j] : memref<?x6xi64>
    affine.store %last, %out[%i, %j + 1] : memref<?x6xi64>
    affine.if affine_set<(d0) : (d0 mod 4 - 1 == 0)>(%i) {
      %v = affine.vector_load %out[%i, %j] : memref<?x6xi64>, vector<2xi64>
      %twice = arith.addi %v, %v : vector<2xi64>
      affine.vector_store %twice, %out[%i, %j] : memref<?x6xi64>, vector<2xi64>
    }
  }
  return
}
"""


REDUCTIONS = """
func.func @run(%out: memref<?x6xi64>, %n: index) {
  affine.parallel (%i) = (1) to (symbol(%n)) {
    %sum, %all = affine.parallel (%j) = (0) to (%i) reduce ("addi", "muli") -> (i64, i64) {
      %data = arith.index_cast %j : index to i64
      %five = arith.constant 5 : i64
      %below = arith.subi %data, %five : i64
      affine.yield %below, %below : i64, i64
    }
    %product, %least = affine.parallel (%j, %k) = (0, 0) to (2, %i) step (1, 3)
        reduce ("mulf", "minimumf") -> (f64, f64) {
      %data = arith.index_cast %k : index to i64
      %real = arith.sitofp %data : i64 to f64
      %half = arith.constant -0.5 : f64
      %shifted = arith.addf %real, %half : f64
      affine.yield %shifted, %shifted : f64, f64
    }
    %bits = affine.parallel (%j) = (0) to (%i) reduce ("andi") -> (i64) {
      %data = arith.index_cast %i : index to i64
      affine.yield %data : i64
    }
    %product_bits = arith.bitcast %product : f64 to i64
    %least_bits = arith.bitcast %least : f64 to i64
    affine.store %sum, %out[%i, 0] : memref<?x6xi64>
    affine.store %all, %out[%i, 1] : memref<?x6xi64>
    affine.store %product_bits, %out[%i, 2] : memref<?x6xi64>
    affine.store %least_bits, %out[%i, 3] : memref<?x6xi64>
    affine.store %bits, %out[%i, 4] : memref<?x6xi64>
    affine.store %bits, %out[%i, 5] : memref<?x6xi64>
  }
  return
}
"""


@pytest.mark.parametrize(
    "text", [DIVISIONS, CONTROL, REDUCTIONS], ids=["divisions", "control", "reductions"]
)
def test_same_as_lowered_by_mlir(text: str, tmp_path: Path) -> None:
    converted, teams = parse_module(text), parse_module(text)
    convert_affine_to_scf(converted)
    assert not convert_parallel_to_omp(teams)
    results = []
    for version in (text, mlir_text(converted), mlir_text(teams)):
        out = np.full((41, 6), -77, np.int64)
        Oracle(version, tmp_path)("run", out, 41)
        results.append(out)
    assert not (results[0] == -77).all(axis=0).any(), "each column is written"
    np.testing.assert_array_equal(results[1], results[0])
    np.testing.assert_array_equal(results[2], results[0])
    assert not [op.name for op in converted.walk() if op.name.startswith("affine.")]
