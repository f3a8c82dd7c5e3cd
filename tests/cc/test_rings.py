"""Subscripts that go round: remainders by sizes become selections, and loops are split there."""

from __future__ import annotations

from pathlib import Path

import pytest
from c_runs import check_same_output

SOURCE = Path(__file__).parent / "rings.c"


@pytest.mark.parametrize(
    "options",
    [(), ("--pluto-schedule", "--tile=5", "--mark-parallel"), ("--feautrier-schedule",)],
)
def test_remainders_by_sizes(options: tuple[str, ...], tmp_path: Path) -> None:
    text = check_same_output(SOURCE, tmp_path, *options)
    if not options:
        ring = text.partition("static void ring(")[2].partition("\n}")[0]
        # Only in the original statements.
        assert "%" not in ring
        assert "a[i - 1] + a[i + 1]" in ring
