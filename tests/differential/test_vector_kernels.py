"""PolyBench in register tiles and vectors, against MLIR's lowering, to the bit.

`test_llvm_jit.py` has the default pipeline.
"""

from __future__ import annotations

import pytest
from kernel_runs import assert_same_bits, loops_of
from kernels import KERNELS
from oracle import MISSING_TOOLS_REASON, mlir_opt_available

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

PIPELINES = (
    "pluto-schedule,tile{sizes=8},mark-parallel,register-tile{rows=2 vectors=1 width=4},vectorize",
    "pluto-schedule,tile{sizes=6,12,5},full-tile-separation,"
    "register-tile{rows=3 vectors=3 width=2},vectorize",
    "spatial-schedule,tile{sizes=7},wavefront,intra-tile-order,mark-parallel,"
    "register-tile{rows=2 vectors=1 width=2},vectorize",
    "register-tile{rows=2 vectors=2 width=2},vectorize",
    "privatize{loops=all},pluto-schedule{fuse=none},tile{sizes=6,6,8},wavefront,"
    "mark-parallel{schedule=balanced},register-tile{rows=2 vectors=1 width=4},vectorize",
    "privatize{loops=all},spatial-schedule,tile{sizes=5,4,8},wavefront,mark-parallel,"
    "full-tile-separation,register-tile{rows=3 vectors=2 width=2},vectorize",
    "pluto-schedule{fuse=none},intra-tile-order{distribute=false},tile{sizes=3,5,7},wavefront,"
    "intra-tile-order,wavefront{which=inner},mark-parallel,register-tile{width=4},vectorize",
    "pluto-schedule,intra-tile-order{distribute=false},tile{sizes=4,6,11},wavefront,"
    "intra-tile-order,wavefront{which=inner},mark-parallel,register-tile{width=2},vectorize",
    "tile{sizes=3 min-width=1},wavefront{which=inner},mark-parallel,register-tile{width=2},"
    "vectorize",
    "pluto-schedule{fuse=none},register-tile{rows=2 vectors=2 width=2 masked=true tiles=4,8,5},"
    "mark-parallel,vectorize,pack{ahead=true}",
    "pluto-schedule{fuse=none},register-tile{rows=4 vectors=1 width=4 tiles=8,4,3},vectorize,pack",
)

LONG = {"cholesky", "syrk"}
"""Kernels that take the next pipeline, as theirs takes isl more than ten seconds."""

PART = [
    (name, PIPELINES[(number + (name in LONG)) % len(PIPELINES)])
    for number, name in enumerate(KERNELS)
]
REST = [(name, line) for line in PIPELINES for name in KERNELS if (name, line) not in PART]


def check(name: str, pipeline: str) -> None:
    kernel = KERNELS[name]
    assert_same_bits(kernel, loops_of(kernel.path.read_text(), pipeline))


@pytest.mark.parametrize(("name", "pipeline"), PART)
def test_results_are_the_same_to_the_bit(name: str, pipeline: str) -> None:
    check(name, pipeline)


@pytest.mark.matrix
@pytest.mark.parametrize(("name", "pipeline"), REST)
def test_every_kernel_through_every_pipeline(name: str, pipeline: str) -> None:
    check(name, pipeline)
