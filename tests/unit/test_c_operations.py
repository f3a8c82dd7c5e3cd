"""Every operation on scalars through the C target: the same bits as the oracle's.

All functions are compiled together, once by each side; then each is called on many values.
"""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from oracle import MISSING_TOOLS_REASON, Oracle, mlir_opt_available
from scalar_operations import CASES, TEXT, Case, bits_of, calls_of

from polyir.frontend.parse import parse_module
from polyir.runtime import CompiledModule, CompilerOptions, compile_module

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

FLAGS = ("-std=c99", "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle(TEXT)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> CompiledModule:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLYIR_CACHE", str(tmp_path_factory.mktemp("cache")))
        return compile_module(parse_module(TEXT), CompilerOptions(flags=FLAGS))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_operation_has_the_bits_of_the_oracle(
    case: Case, oracle: Oracle, compiled: CompiledModule
) -> None:
    tried = 0
    for values in calls_of(case):
        tried += 1
        expected = oracle(case.name, *values)
        actual = compiled[case.name](*values)
        assert bits_of(actual, case.result) == bits_of(expected, case.result), values
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
