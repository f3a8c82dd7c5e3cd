"""No region is lost in silence: each is transformed, or named with its place and what to do."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from polyir.tools.polyir_cc import LEFT, main

LOOP = "  for (int i = 0; i < n; i++)\n    a[i] = 1;\n"
START, END = "#pragma scop\n", "#pragma endscop\n"
REGION = f"{START}{LOOP}{END}"
HEAD = "void f(int n, double *restrict a) {\n"
OTHER = "void g(int n, double *restrict a) {\n"

INCLUDED = {
    "a kernel in a header": '#include "kernel.h"\nint main(void) { return 0; }\n',
    "a body in a file": f'{HEAD}#include "body.inc"\n}}\n',
    "beside a region": f'#include "kernel.h"\n{OTHER}{REGION}}}\n',
    "beside a loop": f'#include "kernel.h"\n{OTHER}{LOOP}}}\n',
    "included twice": f'#include "kernel.h"\n{OTHER}#include "body.inc"\n}}\n',
}


@pytest.mark.parametrize("name", INCLUDED)
def test_included_files(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "kernel.h").write_text(f"static {HEAD}{REGION}}}\n")
    (tmp_path / "body.inc").write_text(REGION)
    errors = _left(tmp_path, INCLUDED[name], capsys)
    for file in ("kernel.h:2:9", "body.inc:1:9"):
        there = f"{tmp_path / file}: warning: region not transformed: it is in an included file: "
        assert (f"{there}run polyir-cc on that file [region-pragma]\n" in errors) == (
            file.partition(":")[0] in INCLUDED[name]
        )
    assert (tmp_path / "out.c").read_text().count("omp parallel") == (OTHER in INCLUDED[name]) - (
        name == "included twice"
    )


# Functions that the parser does not read, files that are not valid C, and regions in no function.
SKIPPED = "warning: function skipped: cannot parse this C: "
NOT_C = "warning: region not transformed: the file is not valid C: in.c:"
OUTSIDE = "warning: region not transformed: a region must be inside a function: move the pragmas"
NOT_READ = {
    HEAD + REGION + '  __asm__ volatile ("" : "+m"(a[0]));\n}\n': f"6:11: {SKIPPED}",
    HEAD + "  void inner(void) {\n" + REGION + "  }\n}\n": f"2:20: {SKIPPED}",
    HEAD + "  int 3x;\n" + REGION + "}\n": f"2:3: {SKIPPED}",
    'extern "C" {\n' + HEAD + REGION + "}\n}\n": f"3:9: {NOT_C}1:8: error: expected identifier",
    # C++ in a C file, and other text that is not C.
    'extern "C" ' + HEAD + REGION + "}\n": f"1:1: {SKIPPED}",
    "namespace k {\n" + HEAD + REGION + "}\n}\n": f"3:9: {NOT_C}1:1: error: unknown type name",
    "template <class T> void f(int n, T *a) {\n" + REGION + "}\n": f"1:1: {SKIPPED}",
    "void f(int n, double (&a)[10]) {\n" + REGION + "}\n": f"1:23: {SKIPPED}",
    "struct s { void f(int n, double *a) {\n" + REGION + "} };\n": f"1:37: {SKIPPED}",
    "using real = double;\nvoid f(int n, real *a) {\n" + REGION + "}\n": "2:1: warning: function "
    "skipped: the declaration at in.c:1 cannot be parsed",
    "int x\n" + HEAD + REGION + "}\n": f"2:35: {SKIPPED}",
    "int x[2] = {1, 2;\n" + HEAD + REGION + "}\n": f"3:9: {NOT_C}1:17: error: expected",
    HEAD + REGION + "}\n}\n": "1:1: warning: the file is not valid C: in.c:7:1: error: expected",
    "int foo( {\n" + HEAD + REGION + "}\n": f"3:9: {NOT_C}1:10: error: expected declaration",
    HEAD + REGION: f"2:9: {NOT_C}4:5: error: ",
    # Without pragmas, too, nothing is read then.
    "int foo( {\n" + HEAD + LOOP + "}\n": "1:1: warning: the file is not valid C: in.c:1:10: ",
    HEAD + LOOP: "1:1: warning: the file is not valid C: in.c:3:5: error: ",
    START + HEAD + LOOP + "}\n" + END: f"1:9: {OUTSIDE}",
    "struct s {\n" + START + "  int x;\n" + END + "};\n": f"2:9: {OUTSIDE}",
    START + "int x;\n" + HEAD + END + "}\n": f"1:9: {OUTSIDE}",
    START + HEAD + LOOP + "}\n" + OTHER + LOOP + "}\n" + END: f"1:9: {OUTSIDE}",
    START + "double c[4] = {1};\n" + END + HEAD + LOOP + "}\n": f"1:9: {OUTSIDE}",
    START + END + HEAD + LOOP + "}\n": f"1:9: {OUTSIDE}",
    HEAD + LOOP + "}\n" + START: f"5:9: {OUTSIDE}",
    '_Pragma("scop")\n' + HEAD + LOOP + '}\n_Pragma("endscop")\n': f"1:9: {OUTSIDE}",
}

NO_END = "'#pragma scop' without '#pragma endscop' in its block"
NO_START = "'#pragma endscop' without '#pragma scop' before it"
NESTED = (
    "'#pragma scop' inside the region: regions must not be nested, and each needs '#pragma endscop'"
)
APART = (
    "'#pragma scop' and '#pragma endscop' must be statements of one block: put braces around the "
    "region"
)
UNBALANCED = {
    HEAD + START + LOOP + "}\n": (2, NO_END),
    HEAD + START + LOOP + "}\n" + OTHER + REGION + "}\n": (2, NO_END),
    HEAD + LOOP + END + "}\n": (4, NO_START),
    HEAD + REGION + END + "}\n": (6, NO_START),
    HEAD + "#pragma scope\n" + LOOP + END + "}\n": (5, NO_START),
    HEAD + START + LOOP + REGION + "}\n": (5, NESTED),
    HEAD + START + LOOP + REGION + END + "}\n": (5, NESTED),
    HEAD + "  if (n > 3) {\n" + START + LOOP + "  }\n" + END + "}\n": (3, APART),
    HEAD + "  switch (n) {\n  case 1:\n" + REGION + "  }\n}\n": (4, APART),
    HEAD + "  if (n > 3)\n" + REGION + "}\n": (3, APART),
}

# A pragma whose line cannot go.
SHARED = "other code is on the same line as the pragma: give it a line of its own"
SHARED_LINES = {
    HEAD + '  int x = 3; _Pragma("scop")\n' + LOOP + '  _Pragma("endscop")\n  a[0] = x;\n}\n': 2,
    HEAD + '  _Pragma("scop")\n' + LOOP + '  _Pragma("endscop") a[0] = 2;\n}\n': 5,
    HEAD + "#pragma \\\n  scop\n" + LOOP + "#pragma endscop\n}\n": 2,
    HEAD + "#pragma scop /* more\n of it */\n" + LOOP + "#pragma endscop\n}\n": 2,
    "#define BEGIN int x = 3; _Pragma(\"scop\")\n" + HEAD + "  BEGIN\n" + LOOP
    + "#pragma endscop\n  a[0] = x;\n}\n": 3,
    '#define K(f) void f(int n, double *restrict a) { _Pragma("scop") for (int i = 0; i < n; i++) '
    'a[i] = 1; _Pragma("endscop") }\nK(one)\n': 2,
}  # fmt: skip


def test_what_cannot_be_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    here = Path()
    for text, message in NOT_READ.items():
        assert f"in.c:{message}" in _left(here, text, capsys), text
    for text, (line, message) in UNBALANCED.items():
        found = f"in.c:{line}:9: warning: region not transformed: {message} [region-pragma]\n"
        assert found in _left(here, text, capsys), text
    for text, line in SHARED_LINES.items():
        found = f"in.c:{line}:1: warning: region not transformed: {SHARED}"
        assert found in _left(here, text, capsys), text


CXX = """#include <cstdio>
static void mm(int n, const double *a, double *c) {
%s  for (int i = 0; i < n; i++)
    c[i] += a[i];
%s}
int main() { double c[2] = {1, 2}; mm(2, c, c); std::printf("%%g\\n", c[1]); }
"""


@pytest.mark.parametrize("suffix", ["cpp", "cc", "cxx", "C", "hpp"])
def test_cxx(suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = "C++ is not read: move its loops to a C file"
    name = f"in.{suffix}"
    text = CXX % ("#pragma scop\n", "#pragma endscop\n")
    assert f"{name}:3:9: warning: region not transformed: {message}" in _left(
        tmp_path, text, capsys, name
    )
    assert f"{name}:1:1: warning: {message}" in _left(tmp_path, CXX % ("", ""), capsys, name)
    if suffix == "cpp":
        program = tmp_path / "program"
        assert main([str(tmp_path / name), "--compile", "-o", str(program)]) == LEFT
        assert subprocess.run([program], capture_output=True, check=True).stdout == b"4\n"


def _left(folder: Path, text: str, capsys: pytest.CaptureFixture[str], name: str = "in.c") -> str:
    """What is said of a file with something that is left: also without `--strict`, and last."""
    source, target = folder / name, folder / "out.c"
    source.write_text(text)
    target.unlink(missing_ok=True)
    passes = ("--passes=mark-parallel", "--time-limit=0")
    assert main([str(source), "-o", str(target), "--strict", *passes]) == 1, text
    assert not target.exists()
    strict = capsys.readouterr().err
    assert main([str(source), "-o", str(target), *passes]) == LEFT, text
    errors = capsys.readouterr().err
    assert strict == re.sub(r"^(\S+): warning: ", r"\1: error: ", errors, flags=re.MULTILINE)
    count = re.search(r"^polyir-cc: .* left[:;]|^polyir-cc: .*: ", errors.splitlines()[-1])
    assert count is not None, errors
    assert target.exists()
    return errors


READ = {
    # Not code: what is preprocessed away, in literals and in comments.
    "#if 0\n#pragma scop\n{ not C\n#endif\n" + HEAD + REGION + "}\n": "1 region",
    "#ifdef NEVER\n#pragma endscop\n#endif\n" + HEAD + LOOP + "}\n": "1 loop nest",
    'const char *s = "#pragma scop\\n";\n' + HEAD + LOOP + "}\n/*\n#pragma scop\n*/": "1 loop nest",
    # Other ways to write a pragma.
    HEAD + '  _Pragma("scop")\n' + LOOP + '  _Pragma("endscop") /* end */\n}\n': "1 region",
    '#define BEGIN _Pragma("scop")\n#define END _Pragma("endscop")\n' + HEAD + "  BEGIN\n" + LOOP
    + "  END;\n}\n": "1 region",
    HEAD + "%:pragma scop\n" + LOOP + "  #  pragma   endscop // here\n}\n": "1 region",
    (HEAD + REGION + "}\n").replace("\n", "\r\n"): "1 region",
    # Lines that are numbered anew, as generated code has them.
    '#line 40 "grammar.y"\n' + HEAD + REGION + "}\n#line 3\n" + OTHER + REGION + "}\n": "2 regions",
    "#line 1\n" + HEAD + LOOP + "}\n# 1\n" + OTHER + LOOP + "}\n": "2 loop nests",
    # Statements out of an included file, in a region of this one.
    HEAD + '#pragma scop\n#include "loop.inc"\n#pragma endscop\n}\n': "1 region",
    # Functions and blocks of all kinds.
    "void f(n, a) int n; double *restrict a; {\n" + REGION + "}\n": "1 region",
    "__attribute__((noinline)) " + HEAD + "  switch (n) { case 1: {\n" + REGION + "  } }\n}\n": "1",
    HEAD + "  if (n > 4) a[0] = 1; else {\n" + REGION + "  }\n}\n": "1 region",
    HEAD + "again: {\n" + REGION + "  }\n  if (n-- > 3) goto again;\n}\n": "1 region",
    HEAD + "#pragma omp parallel\n  {\n" + REGION + "  }\n}\n": "1 region",
}  # fmt: skip


def test_what_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "in.c", tmp_path / "out.c"
    (tmp_path / "loop.inc").write_text(LOOP)
    for text, count in READ.items():
        source.write_text(text, newline="")
        assert main([str(source), "-o", str(target), "--passes=mark-parallel"]) == 0, text
        errors = capsys.readouterr().err
        assert errors.startswith(f"polyir-cc: {count}")
        assert errors.endswith(" transformed (parallel)\n")
        assert errors.count("\n") == 1
        assert target.read_text().count("omp parallel for") == int(count[0])
        subprocess.run(["gcc", "-fsyntax-only", "-w", "-fopenmp", target], check=True)


DETECTED = """#include <stdio.h>
void done(int n, double *restrict a) {
  for (int i = 0; i < n; i++)
    a[i] = 1;
}
int printed(int n, double *a) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      printf("%g", a[i]);
  for (int i = n; i > 1; i /= 2)
    a[i] = 2;
#pragma omp simd
  for (int i = 0; i < n; i++)
    a[i] = 3;
  return n;
}
"""


def test_loops_that_nobody_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "in.c", tmp_path / "out.c"
    source.write_text(DETECTED)
    arguments = [str(source), "-o", str(target), "--passes=mark-parallel"]
    last = (
        "polyir-cc: 1 of 4 loop nests transformed (parallel), 3 left; first: "
        f"{source}:9:7: a call of 'printf', which may have side effects (if it has none, define it "
        "in this file as static inline, or declare it as __attribute__((const)) or pure) [call]\n"
    )
    assert main(arguments) == 0
    assert capsys.readouterr().err == last
    assert main([*arguments, "--quiet", "--detect"]) == 0
    assert capsys.readouterr().err == ""
    assert main([*arguments, "--remarks"]) == 0
    remarks = capsys.readouterr().err
    assert remarks.count(": remark: loop left: ") == 4
    about = "the pragma before it is about this loop [region-pragma]"
    assert f"{source}:13:3: remark: loop left: {about}\n" in remarks
    target.unlink()
    # With --strict, all of them are asked for.
    assert main([*arguments, "--strict"]) == 1
    assert capsys.readouterr().err.count(": error: loop left: ") == 4
    assert not target.exists()


def test_nests_that_passes_leave(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was translated, but not changed as the passes were to do it, counts without pragmas."""
    source, target = tmp_path / "in.c", tmp_path / "out.c"
    loop = "  for (int i = 1; i < n; i++)\n    a[i] = a[i - 1] * a[i];\n"
    message = "[mark-parallel] nothing was marked parallel: no loop around S0 is parallel"
    arguments = [str(source), "-o", str(target), "--passes=mark-parallel"]
    for text, name in (
        (HEAD + loop + "}\n", "loop"),
        (f"{HEAD}#pragma scop\n{loop}#pragma endscop\n}}\n", "region"),
    ):
        source.write_text(text)
        assert main(arguments) == LEFT
        errors = capsys.readouterr().err
        assert errors.count(message) == 2
        assert f" 1 {'loop nest' if name == 'loop' else name} transformed, 1 left: " in errors
        assert main([*arguments, "--strict"]) == 1
        assert f" error: {name} not transformed: {message}" in capsys.readouterr().err
    # The default keeps the order that is the best one.
    assert main([str(source), "-o", str(target)]) == 0
    assert capsys.readouterr().err == "polyir-cc: 0 of 1 region transformed, 1 best as it is\n"
