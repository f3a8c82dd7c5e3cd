"""Read-only, transposed, sliced and overlapping arrays as arguments, with NumPy as the oracle."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import polyir
from polyir.runtime import CompiledModule
from polyir.runtime.argument_checks import ArgumentError
from polyir.runtime.array_layouts import ArrayCopyWarning

MATMUL = """
func.func @matmul(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %C, %c0 : memref<?x?xf64>
  %m = memref.dim %C, %c1 : memref<?x?xf64>
  %l = memref.dim %B, %c0 : memref<?x?xf64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to %l {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
"""
Matrix = np.ndarray[Any, np.dtype[np.float64]]


@pytest.fixture(scope="module")
def matmul() -> CompiledModule:
    return polyir.compile(MATMUL, "pluto-schedule,tile{sizes=2}")


def _plain(rows: int, columns: int) -> Matrix:
    return np.zeros((rows, columns))


def _unaligned(rows: int, columns: int) -> Matrix:
    memory = np.zeros(rows * columns * 8 + 1, np.uint8)
    found: Matrix = memory[1:].view(np.float64).reshape(rows, columns)
    assert not found.flags.aligned
    return found


LAYOUTS: dict[str, Callable[[int, int], Matrix]] = {
    "Fortran": lambda rows, columns: np.zeros((rows, columns), order="F"),
    "transposed": lambda rows, columns: np.zeros((columns, rows)).T,
    "rows": lambda rows, columns: np.zeros((2 * rows, columns))[1::2],
    "columns": lambda rows, columns: np.zeros((rows, 3 * columns + 1))[:, 1:-1:3],
    "backwards": lambda rows, columns: np.zeros((rows, columns))[::-1, ::-1],
    "block": lambda rows, columns: np.zeros((rows + 3, columns + 2))[2:-1, 1:-1],
    "last of three": lambda rows, columns: np.zeros((rows, columns, 3))[:, :, 2],
    "field": lambda rows, columns: np.zeros((rows, columns), "i1,f8")["f1"],
    "unaligned": _unaligned,
}


def _calls() -> Iterator[tuple[str, tuple[Callable[[int, int], Matrix], ...]]]:
    for name, made in LAYOUTS.items():
        for place in range(3):
            kinds = [_plain] * 3
            kinds[place] = made
            yield f"{name} {place}", tuple(kinds)
        yield f"{name} everywhere", (made,) * 3


def test_every_layout_gives_what_numpy_gives(matmul: CompiledModule) -> None:
    generator = np.random.default_rng(1)
    for what, (make_a, make_b, make_c) in _calls():
        a, b, c = make_a(4, 5), make_b(5, 3), make_c(4, 3)
        for each in (a, b, c):
            each[...] = generator.integers(-9, 9, each.shape)
        expected, inputs = c + a @ b, (a.copy(), b.copy())
        around = c.base.copy() if what.startswith("block 2") and c.base is not None else None
        with pytest.warns(ArrayCopyWarning, match="is copied") as caught:
            matmul(a, b, c)
        assert (c == expected).all(), what
        assert (a == inputs[0]).all(), what
        assert (b == inputs[1]).all(), what
        assert len(caught) == (3 if what.endswith("everywhere") else 1)
        assert all(each.filename == __file__ for each in caught)
        if around is not None:
            around[2:-1, 1:-1] = expected
            assert (c.base == around).all(), "nothing around the block changes"


def test_contiguous_arrays_are_not_copied(matmul: CompiledModule) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for a in (np.ones((4, 5)), np.ones((6, 5))[1:5], np.ones((2, 4, 5))[1]):
            matmul(a, np.ones((5, 3)), np.zeros((4, 3)))
        matmul(np.zeros((0, 5)), np.ones((5, 3)), np.zeros((0, 3)))


def test_read_only_arrays(matmul: CompiledModule) -> None:
    """Those that the function only reads, in all ways in which an array comes to be read-only."""
    a = np.arange(20.0).reshape(4, 5)
    b = np.arange(15.0).reshape(5, 3)
    frozen = a.copy()
    frozen.flags.writeable = False
    buffer = np.frombuffer(a.tobytes()).reshape(4, 5)
    for left in (frozen, buffer, frozen.copy().T.copy().T, np.broadcast_to(a, (2, 4, 5))[1]):
        c = np.zeros((4, 3))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ArrayCopyWarning)
            matmul(left, b, c)
        assert (c == a @ b).all()
    with pytest.warns(ArrayCopyWarning):
        matmul(np.broadcast_to(2.0, (4, 5)), b, c)
    frozen = np.zeros((4, 3))
    frozen.flags.writeable = False
    for wrong in (frozen, frozen.T.copy().T, np.broadcast_to(1.0, (4, 3))):
        if wrong.flags.writeable:
            wrong.flags.writeable = False
        with pytest.raises(ArgumentError, match="'C' must be writable: the function may change"):
            matmul(a, b, wrong)
        with pytest.raises(ArgumentError, match="must be writable"):
            matmul(a, b, wrong, unchecked=True)


USES = """
func.func private @first(%A: memref<?xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %x = memref.load %A[%c0] : memref<?xf64>
  return %x : f64
}
func.func private @clear(%A: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f64
  memref.store %z, %A[%c0] : memref<?xf64>
  return
}
func.func @reads(%A: memref<?xf64>, %B: memref<4xf64>) -> (f64, f64) {
  %c1 = arith.constant 1 : index
  %x = func.call @first(%A) : (memref<?xf64>) -> f64
  %C = memref.cast %B : memref<4xf64> to memref<?xf64>
  %y = memref.load %C[%c1] : memref<?xf64>
  return %x, %y : f64, f64
}
func.func @writes(%A: memref<?xf64>, %B: memref<4xf64>) {
  func.call @clear(%A) : (memref<?xf64>) -> ()
  %C = memref.cast %B : memref<4xf64> to memref<?xf64>
  func.call @clear(%C) : (memref<?xf64>) -> ()
  return
}
"""


def test_arrays_that_are_read_through_views_and_calls() -> None:
    module = polyir.compile(USES, [])
    array = np.array([1.0, 2.0, 3.0, 4.0])
    array.flags.writeable = False
    assert module.reads(array, array) == (1.0, 2.0)
    for given in ((array, array.copy()), (array.copy(), array)):
        with pytest.raises(ArgumentError, match="must be writable"):
            module.writes(*given)


def test_overlapping_slices(matmul: CompiledModule) -> None:
    """Slices of one array may be given together if no element is in both."""
    matrix = np.arange(48.0).reshape(4, 12)
    a = matrix[:, 0:3].copy()
    for left, right in (
        (matrix[:, 3:6], matrix[:3, 6:9]),
        (matrix[:, 0::2][:, :3], matrix[:3, 1::2][:, :3]),
        (matrix[:, 11:8:-1], matrix[:3, 8:5:-1]),
    ):
        expected = left + a @ right
        with pytest.warns(ArrayCopyWarning):
            matmul(a, right, left)
        assert (left == expected).all()
    for left, right in (
        (matrix[:, 3:6], matrix[:3, 5:8]),
        (matrix[:, 0::2][:, :3], matrix[:3, 0::4]),
        (matrix[:, 2::-1], matrix[:3, 2:5]),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with pytest.raises(ArgumentError, match="the arrays 'B' and 'C' overlap"):
                matmul(a, right, left)
    window = np.lib.stride_tricks.as_strided(np.zeros(12), (4, 3), (8, 8))
    with pytest.raises(ArgumentError, match="'C' has elements that share memory"):
        matmul(a, np.ones((3, 3)), window)


def test_what_was_changed_before_an_error_is_written_back() -> None:
    text = """
    func.func private @g(f64) -> f64
    func.func @f(%A: memref<?x2xf64>) {
      %c0 = arith.constant 0 : index
      %n = memref.dim %A, %c0 : memref<?x2xf64>
      %one = arith.constant 1.0 : f64
      affine.for %i = 0 to %n {
        affine.store %one, %A[%i, 0] : memref<?x2xf64>
        %x = func.call @g(%one) : (f64) -> f64
        affine.store %x, %A[%i, 1] : memref<?x2xf64>
      }
      return
    }
    """

    def fail(_: float) -> float:
        raise ZeroDivisionError

    function = polyir.compile(text, [], functions={"g": fail}).f
    array = np.zeros((2, 3)).T
    with pytest.warns(ArrayCopyWarning), pytest.raises(ZeroDivisionError):
        function(array)
    assert array[0, 0] == 1.0
