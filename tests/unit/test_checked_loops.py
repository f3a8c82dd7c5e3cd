"""The checks of generated loops do not give up on the programs that are hardest for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyir import api
from polyir.base.checked import checks_required

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
TILED = "pluto-schedule,tile{sizes=32},wavefront"
DIAMONDS = "pluto-schedule,diamond-tile"


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("program", "pipeline"),
    [
        ("beyond/red-black", TILED),
        ("beyond/lbm-d2q9", TILED),
        ("polybench/fdtd-2d", TILED),
        ("polybench/jacobi-2d", DIAMONDS),
    ],
)
def test_all_is_checked(program: str, pipeline: str) -> None:
    module = api.parse((BENCHMARKS / f"{program}.mlir").read_text())
    with checks_required():
        api.lower(api.run_pipeline(module, pipeline))
