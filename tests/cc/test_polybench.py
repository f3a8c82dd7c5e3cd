"""The PolyBench kernels in C: transformed whole, without warnings, the same bits.

`benchmarks/polybench_c` has all 30 with arrays that are parameters of variable size; `forms` has
some of them with static arrays, and with flattened arrays that macros access.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from c_runs import WARNINGS, compiled, output_of, reference, transformed
from kernels import KERNELS

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
FOLDERS = {"parameters": BENCHMARKS / "polybench_c", "other": Path(__file__).parent / "forms"}
PROGRAMS = [(form, path.stem) for form in FOLDERS for path in sorted(FOLDERS[form].glob("*.c"))]

# One of each form: parameters of variable size, flattened arrays, static arrays.
QUICK = [("parameters", "gemm"), ("other", "jacobi-2d"), ("other", "bicg")]

# The second has the instructions for masks that this machine has.
COMPILATIONS = (("gcc", ()), ("gcc", ("-O3", "-march=native")), ("clang-19", ("-march=native",)))


def check(form: str, kernel: str, folder: Path) -> None:
    source, target = FOLDERS[form] / f"{kernel}.c", folder / f"{kernel}.c"
    assert transformed(source, target) == 0
    original = folder / f"original_{kernel}.c"
    original.write_bytes(source.read_bytes())
    include = ("-iquote", str(BENCHMARKS / "polybench_c"))
    expected = output_of(reference(original, "-Wno-unknown-pragmas", *include))
    assert expected.count("\n") == len(KERNELS[kernel].outputs)
    for compiler, flags in COMPILATIONS:
        if shutil.which(compiler) is None:
            continue
        program = compiled(target, *WARNINGS, *include, *flags, compiler=compiler)
        for threads in (1, 2):
            assert output_of(program, threads) == expected


@pytest.mark.parametrize(("form", "kernel"), QUICK)
def test_one_of_each_form(form: str, kernel: str, tmp_path: Path) -> None:
    check(form, kernel, tmp_path)


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("form", "kernel"), [program for program in PROGRAMS if program not in QUICK]
)
def test_all_others(form: str, kernel: str, tmp_path: Path) -> None:
    check(form, kernel, tmp_path)
