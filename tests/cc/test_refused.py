"""What polyir-cc does not model is named where it stands, and the region stays as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyir.tools.polyir_cc import main

HEAD = """#include <math.h>
#include <stdio.h>
struct bits { int flag : 3; };
union both { int i; float f; };
struct node { struct node *next; double x; };
volatile int ready;
static int many(int *p) { return (*p)++; }
static int look(const int *p) { while (*p > 3) p++; return *p; }
void f(int n, double *A, double ***rows, int *p, struct bits *s, union both *u, double (*g)(double),
       struct node *list, long double *wide, char *text)
{
  int i = 0, j = 0, k = 0;
#pragma scop
"""
TAIL = """
#pragma endscop
  printf("%d%d%d%p%p%p%p%p", i, j, k, (void *)rows, (void *)p, (void *)s, (void *)u, (void *)list);
  printf("%d%p%p%d%d", g != 0, (void *)wide, (void *)text, ready, many(&i) + look(p));
}
"""
LINE = HEAD.count("\n") + 1
LOOP = "for (i = 0; i < n; i++) "

CASES = {
    "while (n > 3) A[0] = 1;": (1, "a while loop"),
    LOOP + "do { if (A[i] > 0) goto out; A[i] = 1; out: ; } while (0);": (44, "goto"),
    LOOP + "do { switch (n) { case 1: break; } A[i] = 1; } while (0);": (25, "a do-while loop"),
    LOOP + "A[i] = 2.0 * 1.5iF;": (38, "an imaginary constant"),
    LOOP + "{ double v[n]; A[i] = sizeof v; }": (47, "sizeof of what has no constant size"),
    LOOP + "{ double v[i + 1]; v[0] = i; A[i] = v[0]; }": (34, "of the array 'v' is not constant"),
    LOOP + "A[i] = sizeof(*u);": (32, "sizeof of what has no constant size"),
    LOOP + "A[i] = sizeof(struct node);": (32, "sizeof of what has no constant size"),
    "do A[0] = 1; while (n > 3);": (1, "a do-while loop"),
    LOOP + "goto out; out: ;": (25, "goto"),
    LOOP + "{ if (A[i] > 0) break; A[i] = 1; }": (41, "break"),
    LOOP + "{ A[i] = 0; return; }": (37, "return"),
    LOOP + "switch (n) { A[i] = 0; case 1: A[i] = 1; }": (25, "switch"),
    LOOP + 'printf("x");': (25, "a call of 'printf', which may have side effects"),
    LOOP + "A[i] = many(p) + 1;": (32, "a call of 'many', which may have side effects: a store"),
    LOOP + "A[i] = many(p);": (32, "a call of 'many', which cannot be inlined: '++' inside"),
    LOOP + "A[i] = look(p + i);": (37, "an address that is not always the same"),
    LOOP + "p[i] = look(p);": (32, "a call of 'look', which may read 'i', which the region writes"),
    LOOP + "A[i] = g(A[i]);": (32, "a call through a pointer"),
    LOOP + "rows[i][0][0] = 1;": (25, "'rows', an array of pointers, which may overlap"),
    LOOP + "A[k++] = k;": (27, "'++' inside an expression"),
    LOOP + "A[i > 3 ? k++ : 0] = 1;": (35, "'++' inside an expression"),
    LOOP + "if (i > 3 && k++ < 9) A[k] = 1;": (38, "'++' inside an expression"),
    LOOP + "A[i] = 1 + (k = i);": (37, "an assignment inside an expression"),
    LOOP + "s->flag = i;": (25, "'flag', whose type is not supported"),
    LOOP + "u->i = i;": (25, "a member of union"),
    LOOP + "{ A[i] = 1; i++; }": (37, "the counter 'i' is changed inside its loop"),
    LOOP + "*A++ = A[1];": (26, "'++' inside an expression"),
    LOOP + "{ *A = A[1]; if (A[1] > 2) A++; }": (32, "the pointer 'A', which the region changes"),
    LOOP + "{ A[p - A] = 1; A++; }": (27, "the pointer 'A', which the region changes"),
    LOOP + "ready = i;": (25, "the volatile variable 'ready'"),
    LOOP + "wide[i] = i;": (25, "'wide', whose type is not supported"),
    LOOP + "A[(int)&i] = 1;": (33, "the address of an object"),
    LOOP + "((float *)A)[i] = 1;": (26, "a cast of a pointer"),
    "for (i = 1; i < n; i *= 2) A[i] = 1;": (1, "whose step does not add a constant"),
    "for (i = 0; i < n; i += n) A[i] = 1;": (25, "a step that is not a nonzero"),
    "for (i = 0; i * i < n; i++) A[i] = 1;": (13, "the bound of the loop over 'i'"),
    "for (i = 0; i > n; i++) A[i] = 1;": (13, "a condition that does not bound the counter 'i'"),
    "for (; i < n; i++) A[i] = 1;": (1, "a loop that does not set its counter first"),
    "for (i = 0, j = 0; j < n; i++, j += k) A[i] = 1;": (37, "a step that is not a nonzero"),
    "for (i = 0, j = 9; i < j; i += 2, j -= 2) A[i] = 1;": (20, "of which none steps by 1"),
    "for (i = 0, k = 0; i < n; i++, k += i) A[i] = k;": (37, "the counter 'i' is used"),
    "for (unsigned i = 0, v = 5; i < n; i++, v--) A[i] = v;": (1, "'v', which may wrap around"),
    "for (i = 0; i < n;) { A[i] = 1; if (A[1] > 2) i++; }": (47, "the counter 'i' is changed"),
    # A step past the limit, into numbers below it.
    "for (unsigned char v = 0; v < n; v += 6) A[v] = 1;": (27, "the counter 'v', which may wrap"),
    "for (unsigned char v = 0; v < 254; v += 7) A[v] = 1;": (27, "the counter 'v', which may wrap"),
    "for (short v = n; v > -32767; v -= 3) A[0] = v;": (19, "the counter 'v', which may wrap"),
    "for (unsigned v = 0; v < 4000000000u; v += 987654321) A[0] = 1;": (22, "which may wrap"),
    "for (unsigned v = 0; v < (unsigned)n; v += 100000) A[0] = 1;": (22, "which may wrap"),
    "for (unsigned v = 32; v > 1; v -= 3) A[v] = 1;": (23, "the counter 'v', which may wrap"),
    "for (i = 0; ; i++) A[i] = 1;": (1, "a loop without a condition"),
    "for (unsigned v = 0; v != 8; v++) A[v] = 1;": (22, "'!=' in a loop whose counter"),
    LOOP + "{ char t[2] = \"a\"; A[i] = t[0]; }": (32, "the array 't' has an initialiser"),
    LOOP + "{ static int t; A[i] = t; }": (38, "the static variable 't' in the region"),
    LOOP + "{ double t; A[i] = t; }": (44, "'t', which has no value yet"),
    "A[0] = 1;": (-1, "no loop in it writes to memory"),
}  # fmt: skip


@pytest.mark.parametrize("statement", CASES, ids=lambda text: text[-40:])
def test_named_and_left(statement: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    column, message = CASES[statement]
    source, target = tmp_path / "in.c", tmp_path / "out.c"
    source.write_text(HEAD + statement + TAIL)
    assert main([str(source), "-o", str(target)]) == 2
    lines = capsys.readouterr().err.splitlines()
    warning = next(line for line in lines if ": region not transformed: " in line)
    assert message in warning
    where = f"{source}:{LINE}:{column}: warning: " if column > 0 else f"{source}:{LINE - 1}:"
    assert warning.startswith(where)
    first_region = HEAD[HEAD.index("  int i = 0") :] + statement.split("#pragma endscop")[0]
    assert first_region in target.read_text()


def test_strict_is_an_error_without_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "in.c", tmp_path / "out.c"
    source.write_text(HEAD + "while (n > 3) A[0] = 1;" + TAIL)
    assert main([str(source), "-o", str(target), "--strict"]) == 1
    assert f"{source}:{LINE}:1: error: region not transformed: a while" in capsys.readouterr().err
    assert not target.exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#include <no_such_header.h>\n", "no_such_header.h"),
        ("void f(void) {\n", ":1:1: warning: the file is not valid C: "),
    ],
)
def test_malformed_files(
    text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "in.c", tmp_path / "out.c"
    source.write_text(text)
    assert main([str(source), "-o", str(target)]) == (2 if "warning" in message else 1)
    error = capsys.readouterr().err
    assert "Traceback" not in error
    assert message in error


def test_function_that_cannot_be_parsed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "in.c", tmp_path / "out.c"
    text = "void f(void) {\n#pragma scop\n  int x = ;\n#pragma endscop\n}\n"
    source.write_text(text)
    assert main([str(source), "-o", str(target)]) == 2
    warning = f"{source}:1:1: warning: function skipped: cannot parse this C: Invalid expression"
    assert warning in capsys.readouterr().err
    assert target.read_text() == text
    assert main([str(source), "-o", str(target), "--strict"]) == 1


ADVICE = {
    "while (n > 3) A[0] = 1;": "a while loop (if it counts, write a for loop)",
    LOOP + 'printf("x");': "which may have side effects (if it has none, define it in this file as "
    "static inline, or declare it as __attribute__((const)) or pure)",
    LOOP + "A[i] = g(A[i]);": "a call through a pointer (call a function of this file by its name)",
    LOOP + "rows[i][0][0] = 1;": "which may overlap (pass one array, as 'double (*a)[n]')",
    LOOP + "A[i] = p[(*p)++];": "'++' inside an expression (make it a statement of its own)",
    LOOP + "A[i] = 1 + (k = i);": "inside an expression (make it a statement of its own)",
    "for (i = 0; i < n; i += n) A[i] = 1;": "(it can be a number, or a const integer)",
    "for (; i < n; i++) A[i] = 1;": "(set it in the header of the loop)",
    "for (unsigned v = 0; v != 8; v++) A[v] = 1;": "steps by more than 1 (use '<' or '>')",
    LOOP + "{ static int t; A[i] = t; }": "in the region (declare it before the region)",
}


def test_what_would_help(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "in.c"
    for statement, advice in ADVICE.items():
        source.write_text(HEAD + statement + TAIL)
        assert main([str(source), "-o", str(tmp_path / "out.c"), "--quiet"]) == 2
        assert advice in capsys.readouterr().err, statement
    source.write_text(
        "void f(int n, double *a, int *k, double *b) {\n#pragma scop\n"
        "  for (int i = 0; i < n; i++) { k[i] = i; a[k[i]] = b[i]; }\n#pragma endscop\n}\n"
        "void g(int n, double A[n][n], double *restrict c) {\n#pragma scop\n  double t;\n"
        "  for (int i = 0; i < n; i++) { t = A[i][0] + 1; c[i] = t; }\n#pragma endscop\n}\n"
    )
    options = ["--quiet", "--passes=mark-parallel"]
    assert main([str(source), "-o", str(tmp_path / "out.c"), *options]) == 2
    errors = capsys.readouterr().err
    assert (
        "writes here (declare pointers as restrict, or give --assume-no-alias) [may-overlap]\n"
        in errors
    )
    assert "carries dependences through t [not-parallel]\n" in errors
    assert "copies of t for each iteration: --privatize before the scheduler makes them" in errors
    # And it does.
    options = ["--quiet", "--assume-no-alias", "--passes=privatize,mark-parallel"]
    assert main([str(source), "-o", str(tmp_path / "out.c"), *options]) == 2
    assert "through t" not in capsys.readouterr().err
    assert (tmp_path / "out.c").read_text().count("omp parallel for") == 1
