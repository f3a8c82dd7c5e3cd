"""The memory that polyir-cc adds: as much as threads need, checked, and used within its bounds."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from c_runs import WARNINGS, compiled, output_of, reference, transformed
from irregular_programs import FOLDER as EXAMPLES

FOLDER = Path(__file__).parent / "memory"
WRAPPED = ("-Wl,--wrap=malloc,--wrap=aligned_alloc", str(FOLDER / "limited.c"))
SANITIZED = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")

MOST = 100_000
"""Bytes: two rows, one for each of two threads, are 80,000. Copies for all iterations are 24 MB."""

RUNS = {
    "temporaries": (("temporaries",), 0),
    "private": (("temporaries", "--passes=privatize,mark-parallel,promote-private"), MOST),
    "copies": (("temporaries", "--privatize", "--pluto-schedule", "--mark-parallel"), 1 << 26),
    "extents": (("extents", "--privatize", "--pluto-schedule", "--mark-parallel"), 1 << 26),
    "packed": (("products", "--passes=optimize{strategy=packed-blocks}"), 1 << 26),
}
"""For each run the program, the options, and the bytes that it may ask for at once.

The default needs none: iterations have their temporaries in variables.
"""


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
        assert min(1, most) <= int(found.stderr) <= most
    assert output_of(compiled(target, *SANITIZED, "-w", "-O0"), 2) == expected


KERNELS = ("moldyn", "spmv", "update", "pagerank")
FILES = ("moldyn", "spmv", "fig15-15", "pagerank")

WITHIN_STEPS = "runtime-test{always=true},inspect-wavefronts{block=1}"
"""Of a kernel with time steps, each step inspects, after others have written."""

INSPECTED = {
    "inspect-wavefronts{block=auto grain=2}": ("moldyn", "update", "pagerank"),
    "sparse-tile{tile=5}": ("moldyn",),
    "sparse-tile{tile=7},inspect-wavefronts{block=1}": ("moldyn", "update"),
    WITHIN_STEPS: ("update",),
    "reorder-data{method=partition part=5},reorder-iterations": KERNELS,
    "reorder-iterations{reassociate=true}": ("spmv", "pagerank"),
}
"""For each pipeline the kernels of which it makes inspectors, and allocations in them."""


@pytest.mark.parametrize("pipeline", INSPECTED)
def test_each_allocation_of_inspectors_fails(pipeline: str, tmp_path: Path) -> None:
    texts = "".join((EXAMPLES / f"{name}.c").read_text() for name in FILES)
    source, original, target = (tmp_path / f"{name}.c" for name in ("source", "original", "out"))
    source.write_text(texts)
    original.write_text(re.sub(rf"\b({'|'.join(KERNELS)})\(", r"\1_original(", texts))
    transformed(source, target, f"--passes={pipeline}")
    files = (WRAPPED[0], str(FOLDER / "each_fails.c"), str(original))
    program = compiled(target, *WARNINGS, "-Wno-unknown-pragmas", *SANITIZED, *files)
    done = subprocess.run(
        [str(program), *INSPECTED[pipeline]],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "2"},
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    made = dict(line.split() for line in done.stdout.splitlines())
    assert list(made) == list(INSPECTED[pipeline])
    # More than one after the other, of the region, its inspectors and its executor.
    assert min(map(int, made.values())) > 1
    if pipeline == WITHIN_STEPS:
        command = [str(program), "moldyn"]
        late = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert (late.returncode, late.stderr) == (-signal.SIGABRT, "not enough memory\n")


def run(program: Path, limit: int | None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "OMP_NUM_THREADS": "2"}
    if limit is not None:
        environment["LIMIT"] = str(limit)
    return subprocess.run(
        [str(program)], capture_output=True, text=True, check=True, env=environment, timeout=60
    )
