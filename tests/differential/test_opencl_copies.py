"""Copies to shared memory in vectors and ahead, as OpenCL on PoCL, against MLIR, to the bit.

`make test-all` runs all combinations of kernels, schedulers and sizes.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest
from gpu_devices import missing_opencl
from kernel_runs import oracle_of
from kernels import KERNELS, Sizes
from oracle import MISSING_TOOLS_REASON, mlir_opt_available
from static_kernels import static_text
from suites import rarely

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.runtime import CompiledModule, compare_bits

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
SCHEDULERS = ("pluto-schedule", "isl-schedule", "spatial-schedule{target=gpu}")

VECTORS = [
    ("gemm", "isl-schedule", "tile=6,10,14 block=5,3 limit=3000"),
    ("2mm", "spatial-schedule{target=gpu}", "tile=8 block=4,4"),
    ("syrk", "pluto-schedule", "tile=8 block=8,2 padding=2"),
    rarely("doitgen", "isl-schedule", "tile=2,2,8,8 block=8,2"),
]
AHEAD = [
    ("gemm", "pluto-schedule", ""),
    rarely("2mm", "spatial-schedule{target=gpu}", "tile=7 block=5,3"),
    rarely("syrk", "pluto-schedule", "tile=7 block=5,3"),
    ("gesummv", "isl-schedule", "tile=7 block=5,3 grid=2"),
]
BOTH = [
    ("gemm", "pluto-schedule", "tile=16,16,8 block=8,4 limit=4500"),
]
MATRIX = [
    (name, scheduler, f"buffers=2 {sizes}", is_static)
    for name, scheduler, sizes, is_static in product(
        SIZES,
        SCHEDULERS,
        ("", "tile=7 block=5,3", "tile=8 block=8,2 limit=2000"),
        (False, True),
    )
]


@cache
def expected(name: str) -> tuple[object, ...]:
    """The arguments of the original kernel after a call, by MLIR's own lowering."""
    kernel = KERNELS[name]
    arguments = kernel.make_arguments(SIZES[name])
    oracle_of(name)(kernel.function, *arguments)
    return arguments


def check(name: str, scheduler: str, options: str, is_static: bool) -> CompiledModule:
    kernel = KERNELS[name]
    text = static_text(name, SIZES[name]) if is_static else kernel.path.read_text()
    with remarks_to(lambda remark: None):
        pipeline = f"{scheduler},map-to-gpu{{{options.strip()}}}"
        module = api.compile(text, pipeline, target="opencl")
    arguments = kernel.make_arguments(SIZES[name])
    module[kernel.function](*arguments)
    assert compare_bits(expected(name), arguments) is None
    return module


@pytest.mark.parametrize(("name", "scheduler", "sizes"), VECTORS)
def test_vectors(name: str, scheduler: str, sizes: str) -> None:
    module = check(name, scheduler, sizes, True)
    assert "vload2" in module.source


@pytest.mark.parametrize(("name", "scheduler", "sizes"), AHEAD)
def test_ahead(name: str, scheduler: str, sizes: str) -> None:
    module = check(name, scheduler, f"buffers=2 {sizes}", False)
    assert "_shared[2][" in module.source


@pytest.mark.parametrize(("name", "scheduler", "sizes"), BOTH)
def test_vectors_ahead(name: str, scheduler: str, sizes: str) -> None:
    source = check(name, scheduler, f"buffers=2 {sizes}", True).source
    assert "_shared[2][" in source
    assert "vload2" in source


@pytest.mark.matrix
@pytest.mark.parametrize(("name", "scheduler", "options", "is_static"), MATRIX)
def test_matrix(name: str, scheduler: str, options: str, is_static: bool) -> None:
    check(name, scheduler, options, is_static)
