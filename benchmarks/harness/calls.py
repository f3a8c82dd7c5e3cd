"""Calling conventions: a kernel's arguments as C takes them.

The arguments are made before the clock starts, so that a timed call is the call alone.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from enum import StrEnum

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.generic]
Argument = int | float | Array


class ScalarType(StrEnum):
    """The C type of a parameter that takes a number."""

    INT32 = "int32"
    INT64 = "int64"
    FLOAT = "float"
    DOUBLE = "double"


class ArrayType(StrEnum):
    """How an array is passed."""

    POINTER = "pointer"
    WITH_EXTENTS = "pointer, extents"


Parameter = ScalarType | ArrayType


def parameter(text: str) -> Parameter:
    """The parameter of that value; raises `ValueError` if there is none."""
    is_array = any(text == kind for kind in ArrayType)
    return ArrayType(text) if is_array else ScalarType(text)


def c_arguments(parameters: Sequence[Parameter], values: Sequence[Argument]) -> list[object]:
    """The values as ctypes objects; arrays have to stay alive as long as these."""
    passed: list[object] = []
    for kind, value in zip(parameters, values, strict=True):
        if isinstance(value, np.ndarray):
            passed.append(ctypes.c_void_p(value.ctypes.data))
            if kind is ArrayType.WITH_EXTENTS:
                passed.extend(ctypes.c_int64(extent) for extent in value.shape)
        else:
            passed.append(_number(kind, value))
    return passed


def _number(kind: Parameter, value: int | float) -> object:
    match kind:
        case ScalarType.INT32:
            return ctypes.c_int32(int(value))
        case ScalarType.INT64:
            return ctypes.c_int64(int(value))
        case ScalarType.FLOAT:
            return ctypes.c_float(value)
        case ScalarType.DOUBLE:
            return ctypes.c_double(value)
        case _:
            raise TypeError(f"a number cannot be passed as {kind}")
