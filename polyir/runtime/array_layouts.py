"""Arrays of NumPy that are not as C has them: their shapes, and copies of slices and transposes."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from warnings import warn

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.generic]


class ArrayCopyWarning(UserWarning):
    """An array is copied for a call, and back after it: its elements are not next to each other."""


def wrong_shape(shape: Sequence[int], extents: Sequence[int | None]) -> str | None:
    """What is wrong with the shape of an array."""
    if len(shape) != len(extents):
        return f"must have rank {len(extents)}, not {len(shape)}"
    for dimension, (extent, actual) in enumerate(zip(extents, shape, strict=True)):
        if extent is not None and extent != actual:
            return f"must have extent {extent} in dimension {dimension}, not {actual}"
    return None


def copy_defect(value: Array, is_written: bool, takes_copies: bool) -> str | None:
    """Why an array cannot be copied for a call, and back if it `is_written`."""
    if not takes_copies:
        return "must be C-contiguous and aligned (try numpy.ascontiguousarray)"
    if is_written and not _is_injective(value):
        return "has elements that share memory, and the function may change it"
    return None


def contiguous(value: Array, is_written: bool, name: str) -> Array:
    """A copy of an array that has its elements in the order of C, one next to the other.

    A warning at the place of the call says so; `name` is how that names the array.
    """
    what = "and back for" if is_written else "for"
    warn(
        f"{name} is copied {what} each call: it is not C-contiguous (try numpy.ascontiguousarray)",
        ArrayCopyWarning,
        stacklevel=_frames_of_polyir(),
    )
    return value.copy(order="C")


def _frames_of_polyir() -> int:
    """How far the code that called polyir is from whoever calls this: where to warn."""
    frame, count = inspect.currentframe(), 0
    while frame is not None and str(frame.f_globals.get("__name__")).startswith("polyir."):
        frame, count = frame.f_back, count + 1
    return count


def _is_injective(value: Array) -> bool:
    """Whether each element is seen to have memory of its own, as in slices and transposes."""
    reach = value.itemsize
    steps = zip(map(abs, value.strides), value.shape, strict=True)
    for stride, extent in sorted(steps):
        if extent > 1:
            if stride < reach:
                return False
            reach += stride * (extent - 1)
    return True
