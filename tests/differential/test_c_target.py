"""The C target and the runtime on all kernels: the same bits as MLIR and LLVM give."""

from __future__ import annotations

from pathlib import Path

import pytest
from kernel_runs import oracle_of
from kernels import KERNELS, Kernel
from oracle import MISSING_TOOLS_REASON, mlir_opt_available

from polyir.frontend.parse import parse_module
from polyir.runtime import CompilerOptions, compare_bits, compile_module

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

# Optimisation beyond this changes nothing but the time that 30 compilations take.
FLAGS = ("-std=c99", "-O1", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())
def test_kernel_has_the_bits_of_the_oracle(
    kernel: Kernel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POLYIR_CACHE", str(tmp_path))
    module = parse_module(kernel.path.read_text(), kernel.path.name)
    function = compile_module(module, CompilerOptions(flags=FLAGS))[kernel.function]
    uneven = {name: 7 + 2 * position for position, name in enumerate(kernel.size_names)}
    for sizes in (kernel.sizes("mini"), uneven):
        expected, actual = (kernel.make_arguments(sizes, seed=3) for _ in range(2))
        oracle_of(kernel.name)(kernel.function, *expected)
        function(*actual)
        assert compare_bits(expected, actual) is None
