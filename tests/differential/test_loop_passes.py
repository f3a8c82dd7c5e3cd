"""The passes on loops, on every PolyBench kernel, in C and under the LLVM JIT: the same bits.

The short selection runs every kernel through two or three of the pipelines; the matrix has the
others.
"""

from __future__ import annotations

from itertools import product
from typing import Literal

import pytest
from kernel_runs import oracle_of
from kernels import KERNELS
from oracle import MISSING_TOOLS_REASON, mlir_opt_available

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.runtime import CompiledModule, CompilerOptions, compare_bits

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

Backend = Literal["c", "llvm"]

FLAGS = ("-std=c99", "-O1", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")
TILED = "pluto-schedule,tile,mark-parallel"
PIPELINES = {
    "alone": "scalar-replacement",
    "alone, all levels": "scalar-replacement{levels=all}",
    "scheduled": "pluto-schedule,scalar-replacement",
    "tiled": f"{TILED},scalar-replacement",
    "tiled, all levels": f"{TILED},scalar-replacement{{levels=all}}",
    "in scf": f"{TILED},lower-poly,convert-affine-to-scf,scalar-replacement,split-loops",
    "not split": "pluto-schedule{fuse=max},lower-poly{split-loops=false},scalar-replacement",
    "split": "pluto-schedule{fuse=max}",
    "split, tiled": "spatial-schedule,tile,mark-parallel",
}
BACKENDS: tuple[Backend, ...] = ("c", "llvm")


def compiled(name: str, pipeline: str, backend: Backend) -> CompiledModule:
    with remarks_to(lambda remark: None):
        text = KERNELS[name].path.read_text()
        return api.compile(text, pipeline, CompilerOptions(flags=FLAGS), backend)


def check(name: str, version: str, backend: Backend) -> None:
    kernel = KERNELS[name]
    program = compiled(name, PIPELINES[version], backend)
    uneven = {size: 7 + 2 * position for position, size in enumerate(kernel.size_names)}
    for sizes in (kernel.sizes("mini"), uneven):
        expected, arguments = (kernel.make_arguments(sizes, seed=5) for _ in range(2))
        oracle_of(name)(kernel.function, *expected)
        program[kernel.function](*arguments)
        assert compare_bits(expected, arguments) is None


COMBINATIONS = list(product(KERNELS, PIPELINES, BACKENDS))
CHOSEN = [
    (name, version, BACKENDS[(number + position) % 2])
    for number, name in enumerate(KERNELS)
    for position, version in enumerate(PIPELINES)
    if position % 4 == number % 4
]


@pytest.mark.parametrize(("name", "version", "backend"), CHOSEN)
def test_same_bits(name: str, version: str, backend: Backend) -> None:
    check(name, version, backend)


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("name", "version", "backend"), [each for each in COMBINATIONS if each not in CHOSEN]
)
def test_matrix(name: str, version: str, backend: Backend) -> None:
    check(name, version, backend)
