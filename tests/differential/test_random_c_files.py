"""Random C functions with parameters in memory, under sanitizers, before and after polyir-cc."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzzing import c_files
from fuzzing.c_files import DEFAULT, OTHERS, try_functions
from fuzzing.c_programs import random_function
from suites import examples

NUMBERS = (155, 1, 147, 826)[: examples(1, 4)]
"""All but 1 have extents that are fractions, and bounds in terms of other dimensions only."""


def test_equal_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c_files, "STEP_SECONDS", 0)
    functions = [random_function(number) for number in NUMBERS]
    outcome = try_functions(functions, (DEFAULT, *OTHERS[:3]), tmp_path)
    assert outcome.failures == []
    assert outcome.calls >= 2 * len(NUMBERS)
    assert outcome.regions["transformed"] >= len(NUMBERS)
