"""The 30 PolyBench kernels in C: transformed whole, without warnings, the same bits."""

from __future__ import annotations

from pathlib import Path

import pytest
from c_runs import WARNINGS, compiled, output_of, transformed
from kernels import KERNELS

FOLDER = Path(__file__).parents[2] / "benchmarks" / "polybench_c"

# One of each form: parameters of variable size, flattened arrays, static arrays.
QUICK = ("gemm", "jacobi-2d", "bicg")


def check(kernel: str, folder: Path) -> None:
    source, target = FOLDER / f"{kernel}.c", folder / f"{kernel}.c"
    assert transformed(source, target) == 0
    original = folder / f"original_{kernel}.c"
    original.write_bytes(source.read_bytes())
    include = ("-iquote", str(FOLDER))
    expected = output_of(compiled(original, "-Wno-unknown-pragmas", *include))
    assert expected.count("\n") == len(KERNELS[kernel].outputs)
    program = compiled(target, *WARNINGS, *include)
    for threads in (1, 2):
        assert output_of(program, threads) == expected


@pytest.mark.parametrize("kernel", QUICK)
def test_one_of_each_form(kernel: str, tmp_path: Path) -> None:
    check(kernel, tmp_path)


@pytest.mark.matrix
@pytest.mark.parametrize("kernel", [name for name in KERNELS if name not in QUICK])
def test_all_others(kernel: str, tmp_path: Path) -> None:
    check(kernel, tmp_path)
