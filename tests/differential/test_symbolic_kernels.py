"""Kernels in tiles of sizes that are arguments, against MLIR's lowering, to the bit.

One compiled function is called with several sizes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from kernel_runs import expected_results
from kernels import KERNELS
from oracle import MISSING_TOOLS_REASON, Oracle, mlir_opt_available
from suites import rarely
from xdsl.dialects.builtin import ModuleOp

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.dialects.scop import scops_in
from polyir.model.scop import scop_of
from polyir.runtime import CompilerOptions, compare_bits
from polyir.tree.symbolic_tiles import all_tiles

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

FLAGS = ("-std=c99", "-O1", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")

SIZES = ((5, 3, 2, 4), (1, 1, 1, 1), (32, 7, 64, 2), (0, -3, 6, 5), (2**62, 4, 2**63 - 1, 3))
"""Sizes below 1 count as 1; the largest ones are cut so that nothing overflows."""

OUTSET = "tile-symbolic"
BOX = "tile-symbolic{origins=box}"

FOR_ALL = (
    f"pluto-schedule,{OUTSET},mark-parallel",
    f"pluto-schedule,{OUTSET},wavefront,mark-parallel",
    f"pluto-schedule,{BOX},mark-parallel",
    f"pluto-schedule,{BOX},wavefront{{degrees=all}},mark-parallel",
    f"pluto-schedule{{fuse=max}},{OUTSET},mark-parallel",
)

FOR_SOME = [
    ("gemm", OUTSET),
    ("gemm", f"pluto-schedule,{OUTSET},intra-tile-order,mark-parallel"),
    rarely("lu", f"pluto-schedule,{OUTSET},wavefront{{degrees=all}},mark-parallel"),
    ("lu", f"pluto-schedule,{BOX},mark-parallel"),
    ("trmm", f"{OUTSET},mark-parallel"),
    rarely("trmm", f"pluto-schedule,{OUTSET},tile{{sizes=2}},mark-parallel"),
    ("trisolv", f"pluto-schedule,{OUTSET},tile{{sizes=2}},mark-parallel"),
    ("jacobi-1d", f"pluto-schedule,{OUTSET},wavefront,mark-parallel"),
    rarely("jacobi-2d", f"pluto-schedule,tile{{sizes=8}},{OUTSET},mark-parallel"),
    rarely("jacobi-1d", f"pluto-schedule,{OUTSET},{OUTSET},mark-parallel"),
    ("trisolv", f"pluto-schedule,{OUTSET},{OUTSET},mark-parallel"),
    ("seidel-2d", f'tile-shape{{sizes=4,6,8 shape="1,0,0;1,1,0;2,1,1"}},{BOX}'),
    rarely("seidel-2d", f"pluto-schedule,{BOX},wavefront{{degrees=all}},mark-parallel"),
    ("floyd-warshall", f"{OUTSET},mark-parallel"),
    ("symm", f"privatize,pluto-schedule,{OUTSET},promote,mark-parallel"),
]


Call = Callable[..., object]


def tiled(name: str, pipeline: str) -> tuple[ModuleOp, int]:
    """The module at the level of loops, and how many sizes its function takes."""
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(KERNELS[name].path.read_text()), pipeline)
        names = [
            size
            for scop in scops_in(module)
            for tiles in all_tiles(scop_of(scop).schedule.root)
            for size in tiles.sizes
        ]
        return api.lower(module), len(set(names))


def check(name: str, call: Call, count: int) -> None:
    """`call` has the results of MLIR's lowering for all `SIZES`."""
    kernel = KERNELS[name]
    expected = expected_results(name, "mini")
    assert compare_bits(kernel.make_arguments("mini"), expected) is not None
    for sizes in SIZES:
        arguments = kernel.make_arguments("mini")
        further = [sizes[number % len(sizes)] for number in range(count)]
        call(*arguments, *further)
        assert compare_bits(expected, arguments) is None, f"tiles of {further}"


def check_compiled(name: str, pipeline: str, backend: api.Backend = "c") -> None:
    module, count = tiled(name, pipeline)
    compiled = api.compile_loops(module, CompilerOptions(flags=FLAGS), backend)
    with compiled.threads(2):
        check(name, compiled[KERNELS[name].function], count)


@pytest.mark.parametrize(("name", "pipeline"), FOR_SOME)
def test_kernels_in_tiles_of_all_sizes(name: str, pipeline: str) -> None:
    check_compiled(name, pipeline)


@pytest.mark.matrix
@pytest.mark.parametrize("pipeline", FOR_ALL)
@pytest.mark.parametrize("name", KERNELS)
def test_every_kernel(name: str, pipeline: str) -> None:
    check_compiled(name, pipeline)


@pytest.mark.parametrize(
    ("name", "pipeline"),
    [
        ("gemm", f"pluto-schedule,{OUTSET},mark-parallel"),
        rarely("seidel-2d", f"pluto-schedule,{OUTSET},wavefront,mark-parallel"),
    ],
)
def test_llvm_in_the_process(name: str, pipeline: str) -> None:
    pytest.importorskip("llvmlite")
    check_compiled(name, pipeline, "llvm")


@pytest.mark.parametrize(
    ("name", "pipeline"),
    [
        ("lu", f"pluto-schedule,{OUTSET},mark-parallel"),
        ("jacobi-1d", f"pluto-schedule,{BOX},wavefront,mark-parallel"),
    ],
)
def test_loops_that_mlir_lowers(name: str, pipeline: str) -> None:
    module, count = tiled(name, pipeline)
    call = partial(Oracle(api.emit(module, "loops")), KERNELS[name].function)
    check(name, call, count)
