"""C loops with index arrays compute the same bits after polyir-cc and a pass for them."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from c_runs import FLAGS, WARNINGS, transformed
from irregular_programs import PROGRAMS, Argument, Arguments
from sparse_matrices import GENERATORS

import polyir
from polyir.runtime.functions import public_signatures

PIPELINES = (
    "inspect-wavefronts{block=1}",
    "inspect-wavefronts{block=3}",
    "inspect-wavefronts{block=auto grain=2}",
)

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


def library(source: Path) -> ctypes.CDLL:
    target = source.with_suffix(".so")
    command = ["gcc", *FLAGS, *WARNINGS, "-Wno-unknown-pragmas", "-shared", "-fPIC", str(source)]
    subprocess.run([*command, "-o", str(target)], check=True)
    return ctypes.CDLL(str(target))


def both(source: Path, folder: Path, pipeline: str) -> tuple[ctypes.CDLL, ctypes.CDLL]:
    """The library of a file, and that of the file after some passes."""
    original, target = folder / "original.c", folder / "transformed.c"
    original.write_text(source.read_text())
    assert transformed(source, target, f"--passes={pipeline}") == 0
    return library(original), library(target)


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


@pytest.mark.parametrize("pipeline", [*PIPELINES, "sparse-tile{tile=5}"])
@pytest.mark.parametrize("name", NAMES)
def test_examples(name: str, pipeline: str, tmp_path: Path) -> None:
    program = PROGRAMS[name]
    assert program.c_path is not None
    original, changed = both(program.c_path, tmp_path, pipeline)
    text = (tmp_path / "transformed.c").read_text()
    if pipeline in PIPELINES:
        assert program.has_dependences == (f"{program.function}_inspector(" in text)
    (signature,) = public_signatures(polyir.parse(program.path.read_text()))
    for size in (1, 20, 150):
        for number, generator in enumerate(GENERATORS.values()):
            random = np.random.default_rng(number)
            given: Arguments = program.arguments(generator(size, random), random, 3)
            values = [given[each.name] for each in signature.parameters]
            expected = call(original, program.function, values, 1, np.int32)
            for threads in (1, 2):
                assert call(changed, program.function, values, threads, np.int32) == expected


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_loops(form: str, tmp_path: Path) -> None:
    source = tmp_path / "form.c"
    source.write_text(FORMS[form])
    original, changed = both(source, tmp_path, PIPELINES[0])
    assert "f_inspector(" in (tmp_path / "transformed.c").read_text()
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


def test_sizes_that_c_does_not_say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = PROGRAMS["moldyn"].c_path
    assert path is not None
    for name, reason in {
        "reorder-data": "the size of 'left' is not known",
        "check-indices": "the sizes of the arrays are not known",
    }.items():
        assert transformed(path, tmp_path / "out.c", f"--passes={name}") == 2
        assert reason in capsys.readouterr().err


def test_pointers_that_may_alias(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "alias.c"
    source.write_text("""
void f(long n, const long *p, const double *b, double *x) {
#pragma scop
  for (long i = 0; i < n; i++)
    x[p[i]] = b[i];
#pragma endscop
}
""")
    options = (f"--passes={PIPELINES[0]}",)
    assert transformed(source, tmp_path / "out.c", *options) == 2
    assert "declare pointers as restrict, or give --assume-no-alias" in capsys.readouterr().err
    assert transformed(source, tmp_path / "out.c", *options, "--assume-no-alias") == 0
