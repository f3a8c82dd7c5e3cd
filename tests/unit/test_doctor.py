"""`polyir doctor` tries what it names, and says how to get what is missing."""

from __future__ import annotations

import re
from importlib.metadata import requires

import pytest

from polyir.tools import doctor

# Not for users.
OTHER_EXTRAS = {"dev", "docs", "release"}


def test_every_extra_has_a_purpose() -> None:
    markers = (re.search(r"""extra == ["'](\w+)["']""", text) for text in requires("polyir") or ())
    assert {found[1] for found in markers if found} - OTHER_EXTRAS == set(doctor.EXTRAS)


def test_what_works_is_tried(capfd: pytest.CaptureFixture[str]) -> None:
    assert doctor.main(["doctor"]) == 0
    works, _, machine = capfd.readouterr().out.partition(
        "the machine that --optimize compiles for:"
    )
    assert re.search(r"^  C compiler +/\S+: .*; OpenMP runs [1-9]\d* threads$", works, re.M)
    assert re.search(r"^  \d+ cores, caches of ", machine, re.M)


def test_what_is_missing_has_advice(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(doctor, "_packages_of", lambda extra: [f"no-package-for-{extra}"])
    assert doctor.main(["doctor"]) == 1
    missing = capfd.readouterr().out.partition("these are missing:")[2]
    assert re.search(
        r"^  C compiler +for: runs .*\n +no C compiler found \(tried no-such-compiler\)\n"
        r" +to get it: apt-get install gcc, or set CC$",
        missing,
        re.M,
    )
    assert "missing: no-package-for-jit\n" in missing
    assert "to get it: pip install 'polyir[jit]'" in missing


def test_other_commands_are_named(capfd: pytest.CaptureFixture[str]) -> None:
    assert doctor.main([]) == 1
    assert capfd.readouterr().err == (
        "error: the only command of polyir is doctor; polyir-cc and polyir-opt compile "
        "[bad-option]\n"
    )
