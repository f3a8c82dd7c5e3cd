"""Large and deep programs end in a result or in a clear refusal, with bounded memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from scaling import chain, nest, wide

from polyir import api
from polyir.base.diagnostics import RemarkKind, remarks_to
from polyir.base.limits import TimeLimitError, time_limited_to

SCHEDULERS = ("pluto-schedule", "isl-schedule", "feautrier-schedule", "isl-builtin-schedule")
PROGRAMS = {"chain": chain(60), "nest": nest(12), "wide": wide(60)}


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_result_or_refusal(name: str, scheduler: str) -> None:
    missed: list[str] = []
    with (
        time_limited_to(0.5),
        remarks_to(lambda remark: missed.append(remark.message) if is_missed(remark) else None),
    ):
        module = api.run_pipeline(api.parse(PROGRAMS[name]), "poly-dependences")
        try:
            result = api.run_pipeline(module, scheduler)
        except TimeLimitError:
            return
    if result.is_structurally_equivalent(module):
        assert any("takes isl more than" in message for message in missed)


@pytest.mark.parametrize("name", PROGRAMS)
def test_memory(name: str, tmp_path: Path) -> None:
    """In a process of its own that may have a gibibyte: this one has run other tests."""
    path = tmp_path / "in.mlir"
    path.write_text(PROGRAMS[name])
    passes = [f"--{scheduler}" for scheduler in SCHEDULERS]
    options = [*passes, "-o", str(tmp_path / "out.mlir")]
    command = [sys.executable, "-m", "polyir.tools.polyir_opt", *options, str(path)]
    subprocess.run(["bash", "-c", 'ulimit -d 1048576; exec "$@"', "bash", *command], check=True)


def is_missed(remark: object) -> bool:
    return getattr(remark, "kind", None) is RemarkKind.MISSED
