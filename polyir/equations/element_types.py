"""The types of values, and arithmetic on them that rounds and wraps as compiled code does."""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import Enum
from typing import Any, Final

import numpy as np

from polyir.base.diagnostics import OptionError
from polyir.equations.errors import NoValueError
from polyir.equations.system import System

Value = bool | int | float
"""A boolean, or a number of the element type: an `f32` is a float that a `float` of C can hold."""


class ElementType(Enum):
    """The type of all elements of the variables of a system, and of all numbers in expressions."""

    F64 = "f64"
    F32 = "f32"
    I64 = "i64"
    I32 = "i32"

    @property
    def is_integer(self) -> bool:
        """Whether its values are integers."""
        return self in (ElementType.I32, ElementType.I64)

    @property
    def width(self) -> int:
        """Its number of bits."""
        return int(self.value[1:])

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy's name for it."""
        return np.dtype(f"{'int' if self.is_integer else 'float'}{self.width}")

    def number(self, value: Value) -> Value:
        """A value as a number of this type; a boolean is 0 or 1.

        Integers wrap in two's complement, and floating-point numbers are rounded. Raises
        `PolyirError` for a fraction where integers are needed.
        """
        if not self.is_integer:
            number = float(value)
            return number if self is ElementType.F64 else float(np.float32(number))
        if isinstance(value, float):
            if not value.is_integer():
                raise NoValueError(
                    f"{value} is not an integer, and elements have type {self.value}"
                )
            value = int(value)
        half = 1 << (self.width - 1)
        return (int(value) + half) % (2 * half) - half

    def identity(self, operator: str) -> Value:
        """The value from which a reduction starts.

        Floating-point `min` and `max` start from infinity, and integers from the last value.
        """
        match operator:
            case "and":
                return True
            case "or" | "xor":
                return False
            case "+":
                return self.number(0)
            case "*":
                return self.number(1)
            case "min" | "max":
                sign = 1 if operator == "min" else -1
                if not self.is_integer:
                    return sign * math.inf
                half = 1 << (self.width - 1)
                return half - 1 if operator == "min" else -half
            case _:
                raise NoValueError(f"'{operator}' has no identity")

    def combined(self, operator: str, left: Value, right: Value) -> Value:
        """The value of an operator of two operands.

        Division of integers truncates, as C's does; raises `PolyirError` for a divisor of 0. As
        IEEE's minimum and maximum, `min` and `max` give a NaN if there is one, and order -0 before
        0. Orders give booleans; `and`, `or` and `xor` take any number but 0 for true.
        """
        if operator in _BOOLEAN:
            return _BOOLEAN[operator](bool(left), bool(right))
        left, right = self.number(left), self.number(right)
        if operator in _ORDERS:
            return bool(_ORDERS[operator](left, right))
        if operator in ("min", "max"):
            return _extremum(left, right, operator == "min")
        if operator == "/" and self.is_integer:
            if not right:
                raise NoValueError("division by zero")
            quotient = abs(int(left)) // abs(int(right))
            return self.number(quotient if (left < 0) == (right < 0) else -quotient)
        if self.is_integer:
            return self.number(_ARITHMETIC[operator](int(left), int(right)))
        return float(_ARITHMETIC[operator](self.dtype.type(left), self.dtype.type(right)))

    def inverted(self, operator: str, operand: Value) -> Value:
        """The value of `-` or `not` of one operand."""
        if operator == "not":
            return not operand
        number = self.number(operand)
        return self.number(-number) if self.is_integer else -number


def type_of(system: System, chosen: ElementType | None) -> ElementType:
    """The type of the elements of a system: what it says, else what is chosen, else `f64`."""
    if system.elements is None:
        return chosen or ElementType.F64
    own = ElementType(system.elements)
    if chosen not in (None, own):
        raise OptionError(f"the elements of '{system.name}' have the type {own.value}")
    return own


_BOOLEAN: Final[dict[str, Callable[[bool, bool], bool]]] = {
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "xor": lambda a, b: a is not b,
}

_ORDERS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    ">=": lambda a, b: a >= b,
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
}

_ARITHMETIC: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}


def _extremum(left: Value, right: Value, least: bool) -> Value:
    for operand in (right, left):
        if operand != operand:
            return operand
    if left == right == 0:
        negative = left if math.copysign(1, left) < 0 else right
        positive = right if math.copysign(1, left) < 0 else left
        return negative if least else positive
    return min(left, right) if least else max(left, right)
