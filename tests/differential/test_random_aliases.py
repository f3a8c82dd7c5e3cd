"""Random C programs with pointers, which alias or not: equal results before and after polyir-cc."""

from __future__ import annotations

from pathlib import Path

from fuzzing.aliases import BATCH, try_file


def test_equal_results(tmp_path: Path) -> None:
    outcome = try_file(range(7000, 7000 + BATCH), tmp_path)
    assert outcome.different == ()
    # Most are transformed, and most of these need a check.
    assert outcome.regions["checked"] >= BATCH // 3
    assert outcome.regions["shown aliases"] > 0
