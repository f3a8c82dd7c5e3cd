"""What `make check-kernels` says of a case: right, given up, different, or without an end."""

from __future__ import annotations

import pytest
from kernel_matrix import run
from kernel_matrix.cases import Case
from kernel_matrix.references import Reference, reference_of
from oracle import MISSING_TOOLS_REASON, mlir_opt_available

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

CASE = Case("jacobi-1d", "pluto-schedule,tile{sizes=4}", "c-checked", threads=1)


def test_right() -> None:
    references = {size: reference_of("jacobi-1d", size) for size in ("tiny", "odd", "mini")}
    outcome = run.run_case(CASE, references)
    assert outcome == run.Outcome(right=["tiny", "odd", "mini"])


def test_different() -> None:
    wrong = Reference(("", ""), 0.0)
    outcome = run.run_case(CASE, {"mini": reference_of("jacobi-1d", "mini"), "odd": wrong})
    assert outcome.right == ["mini"]
    assert outcome.failure.startswith("run of odd: ")


def test_given_up() -> None:
    case = Case("jacobi-1d", "tile{sizes=0}", "c", threads=1)
    assert run.run_case(case, {}).given_up.startswith("OptionError: ")


def test_endless(monkeypatch: pytest.MonkeyPatch) -> None:
    def for_ever(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr(run, "_compare", for_ever)
    monkeypatch.setattr(run, "COMPILATION_SECONDS", 1)
    assert run.run_case(CASE, {}).failure == "compilation does not end"
