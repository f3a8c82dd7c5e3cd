"""What polyir-cc makes parallel without any option, and that it prints the same as before."""

from __future__ import annotations

from pathlib import Path

import pytest
from c_runs import compiled, output_of, reference, transformed

FOLDER = Path(__file__).parent / "default"
MACHINE = Path(__file__).parents[1] / "machines" / "256.json"
PARALLEL = {
    "block_copies": ("smooth", "heat", "product", "means", "bytes", "rows"),
    "counts": (
        *("primes", "steps", "moments", "best_row", "checksum", "triangles", "inversions"),
        "random_bits",
    ),
    "exchanges": (
        *("two", "three", "members", "declared_around", "exchanged_first"),
        *("planes", "other_plane"),
    ),
    "parametric_steps": ("fourier", "haar", "scan", "blocks"),
    "records": (
        *("attract", "nearest", "squares", "swaps", "render", "bounce", "boxes", "corners"),
    ),
    "scratch": (
        *("declared_around", "allocated_around", "of_variable_size"),
        *("declared_inside", "allocated_inside", "thomas", "histograms"),
        *("of_file", "as_parameter", "shorter_each_time"),
    ),
    "subscripts": ("convolve", "most_likely", "checksums", "factorise", "embed"),
    "tables": (
        *("neighbours", "moves", "collide", "stream", "borders", "colours", "project"),
        "steps_that_change",
    ),
}
LEFT = {"counts": ("weights",)}


@pytest.mark.every_case
@pytest.mark.parametrize("name", PARALLEL)
def test_programs_as_people_write_them(name: str, tmp_path: Path) -> None:
    source, target, original = FOLDER / f"{name}.c", tmp_path / "out.c", tmp_path / "in.c"
    original.write_bytes(source.read_bytes())
    assert transformed(source, target, f"--optimize=threads=2 machine={MACHINE}") == 0
    functions = {text.split("(")[0]: text for text in target.read_text().split("\nstatic void ")}
    for each in (*PARALLEL[name], *LEFT.get(name, ())):
        assert ("#pragma omp parallel" in functions[each]) == (each in PARALLEL[name]), each
    expected = output_of(reference(original))
    program = compiled(target, "-Wall", "-Wextra", "-fsanitize=address,undefined")
    for threads in (1, 2, 4):
        assert output_of(program, threads) == expected
