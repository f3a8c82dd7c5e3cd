"""Programs with every construct that polyir-cc takes: each prints the same before and after."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from c_runs import check_same_output, compiled, output_of, reference, transformed
from suites import some

from polyir.tools.polyir_cc import LEFT

MACHINE = Path(__file__).parents[1] / "machines" / "256.json"
PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.c"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_same_output(program: Path, tmp_path: Path) -> None:
    text = check_same_output(program, tmp_path)
    assert "#pragma scop" not in text
    assert text.count("{") > program.read_text().count("{")


@pytest.mark.parametrize("strategy", ["sweeps", "packed-blocks", "parallel"])
def test_members_of_structures_are_apart(strategy: str, tmp_path: Path) -> None:
    """No vector has elements of an array that are members of structures."""
    source = Path(__file__).parent / "programs" / "members.c"
    check_same_output(source, tmp_path, f"--passes=optimize{{strategy={strategy}}}")


@pytest.mark.parametrize(
    "strategy", ["blocks-of-results", "packed-blocks", "private", "blocks-in-waves"]
)
def test_sums_in_variables(strategy: str, tmp_path: Path) -> None:
    """They live in elements of results, in local arrays of a tile, or in variables of a loop."""
    source = Path(__file__).parent / "programs" / "accumulators.c"
    target = tmp_path / source.name
    transformed(source, target, f"--passes=optimize{{threads=2 strategy={strategy}}}")
    assert "#pragma omp parallel" in target.read_text()
    program = compiled(target, "-Wall", "-Wextra", "-march=native")
    assert output_of(program, 2) == output_of(reference(source, "-Wno-unknown-pragmas"))


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


def test_coefficients_beyond_64_bits(tmp_path: Path) -> None:
    """Schedulers and bounds have larger numbers than the source: a schedule, or a reason."""
    source, target = Path(__file__).parent / "wide_steps.c", tmp_path / "out.c"
    original = tmp_path / "original.c"
    original.write_bytes(source.read_bytes())
    expected = output_of(reference(original, "-Wno-unknown-pragmas"))
    for options, code in (((), 0), (("--pluto-schedule",), LEFT)):
        assert transformed(source, target, *options) == code
        assert output_of(compiled(target, "-w", "-fsanitize=undefined"), 2) == expected


SAME_LINES = Path(__file__).parent / "same_lines.c"


@pytest.mark.parametrize(
    "options",
    [("--optimize=threads=2",), ("--pluto-schedule", "--mark-parallel"), ("--passes=poly-raise",)],
    ids=" ".join,
)
def test_loops_that_share_their_lines(options: tuple[str, ...], tmp_path: Path) -> None:
    """Places are those of the file, and lines without a new loop stay as they are."""
    target = tmp_path / "out.c"
    assert transformed(SAME_LINES, target, *options) in (0, LEFT)
    text = target.read_text()
    assert "\x1f" not in text
    assert all(line in text for line in SAME_LINES.read_text().splitlines()[:9])
    assert ("for (long" in text) or options == ("--passes=poly-raise",)
    original = tmp_path / "original.c"
    original.write_bytes(SAME_LINES.read_bytes())
    assert output_of(compiled(target, "-Wno-misleading-indentation"), 2) == output_of(
        reference(original)
    )


def test_small_and_large_sizes(tmp_path: Path) -> None:
    """One call of each function has sizes for which the original statements run."""
    source, target = Path(__file__).parent / "small_and_large.c", tmp_path / "out.c"
    original = tmp_path / "original.c"
    original.write_bytes(source.read_bytes())
    assert transformed(source, target, f"--optimize=threads=2 machine={MACHINE}") == 0
    text = target.read_text()
    assert len(re.findall(r">= \d+\.0\b", text)) == text.count("static void")
    expected = output_of(reference(original, "-Wno-unknown-pragmas"))
    program = compiled(target, "-Wall")
    for threads in (1, 2):
        assert output_of(program, threads) == expected


def test_compilers_say_nothing(tmp_path: Path) -> None:
    """No notes about vectors as arguments, no warnings of loops that get no vectors."""
    target = tmp_path / "out.c"
    assert transformed(Path(__file__).parent / "quiet.c", target) == 0
    assert target.read_text().count("vector_size") > 1
    for compiler in ("gcc -O0", "gcc -O2", "clang-19 -O2", "clang-19 -O3 -march=native"):
        command = [*compiler.split(), "-std=gnu99", "-Wall", "-Wextra", "-fopenmp", "-c", target]
        done = subprocess.run(
            [*command, "-o", tmp_path / "out.o"], capture_output=True, text=True, check=True
        )
        assert done.stderr == "", compiler
