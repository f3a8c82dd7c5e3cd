"""Emitted C that checks index arrays ends with a message where they are wrong."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from irregular_programs import PROGRAMS
from sparse_matrices import GENERATORS

import polyir

SCRIPT = """
import sys
import numpy as np
import polyir
sys.path.insert(0, "benchmarks")
from irregular_programs import PROGRAMS
from sparse_matrices import GENERATORS

program = PROGRAMS["gauss-seidel"]
text = program.path.read_text()
module = polyir.compile(text, pipeline=sys.argv[1], backend="c", check_indices=False)
random = np.random.default_rng(1)
given = program.arguments(GENERATORS["graph"](50, random), random, 2)
given["col"][7] = 50
module.gauss_seidel(**given)
"""

PIPELINES = ("check-indices", "check-indices,inspect-wavefronts")


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_program_ends(pipeline: str) -> None:
    command = [sys.executable, "-c", SCRIPT, pipeline]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode < 0
    assert "18:20: 'col' has 50 at [7], but 'u' has 50 elements" in done.stderr


@pytest.mark.parametrize("name", PROGRAMS)
def test_right_index_arrays_pass(name: str) -> None:
    program = PROGRAMS[name]
    text = program.path.read_text()
    random = np.random.default_rng(1)
    given = program.arguments(GENERATORS["power-law"](60, random), random, 2)
    other = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in given.items()}
    plain = polyir.compile(text, pipeline="", check_indices=False)
    checked = polyir.compile(text, pipeline="check-indices", backend="c")
    assert f"{program.function}_indices(" in checked.source
    plain[program.function](**given)
    checked[program.function](**other)
    assert all(np.array_equal(value, other[name]) for name, value in given.items())
