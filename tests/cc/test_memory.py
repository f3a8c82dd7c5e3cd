"""The memory that polyir-cc adds: as much as threads need, checked, and used within its bounds."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from c_runs import WARNINGS, compiled, output_of, reference, transformed

FOLDER = Path(__file__).parent / "memory"
WRAPPED = ("-Wl,--wrap=malloc,--wrap=aligned_alloc", str(FOLDER / "limited.c"))
SANITIZED = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")

MOST = 100_000
"""Bytes: two rows, one for each of two threads, are 80,000. Copies for all iterations are 24 MB."""

RUNS = {
    "temporaries": (("temporaries",), MOST),
    "private": (("temporaries", "--passes=privatize,mark-parallel,promote-private"), MOST),
    "copies": (("temporaries", "--privatize", "--pluto-schedule", "--mark-parallel"), 1 << 26),
    "extents": (("extents",), 1 << 26),
    "packed": (("products", "--passes=optimize{strategy=packed-blocks}"), 1 << 26),
}
"""For each run the program, the options, and the bytes that it may ask for at once."""


@pytest.mark.parametrize("case", RUNS)
def test_added_memory(case: str, tmp_path: Path) -> None:
    (name, *options), most = RUNS[case]
    source = tmp_path / f"{name}.c"
    source.write_bytes((FOLDER / source.name).read_bytes())
    expected = output_of(reference(source, "-Wno-unknown-pragmas"))
    target = tmp_path / "out.c"
    # The passes of one case leave a nest as it is.
    assert transformed(source, target, *options) == (2 if case == "private" else 0)
    program = compiled(target, *WARNINGS, *WRAPPED)
    # Where an allocation fails, the original code runs.
    for limit in (None, 0, 50_000):
        found = run(program, limit)
        assert found.stdout == expected
        assert 0 < int(found.stderr) <= most
    assert output_of(compiled(target, *SANITIZED, "-w", "-O0"), 2) == expected


def run(program: Path, limit: int | None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "OMP_NUM_THREADS": "2"}
    if limit is not None:
        environment["LIMIT"] = str(limit)
    return subprocess.run(
        [str(program)], capture_output=True, text=True, check=True, env=environment, timeout=60
    )
