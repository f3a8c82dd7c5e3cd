"""Every PolyBench kernel through Pluto, tiling and parallel marking, against MLIR's lowering.

`make test-all` runs every combination; the short selection is a part in which every kernel meets
two fusion policies and tile sizes, both data sets and both thread counts, and every fusion policy
every tile size. Results are compared to the bit, with contraction off.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
from kernel_runs import expected_results
from kernels import KERNELS, Kernel
from oracle import MISSING_TOOLS_REASON, mlir_opt_available
from xdsl.dialects.builtin import ModuleOp

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.dialects.scop import scops_in
from polyir.model.scop import Scop, scop_of
from polyir.runtime import CompiledModule, CompilerOptions, compare_bits, compile_module

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

FUSIONS = ("max", "smart", "none")
TILE_SIZES = ("32", "7", "5,3,2")
DATA_SETS = ("mini", "small")
THREADS = (1, 2)
# Optimised enough for parallel code to be real; the matrix compiles 270 programs.
FLAGS = ("-std=c99", "-O1", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")


@cache
def analysed(name: str) -> ModuleOp:
    """The kernel, raised, with its dependences; copied by the pipelines that go on from it."""
    with remarks_to(lambda remark: None):
        return api.run_pipeline(api.parse(KERNELS[name].path.read_text()), "poly-dependences")


@cache
def compiled(name: str, fusion: str, sizes: str) -> CompiledModule:
    """The optimised kernel."""
    pipeline = f"pluto-schedule{{fuse={fusion}}},tile{{sizes={sizes}}},mark-parallel"
    with remarks_to(lambda remark: None):
        module = api.lower(api.run_pipeline(analysed(name), pipeline))
    return compile_module(module, CompilerOptions(flags=FLAGS))


def rotated(number: int) -> list[tuple[str, str, str, int]]:
    """Two combinations for the kernel of that number; all kernels together are pairwise."""
    positions = [position for position in range(3) if position != number % 3]
    return [
        (
            FUSIONS[position],
            TILE_SIZES[(position + number // 3) % 3],
            DATA_SETS[(place + number // 3) % 2],
            THREADS[(place + number // 6) % 2],
        )
        for place, position in enumerate(positions)
    ]


PAIRWISE = [
    (name, *combination) for number, name in enumerate(KERNELS) for combination in rotated(number)
]
MATRIX = [
    combination
    for combination in product(KERNELS, FUSIONS, TILE_SIZES, DATA_SETS, THREADS)
    if combination not in PAIRWISE
]


def check(kernel: Kernel, fusion: str, sizes: str, data_set: str, threads: int) -> None:
    original = kernel.make_arguments(data_set)
    arguments = kernel.make_arguments(data_set)
    module = compiled(kernel.name, fusion, sizes)
    with module.threads(threads):
        module[kernel.function](*arguments)
    assert compare_bits(expected_results(kernel.name, data_set), arguments) is None
    # A kernel that does nothing would not pass unnoticed.
    assert compare_bits(original, arguments) is not None


@pytest.mark.parametrize(("name", "fusion", "sizes", "data_set", "threads"), PAIRWISE)
def test_pairwise(name: str, fusion: str, sizes: str, data_set: str, threads: int) -> None:
    check(KERNELS[name], fusion, sizes, data_set, threads)


@pytest.mark.matrix
@pytest.mark.parametrize(("name", "fusion", "sizes", "data_set", "threads"), MATRIX)
def test_matrix(name: str, fusion: str, sizes: str, data_set: str, threads: int) -> None:
    check(KERNELS[name], fusion, sizes, data_set, threads)


@pytest.mark.parametrize("name", KERNELS)
def test_each_kernel_is_one_scop(name: str) -> None:
    """The whole kernel is modelled: no store is left outside the one scop."""
    module = analysed(name)
    (op,) = scops_in(module)
    scop: Scop = scop_of(op)
    stores = [inner for inner in module.walk() if inner.name in ("affine.store", "memref.store")]
    outside = [store for store in stores if not op.is_ancestor(store)]
    assert not outside
    assert np.all([len(statement.accesses) > 0 for statement in scop.statements])
