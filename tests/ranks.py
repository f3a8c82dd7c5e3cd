"""Programs on ranks of MPI, for tests; without MPI, these are skipped, and say why."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from polyir.runtime.mpi import has_mpi
from polyir.runtime.ranks import run_ranks

needs_mpi = pytest.mark.skipif(not has_mpi(), reason="there is no mpicc and no mpiexec")

needs_mpi4py = pytest.mark.skipif(
    not has_mpi() or importlib.util.find_spec("mpi4py") is None,
    reason="there is no mpicc, no mpiexec or no mpi4py",
)

TIME_LIMIT = 120.0
"""How many seconds ranks get in a test: a deadlock is a failure."""


def python_on_ranks(script: Path, ranks: int) -> str:
    """What a Python script prints on so many ranks. Raises `RanksError`."""
    return run_ranks([sys.executable, str(script)], ranks, TIME_LIMIT)
