"""Kernels with their temporaries kept elsewhere, against MLIR's lowering."""

from __future__ import annotations

from pathlib import Path

import pytest
from kernels import KERNELS
from oracle import MISSING_TOOLS_REASON, Oracle, mlir_opt_available

from polyir import api
from polyir.diagnostics import remarks_to
from polyir.runtime import CompilerOptions, compare_bits, compile_module

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

FLAGS = ("-std=c99", "-O1", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")

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
def test_results_are_the_same_to_the_bit(name: str, pipeline: str, tmp_path: Path) -> None:
    kernel = KERNELS[name]
    text = kernel.path.read_text()
    with remarks_to(lambda remark: None):
        module = api.lower(api.run_pipeline(api.parse(text), pipeline))
    compiled = compile_module(module, CompilerOptions(flags=FLAGS))
    expected = kernel.make_arguments("mini")
    Oracle(text, tmp_path)(kernel.function, *expected)
    arguments = kernel.make_arguments("mini")
    with compiled.threads(2):
        compiled[kernel.function](*arguments)
    assert compare_bits(expected, arguments) is None
    assert compare_bits(kernel.make_arguments("mini"), arguments) is not None
