"""Operations on scalars as functions, and values for which MLIR says what they give."""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

Number = bool | int | float


@dataclass(frozen=True)
class Case:
    """One operation: its text with operands `%a`, `%b`, and the types of operands and result."""

    text: str
    operands: tuple[str, ...]
    result: str

    @property
    def name(self) -> str:
        words = [*self.text.replace(",", "").replace("%", "").split(), *self.operands, self.result]
        return "f_" + "_".join(words).replace(".", "_").replace("<", "").replace(">", "")

    @property
    def function(self) -> str:
        parameters = ", ".join(
            f"%{name}: {type}" for name, type in zip("abc", self.operands, strict=False)
        )
        last = self.operands[-1]
        types = last if last == self.result or "cmp" in self.text else f"{last} to {self.result}"
        returned, widened = f"%r : {self.result}", ""
        if self.result == "i1":
            # MLIR's functions leave the high bits of an i1 that they return undefined.
            returned, widened = "%w : i32", "  %w = arith.extui %r : i1 to i32\n"
        return (
            f"func.func @{self.name}({parameters}) -> {returned.split()[-1]} {{\n"
            f"  %r = {self.text} : {types}\n{widened}  return {returned}\n}}\n"
        )


INTEGER_BINARY = (
    *("addi", "subi", "muli", "andi", "ori", "xori", "minsi", "maxsi", "minui", "maxui"),
    *("divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi", "ceildivui"),
    *("shli", "shrsi", "shrui"),
)
INTEGER_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
FLOAT_BINARY = (
    *("addf", "subf", "mulf", "divf"),
    *("maximumf", "minimumf", "maxnumf", "minnumf"),
)
FLOAT_PREDICATES = (
    *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
)
MATH_UNARY = (
    *("absf", "acos", "asin", "atan", "cbrt", "ceil", "cos", "cosh", "erf", "exp", "exp2"),
    *("floor", "log", "log10", "log2", "round", "roundeven", "rsqrt", "sin"),
    *("sinh", "sqrt", "tan", "tanh", "trunc"),
)
INTEGERS = ("i8", "i16", "i32", "i64")


def _cases() -> Iterator[Case]:
    for type in (*INTEGERS, "index"):
        for name in INTEGER_BINARY:
            yield Case(f"arith.{name} %a, %b", (type, type), type)
    for type in ("i1", *INTEGERS, "index"):
        for predicate in INTEGER_PREDICATES:
            yield Case(f"arith.cmpi {predicate}, %a, %b", (type, type), "i1")
    for name in ("addi", "subi", "muli", "andi", "ori", "xori", "minsi", "maxsi", "minui", "maxui"):
        yield Case(f"arith.{name} %a, %b", ("i1", "i1"), "i1")
    for type in INTEGERS:
        for name in ("absi", "ctlz", "cttz", "ctpop"):
            yield Case(f"math.{name} %a", (type,), type)
    for type in ("f32", "f64"):
        for name in FLOAT_BINARY:
            yield Case(f"arith.{name} %a, %b", (type, type), type)
        for predicate in FLOAT_PREDICATES:
            yield Case(f"arith.cmpf {predicate}, %a, %b", (type, type), "i1")
        for name in MATH_UNARY:
            yield Case(f"math.{name} %a", (type,), type)
        for name in ("atan2", "copysign", "powf"):
            yield Case(f"math.{name} %a, %b", (type, type), type)
        yield Case("math.fma %a, %b, %c", (type, type, type), type)
        yield Case("arith.negf %a", (type,), type)
    yield from _conversions()


def _conversions() -> Iterator[Case]:
    widths = ("i1", *INTEGERS)
    for narrow, wide in itertools.combinations(widths, 2):
        yield Case("arith.extsi %a", (narrow,), wide)
        yield Case("arith.extui %a", (narrow,), wide)
        yield Case("arith.trunci %a", (wide,), narrow)
    for integer in (*widths,):
        yield Case("arith.index_cast %a", (integer,), "index")
        yield Case("arith.index_cast %a", ("index",), integer)
        yield Case("arith.index_castui %a", (integer,), "index")
        yield Case("arith.index_castui %a", ("index",), integer)
    for integer, real in itertools.product(widths, ("f32", "f64")):
        yield Case("arith.sitofp %a", (integer,), real)
        yield Case("arith.uitofp %a", (integer,), real)
    for integer, real in itertools.product(INTEGERS, ("f32", "f64")):
        yield Case("arith.fptosi %a", (real,), integer)
        yield Case("arith.fptoui %a", (real,), integer)
    yield Case("arith.extf %a", ("f32",), "f64")
    yield Case("arith.truncf %a", ("f64",), "f32")
    for integer, real in (("i32", "f32"), ("i64", "f64")):
        yield Case("arith.bitcast %a", (integer,), real)
        yield Case("arith.bitcast %a", (real,), integer)


CASES = tuple(_cases())


def _width(type: str) -> int:
    return 64 if type == "index" else int(type[1:])


def values_of(type: str, count: int) -> list[Number]:
    """Values of a type, fewer where they are combined with each other."""
    if type == "i1":
        return [False, True]
    if type.startswith("f"):
        values = [0.0, 1.0, -1.5, 2.5, -7.25, 0.3, 1e30, -math.inf, math.inf, math.nan, -0.0]
        rounded = [float(np.float32(value)) for value in values]
        return list(rounded if type == "f32" else values)[: 11 if count < 3 else 6]
    half = 2 ** (_width(type) - 1)
    return [0, 1, -1, 2, 3, -3, 7, -7, 100, -100, half - 1, -half, half // 3]


def has_meaning(case: Case, values: tuple[Number, ...]) -> bool:
    """Whether MLIR says what the result is, bit for bit."""
    if "div" in case.text or "rem" in case.text:
        if "divf" in case.text:
            return True
        half = 2 ** (_width(case.result) - 1)
        if "ceildivsi" in case.text and values[0] in (-half, half - 1):
            # MLIR's expansion of it overflows on the way to results that do not.
            return False
        return values[1] != 0 and not (values[1] == -1 and values[0] == -half)
    if "shl" in case.text or "shr" in case.text:
        return 0 <= values[1] < _width(case.result)
    if "fpto" in case.text:
        bits = _width(case.result)
        low, high = (0, 2**bits) if "fptoui" in case.text else (-(2 ** (bits - 1)), 2 ** (bits - 1))
        return math.isfinite(values[0]) and low <= math.trunc(values[0]) < high
    if "numf" in case.text:
        # Of two zeros, either will do.
        return not (values[0] == 0 and values[1] == 0)
    return True


def bits_of(value: object, type: str) -> object:
    if not isinstance(value, float):
        return value
    if math.isnan(value) and type != "i64":
        return "nan"
    return struct.pack("<d", value)


TEXT = "".join(case.function for case in CASES)
"""The functions of all cases."""


def calls_of(case: Case) -> Iterator[tuple[Number, ...]]:
    """The values on which an operation is tried."""
    choices = [values_of(type, len(case.operands)) for type in case.operands]
    return (values for values in itertools.product(*choices) if has_meaning(case, values))
