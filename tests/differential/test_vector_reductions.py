"""Random loops with `#poly.reduction` and `#poly.parts` by `vectorize`, in C and LLVM.

Floating-point values are small integers where they are added or multiplied, so that every order
gives the same bits; of integers, minima and maxima, all bits must be the same for any values. Sums
in PolyBench's kernels differ in their last bits.
"""

from __future__ import annotations

import re
from random import Random
from typing import Literal

import numpy as np
import pytest
from kernel_runs import expected_results, loops_of
from kernels import KERNELS
from oracle import MISSING_TOOLS_REASON, Oracle, mlir_opt_available
from suites import examples

from polyir import api
from polyir.runtime import CompilerOptions, compare_bits, compile_module

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

FLAGS = ("-std=c99", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-O2")
FUNCTIONS = examples(10, 100)
SIZES = (0, 1, 7, 31, 32, 70)
ELEMENTS = {"f64": np.float64, "f32": np.float32, "i64": np.int64, "i32": np.int32}
FLOATS = ("addf", "subf", "mulf", "maximumf", "minimumf", "maxnumf", "minnumf")
INTEGERS = ("addi", "subi", "muli", "maxsi", "minui", "andi", "ori", "xori")


def reduction_program(random: Random, name: str, element: str) -> str:
    """A function with a loop over j, in one over i, that updates an element of X."""
    is_float = element.startswith("f")
    operation = random.choice(FLOATS if is_float else INTEGERS)
    kind = "f" if is_float else "i"
    updated = random.choice(("%i", "%i + 3", "7", "2 * %i"))
    loads = {
        "a": random.choice(("A[%i, %j]", "A[%i, %n - %j]", "A[%i + 1, 2]", "A[2, %j + %i]")),
        "b": random.choice(("B[%j]", "B[%n - %j]", "B[%i]", "X[%j + 90]")),
    }
    lines = [f"%{value} = affine.load %{place} : @{place[0]}" for value, place in loads.items()]
    # What is taken in a product must stay small.
    values = ("%a", "%b", "%product") if operation not in ("mulf", "muli") else ("%a", "%sign")
    if "num" in operation:
        # Of 0.0 and -0.0, which a product may be, either is the greater.
        values = ("%a", "%b")
    lines.append(f"%product = arith.mul{kind} %a, %b : {element}")
    lines.append(f"%old = affine.load %X[{updated}] : @X")
    term = random.choice(values)
    is_turned = random.random() < 0.5 and not operation.startswith("sub")
    pair = f"{term}, %old" if is_turned else f"%old, {term}"
    lines.append(f"%first = arith.{operation} {pair} : {element}")
    result = "%first"
    if operation[:3] in ("add", "sub") and random.random() < 0.5:
        lines.append(f"%second = arith.add{kind} {random.choice(values)}, %first : {element}")
        result = "%second"
    lines.append(f"affine.store {result}, %X[{updated}] : @X")
    body = "\n".join(lines)
    for array, type in {"A": "40x80x", "B": "80x", "X": "170x"}.items():
        body = body.replace(f"@{array}", f"memref<{type}{element}>")
    first = random.choice(("0", "1", "affine_map<(d0) -> (d0)>(%i)"))
    last = random.choice(("%n", "%n", "45", "min affine_map<(d0)[s0] -> (d0 + 40, s0)>(%i)[%n]"))
    if "%n - %j" in body:
        last = "%n"
    arrays = f"%A: memref<40x80x{element}>, %B: memref<80x{element}>, %X: memref<170x{element}>"
    inner = f"poly.reduction = #poly.reduction<{random.choice((2, 4, 8))}>"
    outer = ""
    parts = random.random()
    if "%i" not in updated and parts < 0.5:
        outer = f"{{poly.parts = #poly.parts<{random.choice((2, 4))}>}}"
    elif parts < 0.5 and not last.startswith("min"):
        inner += f", poly.parts = #poly.parts<{random.choice((3, 16))}>"
    return f"""
func.func @{name}(%n: index, %sign: {element}, {arrays}) {{
  affine.for %i = 0 to 9 {{
    affine.for %j = {first} to {last} {{
      {body}
    }} {{{inner}}}
  }} {outer}
  return
}}"""


@pytest.mark.parametrize("backend", ["c", "llvm"])
@pytest.mark.parametrize("element", ELEMENTS)
def test_reductions_compute_the_same(element: str, backend: Literal["c", "llvm"]) -> None:
    random = Random(f"vector reductions of {element}")
    functions = [reduction_program(random, f"f{n}", element) for n in range(FUNCTIONS)]
    text = "".join(functions)
    oracle = Oracle(re.sub(r"\{poly\.[^{}]*\}", "", text))
    loops = api.run_pipeline(api.parse(text), "vectorize")
    assert not re.search(r"#poly\.(reduction|parts)<", str(loops))
    assert str(loops).count("affine.parallel") > FUNCTIONS / 8
    compiled = api.compile_loops(loops, CompilerOptions(flags=FLAGS), backend)
    numbers = np.random.default_rng(1)
    type = ELEMENTS[element]
    for number, function in enumerate(functions):
        for n in SIZES:
            shapes = ((40, 80), (80,), (170,))
            arrays = [numbers.integers(-3, 4, shape).astype(type) for shape in shapes]
            if re.search(r"mul. %(old|a|sign), %(old|a|sign)", function):
                arrays = [np.where(each < 0, -1, 1).astype(type) for each in arrays]
            sign = -1.0 if element.startswith("f") else -1
            expected, actual = ([n, sign, *(each.copy() for each in arrays)] for _ in range(2))
            oracle(f"f{number}", *expected)
            compiled[f"f{number}"](*actual)
            assert compare_bits(expected, actual) is None, (n, function)


IN_VECTORS = "mark-parallel{reassociate=true},register-tile{width=4 reassociate=true},vectorize"


@pytest.mark.parametrize(
    ("name", "pipeline"),
    [
        *((name, IN_VECTORS) for name in ("atax", "cholesky", "durbin", "mvt", "trisolv")),
        *((name, "optimize{threads=2 reassociate=true}") for name in ("bicg", "durbin")),
    ],
)
def test_kernels_are_equal_up_to_rounding(name: str, pipeline: str) -> None:
    kernel = KERNELS[name]
    loops = loops_of(kernel.path.read_text(), pipeline)
    assert "vector.shuffle" in str(loops)
    compiled = compile_module(loops, CompilerOptions(flags=FLAGS))
    arguments = kernel.make_arguments("mini")
    with compiled.threads(2):
        compiled[kernel.function](*arguments)
    for expected, actual in zip(expected_results(name, "mini"), arguments, strict=True):
        np.testing.assert_allclose(actual, expected, rtol=1e-11, atol=1e-13)
