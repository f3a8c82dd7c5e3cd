"""Copies to shared memory in vectors, as OpenCL on PoCL, against MLIR's lowering, to the bit."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from gpu_devices import missing_opencl
from kernels import KERNELS, Sizes
from oracle import MISSING_TOOLS_REASON, Oracle, mlir_opt_available

pytestmark = [
    pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON),
    pytest.mark.skipif(bool(missing_opencl()), reason=missing_opencl()),
]

SIZES: dict[str, Sizes] = {
    "gemm": {"ni": 36, "nj": 44, "nk": 70},
    "2mm": {"ni": 18, "nj": 34, "nk": 40, "nl": 22},
    "syrk": {"n": 38, "m": 34},
    "gesummv": {"n": 66},
    "doitgen": {"nr": 5, "nq": 6, "np": 34},
}


@cache
def expected(name: str, folder: Path) -> tuple[object, ...]:
    kernel = KERNELS[name]
    arguments = kernel.make_arguments(SIZES[name])
    Oracle(kernel.path.read_text(), folder)(kernel.function, *arguments)
    return arguments


VECTORS = [
    ("gemm", "pluto-schedule", "tile=16,16,8 block=8,4"),
    ("gemm", "isl-schedule", "tile=6,10,14 block=5,3"),
    ("2mm", "spatial-schedule{target=gpu}", "tile=8 block=4,4"),
    ("syrk", "pluto-schedule", "tile=8 block=8,2 padding=2"),
    ("gesummv", "isl-schedule", "tile=16 block=8 padding=0"),
    ("doitgen", "isl-schedule", "tile=2,2,8,8 block=8,2"),
]
