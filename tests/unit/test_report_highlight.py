"""How texts are coloured: escaped, with one element for neighbours of a colour."""

from __future__ import annotations

import re
from html import unescape

import pytest

from polyir.report.highlight import highlighted

C = 'if (a < b) /* x\n & y */ s = "<\\n>";\n\nint z = 0x1f;'
MLIR = "func.func @f(%a: memref<?xf64>) { // <b> one\n  %0 = affine.load %a[3]\n"


@pytest.mark.parametrize(("text", "language"), [(C, "c"), (MLIR, "mlir"), ("\n\n", "c"), ("", "c")])
def test_the_text_is_what_it_was(text: str, language: str) -> None:
    lines = highlighted(text, language)
    plain = [unescape(re.sub(r"</?i[^>]*>", "", line)) for line in lines]
    assert plain == text.removesuffix("\n").split("\n")


@pytest.mark.parametrize("language", ["c", "mlir"])
def test_carriage_returns_begin_no_line(language: str) -> None:
    assert highlighted("x\r\n\r\n  y\rz\r\n", language) == ["x", "", "  y z"]


def test_neighbours_of_a_colour_are_one_element_and_plain_tokens_none() -> None:
    (line,) = highlighted("long x; // of <three> words\n", "c")
    assert line == "<i class=t>long</i> x; <i class=c>// of &lt;three&gt; words</i>"
    (both,) = highlighted("unsigned long", "c")
    assert both == "<i class=t>unsigned long</i>"


def test_a_comment_of_two_lines_has_a_colour_in_each() -> None:
    assert highlighted("/* a\nb */", "c") == ["<i class=c>/* a</i>", "<i class=c>b */</i>"]
