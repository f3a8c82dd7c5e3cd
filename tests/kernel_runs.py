"""Kernels that went through passes, run beside MLIR's lowering of the original."""

from __future__ import annotations

from functools import cache

from kernels import KERNELS, Kernel
from large_sizes import all_sizes_are_large
from oracle import Argument, Oracle
from xdsl.dialects.builtin import ModuleOp

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.runtime import CompilerOptions, compare_bits, compile_module

FLAGS = ("-std=c99", "-O1", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")


def loops_of(text: str, pipeline: str) -> ModuleOp:
    """A program after a pipeline, lowered to loops."""
    with remarks_to(lambda remark: None), all_sizes_are_large():
        return api.lower(api.run_pipeline(api.parse(text), pipeline))


@cache
def oracle_of(name: str) -> Oracle:
    """The original kernel by MLIR's own lowering."""
    return Oracle(KERNELS[name].path.read_text())


@cache
def expected_results(name: str, data_set: str) -> tuple[Argument, ...]:
    """The arguments of the original kernel after a call, by MLIR's own lowering."""
    kernel = KERNELS[name]
    arguments = kernel.make_arguments(data_set)
    oracle_of(name)(kernel.function, *arguments)
    return arguments


def assert_same_bits(kernel: Kernel, loops: ModuleOp) -> None:
    """Assert that `loops`, as C on two threads, do what the oracle does to the mini data set."""
    compiled = compile_module(loops, CompilerOptions(flags=FLAGS))
    expected = expected_results(kernel.name, "mini")
    arguments = kernel.make_arguments("mini")
    with compiled.threads(2):
        compiled[kernel.function](*arguments)
    assert compare_bits(expected, arguments) is None
    assert compare_bits(kernel.make_arguments("mini"), arguments) is not None
