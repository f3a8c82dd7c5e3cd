"""For which sizes `optimize` lets the original order run, where sizes are not known."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest
from kernels import KERNELS

from polyir import api
from polyir.base.diagnostics import Remark, remarks_to
from polyir.loops.versions import SEVERAL_THREADS, SEVERAL_THREADS_OTHERWISE, VERSIONS

MACHINE = "cores: 2, vector_bits: 256, vector_registers: 16"

STENCIL = """
func.func @stencil(%t: index, %n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  affine.for %k = 0 to %t {
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      affine.for %j = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
        %a = affine.load %A[%i, %j - 1] : memref<?x?xf64>
        %b = affine.load %A[%i, %j + 1] : memref<?x?xf64>
        %s = arith.addf %a, %b : f64
        affine.store %s, %B[%i, %j] : memref<?x?xf64>
      }
    }
    affine.for %i = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
      affine.for %j = 1 to affine_map<(d0) -> (d0 - 1)>(%n) {
        %a = affine.load %B[%i - 1, %j] : memref<?x?xf64>
        %b = affine.load %B[%i + 1, %j] : memref<?x?xf64>
        %s = arith.addf %a, %b : f64
        affine.store %s, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
"""

EXPONENTIALS = """
func.func @last(%n: index, %A: memref<?x?xf64>) -> f64 {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %e = math.exp %a : f64
      affine.store %e, %A[%i, %j] : memref<?x?xf64>
    }
  }
  %c1 = arith.constant 1 : index
  %m = arith.subi %n, %c1 : index
  %r = memref.load %A[%m, %m] : memref<?x?xf64>
  return %r : f64
}
"""


def optimized(text: str, **machine: float) -> tuple[str, list[str]]:
    """The program after `optimize`, and which work the original order does."""
    fields = "".join(f", {name}: {value}" for name, value in machine.items())
    said: list[Remark] = []
    with remarks_to(said.append):
        module = api.run_pipeline(api.parse(text), f"optimize{{machine='{{{MACHINE}{fields}}}'}}")
    pattern = re.compile(r"with (.*), the original order runs")
    return api.emit(module, "loops"), [
        found[1] for each in said if (found := pattern.fullmatch(each.message))
    ]


def limit(found: Sequence[str]) -> tuple[str, int]:
    """The products of sizes, and the number that they are compared with."""
    (text,) = found
    products, _, number = text.partition(" or ")[0].partition(" below ")
    return products, int(number)


def test_work_is_a_product_of_sizes() -> None:
    assert limit(optimized(STENCIL)[1])[0] == "t * n * n"
    # Of nests that have more iterations than others, and of the same ones once.
    assert limit(optimized(KERNELS["2mm"].path.read_text())[1])[0] == (
        "ni * nj * nk + ni * nj * nl"
    )


def test_regions_that_start_slowly_need_more_work() -> None:
    limits = [limit(optimized(EXPONENTIALS, region_cycles=n)[1])[1] for n in (800, 8000, 80000)]
    assert limits[0] < limits[1] < limits[2]


def test_a_size_that_is_small_alone_keeps_the_original_order() -> None:
    """A few rows of long vectors are not worth tiles of many rows, however long they are."""
    _, (text,) = optimized(STENCIL)
    amount, _, least = text.partition(" or n below ")
    # At this size, the work of a thousand steps would be enough.
    assert 1000 * int(least) ** 2 > int(amount.partition(" below ")[2])


def test_known_sizes_have_one_version() -> None:
    for size in (8, 2000):
        known = STENCIL.replace("%t: index, %n: index, ", "").replace("?x?", f"{size}x{size}")
        known = known.replace("to %t", f"to {size}").replace("(%n)", "(%c)")
        known = known.replace(") {\n", f") {{\n  %c = arith.constant {size} : index\n", 1)
        loops, found = optimized(known)
        assert not found
        assert VERSIONS not in loops
        # What is known to be little keeps its order.
        assert ("affine.parallel" in loops) == (size > 8)


@pytest.mark.parametrize("backend", ["c", "llvm"])
def test_both_versions_have_the_bits_of_the_input(backend: api.Backend) -> None:
    if backend == "llvm":
        pytest.importorskip("llvmlite")
    _, (text,) = optimized(STENCIL)
    (_, amount), random = limit([text]), np.random.default_rng(1)
    pipeline = f"optimize{{machine='{{{MACHINE}}}'}}"
    before = api.compile(STENCIL, "", backend=backend)
    after = api.compile(STENCIL, pipeline, backend=backend)
    is_large: set[bool] = set()
    many = amount // 700**2 + 1
    for times, size in ((0, 5), (3, 0), (2, 3), (5, 40), (40, 60), (many, 700)):
        is_large.add(times * size * size >= amount)
        arrays = [random.random((size, size)) for _ in range(2)]
        results = [array.copy() for array in arrays]
        before["stencil"](times, size, *arrays)
        after["stencil"](times, size, *results)
        for one, other in zip(arrays, results, strict=True):
            assert one.tobytes() == other.tobytes(), (times, size)
    assert is_large == {False, True}


def test_results_of_the_function_are_those_of_the_version_that_runs() -> None:
    assert optimized(EXPONENTIALS)[1]
    program = api.compile(EXPONENTIALS, f"optimize{{machine='{{{MACHINE}}}'}}")
    for size in (2, 300):
        array = np.ones((size, size))
        assert program["last"](size, array) == array[-1, -1] == np.exp(1.0)


def test_narrow_rows_that_change_in_place_keep_the_original_order() -> None:
    """Only whole blocks keep them in registers."""
    text = """
    func.func @solve(%n: index, %m: index, %L: memref<?x?xf32>, %B: memref<?x?xf32>) {
      affine.for %i = 0 to %n {
        affine.for %c = 0 to %m {
          affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
            %0 = affine.load %B[%i, %c] : memref<?x?xf32>
            %1 = affine.load %L[%i, %j] : memref<?x?xf32>
            %2 = affine.load %B[%j, %c] : memref<?x?xf32>
            %3 = arith.mulf %1, %2 : f32
            %4 = arith.subf %0, %3 : f32
            affine.store %4, %B[%i, %c] : memref<?x?xf32>
          }
        }
      }
      return
    }
    """
    text = text.replace("%n: index, %m: index, ", "").replace("%n", "124")
    for width, is_in_blocks in ((8, False), (96, True)):
        loops, _ = optimized(text.replace("%m", str(width)))
        assert ("vector" in loops) == is_in_blocks


def test_sizes_in_the_middle_have_a_version_of_their_own() -> None:
    """In small arrays, tiles in time gain less than threads do."""
    text = KERNELS["heat-3d"].path.read_text()
    said: list[Remark] = []
    pipeline = "optimize{machine='{cores: 8, vector_bits: 256, vector_registers: 16}'}"
    with remarks_to(said.append):
        module = api.run_pipeline(api.parse(text), pipeline)
    messages = [each.message for each in said]
    pattern = r"with .* below .*, [\w-]+ runs on several threads"
    (middle,) = (each for each in messages if re.fullmatch(pattern, each))
    (original,) = (each for each in messages if each.endswith("the original order runs"))
    limits = [int(re.findall(r"or n below (\d+)", each)[0]) for each in (middle, original)]
    assert limits[0] > limits[1]
    loops = api.emit(module, "loops")
    assert loops.count(VERSIONS) == 1
    # The middle version is of no use on one thread, but the best one is.
    assert loops.count(SEVERAL_THREADS) == loops.count(SEVERAL_THREADS_OTHERWISE) == 1
    before, after = (api.compile(text, each) for each in ("", pipeline))
    random = np.random.default_rng(1)
    for times, size in ((1, 3), (400, 9), (20, limits[0] - 5), (12, limits[0] + 3)):
        arrays = [random.random((size, size, size)) for _ in range(2)]
        results = [array.copy() for array in arrays]
        before["kernel_heat_3d"](times, size, *arrays)
        after["kernel_heat_3d"](times, size, *results)
        for one, other in zip(arrays, results, strict=True):
            assert one.tobytes() == other.tobytes(), (times, size)
