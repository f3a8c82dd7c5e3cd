"""Every PolyBench kernel as OpenCL on PoCL, against MLIR's lowering, to the bit.

`make test-all` runs every combination, with arrays in shared memory and registers and without; the
short selection is a part in which every kernel meets one scheduler, and every scheduler every
tiling with every data set, without, and some kernels with them.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product

import pytest
from gpu_devices import missing_opencl
from kernel_runs import expected_results
from kernels import KERNELS
from oracle import MISSING_TOOLS_REASON, mlir_opt_available
from suites import rarely

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.runtime import CompiledModule, compare_bits

pytestmark = [
    pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON),
    pytest.mark.skipif(bool(missing_opencl()), reason=missing_opencl()),
]

SCHEDULERS = ("pluto-schedule", "isl-schedule", "spatial-schedule{target=gpu}")
SIZES = ("", " tile=7 block=5,3", " tile=5,3 block=7,5 grid=2")
PROMOTING = tuple(f"map-to-gpu{{sequential=device{sizes}}}" for sizes in SIZES)
MAPPINGS = tuple(
    f"map-to-gpu{{sequential=device shared=none registers=none{sizes}}}" for sizes in SIZES
)
DATA_SETS = ("mini", "small")

LONG = {("floyd-warshall", "small"), ("heat-3d", "small")}
"""Kernels by data set that run for long on PoCL: the short selection leaves them out."""


@lru_cache(maxsize=2)
def compiled(name: str, scheduler: str, mapping: str) -> CompiledModule:
    with remarks_to(lambda remark: None):
        text = KERNELS[name].path.read_text()
        return api.compile(text, f"{scheduler},{mapping}", target="opencl")


def rotated(number: int) -> tuple[str, str, str]:
    """A combination for the kernel of that number; 18 kernels in a row have all of them."""
    return SCHEDULERS[number % 3], MAPPINGS[number // 3 % 3], DATA_SETS[number % 2]


PAIRWISE = [
    (name, *rotated(number))
    for number, name in enumerate(KERNELS)
    if (name, rotated(number)[2]) not in LONG
]
# Registers inside loops over tiles that may be empty.
PAIRWISE.append(("gramschmidt", "isl-schedule", PROMOTING[1], "mini"))
PROMOTED = [
    ("gemm", "pluto-schedule", PROMOTING[0], "small"),
    ("2mm", "spatial-schedule{target=gpu}", PROMOTING[0], "mini"),
    ("atax", "pluto-schedule", PROMOTING[1], "small"),
    # PoCL gets the optimised kernel wrong.
    rarely("covariance", "isl-schedule", PROMOTING[1], "mini"),
    ("doitgen", "spatial-schedule{target=gpu}", PROMOTING[1], "mini"),
    ("gesummv", "pluto-schedule", PROMOTING[0], "small"),
    ("jacobi-1d", "spatial-schedule{target=gpu}", PROMOTING[1], "small"),
    ("mvt", "isl-schedule", PROMOTING[2], "mini"),
    rarely("symm", "isl-schedule", PROMOTING[1], "mini"),
    ("syrk", "pluto-schedule", PROMOTING[2], "mini"),
    ("trmm", "isl-schedule", PROMOTING[1], "small"),
]
MATRIX = [
    combination
    for combination in product(KERNELS, SCHEDULERS, (*MAPPINGS, *PROMOTING), DATA_SETS)
    if combination not in PAIRWISE and combination not in PROMOTED
]


def check(name: str, scheduler: str, mapping: str, data_set: str) -> None:
    kernel = KERNELS[name]
    arguments = kernel.make_arguments(data_set)
    module = compiled(name, scheduler, mapping)
    assert "__kernel" in module.source
    module[kernel.function](*arguments)
    assert compare_bits(expected_results(name, data_set), arguments) is None
    # A kernel that does nothing would not pass unnoticed.
    assert compare_bits(kernel.make_arguments(data_set), arguments) is not None


@pytest.mark.parametrize(("name", "scheduler", "mapping", "data_set"), PAIRWISE)
def test_pairwise(name: str, scheduler: str, mapping: str, data_set: str) -> None:
    check(name, scheduler, mapping, data_set)


@pytest.mark.parametrize(("name", "scheduler", "mapping", "data_set"), PROMOTED)
def test_promoted(name: str, scheduler: str, mapping: str, data_set: str) -> None:
    check(name, scheduler, mapping, data_set)
    source = compiled(name, scheduler, mapping).source
    assert "_shared" in source
    assert "barrier(" in source


@pytest.mark.matrix
@pytest.mark.parametrize(("name", "scheduler", "mapping", "data_set"), MATRIX)
def test_matrix(name: str, scheduler: str, mapping: str, data_set: str) -> None:
    check(name, scheduler, mapping, data_set)
