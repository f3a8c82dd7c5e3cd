"""Stencils with hexagonal tiles in shared memory, as OpenCL on PoCL, to the bit."""

from __future__ import annotations

import pytest
from gpu_devices import missing_opencl
from kernel_runs import expected_results
from kernels import KERNELS
from oracle import MISSING_TOOLS_REASON, mlir_opt_available
from suites import rarely

from polyir import api
from polyir.runtime import compare_bits

pytestmark = [
    pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON),
    pytest.mark.skipif(bool(missing_opencl()), reason=missing_opencl()),
]


@pytest.mark.parametrize(
    ("name", "hexagons"),
    [
        ("jacobi-1d", "height=2 width=4"),
        ("jacobi-1d", "height=4 width=16"),
        rarely("jacobi-2d", "height=2 width=4 sizes=8"),
    ],
)
def test_hexagons_in_shared_memory(name: str, hexagons: str) -> None:
    kernel = KERNELS[name]
    pipeline = f"pluto-schedule,hexagonal-tile{{{hexagons}}},map-to-gpu"
    module = api.compile(kernel.path.read_text(), pipeline, target="opencl")
    # One kernel, which keeps both arrays in shared memory for several time steps.
    assert module.source.count("__kernel") == 1
    assert "__local double A_shared[" in module.source
    assert "__local double B_shared[" in module.source
    for data_set in ("mini", "small"):
        arguments = kernel.make_arguments(data_set)
        module[kernel.function](*arguments)
        assert compare_bits(expected_results(name, data_set), arguments) is None
