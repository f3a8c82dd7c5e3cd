"""Every PolyBench kernel, in three versions, under the LLVM JIT against MLIR's lowering.

Results are compared to the bit, on one thread and on two. The short selection has each kernel but
the slowest ones optimised, and in one of the other two versions. What `optimize` makes is compiled
as C, too; in the short selection, every other kernel is compiled as C and the rest by LLVM.
"""

from __future__ import annotations

from itertools import product

import pytest
from kernel_runs import FLAGS, expected_results, loops_of
from kernels import KERNELS
from oracle import MISSING_TOOLS_REASON, mlir_opt_available
from suites import examples, rarely

from polyir import api
from polyir.runtime import CompiledModule, CompilerOptions, compare_bits, compile_module

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

PIPELINES = {
    "original": "",
    "tiled": "pluto-schedule,tile,mark-parallel",
    "optimised": "optimize{threads=2}",
}


SLOW = ("3mm", "cholesky", "deriche", "symm", "trmm")
"""Kernels that take long to optimise: the short selection has the other versions."""

VERSIONS = [
    rarely(name, version) if position == (2 if name in SLOW else number % 2) else (name, version)
    for number, name in enumerate(KERNELS)
    for position, version in enumerate(PIPELINES)
]

OPTIMISED = [
    (name, backend)
    for number, name in enumerate(KERNELS)
    for position, backend in enumerate(("c", "llvm"))
    if position == number % 2 or examples(0, 1)
]
"""How each kernel that is optimised is compiled."""


@pytest.mark.parametrize(("name", "version"), VERSIONS)
def test_same_bits_as_the_oracle(name: str, version: str) -> None:
    kernel = KERNELS[name]
    expected = expected_results(name, "small")
    assert compare_bits(kernel.make_arguments("small"), expected) is not None
    text = kernel.path.read_text()
    loops, origin = loops_of(text, PIPELINES[version]), api.parse(text)
    programs: list[CompiledModule] = []
    in_c = version == "optimised"
    if not in_c or (name, "llvm") in OPTIMISED:
        programs.append(api.compile_loops(loops, backend="llvm", origin=origin))
    if in_c and (name, "c") in OPTIMISED:
        programs.append(compile_module(loops, CompilerOptions(flags=FLAGS)))
    for program, threads in product(programs, (1, 2)):
        arguments = kernel.make_arguments("small")
        with program.threads(threads):
            program[kernel.function](*arguments)
        assert compare_bits(expected, arguments) is None, f"{type(program)}, {threads} threads"


def test_parallel_loops_are_shared_and_vectorised() -> None:
    """The tests above would also pass if everything ran in order."""
    loops = loops_of(KERNELS["gemm"].path.read_text(), PIPELINES["optimised"])
    program: CompiledModule = api.compile_loops(loops, backend="llvm")
    assert "@polyir_parallel_for" in program.source.replace('"', "")
