"""Kernels that went through passes, run beside MLIR's lowering of the original."""

from __future__ import annotations

from pathlib import Path

from kernels import Kernel
from oracle import Oracle
from xdsl.dialects.builtin import ModuleOp

from polyir import api
from polyir.diagnostics import remarks_to
from polyir.runtime import CompilerOptions, compare_bits, compile_module

FLAGS = ("-std=c99", "-O1", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")


def loops_of(text: str, pipeline: str) -> ModuleOp:
    """A program after a pipeline, lowered to loops."""
    with remarks_to(lambda remark: None):
        return api.lower(api.run_pipeline(api.parse(text), pipeline))


def assert_same_bits(kernel: Kernel, loops: ModuleOp, folder: Path) -> None:
    """Assert that `loops`, as C on two threads, do what the oracle does to the mini data set.

    `folder` is for what the oracle compiles.
    """
    compiled = compile_module(loops, CompilerOptions(flags=FLAGS))
    expected = kernel.make_arguments("mini")
    Oracle(kernel.path.read_text(), folder)(kernel.function, *expected)
    arguments = kernel.make_arguments("mini")
    with compiled.threads(2):
        compiled[kernel.function](*arguments)
    assert compare_bits(expected, arguments) is None
    assert compare_bits(kernel.make_arguments("mini"), arguments) is not None
