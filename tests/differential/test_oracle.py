"""The oracle against what the programs should compute, and the kernels against their references."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from kernels import KERNELS, Kernel
from oracle import (
    MISSING_TOOLS_REASON,
    Argument,
    Oracle,
    OracleError,
    compile_all,
    mlir_opt_available,
)
from reference_kernels import REFERENCES

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("oracle")


@pytest.fixture(scope="module")
def kernel_oracles() -> dict[str, Oracle]:
    oracles = compile_all([kernel.path.read_text() for kernel in KERNELS.values()])
    return dict(zip(KERNELS, oracles, strict=True))


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())
def test_kernel_equals_reference(kernel: Kernel, kernel_oracles: dict[str, Oracle]) -> None:
    """Bit for bit, at the mini size and at one where no two extents are alike."""
    uneven = {name: 7 + 2 * position for position, name in enumerate(kernel.size_names)}
    for sizes in (kernel.sizes("mini"), uneven):
        actual, expected = (kernel.make_arguments(sizes, seed=3) for _ in range(2))
        kernel_oracles[kernel.name](kernel.function, *actual)
        REFERENCES[kernel.name](*expected)
        for name, ours, theirs in zip(kernel.argument_names, actual, expected, strict=True):
            np.testing.assert_array_equal(ours, theirs, err_msg=f"{kernel.name}: {name}")


def test_scalars_of_every_type(folder: Path) -> None:
    oracle = Oracle(
        """
        func.func @index(%a: index, %b: index) -> index {
          %r = arith.subi %a, %b : index
          return %r : index
        }
        func.func @integer(%a: i32, %b: i64) -> i64 {
          %w = arith.extsi %a : i32 to i64
          %r = arith.addi %w, %b : i64
          return %r : i64
        }
        func.func @float(%a: f32, %b: f64) -> f64 {
          %w = arith.extf %a : f32 to f64
          %r = arith.divf %w, %b : f64
          return %r : f64
        }
        func.func @several(%a: i32, %b: f64) -> (f64, i32, i1) {
          %c = arith.cmpi slt, %a, %a : i32
          return %b, %a, %c : f64, i32, i1
        }
        """,
        folder,
    )
    assert oracle("index", 3, 5) == -2
    assert oracle("integer", -7, 2**40) == 2**40 - 7
    assert oracle("float", 0.1, 3.0) == float(np.float32(0.1)) / 3.0
    assert oracle("several", -4, 2.5) == (2.5, -4, False)


def test_memrefs_of_any_rank(folder: Path) -> None:
    oracle = Oracle(
        """
        func.func @fill(%s: memref<f32>, %A: memref<2x?x3xi64>, %extent: memref<1xindex>) {
          %two = arith.constant 2.0 : f32
          %old = affine.load %s[] : memref<f32>
          %new = arith.mulf %old, %two : f32
          affine.store %new, %s[] : memref<f32>
          %c1 = arith.constant 1 : index
          %n = memref.dim %A, %c1 : memref<2x?x3xi64>
          affine.store %n, %extent[0] : memref<1xindex>
          affine.for %i = 0 to 2 {
            affine.for %j = 0 to %n {
              affine.for %k = 0 to 3 {
                %p = affine.apply affine_map<(i, j, k) -> (i * 100 + j * 10 + k)>(%i, %j, %k)
                %v = arith.index_cast %p : index to i64
                affine.store %v, %A[%i, %j, %k] : memref<2x?x3xi64>
              }
            }
          }
          return
        }
        """,
        folder,
    )
    scalar = np.array(1.25, dtype=np.float32)
    cube = np.zeros((2, 4, 3), dtype=np.int64)
    extent = np.zeros(1, dtype=np.int64)
    assert oracle("fill", scalar, cube, extent) is None
    assert scalar[()] == np.float32(2.5)
    assert extent[0] == 4
    i, j, k = np.indices(cube.shape)
    assert np.array_equal(cube, i * 100 + j * 10 + k)


def test_division_of_negative_numbers_rounds_as_in_mlir(folder: Path) -> None:
    oracle = Oracle(
        """
        func.func @divide(%n: index) -> (index, index, index) {
          %f = affine.apply affine_map<()[s0] -> (s0 floordiv 3)>()[%n]
          %c = affine.apply affine_map<()[s0] -> (s0 ceildiv 3)>()[%n]
          %m = affine.apply affine_map<()[s0] -> (s0 mod 3)>()[%n]
          return %f, %c, %m : index, index, index
        }
        """,
        folder,
    )
    for number in range(-7, 8):
        assert oracle("divide", number) == (number // 3, -(-number // 3), number % 3)


def test_parallel_vector_and_data_dependent_code(folder: Path) -> None:
    """Ops beyond the kernels: parallel loops with a reduction, vectors, `scf`, `min` bounds."""
    oracle = Oracle(
        """
        func.func @clamped_sum(%n: index, %A: memref<?xf64>) -> f64 {
          %zero = arith.constant 0.0 : f64
          %c0 = arith.constant 0 : index
          affine.for %i = 0 to min affine_map<()[s0] -> (s0, 16)>()[%n] step 4 {
            %v = affine.vector_load %A[%i] : memref<?xf64>, vector<4xf64>
            %d = arith.addf %v, %v : vector<4xf64>
            affine.vector_store %d, %A[%i] : memref<?xf64>, vector<4xf64>
          }
          affine.parallel (%i) = (0) to (min(%n, 16)) {
            %x = memref.load %A[%i] : memref<?xf64>
            %negative = arith.cmpf olt, %x, %zero : f64
            scf.if %negative {
              memref.store %zero, %A[%i] : memref<?xf64>
            }
          }
          %sum = affine.parallel (%i) = (0) to (symbol(%n)) reduce ("addf") -> (f64) {
            %x = affine.load %A[%i] : memref<?xf64>
            affine.yield %x : f64
          }
          return %sum : f64
        }
        """,
        folder,
    )
    data = np.random.default_rng(0).uniform(-1.0, 1.0, 20)
    expected = data.copy()
    expected[:16] = np.maximum(2.0 * expected[:16], 0.0)
    result = oracle("clamped_sum", 20, data)
    assert np.array_equal(data, expected)
    assert result == pytest.approx(expected.sum())


IDENTITY = """
func.func @touch(%n: index, %A: memref<?x4xf64>) {
  return
}
"""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((1,), "takes 2 arguments, not 1"),
        ((1.5, np.zeros((2, 4))), "wants an integer, not 1.5"),
        ((1, 2.0), "wants an array, not 2.0"),
        ((np.zeros(()), np.zeros((2, 4))), "wants a number, not an array"),
        ((1, np.zeros((2, 4), dtype=np.float32)), "wants an array of float64, not of float32"),
        ((1, np.zeros(4)), r"does not fit an array of shape \(4,\)"),
        ((1, np.zeros((4, 2))), r"does not fit an array of shape \(4, 2\)"),
        ((1, np.zeros((4, 2)).T), "wants a contiguous array"),
    ],
)
def test_arguments_that_do_not_fit(
    arguments: tuple[Argument, ...], message: str, folder: Path
) -> None:
    with pytest.raises(OracleError, match=message):
        Oracle(IDENTITY, folder)("touch", *arguments)


def test_unknown_function(folder: Path) -> None:
    with pytest.raises(OracleError, match="no function 'torch' in the module; it has: touch"):
        Oracle(IDENTITY, folder)("torch")


def test_rejected_program(folder: Path) -> None:
    bad = "func.func @f() {\n  %a = arith.addi %b, %b : i32\n  return\n}\n"
    with pytest.raises(OracleError, match=r":2:19: error: use of undeclared SSA value name"):
        Oracle(bad, folder)
    with pytest.raises(OracleError, match=r":2:19: error: use of undeclared SSA value name"):
        compile_all([IDENTITY, "func.func @g() {\n  return\n}\n", bad], folder)


def test_batch_keeps_the_order_and_compiles_once(tmp_path: Path) -> None:
    texts = [
        f"func.func @f() -> i32 {{\n  %c = arith.constant {n} : i32\n  return %c : i32\n}}\n"
        for n in (5, 6, 5, 7)
    ]
    assert [oracle("f") for oracle in compile_all(texts, tmp_path)] == [5, 6, 5, 7]
    libraries = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.so")}
    assert len(libraries) == 3
    assert [oracle("f") for oracle in compile_all(texts, tmp_path)] == [5, 6, 5, 7]
    assert libraries == {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.so")}
