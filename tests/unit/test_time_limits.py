"""Time decides nothing: with any limit, a run prints the same text, or ends with an error."""

from __future__ import annotations

from pathlib import Path

import pytest
from suites import rarely

from polyir.tools.polyir_opt import main

KERNELS = Path(__file__).parents[2] / "benchmarks" / "polybench"
LIMITS = ("20", "1", "0.02")


@pytest.mark.parametrize("kernel", [rarely("adi"), "atax"])
def test_the_same_text_or_an_error(
    kernel: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts: list[str] = []
    for limit in LIMITS:
        output = tmp_path / f"{limit}.c"
        arguments = ["--optimize", "--emit=c", f"--time-limit={limit}", "-o", str(output)]
        code = main([*arguments, str(KERNELS / f"{kernel}.mlir")])
        errors = capsys.readouterr().err
        if code == 0:
            texts.append(output.read_text())
            assert "--time-limit" not in errors
        else:
            assert f"takes more than {limit} s of processor time (--time-limit)" in errors
            assert not output.exists()
    assert 1 <= len(texts) < len(LIMITS)
    assert len(set(texts)) == 1
