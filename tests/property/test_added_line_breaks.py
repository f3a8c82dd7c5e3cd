"""Line breaks that are added before a C file is read: nothing else changes, and they go again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from polyir.frontend.c.layout import line_origins, one_statement_a_line, rejoined, without_marks

PIECES = (
    *("for (int i = 0; i < n; i++) a[i] = 0;", "for (;;) { x; }", "while (k) ", "if (k) ", "else "),
    *("n++; ", "{ ", "} ", "\n", "\n  ", "// for ; \n", "/* for { */", '"for ; {" ', "'{'; "),
    *("#define L for (;;) { \\\n y; }\n", "#if 1\n", "#endif\n", "\r\n", "\t"),
)


@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join))
def test_breaks_are_added_and_go_again(text: str) -> None:
    broken = one_statement_a_line(text)
    plain = without_marks(broken)
    assert "".join(plain.split("\n")) == "".join(text.split("\n"))
    assert rejoined(broken, broken) == text
    lines, origins = text.split("\n"), line_origins(broken)
    parts = plain.split("\n")
    assert len(origins) == len(parts)
    for part, (line, column) in zip(parts, origins, strict=True):
        assert lines[line - 1][column:].startswith(part)


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=20).map("".join))
def test_what_was_replaced_stays_on_lines_of_its_own(text: str) -> None:
    """As if a region had taken the place of the last line."""
    broken = one_statement_a_line(text)
    before, found, _ = broken.rpartition("\x1f\n")
    if found:
        assert rejoined(f"{before}{found}#new", broken).endswith("\n#new")
