"""Prints the table of `docs/reductions.md`: reductions by gcc and by polyir.

python benchmarks/reductions.py [--threads N] [--rounds N] [--size N] [PROGRAM ...]

Each program is built three times: its loops by `gcc -Ofast -fopenmp`; the same with an OpenMP
pragma in the place of `@`, as a programmer would write it; and what polyir-cc makes of the loops,
by `gcc -O3 -fopenmp -ffp-contract=fast`, which may not reassociate.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

ORIGINAL_FLAGS = ("-Ofast", "-march=native", "-fopenmp")
POLYIR_FLAGS = ("-O3", "-march=native", "-fopenmp", "-ffp-contract=fast")

Arrays = tuple[npt.NDArray[np.float64], ...]


@dataclass(frozen=True)
class Program:
    """The loops of a function of n, two matrices A and B, vectors x, y and z, and numbers s.

    `@` is where a programmer would write `pragma`. For programs of more work, n is the size
    `divided` by a number.
    """

    loops: str
    pragma: str
    divided: int = 1


PROGRAMS = {
    "dot product": Program(
        """
  @
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      s[0] += A[i][j] * B[i][j];
""",
        "#pragma omp parallel for reduction(+: s[0:1])",
    ),
    "largest element": Program(
        """
  @
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      s[0] = fmax(s[0], A[i][j]);
""",
        "#pragma omp parallel for reduction(max: s[0:1])",
    ),
    "sums of columns": Program(
        """
  @
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      y[j] += A[i][j];
""",
        "#pragma omp parallel for reduction(+: y[0:n])",
    ),
    "atax": Program(
        """
  @
  for (long i = 0; i < n; i++) {
    z[i] = 0.0;
    for (long j = 0; j < n; j++)
      z[i] += A[i][j] * x[j];
    for (long j = 0; j < n; j++)
      y[j] += A[i][j] * z[i];
  }
""",
        "#pragma omp parallel for reduction(+: y[0:n])",
    ),
    "bicg": Program(
        """
  @
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++) {
      y[j] += x[i] * A[i][j];
      z[i] += A[i][j] * x[j];
    }
  }
""",
        "#pragma omp parallel for reduction(+: y[0:n])",
    ),
    "gesummv": Program(
        """
  @
  for (long i = 0; i < n; i++) {
    z[i] = 0.0;
    y[i] = 0.0;
    for (long j = 0; j < n; j++) {
      z[i] += A[i][j] * x[j];
      y[i] += B[i][j] * x[j];
    }
    y[i] = 1.5 * z[i] + 1.2 * y[i];
  }
""",
        "#pragma omp parallel for",
    ),
    "mvt": Program(
        """
  @
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      z[i] += A[i][j] * x[j];
  @
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      y[i] += A[j][i] * x[j];
""",
        "#pragma omp parallel for",
    ),
    "correlation": Program(
        """
  @
  for (long j = 0; j < n; j++) {
    x[j] = 0.0;
    for (long i = 0; i < n; i++)
      x[j] += A[i][j];
    x[j] /= (double)n;
  }
  @
  for (long j = 0; j < n; j++) {
    y[j] = 0.0;
    for (long i = 0; i < n; i++)
      y[j] += (A[i][j] - x[j]) * (A[i][j] - x[j]);
    y[j] = sqrt(y[j] / (double)n);
    y[j] = y[j] <= 1e-9 ? 1.0 : y[j];
  }
  @
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++) {
      A[i][j] -= x[j];
      A[i][j] /= sqrt((double)n) * y[j];
    }
  @
  for (long i = 0; i < n - 1; i++) {
    B[i][i] = 1.0;
    for (long j = i + 1; j < n; j++) {
      B[i][j] = 0.0;
      for (long k = 0; k < n; k++)
        B[i][j] += A[k][i] * A[k][j];
      B[j][i] = B[i][j];
    }
  }
  B[n - 1][n - 1] = 1.0;
""",
        "#pragma omp parallel for",
        divided=4,
    ),
    "Jacobi step with residual": Program(
        """
  @
  for (long i = 1; i < n - 1; i++)
    for (long j = 1; j < n - 1; j++) {
      B[i][j] = 0.25 * (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]);
      s[0] += (B[i][j] - A[i][j]) * (B[i][j] - A[i][j]);
    }
""",
        "#pragma omp parallel for reduction(+: s[0:1])",
    ),
}

TEXT = """
#include <math.h>
void f(long n, double A[restrict n][n], double B[restrict n][n], double x[restrict n],
       double y[restrict n], double z[restrict n], double s[restrict 1]) {{
{loops}
}}
"""


def library(text: str, flags: Sequence[str], folder: Path, name: str) -> ctypes.CDLL:
    """The functions of C text."""
    source, binary = folder / f"{name}.c", folder / f"{name}.so"
    source.write_text(text)
    command = ["gcc", *flags, "-shared", "-fPIC", "-w", str(source), "-o", str(binary), "-lm"]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(binary))


def by_polyir(program: Program, folder: Path, threads: int) -> str:
    """What polyir-cc makes of a program for some threads."""
    loops = program.loops.replace("@", "")
    marked = f"#pragma scop{loops}#pragma endscop"
    source, target = folder / "in.c", folder / "out.c"
    source.write_text(TEXT.format(loops=marked))
    tool = Path(sys.executable).with_name("polyir-cc")
    passes = f"optimize{{reassociate=true threads={threads}}}"
    options = [f"--passes={passes}", "--assume-no-alias", "--strict"]
    subprocess.run([tool, *options, source, "-o", target], check=True, stderr=subprocess.DEVNULL)
    return target.read_text()


def versions(program: Program, folder: Path, threads: int) -> dict[str, ctypes.CDLL]:
    """The three builds of a program."""
    loops = {"gcc": program.loops.replace("@", ""), "pragma": program.loops}
    loops["pragma"] = loops["pragma"].replace("@", program.pragma)
    built = {
        name: library(TEXT.format(loops=text), ORIGINAL_FLAGS, folder, name)
        for name, text in loops.items()
    }
    built["polyir"] = library(by_polyir(program, folder, threads), POLYIR_FLAGS, folder, "polyir")
    return built


def arrays(size: int) -> Arrays:
    random = np.random.default_rng(1)
    shapes = ((size, size), (size, size), (size,), (size,), (size,), (1,))
    return tuple(random.random(shape) for shape in shapes)


def call(function: ctypes.CDLL, size: int, values: Arrays) -> None:
    pointers = [ctypes.c_void_p(each.ctypes.data) for each in values]
    function.f(ctypes.c_long(size), *pointers)


def figures(program: Program, size: int, rounds: int, threads: int) -> dict[str, float]:
    """The median milliseconds of each build, after a check that all compute nearly the same."""
    size //= program.divided
    with tempfile.TemporaryDirectory() as folder:
        built = versions(program, Path(folder), threads)
        results: list[Arrays] = []
        for each in built.values():
            results.append(arrays(size))
            call(each, size, results[-1])
        for other in results[1:]:
            for one, value in zip(results[0], other, strict=True):
                np.testing.assert_allclose(value, one, rtol=1e-10, atol=1e-12)
        taken: dict[str, list[float]] = {name: [] for name in built}
        for _ in range(rounds):
            for name, each in built.items():
                start = time.perf_counter()
                call(each, size, results[0])
                taken[name].append(1000 * (time.perf_counter() - start))
    return {name: float(np.median(times)) for name, times in taken.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description="reductions by gcc and by polyir")
    parser.add_argument("programs", nargs="*", default=list(PROGRAMS), metavar="PROGRAM")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--size", type=int, default=2000)
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(options.threads)
    print("| program | gcc -Ofast | with an OpenMP pragma | polyir |\n| --- | ---: | ---: | ---: |")
    for name in options.programs:
        found = figures(PROGRAMS[name], options.size, options.rounds, options.threads)
        print(f"| {name} | {found['gcc']:.2f} | {found['pragma']:.2f} | {found['polyir']:.2f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
