"""Forms of C that become conditions: remainders by sizes, `switch`."""

from __future__ import annotations

from pathlib import Path

import pytest
from c_runs import check_same_output

HERE = Path(__file__).parent
PIPELINES = [(), ("--pluto-schedule", "--tile=5", "--mark-parallel"), ("--feautrier-schedule",)]


@pytest.mark.parametrize("options", PIPELINES)
def test_remainders_by_sizes(options: tuple[str, ...], tmp_path: Path) -> None:
    text = check_same_output(HERE / "rings.c", tmp_path, *options)
    if not options:
        ring = text.partition("static void ring(")[2].partition("\n}")[0]
        # Only in the original statements.
        assert "%" not in ring
        assert "a[i - 1] + a[i + 1]" in ring


@pytest.mark.parametrize("options", PIPELINES)
def test_switches(options: tuple[str, ...], tmp_path: Path) -> None:
    text = check_same_output(HERE / "switches.c", tmp_path, *options)
    kinds = text.partition("static void kinds(")[2].partition("\n}")[0]
    assert "switch" not in kinds
