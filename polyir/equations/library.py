"""External functions that need no definition: those of C's mathematical library."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from functools import cache
from typing import Final

from polyir.equations.element_types import ElementType, Value

ARITIES: Final[Mapping[str, int]] = {
    **dict.fromkeys(("abs", "fabs", "sqrt", "cbrt", "exp", "exp2", "log", "log2", "log10"), 1),
    **dict.fromkeys(("sin", "cos", "tan", "tanh", "atan", "floor", "ceil"), 1),
    **dict.fromkeys(("atan2", "pow"), 2),
}
"""The functions, with how many arguments they have. `abs` is the one of the element type."""


def unqualified(name: str) -> str:
    """The name of an external function in C: without the packages around it."""
    return name.rpartition(".")[2]


def library_functions(element_type: ElementType) -> dict[str, Callable[..., Value]]:
    """The functions that values of a type have, as the C library computes them."""
    if element_type.is_integer:
        return {"abs": lambda value: abs(int(value))}
    is_float = element_type is ElementType.F32
    return {name: _function(name, is_float) for name in ARITIES}


@cache
def _function(name: str, is_float: bool) -> Callable[..., Value]:
    type = ctypes.c_float if is_float else ctypes.c_double
    symbol = ("fabs" if name == "abs" else name) + ("f" if is_float else "")
    prototype = ctypes.CFUNCTYPE(type, *[type] * ARITIES[name])
    return prototype((symbol, ctypes.CDLL(None)))
