"""C loops with index arrays compute the same bits after polyir-cc and a pass for them.

`make test` runs a third of the examples through each pipeline; `test_irregular.py` runs them in
MLIR's syntax, where the passes do the same.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from c_runs import FLAGS, WARNINGS, transformed
from guarded_arrays import guarded
from irregular_arguments import DOES_NOTHING, arguments, whole
from irregular_programs import FOLDER, PROGRAMS, Argument
from sparse_matrices import GENERATORS
from suites import in_turn

import polyir
from polyir.runtime.functions import public_signatures
from polyir.tools.polyir_cc import LEFT

PIPELINES = (
    "inspect-wavefronts{block=1}",
    "inspect-wavefronts{block=3}",
    "inspect-wavefronts{block=auto grain=2}",
)
ALLOWED = ("-Wno-unknown-pragmas", "-Wno-unused-but-set-variable")
TESTS = "runtime-test{always=true}"

NAMES = [name for name, program in PROGRAMS.items() if program.c_path is not None]

FORMS = {
    "counters outside, long": """
void f(long n, const long *start, const long *col, double *restrict x) {
  long i, k;
#pragma scop
  for (i = 0; i < n; i++)
    for (k = start[i]; k < start[i + 1]; ++k)
      x[i] = x[i] * 0.5 + x[col[k]];
#pragma endscop
  x[0] += i;
}
""",
    "size_t": """
#include <stddef.h>
void f(long n, const size_t *start, const size_t *col, double *restrict x) {
#pragma scop
  for (size_t i = 0; i < (size_t)n; i++)
    for (size_t k = start[i]; k < start[i + 1]; k++)
      x[i] = x[i] * 0.5 + x[col[k]];
#pragma endscop
}
""",
    "backwards, last included, and a counter that is used later": """
void f(long n, const long *start, const long *col, double *restrict x) {
  long last = 0;
#pragma scop
  for (long i = n - 1; i >= 0; i--) {
    long k;
    for (k = start[i + 1] - 1; k >= start[i]; k--)
      x[i] = x[i] * 0.5 + x[col[k]];
    x[i] += k;
  }
#pragma endscop
  x[0] += last;
}
""",
    "a bound in a variable, and the other side": """
void f(long n, const long *start, const long *col, double *restrict x) {
#pragma scop
  for (long i = 0; i < n; i++) {
    long first = start[i], end = start[i + 1];
    double sum = 0.0;
    for (long k = first; end > k; k++) {
      long c = col[k];
      if (c > i || x[c] > 0.5)
        sum += x[c];
    }
    x[i] = x[i] * 0.5 + sum;
  }
#pragma endscop
}
""",
    "up to a number, by steps of two": """
void f(long n, const long *start, const long *col, double *restrict x) {
#pragma scop
  for (long i = 0; i < n; i++)
    for (long k = start[i]; k < n; k += 2)
      x[k] = x[k] * 0.5 + x[i];
#pragma endscop
  (void)col;
}
""",
    "pointers into the middle": """
void f(long n, const long *start, const long *col, double *restrict x) {
  double *middle = x + n / 2;
#pragma scop
  for (long i = 0; i < n; i++)
    middle[col[i] - n / 2] = middle[i - n / 2] * 0.5;
#pragma endscop
  (void)start;
}
""",
}


def library(source: Path, *flags: str) -> ctypes.CDLL:
    target = source.with_suffix(".so")
    command = ["gcc", *FLAGS, *WARNINGS, *ALLOWED, *flags, "-shared", "-fPIC", str(source)]
    subprocess.run([*command, "-o", str(target)], check=True)
    return ctypes.CDLL(str(target))


def both(source: Path, folder: Path, *options: str) -> tuple[ctypes.CDLL, ctypes.CDLL]:
    """The library of a file, and that of the file after some passes, which may leave it."""
    original, target = folder / "original.c", folder / "transformed.c"
    original.write_text(source.read_text())
    assert transformed(source, target, *options) in (0, LEFT)
    return library(original, "-O0"), library(target)


def call(
    loaded: ctypes.CDLL,
    name: str,
    values: list[Argument],
    threads: int,
    index: type[np.signedinteger],
) -> list[bytes]:
    """The bytes of all arrays after a call."""
    copies = [np.array(each, ndmin=1, copy=True) for each in values]
    passed: list[object] = []
    arrays: list[npt.NDArray[np.generic]] = []
    for value, copy in zip(values, copies, strict=True):
        if isinstance(value, np.ndarray):
            arrays.append(copy.astype(index) if copy.dtype == np.int64 else copy)
            passed.append(arrays[-1].ctypes.data_as(ctypes.c_void_p))
        else:
            passed.append(
                ctypes.c_double(value) if isinstance(value, float) else ctypes.c_long(value)
            )
    if hasattr(loaded, "omp_set_num_threads"):
        loaded.omp_set_num_threads(threads)
    loaded[name](*passed)
    return [each.tobytes() for each in arrays]


PIPELINES_FOR_EXAMPLES = (
    *PIPELINES,
    "sparse-tile{tile=5}",
    "sparse-tile{tile=3 sweeps=2 order=wavefronts}",
    TESTS,
    "reorder-data",
    "reorder-data{method=partition part=5},reorder-iterations",
    "reorder-iterations{reassociate=true}",
    f"{TESTS},inspect-wavefronts{{block=1}}",
    "sparse-tile{tile=7},inspect-wavefronts{block=1}",
)


@pytest.mark.parametrize(("name", "pipeline"), in_turn(NAMES, PIPELINES_FOR_EXAMPLES, 10))
def test_examples(name: str, pipeline: str, tmp_path: Path) -> None:
    program = PROGRAMS[name]
    assert program.c_path is not None
    original, changed = both(program.c_path, tmp_path, f"--passes={pipeline}")
    text = (tmp_path / "transformed.c").read_text()
    passes = [each.partition("{")[0] for each in pipeline.split(",")]
    does_something = any((name, each) not in DOES_NOTHING for each in passes)
    assert does_something == (f"{program.function}_inspector(" in text)
    (signature,) = public_signatures(polyir.parse(program.path.read_text()))
    for drawn in arguments(program):
        given = whole(drawn) if "reassociate" in pipeline else drawn
        values = [given[each.name] for each in signature.parameters]
        expected = call(original, program.function, values, 1, np.int32)
        for threads in (1, 2):
            assert call(changed, program.function, values, threads, np.int32) == expected


VARIABLES = """
void f(long n, const long *start, const long *col, double *restrict x) {
  double sum = 0, last = 0;
  long i, k, c = 0;
#pragma scop
  for (i = 0; i < n; i++) {
    sum = 0.5;
    for (k = start[i]; k < start[i + 1]; k++) {
      c = col[k];
      sum += x[c];
      if (c < i)
        last = x[c];
    }
    x[i] = sum * 0.5 + BEFORE;
  }
#pragma endscop
  x[0] += AFTER;
}
"""


@pytest.mark.parametrize("before", ["1.0", "last"])
@pytest.mark.parametrize("after", ["i", "last", "sum + c"])
def test_variables_that_are_declared_before(before: str, after: str, tmp_path: Path) -> None:
    # Only a value that no iteration takes from an earlier one lets iterations run in parallel.
    source = tmp_path / "form.c"
    source.write_text(VARIABLES.replace("BEFORE", before).replace("AFTER", after))
    original, changed = both(source, tmp_path, f"--passes={PIPELINES[0]}")
    shared = {"x"} if before == "1.0" and after == "i" else {"x", "last"}
    if "c" in after:
        # The inspector would need the value that the loop gives c.
        shared = set()
    text = (tmp_path / "transformed.c").read_text()
    assert set(re.findall(r"(\w+)_written = ", text)) == shared
    compare_on_rows(original, changed)


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_loops(form: str, tmp_path: Path) -> None:
    source = tmp_path / "form.c"
    source.write_text(FORMS[form])
    original, changed = both(source, tmp_path, f"--passes={PIPELINES[0]}")
    assert "f_inspector(" in (tmp_path / "transformed.c").read_text()
    compare_on_rows(original, changed)


def compare_on_rows(original: ctypes.CDLL, changed: ctypes.CDLL) -> None:
    """Compare the function `f` of two libraries on random sparse rows."""
    for number in range(10):
        random = np.random.default_rng(number)
        n = int(random.integers(1, 40))
        start = np.zeros(n + 1, dtype=np.int64)
        np.cumsum(random.integers(0, 4, n), out=start[1:])
        col = random.integers(0, n, max(int(start[-1]), n))
        values: list[Argument] = [n, start, col, random.random(max(n, int(start[-1])))]
        expected = call(original, "f", values, 1, np.int64)
        for threads in (1, 2):
            assert call(changed, "f", values, threads, np.int64) == expected


@pytest.mark.parametrize("passes", ["--privatize", "--poly-raise=data-loops --privatize"])
def test_private_array_by_a_range(passes: str, tmp_path: Path) -> None:
    options = (*passes.split(), "--mark-parallel")
    original, changed = both(FOLDER / "fig15-16.c", tmp_path, *options)
    text = (tmp_path / "transformed.c").read_text()
    assert text.count("#pragma omp parallel for") == 1
    for number in range(10):
        random = np.random.default_rng(number)
        n, m = (int(each) for each in random.integers(1, 256, 2))
        first = int(random.integers(0, m + 1))
        pos = random.integers(first, m + 1, n)
        values: list[Argument] = [n, first, m, pos, random.random((n, 256)), np.zeros((n, 256))]
        expected = call(original, "fill_and_gather", values, 1, np.int32)
        for threads in (1, 2):
            assert call(changed, "fill_and_gather", values, threads, np.int32) == expected


REFUSED = {
    "the loop over 'k' may change its bounds": "for (long k = 0; k < end[i]; k++) end[k] = 0;",
    "the bound of the loop over 'k' is not affine": "for (long k = 0; k < end[k]; k++) x[k] = 0;",
}


@pytest.mark.parametrize("reason", REFUSED)
def test_bounds_that_change(
    reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "refused.c"
    source.write_text(f"""
void f(long n, const long *restrict start, long *restrict end, double *restrict x) {{
#pragma scop
  for (long i = 0; i < n; i++)
    {REFUSED[reason]}
#pragma endscop
}}
""")
    assert transformed(source, tmp_path / "out.c", f"--passes={PIPELINES[0]}") == 2
    assert reason in capsys.readouterr().err


ORDERED = {
    "pointers into the middle, and other integers": """
void f(long n, const long *p, const long *q, const long *w, long *restrict a, long *restrict b) {
  long *middle = a + n / 2;
  const long *behind = p - 3;
#pragma scop
  for (long s = 0; s < 3; s++) {
    for (long i = 0; i < n; i++) {
      middle[behind[i + 3] - n / 2] += w[i] * b[q[i]];
      b[q[i]] -= w[i];
    }
    for (long i = 0; i < n; i++)
      b[i] ^= middle[i - n / 2];
  }
#pragma endscop
}
""",
    "one loop, whose index arrays are nested": """
void f(long n, const long *p, const long *q, const long *w, long *restrict a, long *restrict b) {
#pragma scop
  for (long i = 0; i < n; i++) {
    a[p[q[i]]] += w[i];
    b[n - 1 - i] = a[p[q[i]]] > 5 ? w[q[i]] : i;
  }
#pragma endscop
}
""",
    "rows, and a loop that may not run": """
void f(long n, const long *p, const long *q, const long *w, long *restrict a, long *restrict b) {
  long (*rows)[2] = (long (*)[2])a;
#pragma scop
  for (long s = 0; s < w[0] - 3; s++)
    for (long i = 0; i < n / 2; i++)
      for (long k = 0; k < 2; k++) {
        rows[p[i] / 2][k] += b[q[i]];
        b[q[i]] += rows[q[i] / 2][1 - k];
      }
#pragma endscop
}
""",
}
"""Loops whose arrays are as long as their subscripts need, and no longer."""


@pytest.mark.parametrize(
    "pipeline", ["reorder-data", "reorder-data{method=cuthill-mckee},reorder-iterations"]
)
@pytest.mark.parametrize("form", ORDERED)
def test_orders(form: str, pipeline: str, tmp_path: Path) -> None:
    source = tmp_path / "form.c"
    source.write_text(ORDERED[form])
    original, changed = both(source, tmp_path, f"--passes={pipeline}")
    assert "f_inspector(" in (tmp_path / "transformed.c").read_text()
    for number in range(20):
        random = np.random.default_rng(number)
        n = 2 * int(random.integers(1, 20))
        values = [*random.integers(0, n, (3, n)), *random.integers(-9, 9, (2, n))]
        results = []
        for loaded in (original, changed):
            arrays = [guarded(each) for each in values]
            loaded.f(ctypes.c_long(n), *(ctypes.c_void_p(each.ctypes.data) for each in arrays))
            results.append([each.tolist() for each in arrays])
        assert results[0] == results[1]


def test_an_order_of_the_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = PROGRAMS["moldyn"].c_path
    assert path is not None
    source, target = tmp_path / "moldyn.c", tmp_path / "out.c"
    source.write_text(path.read_text())
    assert transformed(source, target, "--passes=reorder-data{method=given}") == 2
    assert "the file must declare 'void moldyn_order(const long *starts" in capsys.readouterr().err
    order = """
static long calls;
void moldyn_order(const long *starts, long s, const long *neighbours, long m, long *elements,
                  long n) {
  (void)starts, (void)s, (void)neighbours, (void)m;
  for (long e = 0; e < n; e++)
    elements[e] = n - 1 - e;
  calls++;
}
long calls_of_order(void) { return calls; }
"""
    source.write_text(order + path.read_text())
    original, changed = both(source, tmp_path, "--passes=reorder-data{method=given}")
    (signature,) = public_signatures(polyir.parse(PROGRAMS["moldyn"].path.read_text()))
    random = np.random.default_rng(1)
    given = PROGRAMS["moldyn"].arguments(GENERATORS["grid-2d"](50, random), random, 3)
    values = [given[each.name] for each in signature.parameters]
    expected = call(original, "moldyn", values, 1, np.int32)
    assert call(changed, "moldyn", values, 1, np.int32) == expected
    assert (original.calls_of_order(), changed.calls_of_order()) == (0, 1)


CHECKED = """
#include <stdlib.h>
double y[10];
void gather(long n, const int *p, const double *restrict x) {
FACTS
#pragma scop
  for (long i = 0; i < n; i++)
    y[i] = x[p[i]];
#pragma endscop
}

int main(int count, char **arguments) {
  int p[5] = {0, 1, 2, 9, count > 2 ? atoi(arguments[2]) : 3};
  double x[10] = {0, 1, 2, 3};
  gather(atoi(arguments[1]), p, x);
  return y[4] != x[3];
}
"""

SIZES = "#pragma polyir array(x: n + 5)\n#pragma polyir array(p: 5)"
RANGE = "#pragma polyir index_array(p: range(0, n + 5))"
CHECKS = {
    f"{SIZES}|5 10": "8:12: 'p' has 10 at [4], but 'x' has 10 elements",
    f"{SIZES}|5 -7": "8:12: 'p' has -7 at [4], but 'x' has 10 elements",
    f"{SIZES}|6": "8:14: 'p' has 5 elements, and the subscript 5 is out of bounds",
    f"{SIZES}|5": "",
    f"{RANGE}|5 10": "8:12: 'p' has 10 at [4], outside of its range, which ends at 9",
    f"{RANGE}|5 -1": "8:12: 'p' has -1 at [4], outside of its range, which ends at 9",
    f"{RANGE}|5": "",
    # Only y has a size.
    "|5 -1": "",
    "|11": "8:5: 'y' has 10 elements, and the subscript 10 is out of bounds",
}


@pytest.mark.parametrize("case", CHECKS)
def test_checks_in_c(case: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    facts, arguments = case.split("|")
    lines = facts.count("\n")
    source = tmp_path / "checked.c"
    source.write_text(CHECKED.replace("FACTS", facts))
    target, program = tmp_path / "out.c", tmp_path / "program"
    assert transformed(source, target, "--passes=check-indices,inspect-wavefronts") == 0
    said = capfd.readouterr().err
    assert ("nobody knows how large these arrays are: 'p', 'x'" in said) == (facts != SIZES)
    flags = [*FLAGS, *WARNINGS, *ALLOWED]
    subprocess.run(["gcc", *flags, str(target), "-o", str(program)], check=True)
    done = subprocess.run([program, *arguments.split()], check=False)
    line, _, text = CHECKS[case].partition(":")
    if text:
        assert done.returncode == -6
        assert capfd.readouterr().err == f"{source}:{int(line) + lines}:{text}\n"
    elif arguments == "5":
        assert done.returncode == 0


def test_what_cannot_be_checked_in_c(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = PROGRAMS["fig15-15"].c_path
    assert path is not None
    assert transformed(path, tmp_path / "out.c", "--passes=check-indices") == LEFT
    said = capsys.readouterr().err
    assert "arrays are: 'q', 'A', 'b', 'p' (#pragma polyir array(q: SIZE) says it)" in said
    assert "nothing to do: no loop has index arrays that can be checked" in said


WRONG_SIZES = {
    "array(x)": "expected '#pragma polyir array(ARRAY: SIZE, ...)'",
    "array(z: n)": "there is no variable 'z'",
    "array(x: n n)": "the size 'n n' is not an affine expression",
    "array(x: f(n))": "the size 'f(n)' is not an affine expression",
    "array(x: n * n)": "not affine in variables that the region does not change",
    "array(x: k)": "the size of an array: 'k', which is not declared as a variable",
}


@pytest.mark.parametrize("pragma", WRONG_SIZES)
def test_wrong_sizes(pragma: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "wrong.c"
    source.write_text(CHECKED.replace("FACTS", f"#pragma polyir {pragma}"))
    assert transformed(source, tmp_path / "out.c", "--passes=check-indices") == 1
    said = capsys.readouterr().err
    assert WRONG_SIZES[pragma] in said
    assert "wrong.c:5:" in said


POINTERS = """
void f(long n, long steps, const TYPE *p, const TYPE *b, TYPE *x) {
#pragma scop
  for (long s = 0; s < steps; s++)
    for (long i = 0; i < n; i++)
      x[(long)p[i]] = x[i] / 2 + b[i];
#pragma endscop
}
"""


@pytest.mark.parametrize("pipeline", [PIPELINES[0], "sparse-tile{tile=3}"])
def test_pointers_that_may_alias(pipeline: str, tmp_path: Path) -> None:
    """The arrays lie at random places of one memory, so that they may overlap, p and x too."""
    source = tmp_path / "pointers.c"
    source.write_text(POINTERS.replace("TYPE", "long"))
    original, changed = both(source, tmp_path, f"--passes={pipeline}")
    assert "polyir_disjoint(&" in (tmp_path / "transformed.c").read_text()
    apart = 0
    for number in range(40):
        random = np.random.default_rng(number)
        n, steps = int(random.integers(0, 8)), int(random.integers(0, 3))
        memory = random.integers(0, max(n, 1), 60)
        places = [int(place) for place in random.integers(0, 48, 3)]
        apart += min(abs(places[2] - place) for place in places[:2]) >= n > 0 < steps
        # What overlaps p may make its elements larger; they must stay in the memory.
        results = []
        for loaded, threads in ((original, 1), (changed, 1), (changed, 2)):
            copy = np.concatenate([memory, np.zeros(10**6, dtype=np.int64)])
            if hasattr(loaded, "omp_set_num_threads"):
                loaded.omp_set_num_threads(threads)
            pointers = [ctypes.c_void_p(copy.ctypes.data + 8 * place) for place in places]
            loaded.f(ctypes.c_long(n), ctypes.c_long(steps), *pointers)
            results.append(copy.tobytes())
        assert results[1:] == results[:1] * 2
    assert apart > 3


def test_pointers_that_no_test_tells_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "alias.c"
    loop = "  for (long s = 0; s < steps; s++)"
    text = POINTERS.replace("TYPE", "double").replace(loop, f"  x[0] = 0;\n{loop}")
    source.write_text(text)
    options = (f"--passes={PIPELINES[0]}",)
    assert transformed(source, tmp_path / "out.c", *options) == 2
    said = capsys.readouterr().err
    assert "'b' may point to memory" in said or "'x' may point to memory" in said
    assert "no test can find out: an element is accessed outside of a loop" in said
    assert "declare pointers as restrict, or give --assume-no-alias" in said
    source.write_text(text.replace("const double *p", "const int *p"))
    assert transformed(source, tmp_path / "out.c", *options, "--assume-no-alias") == 0
