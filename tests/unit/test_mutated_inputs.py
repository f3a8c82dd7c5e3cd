"""The tester of mutated inputs: each kind has results, and what ends the process is noticed."""

from __future__ import annotations

import os
import signal

import pytest
from fuzzing import inputs
from fuzzing.inputs import KINDS, poly_texts, run_in_child


def test_a_crash_is_noticed_at_its_input(monkeypatch: pytest.MonkeyPatch) -> None:
    def attempt(number: int) -> tuple[str, float]:
        if number == 12:
            os.kill(os.getpid(), signal.SIGKILL)
        return f"read {number}", 0.5

    monkeypatch.setattr(inputs, "try_number", attempt)
    found: list[tuple[str, float]] = []
    assert run_in_child(range(10, 15), lambda *each: found.append(each)) == 2
    assert found == [("read 10", 0.5), ("read 11", 0.5)]
    assert run_in_child(range(13, 15), lambda *each: found.append(each)) == 2


@pytest.mark.parametrize("name", KINDS)
def test_inputs_that_are_not_mutated_are_read(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for texts in ("INPUTS", "C_INPUTS", "EQUATIONS"):
        monkeypatch.setattr(inputs, texts, sorted(getattr(inputs, texts), key=len)[:4])
    poly_texts.cache_clear()
    kind = KINDS[name]
    outcomes = [kind.attempt(text) for text in kind.texts()[:4]]
    poly_texts.cache_clear()
    assert "read" in outcomes or (name == "C file" and "left" in outcomes)
