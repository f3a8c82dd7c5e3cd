"""Irregular reductions in parallel compute what the loop computes.

Integers are the same for each method, and floating-point numbers where their order is kept. In
another order they are close to the original, and do not depend on the number of threads, but for
atomics.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from irregular_programs import PROGRAMS, Arguments
from sparse_matrices import GENERATORS
from suites import in_turn

import polyir
from polyir.api import Backend
from polyir.runtime import CompiledModule

Arrays = dict[str, npt.NDArray[Any]]

INTEGERS = """
func.func @integers(%n: index, %p: memref<?xindex>, %q: memref<?xi32>, %e: memref<?xi64>,
                    %m: memref<?xi32>, %sums: memref<?x3xi64>, %most: memref<?xi64>,
                    %least: memref<?xi64>, %all: memref<?xi32>, %any: memref<?xi32>) {
  affine.for %i = 0 to %n step 2 {
    %j = affine.load %p[%i] : memref<?xindex>
    %narrow = affine.load %q[%i] : memref<?xi32>
    %k = arith.index_cast %narrow : i32 to index
    %v = affine.load %e[%i] : memref<?xi64>
    %w = affine.load %m[%i] : memref<?xi32>
    affine.for %d = 0 to 2 {
      %s = memref.load %sums[%j, %d] : memref<?x3xi64>
      %s_new = arith.addi %s, %v : i64
      memref.store %s_new, %sums[%j, %d] : memref<?x3xi64>
    }
    %t = memref.load %sums[%k, %d] : memref<?x3xi64>
    %t_less = arith.subi %t, %v : i64
    %t_new = arith.addi %t_less, %v : i64
    %t_last = arith.subi %t_new, %v : i64
    memref.store %t_last, %sums[%k, %d] : memref<?x3xi64>
    %g = memref.load %most[%k] : memref<?xi64>
    %g_new = arith.maxsi %v, %g : i64
    memref.store %g_new, %most[%k] : memref<?xi64>
    %positive = arith.cmpi sgt, %w, %narrow : i32
    scf.if %positive {
      %l = memref.load %least[%j] : memref<?xi64>
      %l_new = arith.minsi %l, %v : i64
      memref.store %l_new, %least[%j] : memref<?xi64>
    }
    %a = memref.load %all[%j] : memref<?xi32>
    %a_new = arith.andi %a, %w : i32
    memref.store %a_new, %all[%j] : memref<?xi32>
    %b = memref.load %any[%j] : memref<?xi32>
    %b_new = arith.ori %b, %w : i32
    memref.store %b_new, %any[%j] : memref<?xi32>
  }
  return
}
""".replace("%sums[%k, %d]", "%sums[%k, %two]").replace(
    "  affine.for %i", "  %two = arith.constant 2 : index\n  affine.for %i", 1
)

PRODUCTS = """
func.func @products(%n: index, %p: memref<?xindex>, %e: memref<?xi64>, %x: memref<?xi64>,
                    %f: memref<?xf64>, %y: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %j = affine.load %p[%i] : memref<?xindex>
    %v = affine.load %e[%i] : memref<?xi64>
    %old = memref.load %x[%j] : memref<?xi64>
    %new = arith.muli %old, %v : i64
    memref.store %new, %x[%j] : memref<?xi64>
    %w = affine.load %f[%i] : memref<?xf64>
    %y_old = memref.load %y[%j] : memref<?xf64>
    %y_new = arith.mulf %y_old, %w : f64
    memref.store %y_new, %y[%j] : memref<?xf64>
  }
  return
}
"""

FLOATS = """
func.func @floats(%n: index, %p: memref<?xindex>, %q: memref<?xindex>, %e: memref<?xf64>,
                  %x: memref<?xf64>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f64
  affine.for %s = 0 to 2 {
    affine.for %i = 0 to %n {
      %j = affine.load %p[%i] : memref<?xindex>
      %k = affine.load %q[%i] : memref<?xindex>
      %v = affine.load %e[%i] : memref<?xf64>
      %short = arith.truncf %v : f64 to f32
      %xj = memref.load %x[%j] : memref<?xf64>
      %xj_new = arith.addf %xj, %v : f64
      memref.store %xj_new, %x[%j] : memref<?xf64>
      %xk = memref.load %x[%k] : memref<?xf64>
      %xk_new = arith.subf %xk, %v : f64
      memref.store %xk_new, %x[%k] : memref<?xf64>
      %y_old = memref.load %y[%k] : memref<?xf32>
      %y_new = arith.addf %y_old, %short : f32
      memref.store %y_new, %y[%k] : memref<?xf32>
    }
  }
  return
}
"""

# The least and the greatest number do not depend on the order, but for NaN and the sign of zero.
EXTREMES = """
func.func @extremes(%n: index, %p: memref<?xindex>, %e: memref<?xf64>, %x: memref<?xf64>,
                    %y: memref<?xf64>, %z: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %j = affine.load %p[%i] : memref<?xindex>
    %v = affine.load %e[%i] : memref<?xf64>
    %x_old = memref.load %x[%j] : memref<?xf64>
    %x_new = arith.maximumf %x_old, %v : f64
    memref.store %x_new, %x[%j] : memref<?xf64>
    %y_old = memref.load %y[%j] : memref<?xf64>
    %y_new = arith.minnumf %y_old, %v : f64
    memref.store %y_new, %y[%j] : memref<?xf64>
    %z_old = memref.load %z[%j] : memref<?xf64>
    %less = arith.cmpf olt, %v, %z_old : f64
    %z_new = arith.select %less, %v, %z_old : f64
    memref.store %z_new, %z[%j] : memref<?xf64>
  }
  return
}
"""

SIZES = (1, 20, 150)
SEEDS = range(20)
METHODS = (
    "reassociate=true",
    "block=4 reassociate=true",
    "method=private-copies copies=1 reassociate=true",
    "method=private-copies copies=7 reassociate=true",
    "method=atomics reassociate=true",
)
COLOURED = ("", "block=3")


@cache
def compiled(text: str, options: str | None, backend: Backend = "c") -> CompiledModule:
    pipeline = "" if options is None else f"irregular-reductions{{{options}}}"
    return polyir.compile(text, pipeline, backend=backend)


def given(text: str, size: int, seed: int) -> Arrays:
    """Random arguments; often, many iterations update the same of few elements."""
    random = np.random.default_rng((size, seed))
    elements = int(random.integers(1, 2 * size + 1))
    return {
        "integers": lambda: {
            "p": random.integers(0, elements, size),
            "q": random.integers(0, elements, size).astype(np.int32),
            "e": random.integers(-(2**62), 2**62, size),
            "m": random.integers(0, 2**20, size).astype(np.int32),
            "sums": random.integers(-(2**62), 2**62, (elements, 3)),
            "most": random.integers(-9, 9, elements),
            "least": random.integers(-9, 9, elements),
            "all": random.integers(0, 2**20, elements).astype(np.int32),
            "any": random.integers(0, 2**20, elements).astype(np.int32),
        },
        "products": lambda: {
            "p": random.integers(0, elements, size),
            "e": random.integers(-(2**62), 2**62, size),
            "x": random.integers(1, 9, elements),
            "f": random.random(size) + 0.5,
            "y": random.random(elements),
        },
        "floats": lambda: {
            "p": random.integers(0, elements, size),
            "q": random.integers(0, elements, size),
            "e": random.random(size) - 0.5,
            "x": random.random(elements),
            "y": random.random(elements).astype(np.float32),
        },
        "extremes": lambda: {
            "p": random.integers(0, elements, size),
            "e": random.random(size) - 0.5,
            "x": random.random(elements),
            "y": random.random(elements),
            # An element that nothing updates stays NaN.
            "z": np.where(random.random(elements) < 0.1, np.nan, 0.0),
        },
    }[name_of(text)]()


def name_of(text: str) -> str:
    return text.split("@")[1].split("(")[0]


def results(module: CompiledModule, text: str, arrays: Arrays, size: int) -> Arrays:
    copies = {name: value.copy() for name, value in arrays.items()}
    module[name_of(text)](size, **copies)
    return copies


def cases(text: str) -> Iterator[tuple[Arrays, int]]:
    for size in SIZES:
        for seed in SEEDS:
            yield given(text, size, seed), size


def bits(arrays: Arrays) -> list[bytes]:
    return [value.tobytes() for value in arrays.values()]


@pytest.mark.parametrize("backend", ["c", "llvm"])
@pytest.mark.parametrize("options", [*METHODS, "method=atomics", "method=private-copies"])
def test_integers_are_the_same(options: str, backend: Backend) -> None:
    original, changed = compiled(INTEGERS, None), compiled(INTEGERS, options, backend)
    for arrays, size in cases(INTEGERS):
        expected = bits(results(original, INTEGERS, arrays, size))
        for threads in (1, 2):
            with changed.threads(threads):
                assert bits(results(changed, INTEGERS, arrays, size)) == expected


@pytest.mark.parametrize("options", COLOURED)
@pytest.mark.parametrize("text", [FLOATS, PRODUCTS, EXTREMES], ids=name_of)
def test_colours_keep_the_order(text: str, options: str) -> None:
    original, changed = compiled(text, None), compiled(text, options)
    assert f"{name_of(text)}_executor(" in changed.source
    for arrays, size in cases(text):
        expected = bits(results(original, text, arrays, size))
        for threads in (1, 2):
            with changed.threads(threads):
                assert bits(results(changed, text, arrays, size)) == expected


@pytest.mark.parametrize("options", METHODS)
@pytest.mark.parametrize("text", [FLOATS, PRODUCTS], ids=name_of)
def test_another_order_is_close(text: str, options: str) -> None:
    original, changed = compiled(text, None), compiled(text, options)
    for arrays, size in cases(text):
        expected = results(original, text, arrays, size)
        found = []
        for threads in (1, 2):
            with changed.threads(threads):
                found.append(results(changed, text, arrays, size))
        for name, value in expected.items():
            for other in found:
                if value.dtype.kind == "f":
                    tolerance = 1e-4 if value.dtype == np.float32 else 1e-12
                    np.testing.assert_allclose(other[name], value, tolerance, tolerance)
                else:
                    np.testing.assert_array_equal(other[name], value)
        if "atomics" not in options:
            assert bits(found[0]) == bits(found[1])


@pytest.mark.parametrize("options", METHODS[:-1])
def test_extremes_are_the_same(options: str) -> None:
    original, changed = compiled(EXTREMES, None), compiled(EXTREMES, options)
    for arrays, size in cases(EXTREMES):
        expected = bits(results(original, EXTREMES, arrays, size))
        for threads in (1, 2):
            with changed.threads(threads):
                assert bits(results(changed, EXTREMES, arrays, size)) == expected


@pytest.mark.parametrize("options", METHODS)
def test_pipelines_change_the_loop(options: str) -> None:
    assert "#pragma omp parallel for" in compiled(FLOATS, options).source


SCATTER = """
func.func @scatter(%n: index, %p: memref<?xindex>, %q: memref<?xindex>, %x: memref<?xi64>) {
  %one = arith.constant 1 : i64
  affine.for %i = 0 to %n {
    %j = affine.load %p[%i] : memref<?xindex>
    %k = affine.load %q[%i] : memref<?xindex>
    %xj = memref.load %x[%j] : memref<?xi64>
    %xj_new = arith.addi %xj, %one : i64
    memref.store %xj_new, %x[%j] : memref<?xi64>
    %xk = memref.load %x[%k] : memref<?xi64>
    %xk_new = arith.addi %xk, %one : i64
    memref.store %xk_new, %x[%k] : memref<?xi64>
  }
  return
}
"""


def colours_of(
    p: npt.NDArray[np.int64], q: npt.NDArray[np.int64], elements: int, block: int
) -> list[list[int]]:
    """The blocks of each colour that the inspector finds."""
    module = compiled(SCATTER, f"block={block}")
    blocks = -(-len(p) // block)
    order, starts, count = (np.zeros(k, dtype=np.int64) for k in (blocks, blocks + 1, 1))
    x = np.zeros(elements, dtype=np.int64)
    values = {"n": len(p), "p": p, "q": q, "x": x}
    values |= {"order": order, "starts": starts, "wavefronts": count.reshape(())}
    module.scatter_inspector(**values)
    return [list(order[starts[w] : starts[w + 1]]) for w in range(int(count[0]))]


def conflict(
    colours: list[list[int]], p: npt.NDArray[np.int64], q: npt.NDArray[np.int64], block: int
) -> tuple[int, int] | None:
    """Two blocks of one colour that update the same element."""
    for blocks in colours:
        last: dict[int, int] = {}
        for number in blocks:
            first = number * block
            for element in {*p[first : first + block].tolist(), *q[first : first + block].tolist()}:
                if element in last:
                    return last[element], number
                last[element] = number
    return None


@pytest.mark.parametrize("block", [1, 3])
def test_blocks_of_a_colour_update_different_elements(block: int) -> None:
    for size in (1, 20, 400):
        for seed in SEEDS:
            random = np.random.default_rng((size, seed))
            elements = int(random.integers(1, 2 * size + 1))
            p, q = random.integers(0, elements, (2, size))
            colours = colours_of(p, q, elements, block)
            found = sorted(number for blocks in colours for number in blocks)
            assert found == list(range(-(-size // block)))
            assert conflict(colours, p, q, block) is None


def test_colours_are_few_and_conflicts_are_found() -> None:
    # A path: iterations in the program's order would run one after the other.
    p = np.arange(100)
    colours = colours_of(p, p + 1, 101, 1)
    assert [len(blocks) for blocks in colours] == [50, 50]
    colours[0].append(colours[1].pop())
    assert conflict(colours, p, p + 1, 1) is not None
    # More colours than bits: all iterations update one element.
    zero = np.zeros(200, dtype=np.int64)
    assert len(colours_of(zero, zero, 1, 1)) == 200


WITH_OTHERS = (
    "check-indices,irregular-reductions{block=2}",
    "reorder-data,irregular-reductions{block=3}",
    "reorder-iterations{reassociate=true},irregular-reductions{block=4 reassociate=true}",
    "reorder-data,irregular-reductions{method=private-copies copies=3 reassociate=true}",
    "reorder-iterations{reassociate=true},irregular-reductions{method=atomics reassociate=true}",
    "irregular-reductions{block=3},reorder-data",
    "irregular-reductions{method=atomics reassociate=true},inspect-wavefronts",
)


@cache
def by_default(name: str) -> CompiledModule:
    return polyir.compile(PROGRAMS[name].path.read_text())


@pytest.mark.parametrize(("name", "pipeline"), in_turn(["moldyn", "mesh-edges"], WITH_OTHERS, 2))
def test_with_other_passes(name: str, pipeline: str) -> None:
    program = PROGRAMS[name]
    text = program.path.read_text()
    original, changed = by_default(name), polyir.compile(text, pipeline)
    assert "#pragma omp parallel for" in changed.source
    for size in (1, 20, 150):
        for number, generator in enumerate(GENERATORS.values()):
            random = np.random.default_rng(number)
            drawn = program.arguments(generator(size, random), random, 3)
            # Whole numbers: no sum is rounded, whatever its order.
            values = {
                each: np.rint(value * 64)
                if isinstance(value, np.ndarray) and value.dtype == np.float64
                else value
                for each, value in drawn.items()
            }
            expected = copied(values)
            original[program.function](**expected)
            for threads in (1, 2):
                found = copied(values)
                with changed.threads(threads):
                    changed[program.function](**found)
                for each, value in expected.items():
                    np.testing.assert_array_equal(found[each], value)


def copied(values: Arguments) -> Arguments:
    return {
        name: value.copy() if isinstance(value, np.ndarray) else value
        for name, value in values.items()
    }
