"""Loops as polyhedral tools print them, polyir among them, are read again."""

from __future__ import annotations

from pathlib import Path

import pytest
from c_runs import check_same_output, compiled, output_of, reference, transformed
from kernels import KERNELS
from suites import rarely

from polyir.frontend.c.preprocess import preprocess
from polyir.frontend.c.source import read_regions
from polyir.frontend.c.translation import TranslatedRegion

PRINTED = sorted((Path(__file__).parent / "printed").glob("*.c"))
POLYBENCH = Path(__file__).parents[2] / "benchmarks" / "polybench_c"

# Triangles, skewed loops, sequences of nests, scalars.
QUICK = ("correlation", "durbin", "jacobi-1d", "nussinov")


@pytest.mark.parametrize("program", PRINTED, ids=lambda path: path.stem)
def test_same_output(program: Path, tmp_path: Path) -> None:
    text = check_same_output(program, tmp_path, "--passes=poly-raise")
    assert "#pragma" not in text


def between_pragmas(source: str, output: str) -> str:
    """The output of polyir-cc for a file with one region, which is between pragmas again."""
    before, rest = source.split("#pragma scop\n")
    after = rest.split("#pragma endscop\n")[1]
    # Functions that the region calls may stand before the one around it.
    last = "\n".join(before.splitlines()[-3:])
    head = output.removesuffix(after)
    start = head.rindex(last) + len(last)
    return f"{head[:start]}\n#pragma scop\n{head[start:]}#pragma endscop\n{after}"


def check_read_again(kernel: str, folder: Path, *options: str) -> Path:
    """Check that the output for a kernel can be modelled again; the output, with pragmas."""
    source, target = POLYBENCH / f"{kernel}.c", folder / f"{kernel}.c"
    assert transformed(source, target, "--assume-no-alias", *options) == 0
    target.write_text(between_pragmas(source.read_text(), target.read_text()))
    flags = ["-iquote", str(POLYBENCH)]
    preprocessed = preprocess(["gcc"], flags, str(target))
    (region,) = read_regions(
        preprocessed.text, str(target), preprocessed.macros, target.read_text()
    ).regions
    assert isinstance(region.content, TranslatedRegion), region.content
    return target


@pytest.mark.parametrize("kernel", [name if name in QUICK else rarely(name) for name in KERNELS])
def test_own_tiles(kernel: str, tmp_path: Path) -> None:
    check_read_again(kernel, tmp_path, "--passes=pluto-schedule,tile")


@pytest.mark.parametrize("kernel", ["gemm", rarely("trmm"), rarely("lu")])
def test_own_tiles_run_again(kernel: str, tmp_path: Path) -> None:
    """With pragmas of OpenMP in them, they are transformed once more, and compute the same."""
    once = check_read_again(kernel, tmp_path, "--pluto-schedule", "--tile=8", "--mark-parallel")
    assert "#pragma omp parallel for" in once.read_text()
    twice = tmp_path / "twice.c"
    options = ("--assume-no-alias", "--passes=poly-raise", f"-I{POLYBENCH}")
    assert transformed(once, twice, *options) == 0
    include = ("-iquote", str(POLYBENCH))
    original = tmp_path / f"original_{kernel}.c"
    original.write_bytes((POLYBENCH / f"{kernel}.c").read_bytes())
    expected = output_of(reference(original, "-Wno-unknown-pragmas", *include))
    assert output_of(compiled(twice, "-Wall", "-Wextra", *include)) == expected
