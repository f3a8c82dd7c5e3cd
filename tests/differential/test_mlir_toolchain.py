"""polyir between MLIR's own tools, and on programs as Polygeist's `cgeist` prints them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import cache
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from kernel_runs import loops_of
from kernels import KERNELS
from oracle import (
    MISSING_TOOLS_REASON,
    MLIR_OPT,
    MLIR_TRANSLATE,
    SPLIT_MARKER,
    Oracle,
    mlir_opt_available,
)
from xdsl.dialects.builtin import ModuleOp

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.runtime import compare_bits
from polyir.target.mlir import print_module
from polyir.tools.polyir_opt import main

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

ROOT = Path(__file__).parents[2]
PASSES = "pluto-schedule,tile,mark-parallel"
FLAGS = ("--pluto-schedule", "--tile=32", "--mark-parallel")
TO_LLVM = (
    "--lower-affine",
    "--convert-scf-to-cf",
    "--finalize-memref-to-llvm",
    "--convert-func-to-llvm",
    "--convert-arith-to-llvm",
    "--convert-cf-to-llvm",
    "--reconcile-unrealized-casts",
)
CGEIST = {path.stem: path for path in sorted((ROOT / "tests" / "cgeist_inputs").glob("*.mlir"))}


def run(command: list[str], text: str = "") -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def printed(module: ModuleOp, generic: bool = False) -> str:
    stream = StringIO()
    print_module(module, stream, generic)
    return stream.getvalue()


@cache
def loops_of_all_kernels() -> list[ModuleOp]:
    return [loops_of(kernel.path.read_text(), PASSES) for kernel in KERNELS.values()]


def test_documented_pipeline() -> None:
    """The commands of docs/llvm.md: polyir's loops are lowered by MLIR's tools."""
    page = (ROOT / "docs" / "llvm.md").read_text()
    assert all(flag in page for flag in (*FLAGS, *TO_LLVM, MLIR_OPT, MLIR_TRANSLATE))
    kernel = str(KERNELS["gemm"].path)
    loops = run([sys.executable, "-m", "polyir.tools.polyir_opt", *FLAGS, kernel])
    lowered = run([MLIR_OPT, *TO_LLVM], loops)
    translated = run([MLIR_TRANSLATE, "--mlir-to-llvmir"], lowered)
    assert "define void @kernel_gemm(" in translated


def test_the_llvm_dialect_goes_through_mlir() -> None:
    passes = f"{PASSES},lower-poly,lower-to-llvm"
    loops = printed(loops_of(KERNELS["gemm"].path.read_text(), passes))
    translated = run([MLIR_TRANSLATE, "--mlir-to-llvmir"], run([MLIR_OPT], loops))
    assert "define void @kernel_gemm(" in translated
    assert "call void @polyir_parallel_for(" in translated


@pytest.mark.parametrize("generic", [False, True], ids=["custom", "generic"])
def test_loops_of_every_kernel_are_accepted(generic: bool) -> None:
    texts = [printed(loops, generic) for loops in loops_of_all_kernels()]
    assert sum("affine.parallel" in text for text in texts) >= 15
    checked = run([MLIR_OPT, "--split-input-file"], f"\n{SPLIT_MARKER}\n".join(texts))
    assert checked.count("func.func @kernel_") == len(KERNELS)
    for text in texts:
        # xDSL reads it too.
        api.parse(text).verify()


@pytest.mark.parametrize("name", CGEIST)
def test_cgeist_programs_are_read_and_given_back(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What comes out is accepted by MLIR; the attributes and what is not affine are still there."""
    assert main([*FLAGS, str(CGEIST[name])]) == 0
    printed = capsys.readouterr().out
    back = run([MLIR_OPT, "--allow-unregistered-dialect"], printed)
    original = run([MLIR_OPT, "--allow-unregistered-dialect", str(CGEIST[name])])
    assert api.parse(printed).is_structurally_equivalent(api.parse(printed))
    assert "affine.parallel" in back or "affine.for" in back
    for kept in ("llvm.data_layout", "#dlti.dl_entry<", "llvm.linkage", "polygeist.tune-cpu"):
        assert back.count(kept) == original.count(kept), kept
    for kept in ("llvm.call", "llvm.mlir.global", "llvm.getelementptr", "scf.while", "scf.for"):
        assert back.count(kept) == original.count(kept), kept


def gemm(call: Callable[..., object]) -> list[object]:
    C, A, B = (np.random.default_rng(n).random((40, m)) for n, m in enumerate((25, 30, 25)))  # noqa: N806
    call("kernel_gemm", 37, 25, 30, 1.5, 0.5, C, A, B)
    return [C]


def scalar_sum(call: Callable[..., object]) -> list[object]:
    a, b = (np.random.default_rng(n).random(50) for n in range(2))
    return [call("smooth_and_sum", 50, a, b), b]


def while_loop(call: Callable[..., object]) -> list[object]:
    a, b = (np.random.default_rng(n).random((64, 64)) for n in range(2))
    return [call("relax", 20, 0.5, a, b), b]


@pytest.mark.parametrize("example", [gemm, scalar_sum, while_loop])
def test_cgeist_programs_keep_their_results(
    example: Callable[[Callable[..., object]], list[object]], tmp_path: Path
) -> None:
    pytest.importorskip("llvmlite")
    text = CGEIST[example.__name__].read_text()
    expected = example(Oracle(text, tmp_path))
    with remarks_to(lambda remark: None):
        program = api.compile(text, PASSES, backend="llvm")
    actual = example(lambda name, *arguments: program[name](*arguments))
    assert compare_bits(expected, actual) is None
