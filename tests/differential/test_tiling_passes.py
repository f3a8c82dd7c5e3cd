"""PolyBench through the passes of the tiling family, against MLIR's lowering, to the bit.

`make test-all` runs every kernel through every pipeline that is for all kernels; the short
selection has every second kernel through one of them.
"""

from __future__ import annotations

import pytest
from kernel_runs import assert_same_bits, loops_of
from kernels import KERNELS
from oracle import MISSING_TOOLS_REASON, mlir_opt_available

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

FOR_ALL = (
    "pluto-schedule,tile{sizes=5,3,2},intra-tile-order,mark-parallel",
    "pluto-schedule{fuse=max},tile{sizes=4,3},intra-tile-order,mark-parallel",
    "pluto-schedule,tile{sizes=4,3},wavefront,intra-tile-order,full-tile-separation,mark-parallel",
    "pluto-schedule,intra-tile-order,wavefront{degrees=all},mark-parallel{which=all}",
)

FOR_SOME = [
    ("jacobi-1d", "pluto-schedule,diamond-tile{size=4},wavefront,mark-parallel"),
    ("jacobi-2d", "pluto-schedule,diamond-tile{size=4},wavefront{degrees=all},mark-parallel"),
    ("jacobi-2d", "pluto-schedule,diamond-tile{size=5 degrees=1},wavefront,mark-parallel"),
    ("heat-3d", "pluto-schedule,diamond-tile{size=6 degrees=1},wavefront,mark-parallel"),
    ("jacobi-2d", "pluto-schedule,tile{sizes=3,6},full-tile-separation{points=separate}"),
    ("jacobi-1d", "pluto-schedule,diamond-tile{size=6},wavefront,full-tile-separation"),
    (
        "jacobi-1d",
        "pluto-schedule,diamond-tile{size=4},wavefront,full-tile-separation,mark-parallel",
    ),
    ("lu", "pluto-schedule,tile{sizes=2 levels=2 ratio=2},intra-tile-order,mark-parallel"),
    ("lu", "pluto-schedule,tile{sizes=5},full-tile-separation{points=atomic},mark-parallel"),
    ("fdtd-2d", "pluto-schedule,diamond-tile{size=6},wavefront,mark-parallel"),
    ("jacobi-1d", "pluto-schedule,hexagonal-tile{height=3 width=4},mark-parallel"),
    ("jacobi-1d", "isl-schedule,hexagonal-tile{height=5 width=1},mark-parallel"),
    ("jacobi-2d", "pluto-schedule,hexagonal-tile{height=2 width=5 sizes=7},mark-parallel"),
    ("jacobi-2d", "isl-schedule,hexagonal-tile{height=5 width=3 sizes=4},mark-parallel{which=all}"),
    ("heat-3d", "pluto-schedule,hexagonal-tile{height=2 width=2 sizes=5,3},mark-parallel"),
    ("heat-3d", "isl-schedule,hexagonal-tile{height=4 width=3 sizes=4},mark-parallel"),
    ("fdtd-2d", "pluto-schedule,hexagonal-tile{height=2 width=3 sizes=5},mark-parallel"),
    ("fdtd-2d", "isl-schedule,hexagonal-tile{height=4 width=6 sizes=8},mark-parallel"),
    ("seidel-2d", 'tile-shape{sizes=4,6,8 shape="1,0,0;1,1,0;2,1,1"},wavefront,mark-parallel'),
    ("gemm", 'pluto-schedule,tile-shape{sizes=6 shape="1,1,0;-1,1,0;0,1,2"},mark-parallel'),
]

# More work for isl.
SLOW = [
    ("heat-3d", "pluto-schedule,diamond-tile{size=4},wavefront{degrees=all},mark-parallel"),
    ("heat-3d", "pluto-schedule,diamond-tile{size=4},full-tile-separation"),
    ("heat-3d", "pluto-schedule,tile{sizes=3},wavefront{degrees=all},mark-parallel"),
    ("heat-3d", "pluto-schedule,tile{sizes=4,3},full-tile-separation{points=separate}"),
    ("jacobi-2d", "pluto-schedule,diamond-tile{size=6},wavefront,full-tile-separation"),
    ("fdtd-2d", "pluto-schedule,diamond-tile{size=6},wavefront,full-tile-separation"),
    ("fdtd-2d", "pluto-schedule,hexagonal-tile{height=3 width=4 sizes=5},mark-parallel"),
    ("jacobi-2d", "pluto-schedule,hexagonal-tile,intra-tile-order,mark-parallel"),
    ("3mm", "pluto-schedule{fuse=max},tile{sizes=4 levels=2},mark-parallel"),
]

PART = [(name, FOR_ALL[number % len(FOR_ALL)]) for number, name in enumerate([*KERNELS][::2])]
REST = [(name, line) for line in FOR_ALL for name in KERNELS if (name, line) not in PART] + SLOW


def check(name: str, pipeline: str) -> None:
    kernel = KERNELS[name]
    assert_same_bits(kernel, loops_of(kernel.path.read_text(), pipeline))


@pytest.mark.parametrize(("name", "pipeline"), PART + FOR_SOME)
def test_results_are_the_same_to_the_bit(name: str, pipeline: str) -> None:
    check(name, pipeline)


@pytest.mark.matrix
@pytest.mark.parametrize(("name", "pipeline"), REST)
def test_every_kernel_through_every_pipeline(name: str, pipeline: str) -> None:
    check(name, pipeline)
