"""Programs with every construct that polyir-cc takes: each prints the same before and after."""

from __future__ import annotations

from pathlib import Path

import pytest
from c_runs import check_same_output, compiled, output_of, reference, transformed
from suites import some

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.c"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_same_output(program: Path, tmp_path: Path) -> None:
    text = check_same_output(program, tmp_path)
    assert "#pragma scop" not in text
    assert text.count("{") > program.read_text().count("{")


def test_the_simplest_pipeline_keeps_the_order(tmp_path: Path) -> None:
    source = Path(__file__).parent / "programs" / "loops.c"
    text = check_same_output(source, tmp_path, "--passes=poly-raise")
    assert "#pragma omp" not in text


def test_equations_of_loops_need_fewer_loops(tmp_path: Path) -> None:
    source = Path(__file__).parent / "programs" / "sums.c"
    passes = "scop-to-equations,simplify-reductions,equations-to-scop,pluto-schedule"
    text = check_same_output(source, tmp_path, f"--passes={passes}")
    loops = text.split("static void sums", 1)[1].split("static void windows", 1)[0]
    assert "s_out" in loops
    assert loops.count("for (") < 4


@pytest.mark.parametrize("program", some(PROGRAMS, 3), ids=lambda path: path.stem)
def test_same_output_without_pragmas(program: Path, tmp_path: Path) -> None:
    source, target = tmp_path / "in.c", tmp_path / "out.c"
    lines = program.read_text().splitlines(keepends=True)
    source.write_text("".join(line for line in lines if "scop" not in line))
    assert transformed(source, target, "--pluto-schedule", "--mark-parallel") == 0
    assert "for (long" in target.read_text()
    assert output_of(compiled(target, "-Wall"), 2) == output_of(reference(source))
