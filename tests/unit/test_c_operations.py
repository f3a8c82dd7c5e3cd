"""Every operation on scalars through the C target: the same bits as the oracle's.

All functions are compiled together, once by each side; then each is called on many values.
"""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from oracle import MISSING_TOOLS_REASON, Oracle, mlir_opt_available

from polyir.frontend.parse import parse_module
from polyir.runtime import CompiledModule, CompilerOptions, compile_module

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

FLAGS = ("-std=c99", "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")

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


def _values(type: str, count: int) -> list[Number]:
    """Values of a type, fewer where they are combined with each other."""
    if type == "i1":
        return [False, True]
    if type.startswith("f"):
        values = [0.0, 1.0, -1.5, 2.5, -7.25, 0.3, 1e30, -math.inf, math.inf, math.nan, -0.0]
        rounded = [float(np.float32(value)) for value in values]
        return list(rounded if type == "f32" else values)[: 11 if count < 3 else 6]
    half = 2 ** (_width(type) - 1)
    return [0, 1, -1, 2, 3, -3, 7, -7, 100, -100, half - 1, -half, half // 3]


def _has_meaning(case: Case, values: tuple[Number, ...]) -> bool:
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


def _bits(value: object, type: str) -> object:
    if not isinstance(value, float):
        return value
    if math.isnan(value) and type != "i64":
        return "nan"
    return struct.pack("<d", value)


@pytest.fixture(scope="module")
def text() -> str:
    return "".join(case.function for case in CASES)


@pytest.fixture(scope="module")
def oracle(text: str, tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    return Oracle(text, tmp_path_factory.mktemp("oracle"))


@pytest.fixture(scope="module")
def compiled(text: str, tmp_path_factory: pytest.TempPathFactory) -> CompiledModule:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLYIR_CACHE", str(tmp_path_factory.mktemp("cache")))
        return compile_module(parse_module(text), CompilerOptions(flags=FLAGS))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_operation_has_the_bits_of_the_oracle(
    case: Case, oracle: Oracle, compiled: CompiledModule
) -> None:
    choices = [_values(type, len(case.operands)) for type in case.operands]
    tried = 0
    for values in itertools.product(*choices):
        if _has_meaning(case, values):
            tried += 1
            expected = oracle(case.name, *values)
            actual = compiled[case.name](*values)
            assert _bits(actual, case.result) == _bits(expected, case.result), values
    assert tried


EXTRA = """
func.func @max(%a: f64, %b: f64) -> f64 {
  %r = arith.maximumf %a, %b : f64
  return %r : f64
}
func.func @min(%a: f64, %b: f64) -> f64 {
  %r = arith.minimumf %a, %b : f64
  return %r : f64
}
func.func @expm1(%a: f64) -> f64 {
  %r = math.expm1 %a : f64
  return %r : f64
}
func.func @log1p(%a: f64) -> f64 {
  %r = math.log1p %a : f64
  return %r : f64
}
func.func @ceildiv(%a: i8, %b: i8) -> i8 {
  %r = arith.ceildivsi %a, %b : i8
  return %r : i8
}
func.func @ipow(%a: i32, %b: i32) -> i32 {
  %r = math.ipowi %a, %b : i32
  return %r : i32
}
func.func @fpow(%a: f64, %b: i32) -> f64 {
  %r = math.fpowi %a, %b : f64, i32
  return %r : f64
}
func.func @no_wrap(%a: i32, %b: i32) -> i32 {
  %r = arith.addi %a, %b overflow<nsw> : i32
  return %r : i32
}
func.func @specials() -> (f64, f64, f64, f32, i64, i32) {
  %nan = arith.constant 0x7FF8000000000000 : f64
  %payload = arith.constant 0x7FF8000000000123 : f64
  %infinity = arith.constant 0xFFF0000000000000 : f64
  %tenth = arith.constant 0.1 : f32
  %least = arith.constant -9223372036854775808 : i64
  %least_short = arith.constant -2147483648 : i32
  return %nan, %payload, %infinity, %tenth, %least, %least_short : f64, f64, f64, f32, i64, i32
}
"""


@pytest.fixture(scope="module")
def extra(tmp_path_factory: pytest.TempPathFactory) -> CompiledModule:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLYIR_CACHE", str(tmp_path_factory.mktemp("cache")))
        return compile_module(parse_module(EXTRA), CompilerOptions(flags=FLAGS))


def test_maximum_and_minimum_order_the_zeros(extra: CompiledModule) -> None:
    for first, second in ((0.0, -0.0), (-0.0, 0.0)):
        assert str(extra.max(first, second)) == "0.0"
        assert str(extra.min(first, second)) == "-0.0"
    assert str(extra.max(-0.0, -0.0)) == "-0.0"


def test_library_functions_that_mlir_approximates(extra: CompiledModule) -> None:
    for value in (1e-20, 0.5, -0.25):
        assert extra.expm1(value) == math.expm1(value)
        assert extra.log1p(value) == math.log1p(value)


def test_ceildiv_of_the_least_number(extra: CompiledModule) -> None:
    assert extra.ceildiv(-128, 2) == -64
    assert extra.ceildiv(127, -2) == -63


@pytest.mark.parametrize(
    ("base", "exponent", "power"),
    [(3, 4, 81), (-2, 31, -(2**31)), (7, 0, 1), (1, -5, 1), (-1, -3, -1), (-1, -2, 1), (2, -1, 0)],
)
def test_integer_power(extra: CompiledModule, base: int, exponent: int, power: int) -> None:
    assert extra.ipow(base, exponent) == power


def test_power_with_an_integer_exponent(extra: CompiledModule) -> None:
    assert extra.fpow(1.5, 3) == 1.5 * 1.5 * 1.5
    assert extra.fpow(2.0, -3) == 0.125
    assert extra.fpow(5.0, 0) == 1.0


def test_constants_keep_their_bits(extra: CompiledModule) -> None:
    values = extra.specials()
    assert isinstance(values, tuple)
    nan, payload, infinity, tenth, least, least_short = values
    assert struct.pack(">d", nan).hex() == "7ff8000000000000"
    assert struct.pack(">d", payload).hex() == "7ff8000000000123"
    assert (infinity, tenth) == (-math.inf, float(np.float32(0.1)))
    assert (least, least_short) == (-(2**63), -(2**31))


def test_nsw_needs_no_casts(extra: CompiledModule) -> None:
    assert extra.no_wrap(-3, 5) == 2
    assert "return a + b;" in extra.source
