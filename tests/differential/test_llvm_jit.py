"""Every PolyBench kernel, in three versions, under the LLVM JIT against MLIR's lowering.

Results are compared to the bit, on one thread and on two. `make test` has each kernel optimised,
and in one of the other two versions.
"""

from __future__ import annotations

import pytest
from kernel_runs import oracle_of
from kernels import KERNELS, Kernel
from oracle import MISSING_TOOLS_REASON, mlir_opt_available
from suites import rarely

from polyir import api
from polyir.diagnostics import remarks_to
from polyir.runtime import CompiledModule, compare_bits

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

PIPELINES = {
    "original": "",
    "tiled": "pluto-schedule,tile,mark-parallel",
    "optimised": "optimize{threads=2}",
}


VERSIONS = [
    rarely(name, version) if position == number % 2 else (name, version)
    for number, name in enumerate(KERNELS)
    for position, version in enumerate(PIPELINES)
]


def compiled(kernel: Kernel, pipeline: str) -> CompiledModule:
    with remarks_to(lambda remark: None):
        return api.compile(kernel.path.read_text(), pipeline, backend="llvm")


@pytest.mark.parametrize(("name", "version"), VERSIONS)
def test_same_bits_as_the_oracle(name: str, version: str) -> None:
    kernel = KERNELS[name]
    original, expected = kernel.make_arguments("small"), kernel.make_arguments("small")
    oracle_of(name)(kernel.function, *expected)
    assert compare_bits(original, expected) is not None
    program = compiled(kernel, PIPELINES[version])
    for threads in (1, 2):
        arguments = kernel.make_arguments("small")
        with program.threads(threads):
            program[kernel.function](*arguments)
        assert compare_bits(expected, arguments) is None, f"{threads} threads"


def test_parallel_loops_are_shared_and_vectorised() -> None:
    """The tests above would also pass if everything ran in order."""
    program = compiled(KERNELS["gemm"], PIPELINES["optimised"])
    assert "@polyir_parallel_for" in program.source.replace('"', "")
