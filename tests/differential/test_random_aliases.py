"""Random C programs with pointers, which alias or not: equal results before and after polyir-cc."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzzing import aliases
from fuzzing.aliases import BATCH, try_file
from suites import examples

COUNT = examples(15, BATCH)


def test_equal_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aliases, "STEP_SECONDS", 0)
    outcome = try_file(range(7000, 7000 + COUNT), tmp_path)
    assert outcome.different == ()
    # Most are transformed, and most of these need a check.
    assert outcome.regions["checked"] >= COUNT // 3
    assert outcome.regions["shown aliases"] > 0
