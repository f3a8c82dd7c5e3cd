"""Files with several regions: what is transformed, what is left, and what stays byte for byte."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from c_runs import FLAGS, compiled, output_of, reference
from few_operations import allow
from large_sizes import all_sizes_are_large

from polyir.tools.polyir_cc import main

THREE = """/* A file\twith three regions. */\r
#include <stdio.h>\r
#define N 50\r
static double A[N][N], B[N];\r
\r
/* first */\r
static void first(int n)\r
{\r
  #pragma scop   // here\r
  for (int i = 0; i < n; i++)\r
    for (int j = 0; j < n; j++)\r
      A[i][j] = A[j][i] * 0.5 + i - j;\r
  #pragma endscop\r
}\r
static int second(int n) {\r
  int k = n;\r
#pragma scop\r
  while (k > 1) { B[k % N] += k; k = k % 2 ? 3 * k + 1 : k / 2; }\r
#pragma endscop\r
  return k;\r
}\r
#if 0\r
#pragma scop\r
{ not even C\r
#pragma endscop\r
#endif\r
const char *text = "#pragma scop\\n{ /* \\" ";\r
int main(void)\r
{\r
  first(N);\r
  printf("%d\\n", second(27));\r
\t#pragma scop\r
\tfor (int i = 1; i < N; i++)\r
\t  B[i] += B[i - 1] + A[i][i];\r
\t#pragma endscop\r
  printf("%a %a\\n", A[3][7], B[N - 1]); /* \xe9 */\r
  return 0;\r
}\r
"""


def test_two_of_three(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "in.c", tmp_path / "out.c"
    source.write_bytes(THREE.encode("latin-1"))
    assert main([str(source), "-o", str(target)]) == 2
    errors = capsys.readouterr().err
    assert f"{source}:18:3: warning: region not transformed: a while loop" in errors
    assert errors.count("not transformed") == 1
    text = target.read_bytes().decode("latin-1")
    assert "\n" not in text.replace("\r\n", "")
    # All that is not one of the two regions, in pieces that have to follow each other.
    head, rest = THREE.split("/* first */")
    before, rest = rest.split("  #pragma scop   // here")
    middle = rest[rest.index("  #pragma endscop\r\n") + len("  #pragma endscop\r\n") :]
    between, last = middle.split("\t#pragma scop\r\n")
    tail = last[last.index("\t#pragma endscop\r\n") + len("\t#pragma endscop\r\n") :]
    assert text.startswith(head)
    position = 0
    for piece in (head, "/* first */" + before, between, tail):
        position = text.index(piece, position) + len(piece)
    assert position == len(text)
    expected = output_of(reference(source, "-Wno-unknown-pragmas"))
    assert output_of(compiled(target, "-Wall", "-Wextra", "-Wno-unknown-pragmas"), 2) == expected


def test_helpers_stand_before_the_function_once(tmp_path: Path) -> None:
    source, target = tmp_path / "in.c", tmp_path / "out.c"
    source.write_text(
        "struct { int x; } s;\n"
        "#ifdef OTHER\nvoid f(long n, double A[n][n])\n#else\n"
        "static __inline__ void\nf(int n, double A[n][n])\n#endif\n"
        "{\n  int polyir = s.x;\n"
        "#pragma scop\n  for (int i = polyir; i < n; i++)\n    for (int j = 0; j < n; j++)\n"
        "      A[i][j] = 1;\n#pragma endscop\n}\n"
        "void g(int n, double A[n][n])\n{\n"
        "#pragma scop\n  for (int i = 0; i < n; i++)\n    for (int j = 0; j < n; j++)\n"
        "      A[i][j] = 2;\n#pragma endscop\n  f(n, A);\n}\n"
    )
    assert main(["--pluto-schedule", "--tile=32", str(source), "-o", str(target)]) == 0
    text = target.read_text()
    helper = "static inline long polyir_min(long a, long b) {"
    assert text.count(helper) == 1
    assert text.index("#else") < text.index(helper) < text.index("static __inline__ void\nf(")
    subprocess.run(["gcc", *FLAGS, "-Wall", "-Werror", "-c", target, "-o", "/dev/null"], check=True)


def test_new_names_are_no_macros_and_no_variables(tmp_path: Path) -> None:
    source, target = tmp_path / "in.c", tmp_path / "out.c"
    source.write_text(
        "#define ti broken +\n#define tj (\n#include <stdio.h>\nstatic int i = 7, t;\n"
        "static void f(int n, int tk, int A[n][n])\n{\n"
        "#pragma scop\n  for (int i = 0; i < n; i++)\n    for (int j = 0; j < n; j++)\n"
        "      for (int k = 0; k < n; k++)\n        A[i][j] += A[i][k] % 7 + tk + t;\n"
        "#pragma endscop\n  t = i;\n}\n"
        "int main(void)\n{\n  static int A[40][40];\n  for (int k = 0; k < 1600; k++)\n"
        "    A[k / 40][k % 40] = k;\n  f(40, 5, A);\n"
        '  printf("%d %d %d\\n", A[3][4], A[39][1], t);\n'
        "  return 0;\n}\n"
    )
    assert main([str(source), "-o", str(target)]) == 0
    expected = output_of(reference(source, "-Wno-unknown-pragmas"))
    assert output_of(compiled(target, "-Wall", "-Wextra", "-Werror"), 2) == expected


def test_compile_is_a_driver(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "size.h").write_text("#define SIZE 30\n")
    (tmp_path / "local.h").write_text("#include <stdio.h>\n")
    source, program = tmp_path / "in.c", tmp_path / "program"
    source.write_text(
        '#include "local.h"\n#include <size.h>\nint main(void)\n{\n  int A[SIZE], i;\n'
        "#pragma scop\n  for (i = 0; i < SIZE; i++)\n    A[i] = i * FACTOR;\n#pragma endscop\n"
        '  printf("%d\\n", A[SIZE - 1]);\n  return 0;\n}\n'
    )
    options = ["-std=gnu11", "-DFACTOR=3", f"-I{tmp_path / 'include'}", "-O1", "-g"]
    assert main([str(source), "--compile", *options, "-o", str(program)]) == 0
    assert output_of(program) == "87\n"


def test_emit_loops(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    source = tmp_path / "in.c"
    source.write_text(
        "void f(int n, float A[n][n])\n{\n#pragma scop\n"
        "  for (int i = 0; i < n; i++)\n    for (int j = 0; j < i; j++)\n      A[i][j] += 1;\n"
        "#pragma endscop\n}\n"
    )
    assert main([str(source), "--emit=loops", "--mark-parallel", "--tile=8"]) == 0
    text = capsysbinary.readouterr().out.decode()
    assert "func.func @f(%n: index, %A: memref<?x?xf32>)" in text
    assert "affine.parallel (%ti)" in text
    assert main([str(source), "--pluto-shedule"]) == 1
    assert "did you mean '--pluto-schedule'" in capsysbinary.readouterr().err.decode()


def test_region_that_takes_too_long_is_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def endless(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr("polyir.codegen.ast_build._generated", endless)
    source = tmp_path / "in.c"
    text = (
        "void f(int n, float A[n][n])\n{\n#pragma scop\n"
        "  for (int i = 0; i < n; i++)\n    for (int j = 0; j < i; j++)\n      A[i][j] += 1;\n"
        "#pragma endscop\n}\n"
    )
    source.write_text(text)
    assert main([str(source), "--time-limit=0.05"]) == 2
    printed = capsys.readouterr()
    assert printed.out == text
    assert "region not transformed" in printed.err
    assert "more than 0.05 s of processor time (--time-limit)" in printed.err


def test_a_region_that_is_not_checked_stays_where_checks_are_required(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    allow(monkeypatch, 3, "AST_ORDER")
    source = tmp_path / "in.c"
    text = (
        "void f(int n, float A[n])\n{\n#pragma scop\n"
        "  for (int i = 0; i < n; i++)\n    A[i] += 1;\n#pragma endscop\n}\n"
    )
    source.write_text(text)
    arguments = [str(source), "--pluto-schedule", "--mark-parallel"]
    assert main([*arguments, "--require-checked"]) == 2
    printed = capsys.readouterr()
    assert printed.out == text
    assert "region not transformed: not checked: the check that the loops" in printed.err
    assert main([*arguments, "--remarks"]) == 0
    printed = capsys.readouterr()
    assert printed.out != text
    assert "remark: [lower-poly] not checked: the check that the loops" in printed.err


PARTS = """#include <stdio.h>
static double A[40], B[40], t[2];
static int parts(int n, int k)
{
  int last;
  #pragma scop
  double t = 2.5;
  for (int i = 0; i < n; i++)
    A[i] = B[i] * t + i;
  while (k > 3)
    k = k % 2 ? 3 * k + 1 : k / 2;
  for (last = 1; last < n; last++)
    B[last] += B[last - 1] * 0.5 + A[n - last] + k;
  // What follows depends on data.
  for (int i = 0; A[i] < 30; i++)
    B[i] = t;
  A[0] = last;
  for (int i = 0; i < n; i++)
    A[i] += t * B[i];
  #pragma endscop
  return k + last;
}
int main(void)
{
  for (int i = 0; i < 40; i++) { A[i] = i; B[i] = i % 7; }
  printf("%d %g\\n", parts(40, 9), t[0]);
  for (int i = 0; i < 40; i++) printf("%.17g %.17g\\n", A[i], B[i]);
}
"""


def test_what_can_be_transformed_of_a_region(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "in.c", tmp_path / "out.c"
    source.write_text(PARTS)
    with all_sizes_are_large():
        assert main([str(source), "-o", str(target)]) == 2
    errors = capsys.readouterr().err
    assert errors.count("part of the region not transformed") == 2
    assert ":10:3: warning: part of the region not transformed: a while loop" in errors
    assert ":15:19: warning: part of the region not transformed: the bound" in errors
    text = target.read_text()
    # The loops that were transformed count in `long`.
    assert text.count("for (long") >= 3
    assert "  while (k > 3)\n" in text
    expected = output_of(reference(source, "-Wno-unknown-pragmas"))
    assert output_of(compiled(target, "-Wall", "-Wextra", "-Wno-unknown-pragmas"), 2) == expected


INNER = """#include <stdio.h>
static double A[30][30], B[30], C[30];
static int inner(int n, int k)
{
  int i, j, last = 0;
  double s = 0;
  #pragma scop
  for (i = 0; i < n; i++) {
    for (j = 0; j < n; j++)
      A[i][j] = B[j] * 0.5 + i;
    if (B[i] > 20)
      break;
    s = 0;
    for (j = i; j < n; j++)
      s += A[i][j];
    for (int m = 0; m < 2; m++) {
      while (k > 3 + m)
        for (j = 0, k--; j < i; j++)
          C[j] += k + m;
      for (j = 0; j < i; j++)
        B[i] += A[j][i] * 0.25;
    }
    last += j;
    C[i] = s;
  }
  do
    if (k & 1)
      for (j = 0; j < n; j++)
        B[j] += k;
    else
      for (i = 0; i < n; i++)
        B[i] -= k;
  while (k++ < 9);
  #pragma endscop
  return i + 100 * last + j;
}
int main(void)
{
  for (int i = 0; i < 30; i++) B[i] = i % 7;
  printf("%d\\n", inner(30, 99));
  printf("%d\\n", inner(20, 9));
  for (int i = 0; i < 30; i++) printf("%.17g %.17g %.17g\\n", A[i][3], B[i], C[i]);
}
"""


@pytest.mark.parametrize("options", [(), ("--detect",), ("--detect", "--passes=poly-raise")])
def test_loops_inside_of_what_cannot_be_transformed(
    options: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "in.c", tmp_path / "out.c"
    source.write_text(INNER)
    with all_sizes_are_large():
        assert main([str(source), "-o", str(target), *options]) == (0 if options else 2)
    errors = capsys.readouterr().err
    assert (":12:7: warning: part of the region not transformed: break" in errors) != bool(options)
    text = target.read_text()
    assert text.count("for (long") >= 6
    assert "      while (k > 3 + m)\n" in text
    expected = output_of(reference(source, "-Wno-unknown-pragmas"))
    assert output_of(compiled(target, "-Wall", "-Wextra", "-Wno-unknown-pragmas"), 2) == expected


def test_what_is_best_as_it_is_keeps_its_text(tmp_path: Path) -> None:
    """Of a region, only the pragmas go, which C compilers would warn of."""
    loop = "  for (int i = 1; i < n; i++)\n    a[i] = a[i - 1] * a[i]; // as it was\n"
    head, source, target = "void f(int n, double *a) {\n", tmp_path / "in.c", tmp_path / "out.c"
    for pragmas in (("", ""), ("#pragma scop\n", "#pragma endscop\n")):
        source.write_text(head + pragmas[0] + loop + pragmas[1] + "}\n")
        assert main([str(source), "-o", str(target)]) == 0
        assert target.read_text() == head + loop + "}\n"
