"""The C of a report is that of the output: new statements of regions, and what they call."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from polyir.tools import polyir_cc

pytest.importorskip("jinja2")
pytest.importorskip("pygments")

# Types of all kinds, checks of pointers, unused variables, members, a name that a helper has.
REGIONS = """\
struct grid { int n; double *values; };
static int polyir_min(int a) { return a; }

void longs(long n, double A[n][n]) {
#pragma scop
  for (long t = 0; t < n; t++)
    for (long i = 1; i < n - 1; i++)
      A[0][i] = A[0][i - 1] + A[0][i + 1];
#pragma endscop
}

void pointers_that_may_overlap(int n, float *x, const unsigned char *y) {
#pragma scop
  for (int i = 0; i < n; i++)
    x[i] = y[i] * 2.0f;
#pragma endscop
}

void locals(unsigned n, short *restrict x) {
  int unused;
#pragma scop
  for (unused = 0; unused < 100; unused++)
    x[unused] = (short)(x[unused] + n);
#pragma endscop
}

void members(struct grid *g, double s) {
#pragma scop
  for (int i = 1; i < g->n; i++)
    g->values[i] = s * g->values[i - 1];
#pragma endscop
}

void two(int n, double *restrict x, long *restrict y) {
#pragma scop
  for (int i = 0; i < n; i++)
    x[i] = 1;
#pragma endscop
#pragma scop
  for (int i = 0; i < n; i++)
    y[i] = 1;
#pragma endscop
}
"""
MATRIX = """\
void matrix(int n, double A[n][n], double B[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i][j] += B[j][i];
}

void vector(int n, double A[n], double s) {
  for (int i = 0; i < n; i++)
    A[i] *= s;
}
"""
BEFORE, ELSEWHERE = "// Before the function that this is in:\n\n", "// In the other file:\n\n"


def translated(folder: Path, text: str, *options: str) -> tuple[str, str, list[str]]:
    """The output, the file beside it, and the C of the last step of each region on the page."""
    source, output, page = folder / "in.c", folder / "out.c", folder / "page.html"
    source.write_bytes(text.encode())
    arguments = [*options, str(source), "-o", str(output), f"--report={page}", "--quiet"]
    assert polyir_cc.main(arguments) == 0
    others = [each.read_text() for each in folder.glob("out_*.c")]
    return output.read_bytes().decode(), "".join(others), last_texts(page.read_text())


def last_texts(page: str) -> list[str]:
    found: dict[str, str] = {}
    for section in page.split('<section class="step')[1:]:
        title = re.findall("<h2>(lines? .*?): ", section)
        panel = re.findall(r'data-view="c".*?<pre class="code">(.*?)</pre>', section, re.DOTALL)
        for text in panel:
            found[title[0]] = unescape(re.sub("<[^>]*>", "", text))
    return list(found.values())


def require_in_output(shown: str, output: str, other: str) -> None:
    shown, _, elsewhere = shown.partition(ELSEWHERE)
    statements, _, called = shown.partition(BEFORE)
    assert statements.strip("\n") in output
    for definition in filter(None, called.strip("\n").split("\n\n")):
        assert definition in output
    assert elsewhere.strip("\n") in other


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_regions_are_as_in_the_output(tmp_path: Path, ending: str) -> None:
    text = REGIONS.replace("\n", ending)
    output, other, shown = translated(tmp_path, text, "--pluto-schedule", "--tile=8")
    assert len(shown) == 6
    for each in shown:
        require_in_output(each, output.replace("\r\n", "\n"), other)
    assert not any("int64_t" in each for each in shown)
    assert "for (long t" in shown[0]
    # The file has a function of this name.
    assert "polyir_min_1(" in shown[0]
    assert "polyir_disjoint(" in shown[1]


def test_a_region_that_optimize_changed_is_as_in_the_output(tmp_path: Path) -> None:
    output, other, shown = translated(tmp_path, MATRIX, "--optimize=threads=2 strategy=parallel")
    assert len(shown) == 2
    for each in shown:
        require_in_output(each, output, other)
        assert "#pragma omp" in each
    assert "simdlen" in shown[1]


def test_a_region_that_is_left_has_the_reason(tmp_path: Path) -> None:
    source, page = tmp_path / "in.c", tmp_path / "page.html"
    source.write_text(MATRIX)
    options = ["--tile-symbolic", "-o", "/dev/null", f"--report={page}"]
    assert polyir_cc.main([*options, str(source)]) == 2
    matrix, vector = last_texts(page.read_text())
    assert matrix.startswith("// symbolic tile sizes are further arguments of a function")
    assert vector.startswith("// [tile-symbolic] nothing was tiled")


@pytest.mark.parametrize(
    ("options", "called"),
    [
        (("--target=opencl",), "__kernel void"),
        (("--mpi", "--assume-no-alias"), "MPI_"),
    ],
)
def test_functions_in_another_file_are_as_there(
    tmp_path: Path, options: tuple[str, ...], called: str
) -> None:
    output, other, shown = translated(tmp_path, MATRIX, *options)
    assert called in other
    for number, each in enumerate(shown):
        statements, _, elsewhere = each.partition(ELSEWHERE)
        require_in_output(statements, output, other)
        assert called in elsewhere
        # The name of the function is the one that the output calls.
        (name,) = re.findall(rf"\n +(\w+_in_{number})\(", statements)
        assert f"void {name}(" in elsewhere
        assert f"void {name}(" in other
