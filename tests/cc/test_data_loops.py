"""Loops that go on until data ends them, inside of loops that are parallel by default."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from c_runs import compiled, output_of, reference, transformed

import polyir

SOURCE = Path(__file__).parent / "data_loops.c"
SPMV = Path(__file__).parents[2] / "examples" / "irregular" / "spmv.c"
MACHINE = Path(__file__).parents[1] / "machines" / "256.json"
PARALLEL = (
    *(
        "product",
        "product_of_pointers",
        "product_in_memory",
        "product_of_structure",
        "product_of_rows",
        "rank",
    ),
    *("greatest", "neighbours_of_neighbours", "rows_and_lengths", "in_time"),
)
SEQUENTIAL = ("solve", "scatter")


WHILE_LOOPS = Path(__file__).parent / "while_loops.c"
PARALLEL_AROUND_WHILE = (
    *("escapes", "escapes_in_time", "escapes_called", "collatz", "roots", "search", "sort_rows"),
    *("chains", "find", "back", "primes", "halvings", "countdowns", "lists"),
    *("bits", "quadratures"),
    # What comes before the sum.
    "scatter",
)
CASES = {
    SOURCE: (PARALLEL, SEQUENTIAL),
    WHILE_LOOPS: (PARALLEL_AROUND_WHILE, ("decays",)),
}


@pytest.mark.every_case
@pytest.mark.parametrize("source", CASES, ids=lambda each: each.stem)
def test_loops_around_loops_that_data_ends(source: Path, tmp_path: Path) -> None:
    target, original = tmp_path / "out.c", tmp_path / "in.c"
    original.write_bytes(source.read_bytes())
    assert transformed(source, target, f"--optimize=threads=2 machine={MACHINE}") == 0
    functions = {text.split("(")[0]: text for text in target.read_text().split("\nstatic void ")}
    parallel, sequential = CASES[source]
    for name in (*parallel, *sequential):
        assert ("#pragma omp parallel" in functions[name]) == (name in parallel), name
    expected = output_of(reference(original))
    program = compiled(target, "-Wall", "-Wextra", "-fsanitize=address,undefined")
    for threads in (1, 2, 4):
        assert output_of(program, threads) == expected


def test_python_runs_the_same_loops() -> None:
    module = polyir.compile(SPMV, "optimize{threads=2}")
    assert "#pragma omp parallel" in module.source
    rows, count = 20000, 4
    starts = np.arange(0, count * rows + 1, count, dtype=np.int32)
    columns = (np.arange(count * rows) * 7 % rows).astype(np.int32)
    values, x, y = np.ones(count * rows), np.arange(rows) / 4, np.zeros(rows)
    module.spmv(rows, starts, columns, values, x, y)
    assert np.array_equal(y, (values * x[columns]).reshape(rows, count).sum(axis=1))


def test_python_runs_while_loops() -> None:
    text = """
void halvings(int n, const double *restrict a, int *restrict b) {
  for (int i = 0; i < n; i++) {
    double x = a[i];
    int k = 0;
    while (x > 1) {
      x *= 0.5;
      k++;
    }
    b[i] = k;
  }
}
"""
    module = polyir.compile(text, "optimize{threads=2}")
    assert "#pragma omp parallel" in module.source
    a, b = np.geomspace(0.75, 1e6, 20000), np.zeros(20000, np.int32)
    module.halvings(20000, a, b)
    assert np.array_equal(b, np.maximum(0, np.ceil(np.log2(a))))
