"""Operations on vectors in both back ends: the bits that MLIR's own lowering gives.

The short selection compiles each program in two or three of the ways, and a third of the programs
in each.
"""

from __future__ import annotations

import shutil
from itertools import product

import numpy as np
import pytest
from oracle import MISSING_TOOLS_REASON, Oracle, compile_all, mlir_opt_available
from suites import in_turn
from vector_programs import PROGRAMS, VectorProgram

import polyir
from polyir.api import Backend
from polyir.runtime import compare_bits
from polyir.runtime.compiler import CompilerOptions

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

WARNINGS = ("-std=c99", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")
COMPILATIONS = {
    "gcc": ("gcc", ("-O1",)),
    "gcc-native": ("gcc", ("-O3", "-march=native")),
    "gcc-avx2": ("gcc", ("-O2", "-mavx2")),
    "gcc-avx512f": ("gcc", ("-O2", "-mavx512f", "-mfma")),
    "clang": ("clang-19", ("-O1",)),
    "clang-avx2": ("clang-19", ("-O2", "-mavx2", "-mfma")),
    "clang-native": ("clang-19", ("-O3", "-march=native")),
    "llvm": (None, ()),
}


@pytest.fixture(scope="module")
def oracles() -> dict[VectorProgram, Oracle]:
    return dict(zip(PROGRAMS, compile_all([each.text for each in PROGRAMS]), strict=True))


@pytest.mark.parametrize(
    ("program", "compilation"),
    in_turn(PROGRAMS, list(COMPILATIONS), 4),
    ids=lambda each: each if isinstance(each, str) else f"{each.element}x{each.lanes}",
)
def test_operations(
    program: VectorProgram, compilation: str, oracles: dict[VectorProgram, Oracle]
) -> None:
    compiler, flags = COMPILATIONS[compilation]
    if compiler is None:
        function = polyir.compile(program.text, "", backend="llvm")["f"]
    else:
        if shutil.which(compiler) is None:
            pytest.skip(f"needs {compiler}")
        options = CompilerOptions(compiler, (*WARNINGS, *flags))
        function = polyir.compile(program.text, "", options, backend="c")["f"]
    for seed, (n, p) in enumerate([(0, False), (1, True), (program.lanes - 1, False)]):
        expected, actual = program.arguments(seed, n, p), program.arguments(seed, n, p)
        oracles[program]("f", *expected)
        function(*actual)
        wanted, found = expected[2], actual[2]
        assert isinstance(wanted, np.ndarray)
        assert isinstance(found, np.ndarray)
        different = [
            row
            for row in range(program.count)
            if compare_bits([wanted[row]], [found[row]]) is not None
        ]
        assert not different, [program.shown(row) for row in different]


PARALLEL = """
func.func @f(%A: memref<64x64xf64>, %x: f64, %n: index) {
  %v = vector.broadcast %x : f64 to vector<8xf64>
  %m = vector.create_mask %n : vector<8xi1>
  %k = vector.broadcast %n : index to vector<8xindex>
  affine.parallel (%i) = (0) to (64) {
    affine.for %j = 0 to 64 step 8 {
      %a = affine.vector_load %A[%i, %j] : memref<64x64xf64>, vector<8xf64>
      %b = arith.mulf %a, %v : vector<8xf64>
      %c = arith.select %m, %b, %a : vector<8xi1>, vector<8xf64>
      %l = arith.index_cast %k : vector<8xindex> to vector<8xi64>
      %d = arith.sitofp %l : vector<8xi64> to vector<8xf64>
      %e = arith.addf %c, %d : vector<8xf64>
      affine.vector_store %e, %A[%i, %j] : memref<64x64xf64>, vector<8xf64>
    }
  }
  return
}
"""


@pytest.mark.parametrize("backend", ["c", "llvm"])
def test_threads_share_vectors(backend: Backend) -> None:
    actual = np.random.default_rng(3).random((64, 64))
    expected = actual.copy()
    expected.reshape(64, 8, 8)[:, :, :5] *= 1.25
    expected += 5
    module = polyir.compile(PARALLEL, "", backend=backend)
    with module.threads(2):
        module["f"](actual, 1.25, 5)
    assert compare_bits([expected], [actual]) is None


@pytest.mark.parametrize("backend", ["c", "llvm"])
def test_fma_rounds_once(backend: Backend) -> None:
    # MLIR's lowering of `vector.fma` leaves open how often it rounds.
    text = """
    func.func @f(%A: memref<8xf64>) {
      %zero = arith.constant 0 : index
      %a = vector.load %A[%zero] : memref<8xf64>, vector<8xf64>
      %b = vector.fma %a, %a, %a : vector<8xf64>
      %c = math.fma %a, %a, %a : vector<8xf64>
      %w = arith.subf %b, %c : vector<8xf64>
      vector.store %w, %A[%zero] : memref<8xf64>, vector<8xf64>
      return
    }
    """
    array = np.random.default_rng(5).random(8)
    polyir.compile(text, "", backend=backend)["f"](array)
    assert not array.any()


ROWS = """
func.func @rows(%a: index, %n: index, %A: memref<?x24xf64>, %B: memref<?x24xf64>) {
  affine.for %i = 1 to 4 {
    affine.for %j = %a to %n {
      %0 = affine.load %A[%i - 1, %j + 2] : memref<?x24xf64>
      %1 = affine.load %A[%i, %j + 2] : memref<?x24xf64>
      %2 = affine.load %A[%i, %j + 1] : memref<?x24xf64>
      %3 = arith.addf %0, %1 : f64
      %4 = arith.addf %3, %2 : f64
      affine.store %4, %B[%i, %j + 2] : memref<?x24xf64>
    } {poly.vector = #poly.vector<4>}
  }
  return
}
"""


@pytest.mark.parametrize("backend", ["c", "llvm"])
def test_loops_from_multiples_of_the_width_on(backend: Backend) -> None:
    program = polyir.compile(ROWS, "vectorize", backend=backend)
    a = np.random.default_rng(3).normal(size=(4, 24))
    for first, last in product(range(-1, 9), range(-1, 20)):
        expected, found = np.zeros_like(a), np.zeros_like(a)
        part = slice(first + 2, max(first, last) + 2)
        before = slice(part.start - 1, part.stop - 1)
        expected[1:, part] = a[:-1, part] + a[1:, part] + a[1:, before]
        program["rows"](first, last, a, found)
        assert np.array_equal(found, expected), (first, last)
