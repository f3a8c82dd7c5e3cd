"""Blocks whose columns come from transposed rows: the bits of the scalar loops, for all sizes."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from oracle import MISSING_TOOLS_REASON, Oracle, mlir_opt_available

from polyir import api
from polyir.runtime import CompilerOptions, compare_bits

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

FLAGS = ("-std=c99", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-O1")
ELEMENTS = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64}
BLOCKS = (("f64", 2), ("f64", 8), ("f32", 16), ("f32", 4), ("i32", 8), ("i64", 4))


def sums(element: str, width: int, vectors: int) -> str:
    """Sums of rows of A, weighed, and of every other element of rows of B."""
    add, multiply = ("addf", "mulf") if element.startswith("f") else ("addi", "muli")
    matrix, row = f"memref<?x?x{element}>", f"memref<?x{element}>"
    end = f"min affine_map<(d0)[s0] -> (d0 + {vectors * width}, s0)>(%t)[%n]"
    return f"""
func.func @{element}x{width}(%n: index, %m: index,
                             %A: {matrix}, %B: {matrix}, %x: {row}, %y: {row}) {{
  affine.for %t = 0 to %n step {vectors * width} {{
    affine.for %j = 1 to %m {{
      affine.for %i = affine_map<(d0) -> (d0)>(%t) to {end} {{
        %a = affine.load %A[%i, %j + 2] : {matrix}
        %b = affine.load %B[%i + 1, 2 * %j] : {matrix}
        %v = affine.load %x[%j] : {row}
        %p = arith.{multiply} %a, %v : {element}
        %q = arith.{add} %p, %b : {element}
        %s = affine.load %y[%i] : {row}
        %d = arith.{add} %s, %q : {element}
        affine.store %d, %y[%i] : {row}
      }} {{poly.vector = #poly.vector<{width}>}}
    }}
  }}
  return
}}"""


PROGRAM = "".join(sums(element, width, 1 + (width < 8)) for element, width in BLOCKS)


def by_mlir(text: str) -> Callable[[str], Callable[..., object]]:
    """The functions of a text as MLIR lowers it."""
    oracle = Oracle(text)
    return lambda name: lambda *arguments: oracle(name, *arguments)


@pytest.mark.parametrize("backend", ["c", "llvm", "mlir"])
def test_sums_keep_their_order(backend: api.Backend | str) -> None:
    expected_of = by_mlir(re.sub(r"\{poly.vector = .*\}", "", PROGRAM))
    if backend == "mlir":
        loops = api.emit(api.run_pipeline(api.parse(PROGRAM), "vectorize"), "loops")
        assert loops.count("vector.shuffle") > 8 * len(BLOCKS)
        function_of = by_mlir(loops)
    else:
        options = CompilerOptions(flags=FLAGS) if backend == "c" else None
        function_of = api.compile(PROGRAM, "vectorize", options, backend).__getitem__
    numbers = np.random.default_rng(1)
    for element, width in BLOCKS:
        name = f"{element}x{width}"
        expected, actual = expected_of(name), function_of(name)
        rows, columns = (0, 1, width, 2 * width - 1), (0, 1, width, width + 1, 2 * width + 3)
        for n, m in product(rows, columns):
            shapes = ((n, m + 2), (n + 1, 2 * m), (m,), (n,))
            arrays = [100 * numbers.normal(size=shape) for shape in shapes]
            given = [array.astype(ELEMENTS[element]) for array in arrays]
            wanted, found = ([n, m, *(array.copy() for array in given)] for _ in range(2))
            expected(*wanted)
            actual(*found)
            assert compare_bits(wanted, found) is None, (name, n, m)
