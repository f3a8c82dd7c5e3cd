"""Sizes that C programs are expected to have."""

from __future__ import annotations

from pathlib import Path

import pytest
from c_runs import transformed

LOOPS = """enum { FEW = 8, NONE = 0 };
void scale(int n, int few, double *restrict a) {
#pragma polyir SIZE
#pragma scop
  for (int i = 0; i < n; i++)
    a[i] *= 2;
#pragma endscop
}
"""

WRONG = {
    "size": "expected '#pragma polyir size(NAME = NUMBER, ...)'",
    "size()": "expected '#pragma polyir size(NAME = NUMBER, ...)'",
    "size(n)": "expected '#pragma polyir size(NAME = NUMBER, ...)'",
    "size(n = 3,)": "expected '#pragma polyir size(NAME = NUMBER, ...)'",
    "size(z = 3)": "there is no variable 'z'",
    "size(a = 3)": "'a' is not an integer",
    "size(n = 0)": "the size of 'n' is not a positive integer: 0",
    "size(n = -3)": "the size of 'n' is not a positive integer: -3",
    "size(n = few)": "the size of 'n' is not a positive integer: few",
    "size(n = NONE)": "the size of 'n' is not a positive integer: NONE",
}


def source(folder: Path, pragma: str) -> Path:
    path = folder / "scale.c"
    path.write_text(LOOPS.replace("SIZE", pragma))
    return path


@pytest.mark.parametrize("pragma", WRONG)
def test_wrong_pragmas(pragma: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert transformed(source(tmp_path, pragma), tmp_path / "out.c") == 1
    said = capsys.readouterr().err
    assert f"scale.c:3:9: error: {WRONG[pragma]} [polyir-pragma]\n" in said


def test_a_size_of_something_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = source(tmp_path, "size(few = FEW, n = FEW)")
    assert transformed(path, tmp_path / "out.c", "--emit=loops", "--passes=", "--size=m=3") == 0
    said = capsys.readouterr().err
    assert (
        "scale.c:3:9: warning: 'few' is not a parameter of the loops that follow [polyir-pragma]\n"
        in said
    )
    assert "warning: --size: no region has the integer 'm' (there are: n) [sizes]\n" in said
    text = (tmp_path / "out.c").read_text()
    assert "func.func @scale(%n: index {polyir.size = 8 : index}, %a: memref<?xf64>)" in text


@pytest.mark.parametrize("passes", ["--privatize --map-to-gpu", "--mpi"])
def test_sizes_stay_out_of_other_code(passes: str, tmp_path: Path) -> None:
    options = passes.split()
    options += ["--target=opencl"] if "gpu" in passes else []
    assert transformed(source(tmp_path, "size(n = FEW)"), tmp_path / "out.c", *options) == 0
    for file in tmp_path.glob("out*.c"):
        assert "polyir.size" not in file.read_text()
