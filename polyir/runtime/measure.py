"""Time functions against each other, and compare their results, bit for bit or nearly."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.generic]
Argument = Array | bool | int | float | np.generic


def copy_arguments(arguments: Sequence[Argument]) -> list[Argument]:
    """The arguments with every array copied."""
    return [value.copy() if isinstance(value, np.ndarray) else value for value in arguments]


def best_times(
    functions: Mapping[str, Callable[..., object]],
    arguments: Sequence[Argument],
    rounds: int = 5,
) -> dict[str, float]:
    """The shortest time, in seconds, of each function in `rounds` runs.

    The functions take turns, so that a temporary slowdown of the machine affects all of them. Each
    run gets fresh copies of the arguments, made before the clock starts. One run of each function
    comes first, unmeasured, to load code and start threads.
    """
    if rounds < 1:
        raise ValueError(f"rounds must be at least 1, not {rounds}")
    best = dict.fromkeys(functions, inf)
    for round_number in range(rounds + 1):
        for name, function in functions.items():
            copies = copy_arguments(arguments)
            start = time.perf_counter()
            function(*copies)
            elapsed = time.perf_counter() - start
            if round_number > 0:
                best[name] = min(best[name], elapsed)
    return best


@dataclass(frozen=True)
class Difference:
    """The first element that differs between two results, and how many elements differ."""

    argument: int
    index: tuple[int, ...]
    expected: str
    actual: str
    count: int

    def __str__(self) -> str:
        place = ", ".join(str(position) for position in self.index)
        return (
            f"argument {self.argument} differs in {self.count} elements, first at [{place}]: "
            f"expected {self.expected}, got {self.actual}"
        )


Differs = Callable[[Array, Array], npt.NDArray[np.bool_]]
"""Which elements of two arrays of one type and shape differ."""


def compare_bits(expected: Sequence[Argument], actual: Sequence[Argument]) -> Difference | None:
    """The first difference between the arrays of two argument lists; `None` if there is none.

    Elements are equal if their bits are: a NaN equals the same NaN, and 0.0 is not -0.0. Raises
    `ValueError` if the arrays have different shapes or element types.
    """
    return _compare(expected, actual, _bits_differ)


def compare_rounded(expected: Sequence[Argument], actual: Sequence[Argument]) -> Difference | None:
    """The first difference that is not a rounding error; `None` if there is none.

    Half of the digits of a floating-point number must be right, or of the root mean square of its
    array if that is larger. Other numbers are compared by their bits.
    """
    return _compare(expected, actual, _values_differ)


def _compare(
    expected: Sequence[Argument], actual: Sequence[Argument], differs: Differs
) -> Difference | None:
    for position, (left, right) in enumerate(zip(expected, actual, strict=True)):
        left_array, right_array = np.asarray(left), np.asarray(right)
        if left_array.shape != right_array.shape or left_array.dtype != right_array.dtype:
            raise ValueError(
                f"argument {position} is {left_array.dtype} of shape {left_array.shape} and "
                f"{right_array.dtype} of shape {right_array.shape}"
            )
        places = np.argwhere(differs(left_array, right_array))
        if len(places):
            index = tuple(int(coordinate) for coordinate in places[0])
            return Difference(
                position,
                index,
                repr(left_array[index]),
                repr(right_array[index]),
                len(places),
            )
    return None


def _bits_differ(left: Array, right: Array) -> npt.NDArray[np.bool_]:
    return np.asarray(_bits(left) != _bits(right))


def _values_differ(left: Array, right: Array) -> npt.NDArray[np.bool_]:
    if left.dtype.kind != "f":
        return _bits_differ(left, right)
    tolerance = float(np.sqrt(np.finfo(left.dtype.name).eps))
    one, other = left.astype(np.float64), right.astype(np.float64)
    finite = one[np.isfinite(one)]
    usual = float(np.sqrt(np.mean(np.square(finite)))) if finite.size else 0.0
    with np.errstate(invalid="ignore"):
        is_near = np.abs(one - other) <= tolerance * np.maximum(np.abs(one), usual)
    is_same = (one == other) | (np.isnan(one) & np.isnan(other))
    return np.asarray(~(is_same | (is_near & np.isfinite(one))))


def _bits(array: Array) -> Array:
    """The array with each element seen as an unsigned integer of the same size."""
    contiguous = np.ascontiguousarray(array).reshape(array.shape)
    return contiguous.view(np.dtype(f"u{array.dtype.itemsize}"))
