"""Regions of C files for ranks: programs print the same on any number of ranks."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from ranks import TIME_LIMIT, needs_mpi

from polyir.runtime.mpi import find_mpi
from polyir.runtime.ranks import run_ranks
from polyir.tools.polyir_cc import main

FLAGS = ("-std=gnu99", "-O1", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")
PASSES = ("--pluto-schedule", "--tile=5", "--wavefront", "--distribute-memory")

PROGRAM = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { M = 17 };
static double constant[M];

/* Rows of variable length, an array of the file, a pointer to rows by hand. */
void relax(int steps, int n, double A[restrict n][M], float *restrict B) {
#pragma scop
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n; i++)
      for (int j = 1; j < M; j++)
        A[i][j] = 0.5 * (A[i - 1][j] + A[i][j - 1]) + constant[j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < M; j++)
      B[i * M + j] += A[i][j] * steps;
#pragma endscop
}

int main(int count, char **names) {
  MPI_Init(&count, &names);
  int rank, n = 23;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double (*A)[M] = NULL;
  float *B = NULL;
  if (rank == 0) {
    A = malloc(sizeof(double) * n * M);
    B = malloc(sizeof(float) * n * M);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < M; j++) {
        A[i][j] = (i * 7 + j * 3) % 11;
        B[i * M + j] = i - j;
      }
    for (int j = 0; j < M; j++)
      constant[j] = 0.25 * j;
  }
  for (int call = 1; call < 3; call++)
    relax(2 * call, n, A, B);
  for (int k = 0; rank == 0 && k < n * M; k++)
    printf("%a %a\\n", A[k / M][k % M], B[k]);
  MPI_Finalize();
  return 0;
}
"""


def printed(program: Path, ranks: int) -> str:
    return run_ranks([str(program)], ranks, TIME_LIMIT)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The file, and what the program prints before polyir-cc."""
    folder = tmp_path_factory.mktemp("original")
    source = folder / "program.c"
    source.write_text(PROGRAM)
    command = [find_mpi().compiler, *FLAGS, "-Wno-unknown-pragmas", str(source)]
    subprocess.run([*command, "-o", str(folder / "program")], check=True)
    return source, printed(folder / "program", 1)


@needs_mpi
def test_two_files(original: tuple[Path, str], tmp_path: Path) -> None:
    source, expected = original
    target = tmp_path / "out.c"
    assert main([str(source), "-o", str(target), "--mpi", *PASSES]) == 0
    files = [str(target), str(tmp_path / "out_ranks.c")]
    program = tmp_path / "out"
    subprocess.run([find_mpi().compiler, *FLAGS, *files, "-o", str(program)], check=True)
    assert expected.count("\n") == 23 * 17 - 1
    for ranks in (1, 3):
        assert printed(program, ranks) == expected


@needs_mpi
def test_compiled_at_once(original: tuple[Path, str], tmp_path: Path) -> None:
    source, expected = original
    program = tmp_path / "program"
    # The pass alone says what is wanted, too.
    assert main([str(source), "--compile", "-o", str(program), *PASSES]) == 0
    assert printed(program, 2) == expected


@needs_mpi
def test_an_object_file_is_not_all(
    original: tuple[Path, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(original[0]), "--compile", "-c", "--mpi", *PASSES]) == 1
    assert "--mpi with --compile makes a program: -c is not possible" in capsys.readouterr().err
