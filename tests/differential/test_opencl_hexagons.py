"""Stencils with hexagonal tiles as OpenCL on PoCL, against MLIR's lowering, to the bit."""

from __future__ import annotations

from itertools import product

import pytest
from gpu_devices import missing_opencl
from kernel_runs import expected_results
from kernels import KERNELS
from oracle import MISSING_TOOLS_REASON, mlir_opt_available
from suites import rarely

from polyir import api
from polyir.base.diagnostics import Remark, remarks_to
from polyir.runtime import compare_bits

pytestmark = [
    pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON),
    pytest.mark.skipif(bool(missing_opencl()), reason=missing_opencl()),
]

NEAR = "map-to-gpu{shared=none registers=none}"
ODD = "map-to-gpu{block=5,3 grid=2 shared=none registers=none}"
STENCILS = ("jacobi-1d", "jacobi-2d", "heat-3d", "fdtd-2d")
HEXAGONS = ("height=2 width=4 sizes=8", "height=4 width=16 sizes=16")
CHOSEN = (
    ("jacobi-1d", HEXAGONS[0], NEAR),
    ("jacobi-1d", HEXAGONS[1], NEAR),
    ("jacobi-2d", HEXAGONS[1], NEAR),
    ("heat-3d", HEXAGONS[0], NEAR),
    ("fdtd-2d", HEXAGONS[1], NEAR),
    ("jacobi-2d", HEXAGONS[0], ODD),
)
"""Each stencil, each size of hexagons with several stencils, and both mappings."""


@pytest.mark.parametrize(
    ("name", "hexagons", "mapping"),
    [
        each if each in CHOSEN else rarely(*each)
        for each in product(STENCILS, HEXAGONS, (NEAR, ODD))
    ],
)
def test_hexagons_as_blocks(name: str, hexagons: str, mapping: str) -> None:
    kernel = KERNELS[name]
    remarks: list[Remark] = []
    with remarks_to(remarks.append):
        pipeline = f"pluto-schedule,hexagonal-tile{{{hexagons}}},{mapping}"
        module = api.compile(kernel.path.read_text(), pipeline, target="opencl")
    # One kernel, whose blocks are hexagons: there are no tiles around them.
    assert module.source.count("__kernel") == 1
    assert not any("gpu-tile" in str(remark) for remark in remarks)
    assert "barrier(" in module.source
    for data_set in ("mini", "small"):
        arguments = kernel.make_arguments(data_set)
        module[kernel.function](*arguments)
        assert compare_bits(expected_results(name, data_set), arguments) is None
        assert compare_bits(kernel.make_arguments(data_set), arguments) is not None
