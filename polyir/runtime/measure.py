"""Time functions against each other, and compare their results bit for bit."""

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
    """The first element whose bits differ between two results, and how many elements differ."""

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


def compare_bits(expected: Sequence[Argument], actual: Sequence[Argument]) -> Difference | None:
    """The first difference between the arrays of two argument lists; `None` if there is none.

    Elements are equal if their bits are: a NaN equals the same NaN, and 0.0 is not -0.0. Raises
    `ValueError` if the arrays have different shapes or element types.
    """
    for position, (left, right) in enumerate(zip(expected, actual, strict=True)):
        left_array, right_array = np.asarray(left), np.asarray(right)
        if left_array.shape != right_array.shape or left_array.dtype != right_array.dtype:
            raise ValueError(
                f"argument {position} is {left_array.dtype} of shape {left_array.shape} and "
                f"{right_array.dtype} of shape {right_array.shape}"
            )
        differs = _bits(left_array) != _bits(right_array)
        places = np.argwhere(differs)
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


def _bits(array: Array) -> Array:
    """The array with each element seen as an unsigned integer of the same size."""
    contiguous = np.ascontiguousarray(array).reshape(array.shape)
    return contiguous.view(np.dtype(f"u{array.dtype.itemsize}"))
