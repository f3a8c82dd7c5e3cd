"""C text and C files as programs for Python, with NumPy as the oracle."""

from __future__ import annotations

import copy
import inspect
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import polyir
from polyir.api.sources import Language, read_source
from polyir.base.diagnostics import LegalityError, OptionError, PolyirError, Remark, remarks_to
from polyir.runtime import CompiledModule, CompilerOptions
from polyir.runtime.argument_checks import ArgumentError, ArgumentTypeError
from polyir.runtime.array_layouts import ArrayCopyWarning

ONE_LINE = "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = 0; }"
FILE = r"""
#include <math.h>
#include <stddef.h>
#define MAX(a, b) ((a) > (b) ? (a) : (b))
typedef double real;
enum { N = 4 };
struct pair { int a, b; };
static int calls;
static real square(real x) { return x * x; }
/* Static functions can be called, too. */
static void gemm(int ni, int nj, int nk, real alpha,
                 real C[ni][nj], const real A[ni][nk], real (*B)[nj]) {
  for (int i = 0; i < ni; i++)
    for (int j = 0; j < nj; j++) {
      C[i][j] *= 2;
      for (int k = 0; k < nk; k++)
        C[i][j] += alpha * A[i][k] * B[k][j];
    }
}
unsigned long count(size_t n, const unsigned char *s) {
  unsigned long c = 0;
  for (size_t i = 0; i < n; i++) c += s[i] != 0;
  return c;
}
double norm(int n, double *restrict x, float *y) {
  double s = 0;
  for (int i = 0; i < n; i++) { s += square(x[i]); y[i] = 2 * x[i]; }
  return sqrt(s);
}
void columns(double A[N][N]) {
  for (int i = 1; i < N; i++)
    for (int j = 0; j < N; j++)
      A[i][j] += A[i - 1][j];
}
void transpose(int n, double *A, const double *B) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i * n + j] = B[j * n + i];
}
void after(int n, double *a, double *b) {
  for (int i = 0; i < n; i++)
    a[i] = b[i] + 1;
}
/* No loop, and no region: C that is left as it is. */
int add(int a, unsigned b) { calls++; return MAX(a, 0) + b; }
int called(void) { return calls; }
void cube(int n, float t[n][n + 1][3]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= n; j++)
      for (int k = 0; k < 3; k++)
        t[i][j][k] = i + 10 * j + 100 * k;
}
int by_structure(struct pair p, int n) { return p.a + n; }
void by_pointers(double **p) { p[0] = 0; }
int main(void) { return 0; }
"""


@pytest.fixture(scope="module")
def file() -> CompiledModule:
    return polyir.compile(FILE)


def test_the_file_has_its_functions(file: CompiledModule) -> None:
    names = "square gemm count norm columns transpose after add called cube"
    assert list(file) == names.split()
    with pytest.raises(AttributeError, match="'by_structure' cannot be called from Python: 'p' is"):
        _ = file.by_structure
    with pytest.raises(AttributeError, match="'by_pointers' cannot be called from Python"):
        _ = file.by_pointers
    with pytest.raises(AttributeError, match=r"no function 'tranpose'.*did you mean 'transpose'"):
        _ = file.tranpose
    with pytest.raises(ArgumentTypeError, match="only a module with one function can be called"):
        file(1)


@pytest.mark.parametrize("passes", [None, "--pluto-schedule --tile=2 --mark-parallel --vectorize"])
def test_results_are_those_of_numpy(file: CompiledModule, passes: str | None) -> None:
    kernel = file if passes is None else polyir.compile(FILE, passes)
    generator = np.random.default_rng(0)
    a = generator.integers(-4, 4, (5, 7)).astype(float)
    b = generator.integers(-4, 4, (7, 6)).astype(float)
    c = np.ones((5, 6))
    for each in (a, b):
        each.flags.writeable = False
    kernel.gemm(np.int32(5), 6, np.uint8(7), 0.5, c, a, b)
    assert (c == 2 + 0.5 * a @ b).all()
    kernel.gemm(5, 6, 7, np.inf, np.ones((5, 6)), a, b)
    assert kernel.count(6, np.array([1, 0, 2, 0, 255, 0], np.uint8)) == 3
    x, y = np.arange(5.0), np.zeros(5, np.float32)
    assert kernel.norm(5, x, y) == np.sqrt(30.0)
    assert (y == 2 * x).all()
    square = np.arange(16.0).reshape(4, 4)
    expected = square.cumsum(axis=0)
    kernel.columns(square)
    assert (square == expected).all()
    kernel.transpose(3, c.ravel()[:9], x := np.arange(9.0).reshape(3, 3))
    assert (c.ravel()[:9].reshape(3, 3) == x.T).all()
    cube = np.zeros((2, 3, 3), np.float32)
    kernel.cube(2, cube)
    assert (cube == np.fromfunction(lambda i, j, k: i + 10 * j + 100 * k, cube.shape)).all()
    assert kernel.add(-3, 4) == 4
    assert kernel.add(3, 2**32 - 1) == 2
    assert kernel.square(3) == 9.0


def test_a_variable_of_the_file_is_one_for_all_functions(file: CompiledModule) -> None:
    before = file.called()
    file.add(1, 1)
    assert file.called() == before + 1  # type: ignore[operator]


def test_pointers_may_lead_to_the_same_memory(file: CompiledModule) -> None:
    """As in C: the tests before the loops decide; `restrict` excludes it."""
    memory = np.zeros(6)
    file.after(5, memory[1:], memory)
    assert list(memory) == [0, 1, 2, 3, 4, 5]
    file.after(5, memory, memory)
    assert list(memory) == [1, 2, 3, 4, 5, 5]
    with pytest.raises(ArgumentError, match="the arrays 'x' and 'y' overlap"):
        file.norm(2, memory, memory[:2].view(np.float32))
    # Copies do not change together.
    with pytest.warns(ArrayCopyWarning), pytest.raises(ArgumentError, match="overlap"):
        file.after(2, memory[:4:2], memory[2:])


WRONG: list[tuple[str, tuple[Any, ...], str]] = [
    ("gemm", (2, 3, 4, 1.0, np.ones((2, 4)), np.ones((2, 4)), np.ones((4, 3))), "extent nj = 3"),
    ("gemm", (2, 3, 4, 1.0, np.ones((1, 3)), np.ones((2, 4)), np.ones((4, 3))), "'C' is accessed"),
    ("gemm", (2, 3, 4, 1.0, np.ones((2, 3)), np.ones((2, 4)), np.ones((3, 3))), "'B' is accessed"),
    ("gemm", (2, 3, 4, 1.0, np.ones(6), np.ones((2, 4)), np.ones((4, 3))), "must have rank 2"),
    ("columns", (np.ones((3, 4)),), "'A' is accessed out of bounds in dimension 0"),
    ("columns", (np.ones((4, 5)),), "must have extent 4 in dimension 1, not 5"),
    ("count", (-1, np.zeros(3, np.uint8)), "'n' must fit into 64 bits"),
    ("add", (2**31, 0), "'a' must fit into 32 bits"),
    ("add", (0, -1), "'b' must fit into 32 bits"),
    ("after", (5, np.zeros(5), np.zeros((2, 2))), "'b' is accessed out of bounds"),
    ("cube", (2, np.zeros((2, 2, 3), np.float32)), r"must have extent \(n \+ 1\) = 3 in dimension"),
]


@pytest.mark.parametrize(("name", "arguments", "message"), WRONG)
def test_wrong_arguments(
    file: CompiledModule, name: str, arguments: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(ArgumentError, match=message):
        file[name](*arguments)


def test_types_and_read_only_arrays(file: CompiledModule) -> None:
    with pytest.raises(ArgumentTypeError, match="elements of type float64, not float32"):
        file.columns(np.ones((4, 4), np.float32))
    frozen = np.zeros(4)
    frozen.flags.writeable = False
    file.after(4, np.zeros(4), frozen)
    with pytest.raises(ArgumentError, match="'a' must be writable"):
        file.after(4, frozen, np.zeros(4))


READS = {
    "a[i]": True,
    "*(a + i)": False,
    "a[(int)a[i]]": True,
    "a[i] + a[0]": True,
    "a[i]++": False,
    "(a[i] = 1)": False,
    "*&a[i]": False,
    "g(a)": False,
    "(*a)": True,
}


def test_what_is_only_read() -> None:
    """A pointer that is passed on, moved or copied may be written."""
    functions = [
        f"double f{n}(int i, double *a) {{ return {text}; }}" for n, text in enumerate(READS)
    ]
    kernel = polyir.compile("\n".join(["double g(double *x) { return x[0]; }", *functions]))
    for number, (text, is_read) in enumerate(READS.items()):
        assert kernel[f"f{number}"].checks.writes(1) is not is_read, text


def test_one_line_is_transformed() -> None:
    kernel = polyir.compile(ONE_LINE, "pluto-schedule,tile{sizes=4},mark-parallel")
    assert "#pragma omp parallel for" in kernel.source
    array = np.ones((2, 3))
    kernel(5, array)
    assert array.tolist() == [[0, 0, 0], [0, 0, 1]]
    assert str(inspect.signature(kernel)).startswith("(n: 'int32_t', a: 'double[?]', *")


def test_regions_and_what_is_reported() -> None:
    text = """void f(int n, double *a) {
    for (int i = 0; i < n; i++)
      a[i] = i;
#pragma scop
    for (int i = 0; i < n; i++)
      if (a[i] < 0) break;
#pragma endscop
    }
    """
    remarks: list[Remark] = []
    with remarks_to(remarks.append):
        polyir.compile(text, [])
    (remark,) = remarks
    assert str(remark).startswith("<string>:6:21: warning: [c-files] region not transformed: ")
    remarks.clear()
    with remarks_to(remarks.append):
        polyir.compile(ONE_LINE.replace("a[i] = 0", "if (a[i] < 0) break"))
    assert "warning: [c-files] loop left: " in str(remarks[0])


def test_what_has_no_place_in_the_file_is_left() -> None:
    """The original runs."""
    for passes, reason in (
        ("lower-to-llvm", "a pass has removed 'f'"),
        ("tile-symbolic{min-width=1}", "symbolic tile sizes are further arguments"),
        ("pluto-schedule,map-to-gpu", "from Python, C runs on one CPU"),
        ("pluto-schedule,distribute-memory", "from Python, C runs on one CPU"),
    ):
        remarks: list[Remark] = []
        with remarks_to(remarks.append):
            kernel = polyir.compile(ONE_LINE, passes)
        assert any(f"not transformed: {reason}" in each.message for each in remarks)
        array = np.ones(3)
        kernel(2, array)
        assert list(array) == [0, 0, 1]


def test_errors() -> None:
    with pytest.raises(LegalityError, match=r"reversing S0\.0 violates the flow dependence"):
        polyir.compile(ONE_LINE.replace("0; }", "a[i - 1]; }"), "reverse{loop=S0.0}")
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: polyir.compile("void f(int n { }"), "expected"),
        (lambda: polyir.compile("#include <none.h>\nvoid f(int n) {}"), "<string>:1:10: fatal"),
        (lambda: polyir.compile(ONE_LINE, target="opencl"), "polyir-cc --target=opencl"),
        (lambda: polyir.compile(ONE_LINE, backend="llvm"), "C requires the C backend"),
        (lambda: polyir.compile(ONE_LINE, tuned="x.json"), "polyir-cc --tuned"),
        (lambda: polyir.compile(ONE_LINE, functions={"g": ""}), "functions are for MLIR"),
    ]
    for call, message in cases:
        with pytest.raises(PolyirError, match=message):
            call()


def test_headers_and_macros(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are found beside the file, and count as a part of it."""
    (tmp_path / "size.h").write_text("#define SIZE 3\n")
    source = (
        '#include "size.h"\nint f(int *a) { for (int i = 0; i < SIZE; i++) a[i] = K; return K; }'
    )
    path = tmp_path / "kernel.c"
    path.write_text(source)
    options = CompilerOptions(flags=("-O1", "-D", "K=7"))
    for given in (path, str(path)):
        array = np.zeros(5, np.int32)
        assert polyir.compile(given, options=options)(array) == 7
        assert list(array) == [7, 7, 7, 0, 0]
    (tmp_path / "size.h").write_text("#define SIZE 4\n")
    monkeypatch.chdir(tmp_path)
    array = np.zeros(5, np.int32)
    assert polyir.compile(source, options=options)(array) == 7
    assert list(array) == [7, 7, 7, 7, 0]


def test_programs_from_c() -> None:
    program = polyir.Program.parse(FILE)
    assert repr(program).startswith(
        "<program of gemm, count, norm, columns, transpose, after, cube"
    )
    tiled = program.schedules[0].tile(sizes=(2, 3)).program
    assert "for (long ti = 0; ti < ni; ti += 2)" in str(tiled)
    assert "int main(void) { return 0; }" in str(tiled), "it is the whole file"
    a, b = np.arange(12.0).reshape(3, 4), np.arange(20.0).reshape(4, 5)
    for each in (program, tiled, copy.deepcopy(tiled), pickle.loads(pickle.dumps(tiled))):
        c = np.zeros((3, 5))
        each.compile().gemm(3, 5, 4, 1.0, c, a, b)
        assert (c == a @ b).all()
    with pytest.raises(OptionError, match="C requires the C backend"):
        program.compile(backend="llvm")
    assert "func.func @gemm" in tiled.emit("loops")
    assert isinstance(polyir.parse(ONE_LINE), type(program.module))


def test_a_module_is_used_in_another_process(tmp_path: Path) -> None:
    (tmp_path / "kernel").write_bytes(pickle.dumps(polyir.compile(ONE_LINE, [])))
    program = (
        "import pickle, sys, numpy\n"
        "kernel = pickle.load(open(sys.argv[1], 'rb'))\n"
        "array = numpy.ones(4)\n"
        "kernel(3, array)\n"
        "print(list(map(int, array)))"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "kernel")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
    assert done.stdout == "[0, 0, 0, 1]\n"


LANGUAGES = {
    Language.C: [
        ONE_LINE,
        "// about\n/* this */ #include <math.h>\nint x;",
        "  static inline double g(void) { return 0; }",
        "double* f(int n) { return 0; }",
        "#pragma scop\n",
        "__attribute__((noinline)) void f(void) {}",
        "struct { int a; } s;",
        "unsigned n;",
        "void(f)(int n) {}",
        "enum { N = 3 };",
    ],
    Language.MLIR: [
        "",
        "module {}",
        "module attributes {a} {}",
        "func private @f()",
        "func.func @f() { return }",
        "// void f(int n)\nfunc.func @f() { return }",
        "#map = affine_map<(d0) -> (d0)>",
        "#define = affine_map<() -> ()>",
        '"builtin.module"() ({}) : () -> ()',
        "!t = f64\n",
        "%x = arith.constant 1 : i32",
    ],
    Language.EQUATIONS: ["affine f [N] -> { : N > 0 }\n  outputs X : [N]", " affine g { }"],
}


@pytest.mark.parametrize("language", Language)
def test_languages_are_told_apart(language: Language) -> None:
    for text in LANGUAGES[language]:
        assert read_source(text).language is language, text


def test_names_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = "func.func @f() { return }"
    for name in ("f.mlir", "without suffix", "f.txt"):
        (tmp_path / name).write_text(text)
        for given in (name, tmp_path / name, str(tmp_path / name)):
            assert list(polyir.compile(given, [])) == ["f"]
            assert repr(polyir.Program.parse(given)) == "<program of f>"
    for name in ("none.mlir", "folder/none", "none.c", "none.alpha"):
        with pytest.raises(FileNotFoundError, match=name):
            polyir.compile(name)
    with pytest.raises(IsADirectoryError):
        polyir.compile(tmp_path)
