"""When a result counts as right.

Without contraction of `a * b + c` a result must have the bits of the original's. With
contraction, every compiler rounds elsewhere: there an element counts as right within
`TOLERANCE` of its type. Elements that the original itself changes by a hundredth of that, when
it is compiled with contraction, are rounding errors (the last columns of gramschmidt) and are
left out. If they are half of an array, nothing is known and the check fails.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt

from polyir.runtime.measure import compare_bits

Array = npt.NDArray[np.generic]

TOLERANCE: Final[Mapping[str, float]] = MappingProxyType({"f8": 1.5e-8, "f4": 3.5e-4})
"""The square root of the distance from 1 to the next number, by NumPy's name of the type.

Relative to an element's own size, or to the root mean square of its array if that is larger.
"""


def exact_difference(expected: Sequence[Array], actual: Sequence[Array]) -> str | None:
    """Where two results differ in their bits, in words; `None` if they do not."""
    difference = compare_bits(expected, actual)
    return None if difference is None else str(difference)


def close_difference(
    expected: Sequence[Array], contracted: Sequence[Array], actual: Sequence[Array]
) -> str | None:
    """Where a result is further from `expected` than the tolerance, in words, or `None`.

    `contracted` is the original's result with contraction. Integers must be equal.
    """
    for position, (left, middle, right) in enumerate(
        zip(expected, contracted, actual, strict=True)
    ):
        if left.dtype.kind != "f":
            message = exact_difference([left], [right])
        else:
            message = _float_difference(left, middle, right)
        if message is not None:
            return f"array {position}: {message}"
    return None


def unchanged(initial: Sequence[Array], result: Sequence[Array]) -> tuple[int, ...]:
    """The positions of the arrays that hold what they held first, to the bit.

    An output among them could not tell a kernel that does nothing from a right one.
    """
    return tuple(
        position
        for position, (before, after) in enumerate(zip(initial, result, strict=True))
        if compare_bits([before], [after]) is None
    )


def _float_difference(expected: Array, contracted: Array, actual: Array) -> str | None:
    tolerance = TOLERANCE[expected.dtype.str[1:]]
    left = np.asarray(expected, dtype=np.float64)
    finite = left[np.isfinite(left)]
    root_mean_square = float(np.sqrt(np.mean(np.square(finite)))) if finite.size else 0.0
    allowed = tolerance * np.maximum(np.abs(left), root_mean_square)
    comparable = _within(left, contracted, allowed / 100)
    if 2 * np.count_nonzero(comparable) <= comparable.size:
        return "too few elements are stable under contraction for a comparison"
    wrong = comparable & ~_within(left, actual, allowed)
    places = np.argwhere(wrong)
    if not len(places):
        return None
    index = tuple(int(coordinate) for coordinate in places[0])
    return (
        f"{len(places)} elements are beyond the tolerance of {tolerance}, first at "
        f"{list(index)}: {expected[index]} became {actual[index]}"
    )


def _within(left: npt.NDArray[np.float64], right: Array, allowed: Array) -> npt.NDArray[np.bool_]:
    """Where two arrays are equal, both not a number, or no further apart than `allowed`."""
    other = np.asarray(right, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        near: npt.NDArray[np.bool_] = np.abs(left - other) <= allowed
        same: npt.NDArray[np.bool_] = (left == other) | (np.isnan(left) & np.isnan(other))
    return np.asarray((near & np.isfinite(left)) | same)
