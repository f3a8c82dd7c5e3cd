"""Kernels through the other schedulers, with and without tiling, against MLIR's own lowering.

Results are compared to the bit, with contraction off, at the mini size. The short selection has
some kernels for each scheduler, `make test-all` all of them.
"""

from __future__ import annotations

from itertools import product

import pytest
from kernel_runs import expected_results
from kernels import KERNELS
from oracle import MISSING_TOOLS_REASON, mlir_opt_available

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.runtime import CompilerOptions, compare_bits, compile_module

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

SCHEDULERS = (
    "feautrier-schedule",
    "feautrier-schedule{serialize=true}",
    "isl-schedule",
    "isl-schedule{fusion=max}",
    "isl-schedule{fusion=min}",
    "isl-schedule{outer-coincidence=true}",
    "isl-schedule{live-range-reordering=true}",
    "isl-builtin-schedule",
    "spatial-schedule",
    "spatial-schedule{target=gpu}",
    "spatial-schedule{fusion=max}",
    "spatial-schedule{fusion=min register-limit=0}",
    "spatial-schedule{live-range-reordering=true}",
)
BEHIND = ("mark-parallel", "tile{sizes=5},mark-parallel")
# What the CPU recipe is made for.
WAVEFRONTS = "tile{sizes=5},wavefront,intra-tile-order,mark-parallel"
FLAGS = ("-std=c99", "-O1", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")

# Shifts, reversals, scalars, skewing, parallel loops at all depths.
SOME = ("gemver", "jacobi-1d", "symm", "trisolv")
SUBSET = [
    (name, scheduler, BEHIND[(number + place) % 2])
    for number, scheduler in enumerate(SCHEDULERS)
    for place, name in enumerate(SOME)
    if (number + place) % 3 == 0 or scheduler == "isl-schedule"
]
SUBSET += [(name, "spatial-schedule", WAVEFRONTS) for name in ("lu", "jacobi-1d", "seidel-2d")]
ALL = [
    *product(KERNELS, SCHEDULERS, BEHIND),
    *product(KERNELS, ("spatial-schedule",), (WAVEFRONTS,)),
]
MATRIX = [each for each in ALL if each not in SUBSET]


def check(name: str, scheduler: str, behind: str) -> None:
    kernel = KERNELS[name]
    with remarks_to(lambda remark: None):
        module = api.run_pipeline(api.parse(kernel.path.read_text()), f"{scheduler},{behind}")
        compiled = compile_module(api.lower(module), CompilerOptions(flags=FLAGS))
    original, arguments = kernel.make_arguments("mini"), kernel.make_arguments("mini")
    with compiled.threads(2):
        compiled[kernel.function](*arguments)
    assert compare_bits(expected_results(name, "mini"), arguments) is None
    # A kernel that does nothing would not pass unnoticed.
    assert compare_bits(original, arguments) is not None


@pytest.mark.parametrize(("name", "scheduler", "behind"), SUBSET)
def test_some(name: str, scheduler: str, behind: str) -> None:
    check(name, scheduler, behind)


@pytest.mark.matrix
@pytest.mark.parametrize(("name", "scheduler", "behind"), MATRIX)
def test_matrix(name: str, scheduler: str, behind: str) -> None:
    check(name, scheduler, behind)
