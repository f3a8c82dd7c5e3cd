"""Loops whose bounds come out of memory, inside of loops that are parallel by default."""

from __future__ import annotations

from pathlib import Path

from c_runs import compiled, output_of, reference, transformed

SOURCE = Path(__file__).parent / "data_loops.c"
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
    for threads in (1, 2):
        assert output_of(program, threads) == expected
