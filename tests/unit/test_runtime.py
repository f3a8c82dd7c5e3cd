"""Compiling, caching, calling and measuring."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from polyir.base.diagnostics import CacheError
from polyir.frontend.parse import parse_module
from polyir.runtime import CompiledModule, CompilerOptions, best_times, compare_bits
from polyir.runtime.compiler import CompilationError, build_library
from polyir.runtime.library import compile_c, compile_module

TEXT = """
func.func @scale(%A: memref<?x4xf64>, %factor: f64, %n: index, %negate: i1) -> f64 {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %rows = memref.dim %A, %c0 : memref<?x4xf64>
  %total = affine.for %i = 0 to %rows iter_args(%sum = %zero) -> (f64) {
    %partial = affine.for %j = 0 to 4 iter_args(%inner = %sum) -> (f64) {
      %a = affine.load %A[%i, %j] : memref<?x4xf64>
      %scaled = arith.mulf %a, %factor : f64
      affine.store %scaled, %A[%i, %j] : memref<?x4xf64>
      %next = arith.addf %inner, %scaled : f64
      affine.yield %next : f64
    }
    affine.yield %partial : f64
  }
  %minus = arith.negf %total : f64
  %result = arith.select %negate, %minus, %total : f64
  return %result : f64
}
func.func @both(%a: i32, %s: memref<f32>) -> (i32, f32) {
  %value = affine.load %s[] : memref<f32>
  return %a, %value : i32, f32
}
func.func @ones(%x: memref<?xi64>) {
  %c1 = arith.constant 1 : i64
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xi64>
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.store %c1, %x[%i] : memref<?xi64>
  }
  return
}
func.func private @hidden() {
  return
}
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("POLYIR_CACHE", str(folder))
    return folder


@pytest.fixture
def module() -> CompiledModule:
    return compile_module(parse_module(TEXT), CompilerOptions(flags=("-std=c99", "-fopenmp")))


def test_call_changes_arrays_and_returns_the_result(module: CompiledModule) -> None:
    array = np.arange(8.0).reshape(2, 4)
    assert module.scale(array, 2, 3, True) == -56.0
    assert array.tolist() == [[0, 2, 4, 6], [8, 10, 12, 14]]


def test_several_results_are_a_tuple(module: CompiledModule) -> None:
    assert module["both"](np.int32(-7), np.array(1.5, np.float32)) == (-7, 1.5)


def test_functions_are_listed_and_private_ones_are_not(module: CompiledModule) -> None:
    assert list(module) == ["scale", "both", "ones"]
    with pytest.raises(AttributeError, match="no function 'hidden'"):
        _ = module.hidden
    with pytest.raises(KeyError, match="did you mean 'scale'"):
        _ = module["scal"]


GOOD = np.zeros((2, 4))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((GOOD, 1.0, 2), TypeError, "scale takes 4 arguments, not 3"),
        (([[1.0]], 1.0, 2, True), TypeError, "argument 0 'A' must be a NumPy array, not list"),
        ((GOOD.astype("f4"), 1.0, 2, True), TypeError, "'A' must have elements of type float64"),
        ((GOOD.astype(">f8"), 1.0, 2, True), TypeError, "elements of type float64, not >f8"),
        ((np.zeros(4), 1.0, 2, True), ValueError, "'A' must have rank 2, not 1"),
        ((np.zeros((2, 5)), 1.0, 2, True), ValueError, "extent 4 in dimension 1, not 5"),
        ((np.broadcast_to(1.0, (1, 4)), 1.0, 2, True), ValueError, "'A' must be"),
        ((GOOD, "1", 2, True), TypeError, "argument 1 'factor' must be a number, not str"),
        ((GOOD, 1.0, 2.5, True), TypeError, "argument 2 'n' must be an integer, not float"),
        ((GOOD, 1.0, 2**63, True), ValueError, "'n' must fit into 64 bits"),
        ((GOOD, 1.0, 2, 5), ValueError, "'negate' must be 0 or 1, not 5"),
    ],
)
def test_wrong_arguments(
    module: CompiledModule, arguments: tuple[object, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        module.scale(*arguments)  # type: ignore[arg-type]


def test_array_that_may_not_be_written(module: CompiledModule) -> None:
    array = np.zeros((2, 4))
    array.flags.writeable = False
    with pytest.raises(ValueError, match="'A' must be writable"):
        module.scale(array, 1.0, 2, False)


def test_same_text_is_compiled_once(cache: Path) -> None:
    options = CompilerOptions(flags=("-O0",))
    first = build_library("int f(void) { return 1; }\n", options)
    stamp = first.stat().st_mtime_ns
    assert build_library("int f(void) { return 1; }\n", options) == first
    assert first.stat().st_mtime_ns == stamp
    assert build_library("int f(void) { return 2; }\n", options) != first
    assert build_library("int f(void) { return 1; }\n", CompilerOptions(flags=("-O1",))) != first
    assert sorted(cache.iterdir()) == sorted(cache.glob("*.so")), "no scratch folder stays"


def test_concurrent_processes_share_the_cache(cache: Path) -> None:
    program = (
        "from polyir.runtime.compiler import CompilerOptions, build_library\n"
        "print(build_library('int f(void) { return 3; }', CompilerOptions(flags=('-O0',))))"
    )
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=os.environ
        )
        for _ in range(3)
    ]
    printed = {run.communicate()[0] for run in runs}
    assert [run.returncode for run in runs] == [0, 0, 0]
    assert len(printed) == 1
    assert len(list(cache.iterdir())) == 1


def test_cache_of_another_user(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.mkdir()
    monkeypatch.setattr(os, "getuid", lambda: cache.stat().st_uid + 1)
    with pytest.raises(CacheError, match="belongs to another user"):
        build_library("int f(void) { return 1; }\n", CompilerOptions())


def test_message_of_the_compiler() -> None:
    with pytest.raises(CompilationError, match=r"module\.c:1:.*error"):
        compile_c("int f(void) { return x; }\n", ())


def test_missing_compiler() -> None:
    with pytest.raises(CompilationError, match=r"no C compiler found \(tried no-such-cc"):
        compile_c("", (), CompilerOptions(compiler="no-such-cc"))


def test_threads_are_set_and_restored(module: CompiledModule) -> None:
    count = module._library.omp_get_max_threads
    before = count()
    with module.threads(2):
        assert count() == 2
        with module.threads(1):
            assert count() == 1
        assert count() == 2
        array = np.zeros(1000, np.int64)
        module.ones(array)
    assert array.sum() == 1000
    assert count() == before
    with pytest.raises(ValueError, match="must be at least 1, not 0"), module.threads(0):
        pass


def test_best_times_runs_on_copies() -> None:
    seen: list[float] = []

    def function(array: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> None:
        seen.append(float(array[0]))
        array[0] += 1

    times = best_times({"one": function, "other": function}, [np.zeros(3)], rounds=3)
    assert seen == [0.0] * 8
    assert list(times) == ["one", "other"]
    assert all(0 <= time < 1 for time in times.values())


def test_bits_are_compared() -> None:
    left = np.array([[1.0, np.nan], [0.0, 2.0]])
    assert compare_bits([3, left], [3, left.copy()]) is None
    right = left.copy()
    right[1] = [-0.0, 2.5]
    difference = compare_bits([3, left], [3, right])
    assert difference is not None
    assert (difference.argument, difference.index, difference.count) == (1, (1, 0), 2)
    assert "differs in 2 elements, first at [1, 0]" in str(difference)
    with pytest.raises(ValueError, match="argument 0 is float64 of shape"):
        compare_bits([left], [left[:1]])
