"""The programs of `benchmarks/beyond`: both forms, without passes and with, and MLIR's.

The C that a person wrote, polyir's C for the MLIR form, and MLIR's own lowering of that form have
the same bits, contraction being off.
"""

from __future__ import annotations

import ctypes
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from beyond_kernels import BEYOND
from harness.bridge import RUN, bridge_text
from harness.calls import c_arguments
from harness.originals import Baseline, original_of
from kernel_runs import loops_of
from kernels import DATA_SETS, ArrayArgument, Kernel
from oracle import MISSING_TOOLS_REASON, Argument, Oracle, mlir_opt_available

from polyir.pipeline import DEFAULT_PIPELINE
from polyir.runtime import CompiledModule, CompilerOptions, compare_bits, compile_module

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

FLAGS = ("-std=c99", "-O1", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")
TESTED = ("mini", "small")
EACH_KERNEL = pytest.mark.parametrize("kernel", BEYOND.values(), ids=BEYOND.keys())


@cache
def oracle_of(name: str) -> Oracle:
    return Oracle(BEYOND[name].path.read_text())


@cache
def expected_results(name: str, data_set: str) -> tuple[Argument, ...]:
    arguments = BEYOND[name].make_arguments(data_set)
    oracle_of(name)(BEYOND[name].function, *arguments)
    return arguments


@cache
def compiled(name: str, pipeline: str) -> CompiledModule:
    module = loops_of(BEYOND[name].path.read_text(), pipeline)
    return compile_module(module, CompilerOptions(flags=FLAGS))


@EACH_KERNEL
@pytest.mark.parametrize("data_set", TESTED)
@pytest.mark.parametrize("pipeline", ["", DEFAULT_PIPELINE], ids=["original", "default"])
def test_emitted_c(kernel: Kernel, pipeline: str, data_set: str) -> None:
    arguments = kernel.make_arguments(data_set)
    module = compiled(kernel.name, pipeline)
    with module.threads(2):
        module[kernel.function](*arguments)
    assert compare_bits(expected_results(kernel.name, data_set), arguments) is None


@EACH_KERNEL
@pytest.mark.parametrize("data_set", TESTED)
def test_natural_c(kernel: Kernel, data_set: str, tmp_path: Path) -> None:
    """The program by hand, called as the benchmark calls it."""
    original = original_of(kernel, Baseline.NATURAL, data_set, tmp_path)
    bridge, library = tmp_path / "bridge.c", tmp_path / "bridge.so"
    bridge.write_text(bridge_text(kernel, original.c.read_text(), str(original.c)))
    command = ["gcc", *FLAGS, "-w", "-shared", "-fPIC", f"-I{original.headers}"]
    subprocess.run([*command, str(bridge), "-o", str(library), "-lm"], check=True)
    arguments = kernel.make_arguments(data_set)
    ctypes.CDLL(str(library))[RUN](*c_arguments(original.c_parameters, arguments))
    assert compare_bits(expected_results(kernel.name, data_set), arguments) is None


@EACH_KERNEL
def test_the_kernel_changes_what_it_writes(kernel: Kernel) -> None:
    """Outputs are finite and change, inputs do not: a kernel that does nothing is noticed."""
    before = dict(zip(kernel.argument_names, kernel.make_arguments("small"), strict=True))
    after = dict(zip(kernel.argument_names, expected_results(kernel.name, "small"), strict=True))
    for argument in kernel.arguments:
        if not isinstance(argument, ArrayArgument):
            continue
        first, last = before[argument.name], after[argument.name]
        assert isinstance(last, np.ndarray)
        assert np.isfinite(last).all(), argument.name
        changed = np.mean(first != last)
        # Borders stay, and so does half of a matrix that is symmetric.
        assert changed > 0.45 if argument.is_output else changed == 0, argument.name


def test_the_table_fits_the_files() -> None:
    folder = BEYOND["products"].path.parent
    assert len(BEYOND) == 10
    assert sorted(BEYOND) == sorted(path.stem for path in folder.glob("*.mlir"))
    assert sorted(BEYOND) == sorted(path.stem for path in folder.glob("*.c"))
    for kernel in BEYOND.values():
        volumes = [np.prod(kernel.data_sets[name], dtype=float) for name in DATA_SETS]
        assert volumes == sorted(volumes), kernel.name
