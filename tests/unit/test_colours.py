"""Diagnostics on a terminal: Clang's colours, and none where nobody wants them."""

from __future__ import annotations

import io
import sys

import pytest

from polyir.base.diagnostics import InputSyntaxError, SourceLocation, coloured, print_diagnostic

ERROR = InputSyntaxError("no such value", SourceLocation("a.mlir", 2, 3), "  %x").render()


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_an_error_with_a_caret() -> None:
    assert coloured(ERROR) == (
        "\x1b[1ma.mlir:2:3: \x1b[0m\x1b[1;31merror: \x1b[0m\x1b[1mno such value [syntax]\x1b[0m\n"
        "  %x\n  \x1b[1;32m^\x1b[0m"
    )


@pytest.mark.parametrize(
    ("text", "colour"),
    [("warning: a", 35), ("a.c:1:2: note: b: c", 36), ("a.c:1:2: remark: [tile] d", 34)],
)
def test_kinds(text: str, colour: int) -> None:
    assert f"\x1b[1;{colour}m" in coloured(text)


@pytest.mark.parametrize("text", ["polyir-cc: 1 region", "int error: 4", ""])
def test_other_texts_stay(text: str) -> None:
    assert coloured(text) == text


@pytest.mark.parametrize(
    ("variables", "stream", "expected"),
    [
        ({}, Terminal(), True),
        ({}, io.StringIO(), False),
        ({"NO_COLOR": "1"}, Terminal(), False),
        ({"TERM": "dumb"}, Terminal(), False),
        ({"FORCE_COLOR": "1"}, io.StringIO(), True),
    ],
)
def test_where_there_are_colours(
    variables: dict[str, str],
    stream: io.StringIO,
    expected: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stderr", stream)
    print_diagnostic(ERROR)
    assert ("\x1b[" in stream.getvalue()) is expected
