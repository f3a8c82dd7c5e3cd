"""The report on a folder of C programs: what it counts, and what it calls wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "report_on_programs.py"
SUM = '#include <stdio.h>\nint main(void) {\n  double s = 0;\n%s\n  printf("%%g\\n", s);\n}\n'
PROGRAMS = {
    "equal.c": SUM % "  for (int i = 0; i < 9; i++)\n    s += i;",
    "inner/left.c": SUM % "  for (double x = 0; x < 9; x += 0.5)\n    s += x;",
    "inner/not_here.c": "#include <no_such_header.h>\nint main(void) { return 0; }\n",
    "endless.c": "int main(void) { for (;;) {} }\n",
    "no_main.c": "int f(void) { return domain(3); }\n",
    "region.c": SUM % '#pragma scop\n  for (int i = 0; i < 9; i++) puts("a");\n#pragma endscop',
}
# What takes the place of polyir-cc: it writes 8 for 9, or code that is not C.
BROKEN = """import pathlib, sys
source, target = sys.argv[1], sys.argv[-1]
text = pathlib.Path(source).read_text()
pathlib.Path(target).write_text(text.replace("9", "8" if "double x" in text else "9;;;)"))
"""


def _report(folder: Path, *options: str, prelude: str = "") -> subprocess.CompletedProcess[str]:
    """Run the script in a process where a run of a program may take a second."""
    code = (
        f"import sys; sys.path.insert(0, {str(SCRIPT.parent)!r})\n"
        "import report_on_programs as report\nreport.SECONDS_FOR_RUN = 1\n"
        f"{prelude}\nsys.exit(report.main({[str(folder), *options]!r}))"
    )
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=300
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a program of each kind."""
    place = tmp_path / "programs"
    for name, text in PROGRAMS.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return place


def test_kinds_are_counted(folder: Path) -> None:
    done = _report(folder, "--", "--passes=poly-raise")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line.strip() for line in done.stdout.splitlines()]
    for line in ("5 programs", "1 transformed and equal", "2 left alone", "2 not compilable here"):
        assert line in lines
    assert "0 WRONG" in lines
    assert any(line.startswith("1 a call of ..., which may have side effects") for line in lines)
    assert any(line.startswith("1 a step that is not a nonzero constant") for line in lines)
    assert any("endless.c: not compilable here: no end" in line for line in lines)


def test_wrong_results_are_listed(folder: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken_tool.py"
    broken.write_text(BROKEN)
    done = _report(folder, prelude=f"report.TOOL = ({sys.executable!r}, {str(broken)!r})")
    assert done.returncode == 1
    assert "left.c: WRONG: the result differs" in done.stdout
    assert "equal.c: WRONG: does not compile: " in done.stdout
    assert "3 WRONG" in done.stdout
