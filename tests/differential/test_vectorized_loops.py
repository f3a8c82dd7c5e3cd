"""Random loops with `#poly.vector` and `#poly.jam` by `vectorize`: the bits of the scalar loops.

The loops are parallel: a body stores to elements of its own, and loads no others of those arrays.
"""

from __future__ import annotations

import re
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
FUNCTIONS = examples(24, 200)


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


def test_loops_compute_the_same() -> None:
    random = Random("vectorized loops")
    functions = [loop_program(random, f"f{number}") for number in range(FUNCTIONS)]
    text = "".join(functions)
    oracle = Oracle(re.sub(r"\{poly\.\w+ = #poly\.\w+<\d+>\}", "", text))
    loops = api.run_pipeline(api.parse(text), "vectorize")
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
