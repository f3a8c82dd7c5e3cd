"""Loops whose bounds come out of memory, inside of loops that are parallel by default."""

from __future__ import annotations

from pathlib import Path

import numpy as np
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
SEQUENTIAL = ("solve", "scatter", "lengths")


def test_loops_around_loops_with_bounds_in_memory(tmp_path: Path) -> None:
    target, original = tmp_path / "out.c", tmp_path / "in.c"
    original.write_bytes(SOURCE.read_bytes())
    assert transformed(SOURCE, target, f"--optimize=threads=2 machine={MACHINE}") == 0
    functions = {text.split("(")[0]: text for text in target.read_text().split("\nstatic void ")}
    for name in (*PARALLEL, *SEQUENTIAL):
        assert ("#pragma omp parallel" in functions[name]) == (name in PARALLEL), name
    expected = output_of(reference(original))
    program = compiled(target, "-Wall", "-fsanitize=address,undefined")
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
