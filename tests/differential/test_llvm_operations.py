"""Each operation of arith and math under the LLVM JIT against MLIR's lowering, to the bit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from oracle import MISSING_TOOLS_REASON, Oracle, mlir_opt_available

from polyir import api
from polyir.runtime import CompiledModule, compare_bits

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

DTYPES = {"i1": "bool", "i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "f32": "f4", "f64": "f8"}

INTEGERS = {
    "i8": (-128, -127, -9, -7, -3, -1, 1, 2, 3, 5, 8, 100, 127),
    "i32": (-(2**31), -1000003, -7, -3, -1, 1, 3, 4, 7, 12345, 2**31 - 1),
    "i64": (-(2**63), -(2**40) - 5, -7, -3, -1, 1, 3, 4, 7, 2**53 + 1, 2**63 - 1),
}
FLOATS = (0.0, -0.0, 1.0, -1.5, 2.5, -2.5, 3.7, 0.1, -0.7, 1e30, 1e-40, float("inf"), -float("inf"))
NAN = float("nan")

BINARY_INTEGER = (
    *("addi", "subi", "muli", "andi", "ori", "xori", "divsi", "divui", "remsi", "remui"),
    *("floordivsi", "ceildivsi", "ceildivui", "minsi", "maxsi", "minui", "maxui"),
)
INTEGER_PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
FLOAT_PREDICATES = (
    *("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord"),
    *("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true"),
)
UNARY_MATH = (
    *("absf", "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "cos", "cosh"),
    *("erf", "exp", "exp2", "floor", "log", "log10", "log2", "round"),
    *("roundeven", "rsqrt", "sin", "sinh", "sqrt", "tan", "tanh", "trunc"),
)


class Function:
    """A function that applies one operation to every element of its input arrays."""

    def __init__(self, name: str, operation: str, inputs: Sequence[str], output: str) -> None:
        self.name, self.inputs, self.output = name, tuple(inputs), output
        arguments = [f"%in{n}: memref<?x{type}>" for n, type in enumerate(inputs)]
        loads = "".join(
            f"    %{letter} = memref.load %in{n}[%k] : memref<?x{type}>\n"
            for n, (letter, type) in enumerate(zip("abc", inputs, strict=False))
        )
        self.text = (
            f"func.func @{name}({', '.join(arguments)}, %out: memref<?x{output}>, %n: index) {{\n"
            f"  affine.for %k = 0 to %n {{\n{loads}    %r = {operation}\n"
            f"    memref.store %r, %out[%k] : memref<?x{output}>\n  }}\n  return\n}}\n"
        )

    def run(self, call, values: Sequence[Sequence[object]]) -> np.ndarray:  # type: ignore[no-untyped-def]
        arrays = [
            np.array(column, dtype=DTYPES[type])
            for column, type in zip(zip(*values, strict=True), self.inputs, strict=True)
        ]
        out = np.zeros(len(values), DTYPES[self.output])
        call(*arrays, out, len(values))
        return out


def functions() -> dict[str, Function]:
    found: list[Function] = []

    def add(name: str, operation: str, inputs: Sequence[str], output: str) -> None:
        found.append(Function(name, operation, inputs, output))

    for type in INTEGERS:
        for name in BINARY_INTEGER:
            add(f"{name}_{type}", f"arith.{name} %a, %b : {type}", (type, type), type)
        for name in INTEGER_PREDICATES:
            add(f"{name}_{type}", f"arith.cmpi {name}, %a, %b : {type}", (type, type), "i1")
        for name in ("absi", "ctlz", "cttz", "ctpop"):
            add(f"{name}_{type}", f"math.{name} %a : {type}", (type,), type)
        for float_type in ("f32", "f64"):
            for name in ("sitofp", "uitofp"):
                operation = f"arith.{name} %a : {type} to {float_type}"
                add(f"{name}_{type}_{float_type}", operation, (type,), float_type)
    for type in ("f32", "f64"):
        for name in ("addf", "subf", "mulf", "divf"):
            add(f"{name}_{type}", f"arith.{name} %a, %b : {type}", (type, type), type)
        for name in ("maximumf", "minimumf", "maxnumf", "minnumf"):
            add(f"{name}_{type}", f"arith.{name} %a, %b : {type}", (type, type), type)
        for name in FLOAT_PREDICATES:
            add(f"{name}_{type}", f"arith.cmpf {name}, %a, %b : {type}", (type, type), "i1")
        for name in UNARY_MATH:
            add(f"{name}_{type}", f"math.{name} %a : {type}", (type,), type)
        for name in ("powf", "atan2", "copysign"):
            add(f"{name}_{type}", f"math.{name} %a, %b : {type}", (type, type), type)
        add(f"fma_{type}", f"math.fma %a, %b, %a : {type}", (type, type), type)
        add(f"negf_{type}", f"arith.negf %a : {type}", (type,), type)
        add(f"select_{type}", f"arith.select %a, %b, %c : {type}", ("i1", type, type), type)
        for integer in ("i8", "i32", "i64"):
            for name in ("fptosi", "fptoui"):
                operation = f"arith.{name} %a : {type} to {integer}"
                add(f"{name}_{type}_{integer}", operation, (type,), integer)
    for source, target in (("i1", "i8"), ("i1", "i64"), ("i8", "i32"), ("i32", "i64")):
        for name in ("extsi", "extui"):
            operation = f"arith.{name} %a : {source} to {target}"
            add(f"{name}_{source}_{target}", operation, (source,), target)
        operation = f"arith.trunci %a : {target} to {source}"
        add(f"trunci_{target}_{source}", operation, (target,), source)
    for name in ("addi", "subi", "muli", "andi", "ori", "xori", "minsi", "maxsi", "minui", "maxui"):
        add(f"{name}_i1", f"arith.{name} %a, %b : i1", ("i1", "i1"), "i1")
    for name in ("sitofp", "uitofp"):
        add(f"{name}_i1", f"arith.{name} %a : i1 to f64", ("i1",), "f64")
    for name in ("shli", "shrsi", "shrui"):
        add(f"{name}_i32", f"arith.{name} %a, %b : i32", ("i32", "i32"), "i32")
    add("extf", "arith.extf %a : f32 to f64", ("f32",), "f64")
    add("truncf", "arith.truncf %a : f64 to f32", ("f64",), "f32")
    add("bits_f64", "arith.bitcast %a : f64 to i64", ("f64",), "i64")
    add("bits_i32", "arith.bitcast %a : i32 to f32", ("i32",), "f32")
    return {function.name: function for function in found}


FUNCTIONS = functions()
# MLIR computes them as `exp(x) - 1` and `log(1 + x)`.
PRECISE = {
    name: Function(name, f"math.{name} %a : f64", ("f64",), "f64") for name in ("expm1", "log1p")
}
TEXT = "".join(function.text for function in (*FUNCTIONS.values(), *PRECISE.values()))


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle(TEXT)


@pytest.fixture(scope="module")
def compiled() -> CompiledModule:
    return api.compile(TEXT, "", backend="llvm")


def values_of(type: str) -> tuple[object, ...]:
    if type == "i1":
        return (False, True)
    return INTEGERS.get(type, (*FLOATS, NAN))


def has_meaning(name: str, row: Sequence[object]) -> bool:
    """Whether the result is not poison, and which of two NaNs it is does not depend on chance."""
    stem, _, type = name.partition("_")
    if stem.startswith("sh"):
        return isinstance(row[1], int) and 0 <= row[1] < 32
    if stem in ("divsi", "floordivsi", "ceildivsi", "remsi"):
        least, greatest = INTEGERS[type][0], INTEGERS[type][-1]
        # MLIR's expansion of a ceiling negates the least number and adds one to the greatest.
        if stem == "ceildivsi" and row[0] == least:
            return False
        return not (row[1] == -1 and row[0] in (least, greatest))
    if stem in ("fptosi", "fptoui"):
        width = int(type.partition("_i")[2])
        low, high = (-(2 ** (width - 1)), 2 ** (width - 1)) if stem == "fptosi" else (0, 2**width)
        value = row[0]
        return isinstance(value, float) and value == value and low - 1 < value < high
    if stem in ("maxnumf", "minnumf"):
        # Of two zeros, either will do.
        return not (row[0] == 0.0 and row[1] == 0.0) and not all(value != value for value in row)
    if type in ("f32", "f64") and len(row) == 2:
        return not all(value != value for value in row)
    return True


@pytest.mark.parametrize("name", FUNCTIONS)
def test_same_bits_as_the_oracle(name: str, oracle: Oracle, compiled: CompiledModule) -> None:
    function = FUNCTIONS[name]
    rows = [
        row
        for row in product(*(values_of(type) for type in function.inputs))
        if has_meaning(name, row)
    ]
    assert rows
    with np.errstate(all="ignore"):
        expected = function.run(lambda *arguments: oracle(name, *arguments), rows)
        actual = function.run(compiled[name], rows)
    difference = compare_bits([expected], [actual])
    assert difference is None, f"{rows[difference.index[0]]}: {difference}"


@pytest.mark.parametrize(
    ("name", "left", "right", "expected"),
    [
        ("maximumf", 0.0, -0.0, "0.0"),
        ("maximumf", -0.0, 0.0, "0.0"),
        ("minimumf", 0.0, -0.0, "-0.0"),
        ("minimumf", -0.0, 0.0, "-0.0"),
        ("maximumf", NAN, 1.0, "nan"),
        ("minimumf", 1.0, NAN, "nan"),
        ("maxnumf", NAN, 1.0, "1.0"),
        ("minnumf", 1.0, NAN, "1.0"),
    ],
)
def test_minimum_and_maximum_of_zeros_and_nan(
    name: str, left: float, right: float, expected: str, compiled: CompiledModule
) -> None:
    for type in ("f32", "f64"):
        function = FUNCTIONS[f"{name}_{type}"]
        (result,) = function.run(compiled[function.name], [(left, right)])
        assert str(float(result)) == expected


@pytest.mark.parametrize("name", PRECISE)
def test_small_arguments_keep_their_precision(name: str, compiled: CompiledModule) -> None:
    values = (-0.0, 1e-20, -1e-12, 0.25)
    results = PRECISE[name].run(compiled[name], [(value,) for value in values])
    expected = np.array([getattr(math, name)(value) for value in values])
    assert compare_bits([expected], [results]) is None


@pytest.mark.parametrize("type", INTEGERS)
def test_rounded_divisions_by_the_definition(type: str, compiled: CompiledModule) -> None:
    rows = [
        (left, right)
        for left, right in product(INTEGERS[type], repeat=2)
        if (left, right) != (INTEGERS[type][0], -1)
    ]
    floors = FUNCTIONS[f"floordivsi_{type}"].run(compiled[f"floordivsi_{type}"], rows)
    ceilings = FUNCTIONS[f"ceildivsi_{type}"].run(compiled[f"ceildivsi_{type}"], rows)
    assert floors.tolist() == [left // right for left, right in rows]
    assert ceilings.tolist() == [-((-left) // right) for left, right in rows]
