"""Kernels through combinations of tiling, wavefronts and marks, against MLIR's lowering."""

from __future__ import annotations

import pytest
from kernel_runs import assert_same_bits, loops_of
from kernels import KERNELS
from oracle import MISSING_TOOLS_REASON, mlir_opt_available

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

PIPELINES = [
    ("gemm", "tile{sizes=4,3,2 levels=2 ratio=3},mark-parallel{which=all}"),
    ("trisolv", "pluto-schedule,wavefront,mark-parallel{which=inner}"),
    ("lu", "pluto-schedule,tile{sizes=5 levels=2 ratio=2},wavefront,mark-parallel"),
    ("jacobi-1d", "pluto-schedule,tile{sizes=4},tile{sizes=2},wavefront,mark-parallel"),
    ("seidel-2d", "pluto-schedule,tile{sizes=7,5,3},wavefront{degrees=2},mark-parallel"),
    ("heat-3d", "pluto-schedule,tile{sizes=4},wavefront{degrees=2},mark-parallel{which=all}"),
]


@pytest.mark.parametrize(("name", "pipeline"), PIPELINES, ids=[name for name, _ in PIPELINES])
def test_results_are_the_same_to_the_bit(name: str, pipeline: str) -> None:
    kernel = KERNELS[name]
    loops = loops_of(kernel.path.read_text(), pipeline)
    assert any("parallel" in op.name for op in loops.walk())
    assert_same_bits(kernel, loops)
