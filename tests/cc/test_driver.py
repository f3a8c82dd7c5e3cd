"""polyir-cc in the place of a C compiler: standard input, several files, rules for make."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from polyir.tools.polyir_cc import LEFT, main

MAIN = """#include <stdio.h>
#include "size.h"
#include "sub/factor.h"
double a[SIZE];
void scale(int n);
int main(void) {
#pragma scop
  for (int i = 0; i < SIZE; i++)
    a[i] = i;
#pragma endscop
  scale(SIZE);
  printf("%g %s\\n", a[5], __FILE__);
  return 0;
}
"""
SCALE = """#include "factor.h"
extern double a[];
static double factor(int i) { return i < 0 ? 0 : FACTOR; }
void scale(int n) {
#pragma scop
  for (int i = 0; i < n; i++)
    a[i] *= factor(i);
#pragma endscop
}
"""
OPTIONS = ("--compile", "--quiet", "--passes=mark-parallel", "-Iinc", "-O0")
HEADERS = "inc/size.h sub/factor.h"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "inc").mkdir()
    (tmp_path / "sub").mkdir()
    (tmp_path / "inc" / "size.h").write_text("#define SIZE 100\n")
    (tmp_path / "sub" / "factor.h").write_text("#define FACTOR 7\n")
    (tmp_path / "main.c").write_text(MAIN)
    (tmp_path / "sub" / "scale.c").write_text(SCALE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_several_files(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*OPTIONS, "-c", "main.c", "sub/scale.c", "-MMD"]) == 0
    assert Path("main.d").read_text() == f"main.o: main.c {HEADERS}\n"
    assert Path("scale.d").read_text() == "scale.o: sub/scale.c sub/factor.h\n"
    subprocess.run(["ar", "rcs", "libscale.a", "scale.o"], check=True)
    # A program of sources, of objects, of both, and with a library, whose place matters.
    inputs = (
        ("main.c", "sub/scale.c"),
        ("main.o", "scale.o"),
        ("main.o", "sub/scale.c"),
        ("scale.o", "main.c"),
        ("main.c", "-L.", "-lscale"),
        ("main.c", "libscale.a"),
        ("-x", "c", "main.c", "-x", "none", "scale.o"),
    )
    for number, each in enumerate(inputs):
        assert main([*OPTIONS, *each, "-o", f"program{number}"]) == 0
        done = subprocess.run([f"./program{number}"], capture_output=True, text=True, check=True)
        assert done.stdout == "35 main.c\n"
    assert capsys.readouterr().err == ""
    # Code that depends on OpenMP is the same for polyir and for the compiler.
    Path("omp.c").write_text(
        "#ifdef _OPENMP\n" + SCALE.replace("factor.h", "sub/factor.h") + "#endif\n"
    )
    assert main([*OPTIONS, "-S", "omp.c", "--strict"]) == 0
    assert "scale" in Path("omp.s").read_text()
    assert main([*(each for each in OPTIONS if each != "--quiet"), "-c", "main.c", "omp.c"]) == 0
    assert capsys.readouterr().err == "polyir-cc: 2 regions transformed (parallel)\n"


def test_what_is_not_compiled(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What the compiler does to files itself, and what it refuses."""
    assert main([*OPTIONS, "-E", "main.c"]) == 0
    assert "a[i] = i;" in capfd.readouterr().out
    assert main([*OPTIONS, "-MM", "main.c"]) == 0
    assert capfd.readouterr().out == f"main.o: main.c {HEADERS}\n"
    refused = {
        ("-c", "main.c", "sub/scale.c", "-o", "x.o"): "-c writes one file for each input",
        ("main.c", "sub/scale.c", "-MMD", "-MF", "x.d"): "-MF names one file",
        ("main.c", "-MF", "x.d"): "-MF, -MT, -MQ and -MP need -MD or -MMD",
        ("main.c", "sub/scale.c", "--report=x.html"): "--report takes one C file",
        ("main.c", "missing.c", "-c"): "cannot read 'missing.c'",
        ("main.c", "-c", "-MMD", "-MF", "missing/x.d"): "cannot write 'missing/x.d'",
        ("main.c", "-I"): "-I needs a value",
        ("main.c", "--unknown-option", "-c"): "the C compiler",
        ("-", "/dev/stdin"): "standard input can be read only once",
    }
    for arguments, message in refused.items():
        assert main([*OPTIONS, *arguments]) == 1, arguments
        assert message in capfd.readouterr().err
    without = {
        ("main.c", "sub/scale.c"): "several C files (main.c, sub/scale.c) need --compile",
        (): "the C file is missing; - is standard input",
        ("main.c", "-O2"): "unknown pass or option '-O2'",
        ("main.c", "-MMD"): "-MMD names the output file: give -o or -MT",
    }
    for arguments, message in without.items():
        assert main(list(arguments)) == 1, arguments
        assert message in capfd.readouterr().err
    assert sorted(map(str, Path().iterdir())) == ["inc", "main.c", "sub"]


def test_rules_for_make(project: Path) -> None:
    plain = ("--quiet", "--passes=mark-parallel", "-Iinc")
    cases = {
        ("main.c", "-o", "out.c", "-MMD"): ("out.d", f"out.c: main.c {HEADERS}\n"),
        ("main.c", "-o", "out.c", "-MMD", "-MF", "x.d"): ("x.d", f"out.c: main.c {HEADERS}\n"),
        ("main.c", "-o", "out.c", "-MMD", "-MFy.d", "-MT", "a b"): (
            "y.d",
            f"a b: main.c {HEADERS}\n",
        ),
        ("main.c", "-MMD", "-MQ", "a$b c"): ("main.d", f"a$$b\\ c: main.c {HEADERS}\n"),
        ("main.c", "-o", "p.c", "-MMD", "-MP"): (
            "p.d",
            f"p.c: main.c {HEADERS}\ninc/size.h:\nsub/factor.h:\n",
        ),
        ("main.c", "-o", "out.c", "-Wp,-MMD,w.d"): ("w.d", f"out.c: main.c {HEADERS}\n"),
        # Generated code, which is read from a copy.
        ("lines.c", "-o", "out.c", "-MMD"): ("out.d", f"out.c: lines.c {HEADERS}\n"),
        ("a b#.c", "-o", "o p.c", "-MMD"): ("o p.d", f"o\\ p.c: a\\ b\\#.c {HEADERS}\n"),
        ("main.c", "-c", "--compile", "-MMD", "-o", "sub/m.o"): (
            "sub/m.d",
            f"sub/m.o: main.c {HEADERS}\n",
        ),
        ("lines.c", "-c", "--compile", "-MMD"): ("lines.d", f"lines.o: lines.c {HEADERS}\n"),
        ("main.c", "sub/scale.c", "--compile", "-MMD", "-o", "prog"): (
            "prog-main.d",
            f"prog: main.c {HEADERS}\n",
        ),
    }
    Path("lines.c").write_text(f'#line 50 "grammar.y"\n{MAIN}')
    Path("a b#.c").write_text(MAIN)
    for arguments, (file, rule) in cases.items():
        assert main([*plain, *arguments]) == 0
        assert Path(file).read_text() == rule, arguments
    assert Path("prog-scale.d").read_text() == "prog: sub/scale.c sub/factor.h\n"
    assert main([*plain, "main.c", "-o", "out.c", "-MD"]) == 0
    assert "/stdio.h" in Path("out.d").read_text()
    # make takes them, and finds nothing to do.
    Path("Makefile").write_text("out.c: ; false\n-include out.d\n")
    assert subprocess.run(["make", "-s", "-q", "out.c"], check=False).returncode == 0


@pytest.mark.parametrize(
    ("flags", "is_in_parts"),
    [
        (("-O3", "-ffast-math"), True),
        (("-Ofast",), True),
        (("-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"), True),
        (("-O3",), False),
        (("-Ofast", "-O2"), False),
        (("-ffast-math", "-fno-associative-math"), False),
    ],
    ids=str,
)
def test_sums_run_in_another_order_where_the_compiler_may_change_it(
    flags: tuple[str, ...], is_in_parts: bool, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sums = "double sum(int n, const double *a) {\n  double s = 0;\n"
    sums += "  for (int i = 0; i < n; i++)\n    s += a[i];\n  return s;\n}\n"
    Path("sums.c").write_text(sums)
    assert main(["--compile", *flags, "-c", "sums.c"]) == 0
    assert ("0 of 1 loop nest" not in capsys.readouterr().err) == is_in_parts


def test_nothing_is_written_after_an_error(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("bad.c").write_text(
        "void f(int n) {\n#pragma scop\n  while (n > 3) n--;\n#pragma endscop\n}\n"
    )
    Path("out.c").write_text("before\n")
    assert main(["bad.c", "--strict", "-o", "out.c", "-MMD"]) == 1
    assert main([*OPTIONS, "--strict", "-c", "-MMD", "main.c", "bad.c"]) == 1
    assert Path("out.c").read_text() == "before\n"
    assert not list(Path().glob("*.[do]"))
    assert main(["bad.c", "-o", "out.c", "-MMD"]) == LEFT
    assert Path("out.d").read_text() == "out.c: bad.c\n"
    assert (
        capsys.readouterr().err.count(
            "polyir-cc: 0 of 1 region transformed, 1 left: bad.c:3:3: a while loop"
        )
        == 2
    )


def test_standard_input(
    project: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def given(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode("latin-1"))))

    plain = ["-", "--passes=mark-parallel", "-Isub"]
    given(SCALE + "/* \xe9 */\n")
    assert main(plain) == 0
    printed = capsysbinary.readouterr()
    assert b"#pragma omp parallel for\n" in printed.out
    assert printed.out.endswith(b"}\n/* \xe9 */\n")
    assert printed.err == b"polyir-cc: 1 region transformed (parallel)\n"
    given(MAIN)
    assert main(["-", "-Iinc", "-o", "out.c", "-MMD"]) == 0
    assert Path("out.d").read_text() == f"out.c: {HEADERS}\n"
    given(SCALE)
    assert main([*OPTIONS, "-Isub", "-c", "-x", "c", "-", "-o", "scale.o"]) == 0
    given(MAIN)
    assert main([*OPTIONS, "-", "scale.o", "-o", "program"]) == 0
    assert subprocess.run(["./program"], capture_output=True, check=True).stdout == b"35 <stdin>\n"
    given("void f(int n) {\n#pragma scop\n  while (n > 3) n--;\n#pragma endscop\n}\n")
    capsysbinary.readouterr()
    assert main(["-"]) == LEFT
    assert capsysbinary.readouterr().err.startswith(b"<stdin>:3:3: warning: region not transformed")
    given("")
    assert main(["-"]) == 0
    assert capsysbinary.readouterr().err == b"polyir-cc: there is no loop nest to transform\n"
