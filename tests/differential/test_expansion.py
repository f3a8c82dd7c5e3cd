"""Kernels with their temporaries kept elsewhere, against MLIR's lowering."""

from __future__ import annotations

import pytest
from kernel_runs import assert_same_bits, loops_of
from kernels import KERNELS
from oracle import MISSING_TOOLS_REASON, mlir_opt_available

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

REST = "pluto-schedule,tile{sizes=32},mark-parallel"
KERNELS_WITH_TEMPORARIES = ("deriche", "durbin", "gramschmidt", "ludcmp", "symm")
PIPELINES = [
    *((name, f"privatize,{REST}") for name in KERNELS_WITH_TEMPORARIES),
    *((name, f"privatize{{loops=all}},{REST}") for name in KERNELS_WITH_TEMPORARIES),
    *((name, f"expand,{REST}") for name in KERNELS_WITH_TEMPORARIES),
    *((name, f"privatize,{REST},contract") for name in ("deriche", "symm")),
    *((name, f"expand,{REST},contract") for name in ("durbin", "ludcmp", "symm")),
    *((name, f"privatize,{REST},promote") for name in KERNELS_WITH_TEMPORARIES),
    ("symm", "privatize{loops=all},promote,mark-parallel"),
    ("symm", "expand,contract"),
    ("durbin", "privatize{loops=all},mark-parallel,contract"),
]


@pytest.mark.parametrize(("name", "pipeline"), PIPELINES)
def test_results_are_the_same_to_the_bit(name: str, pipeline: str) -> None:
    kernel = KERNELS[name]
    assert_same_bits(kernel, loops_of(kernel.path.read_text(), pipeline))
