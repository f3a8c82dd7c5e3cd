"""What the program does not read, and what overlaps: checked by the sanitisers at -O0."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from c_runs import compiled, output_of, transformed
from large_sizes import all_sizes_are_large
from suites import in_turn

PROGRAMS = Path(__file__).parent / "programs"
SCHEDULERS = (
    (),
    ("--pluto-schedule", "--tile=8", "--mark-parallel"),
    ("--feautrier-schedule",),
    ("--isl-schedule", "--tile=4"),
    ("--spatial-schedule",),
)
SANITIZED = ("-O0", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


@cache
def expected(name: str, folder: Path) -> str:
    """What the original prints, which the sanitisers have nothing to say about."""
    source = folder / f"original_{name}.c"
    source.write_bytes((PROGRAMS / f"{name}.c").read_bytes())
    return output_of(compiled(source, *SANITIZED))


@pytest.mark.parametrize(
    ("name", "options"),
    in_turn(["early_reads", "alias_ranges"], SCHEDULERS, 2),
    ids=lambda each: each if isinstance(each, str) else " ".join(each) or "default",
)
def test_nothing_is_read_too_early(
    name: str, options: tuple[str, ...], tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    target = tmp_path / "out.c"
    with all_sizes_are_large():
        assert transformed(PROGRAMS / f"{name}.c", target, *options) == 0
    found = output_of(compiled(target, *SANITIZED), 2)
    assert found == expected(name, tmp_path_factory.getbasetemp())
