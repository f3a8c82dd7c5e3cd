"""The overview of a report of a C file: what was done, or why something was left."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from polyir.tools import polyir_cc

pytest.importorskip("jinja2")
pytest.importorskip("pygments")

DONE = """\
void done(int n, double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++)
    x[i] = 2 * y[i];
}
"""
PRAGMAS = """\
void pragmas(int n, double *restrict x, double *restrict y) {
#pragma scop
  for (int i = 0; i < n; i++)
    x[i] = 2 * y[i];
#pragma endscop
}
"""
POINTERS = """\
void pointers(int n, double *restrict x, double ***y) {
  for (int i = 0; i < n; i++)
    x[i] = y[i][0][0];
}
"""
WHILE = """\
void changing(int n, double *x) {
#pragma scop
  while (n > 0)
    x[n--] = 1;
#pragma endscop
}
"""
UNREAD = """\
int unread(int n) {
  int inner(int x) { return x; }
  for (int i = 0; i < n; i++)
    n = inner(n);
  return n;
}
"""
OUTSIDE = """\
#pragma scop
int x;
#pragma endscop
"""
BEST = "the original order, which is best"
SEQUENTIAL = "sequential"


def rows(page: str) -> list[list[str]]:
    """The cells of the overview."""
    found = re.findall(r'<details class="overview" open>(.*?)</details>', page, re.DOTALL)
    cells = [re.findall("<td>(.*?)</td>", row) for row in found[0].split("<tr>")[2:]]
    return [[unescape(re.sub("<[^>]*>", "", cell)) for cell in row] for row in cells]


@pytest.mark.parametrize(
    ("text", "options", "code", "expected"),
    [
        (
            DONE + POINTERS + DONE,
            ["--optimize=threads=1"],
            0,
            [
                ["lines 2 to 3", BEST, SEQUENTIAL, ""],
                ["line 7", "nothing", "", "'y', an array of pointers"],
                ["lines 10 to 11", BEST, SEQUENTIAL, ""],
            ],
        ),
        (
            PRAGMAS + WHILE + PRAGMAS,
            ["--pluto-schedule", "--mark-parallel"],
            2,
            [
                ["lines 2 to 5", "pluto-schedule, mark-parallel", "parallel", ""],
                ["lines 8 to 11", "nothing", "", "a while loop"],
                ["lines 14 to 17", "pluto-schedule, mark-parallel", "parallel", ""],
            ],
        ),
        (
            WHILE,
            ["--optimize"],
            2,
            [["lines 2 to 5", "nothing", "", "a while loop"]],
        ),
        (
            UNREAD + DONE,
            ["--tile=sizes=8 min-width=1"],
            0,
            [["line 2", "nothing", "", ""], ["lines 8 to 9", "tile", SEQUENTIAL, ""]],
        ),
        (
            OUTSIDE + PRAGMAS,
            ["--tile=sizes=8 min-width=1"],
            2,
            [
                ["line 1", "nothing", "", "inside a function"],
                ["lines 5 to 8", "tile", SEQUENTIAL, ""],
            ],
        ),
    ],
)  # fmt: skip
def test_rows(
    tmp_path: Path, text: str, options: list[str], code: int, expected: list[list[str]]
) -> None:
    source, page = tmp_path / "in.c", tmp_path / "page.html"
    source.write_text(text)
    arguments = [*options, str(source), "-o", "/dev/null", f"--report={page}", "--quiet"]
    assert polyir_cc.main(arguments) == code
    found = rows(page.read_text())
    assert [row[:3] for row in found] == [row[:3] for row in expected]
    for row, wanted in zip(found, expected, strict=True):
        assert wanted[3] in row[3]
    assert 'role="alert"' not in page.read_text()
