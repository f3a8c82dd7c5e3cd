"""Random loops with `#poly.vector` and `#poly.jam` by `vectorize`: the bits of the scalar loops.

The loops are parallel: a body stores to elements of its own, and loads no others of those arrays.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from oracle import MISSING_TOOLS_REASON, Oracle, mlir_opt_available
from suites import examples

from polyir import api
from polyir.runtime import CompilerOptions, compare_bits, compile_module

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

FLAGS = ("-std=c99", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-O2")
ARRAY = "memref<40x40xf64>"
READ, WRITTEN = ("A", "B", "C"), ("D", "E")
FUNCTIONS = examples(16, 200)
Program = Callable[[Random, str], str]


def loop_program(random: Random, name: str) -> str:
    """A function with a loop over k around a block, or a row of loops, over i and j."""
    width, rows, vectors = random.choice((2, 4, 8)), random.randint(1, 3), random.randint(1, 3)
    end = str(width * vectors) if random.random() < 0.6 else "%n"
    # What the body stores has a row of its own for each i, at times for each k too.
    own = {
        array: random.choice(("%i, %j", "%i + 2, %j + 1", "%i + 4 * %k, %j"))
        for array in random.sample(WRITTEN, random.randint(1, 2))
    }
    places = ("%i, %j", "%k, %j", "%i, %k", "%j, %k", "%j + 1, %i", "%k, 3", "%i, %j + 1")
    loads = [f"{array}[{random.choice(places)}]" for array in random.choices(READ, k=2)]
    loads += [f"{array}[{subscripts}]" for array, subscripts in own.items()]
    # The same subscripts in another array are another element.
    loads.append(f"{random.choice(READ)}[{random.choice(list(own.values()))}]")
    random.shuffle(loads)
    lines = [f"%l{n} = affine.load %{load} : {ARRAY}" for n, load in enumerate(loads)]
    values = [*(f"%l{n}" for n in range(len(loads))), "%x"]
    for n in range(random.randint(1, 4)):
        operation = random.choice(("addf", "subf", "mulf", "maximumf"))
        left, right = random.choice(values), random.choice(values)
        lines.append(f"%v{n} = arith.{operation} {left}, {right} : f64")
        values.append(f"%v{n}")
    for array, subscripts in own.items():
        lines.append(f"affine.store {random.choice(values)}, %{array}[{subscripts}] : {ARRAY}")
    body = "\n".join(lines)
    arrays = ", ".join(f"%{array}: {ARRAY}" for array in (*READ, *WRITTEN))
    last = "%n" if random.random() < 0.3 else "5"
    return f"""
func.func @{name}(%n: index, %x: f64, {arrays}) {{
  affine.for %k = 0 to {last} {{
    affine.for %i = 0 to {rows} {{
      affine.for %j = {random.choice((0, 1)) if end == "%n" else 0} to {end} {{
        {body}
      }} {{poly.vector = #poly.vector<{width}>}}
    }} {{poly.jam = #poly.jam<{max(rows, 2)}>}}
  }}
  return
}}"""


def nest_program(random: Random, name: str) -> str:
    """A function with loops over blocks that may be partial; what it reads may be packed."""
    width, rows, vectors = random.choice((2, 4)), random.randint(1, 3), random.randint(1, 3)
    columns = width * vectors
    row_end = random.choice(("%n", "%nine"))
    # A triangle is above or below the diagonal, or beside the other one, or there is none; where a
    # block starts, some of it runs.
    shape = random.choice(("all", "all", "upper", "strictly upper", "lower", "other"))
    last, start, end = "17", "0", "s0"
    match shape:
        case "upper":
            first, end = "(d0, d1)", f"s0, d0 + {columns}"
        case "strictly upper":
            first, end = "(d0, d1 + 1)", f"s0, d0 + {columns - 1}, 16"
        case "lower":
            first, last, start = "(d0)", "d1 + 1", "d0"
        case "other":
            first, last, end = "(d0)", "12 - d1", "s0, 12 - d0"
        case _:
            first = "(d0)"
    places = ("%i, %k", "%k, %j", "%j, %k", "%i, %j", "%k, %i", "%j + 1, %k")
    loads = [f"{array}[{random.choice(places)}]" for array in random.choices(READ, k=3)]
    lines = [
        f"%l{n} = affine.load %{load} : {ARRAY}" for n, load in enumerate((*loads, "D[%i, %j]"))
    ]
    values = ["%l0", "%l1", "%l2", "%x"]
    for n in range(random.randint(1, 4)):
        operation = random.choice(("addf", "subf", "mulf", "maximumf"))
        left, right = random.choice(values), random.choice(values)
        lines.append(f"%v{n} = arith.{operation} {left}, {right} : f64")
        values.append(f"%v{n}")
    lines.append(f"%s = arith.addf %l3, {values[-1]} : f64")
    lines.append(f"affine.store %s, %D[%i, %j] : {ARRAY}")
    body = "\n".join(lines)
    arrays = ", ".join(f"%{array}: {ARRAY}" for array in (*READ, *WRITTEN))
    rows_end = f"affine_map<(d0)[s0] -> (d0 + {rows}, s0)>(%t)[{row_end}]"
    columns_end = f"affine_map<(d0, d1) -> (d0 + {columns}, {last})>(%u, %i)"
    columns_tiles = f"for %u = 0 to 17 step {columns}"
    if random.random() < 0.3:
        columns_tiles = f"parallel (%u) = (0) to (17) step ({columns})"
    return f"""
func.func @{name}(%n: index, %x: f64, {arrays}) {{
  %nine = arith.constant 9 : index
  affine.for %r = 0 to 2 {{
  affine.{columns_tiles} {{
  affine.for %t = affine_map<(d0) -> ({start})>(%u)
                to min affine_map<(d0)[s0] -> ({end})>(%u)[{row_end}] step {rows} {{
  affine.for %k = 0 to {random.choice(("%n", "5"))} {{
    affine.for %i = affine_map<(d0) -> (d0)>(%t) to min {rows_end} {{
      affine.for %j = max affine_map<(d0, d1) -> {first}>(%u, %i) to min {columns_end} {{
        {body}
      }} {{poly.vector = #poly.vector<{width}>}}
    }} {{poly.jam = #poly.jam<{max(rows, 2)}>}}
  }}
  }}
  }}
  }}
  return
}}"""


@pytest.mark.parametrize(
    ("program", "pipeline"), [(loop_program, "vectorize"), (nest_program, "vectorize,pack")]
)
def test_loops_compute_the_same(program: Program, pipeline: str) -> None:
    random = Random("vectorized loops")
    functions = [program(random, f"f{number}") for number in range(FUNCTIONS)]
    text = "".join(functions)
    oracle = Oracle(re.sub(r"\{poly\.\w+ = #poly\.\w+<\d+>\}", "", text))
    loops = api.run_pipeline(api.parse(text), pipeline)
    assert str(loops).count("#poly.vector<") < FUNCTIONS / 2
    assert str(loops).count("iter_args(") > FUNCTIONS / 4
    compiled = compile_module(loops, CompilerOptions(flags=FLAGS))
    numbers = np.random.default_rng(1)
    for number, function in enumerate(functions):
        for n in (0, 1, 7, 9):
            arrays = [numbers.random((40, 40)) - 0.5 for _ in range(5)]
            expected, actual = ([n, 1.25, *(array.copy() for array in arrays)] for _ in range(2))
            oracle(f"f{number}", *expected)
            compiled[f"f{number}"](*actual)
            assert compare_bits(expected, actual) is None, (n, function)
