"""What a report shows of a compilation that failed, and what makes a report fail."""

from __future__ import annotations

import re
import sys
from html import unescape
from pathlib import Path

import pytest

from polyir.tools.polyir_opt import main

pytest.importorskip("jinja2")
pytest.importorskip("pygments")

SUMS = """
func.func @sums(%n: index, %A: memref<?x?xf64>, %X: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %x = affine.load %X[%i] : memref<?xf64>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %s = arith.addf %x, %a : f64
      affine.store %s, %X[%i] : memref<?xf64>
    }
  }
  return
}
"""
CALLS = """
func.func private @g(%x: f64)
func.func @f(%n: index, %x: f64) {
  affine.for %i = 0 to %n {
    func.call @g(%x) : (f64) -> ()
  }
  return
}
"""
UNDEFINED = """
affine shift [N] -> {: N > 0}
    inputs
        A : [N]
    outputs
        X : [N]
    let
        X[i] = A[i + 1];
.
"""
ROW = "violated by what follows: "
IN_ORDER = "S0[0, 0] must run before S0[0, 1] (n = 2)"


def violated_rows(page: Path) -> list[str]:
    """The dependences that are marked in the last step, each with what is said of it."""
    last = page.read_text().rpartition('<section class="step')[2]
    rows = re.findall(r'<tbody class="violated".*?</tbody>', last, re.DOTALL)
    found = []
    for row in rows:
        keys = re.findall(r'<td class="key">(\w+)</td>', row)
        (told,) = re.findall(f"{ROW}(.*)</div>", row)
        found.append(f"{' '.join(keys)}: {unescape(told)}")
    return found


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (("--reverse=loop=S0.1",), IN_ORDER),
        (("--mark-parallel=loops=S0.1",), IN_ORDER),
        (
            ("--poly-dependences=reassociate", "--mark-parallel=loops=S0.1"),
            "S0[0, 0] and S0[0, 1] must not run at once (n = 2)",
        ),
    ],
)
def test_a_pass_that_is_refused(
    flags: tuple[str, ...], expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, page = tmp_path / "sums.mlir", tmp_path / "sums.html"
    source.write_text(SUMS)
    assert main([*flags, "--emit=none", f"--report={page}", str(source)]) == 1
    assert expected in capsys.readouterr().err
    # Raising and analysis are not lost with the pass that began with them.
    assert "<h2>poly-dependences" in page.read_text()
    (row,) = violated_rows(page)
    assert row.endswith(f" X: {expected}")


@pytest.mark.parametrize(
    ("old", "new"),
    [("[(j)]", "[(-j)]"), ("coincident [true, false]", "coincident [true, true]")],
    ids=["order", "claim"],
)
def test_a_tree_that_was_edited_by_hand(
    old: str, new: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, page = tmp_path / "sums.mlir", tmp_path / "sums.html"
    source.write_text(SUMS)
    assert main(["--pluto-schedule", "--emit=poly", str(source)]) == 0
    edited = capsys.readouterr().out
    assert old in edited
    source.write_text(edited.replace(old, new))
    assert main(["--check-schedule", "--emit=none", f"--report={page}", str(source)]) == 1
    (row,) = violated_rows(page)
    assert row.endswith(f" X: {IN_ORDER}")


def test_what_is_not_to_be_checked_is_not_checked_for_a_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, page = tmp_path / "sums.mlir", tmp_path / "sums.html"
    source.write_text(SUMS)
    assert main(["--pluto-schedule", "--emit=poly", str(source)]) == 0
    source.write_text(capsys.readouterr().out.replace("[(j)]", "[(-j)]"))
    options = ["--emit=none", f"--report={page}", str(source)]
    for flags, is_refused in (["--no-check"], False), ([], True):
        assert main([*flags, *options]) == 0
        assert ("the schedule violates" in page.read_text()) == is_refused


def test_equations_that_cannot_be_raised_have_a_page(tmp_path: Path) -> None:
    source, page = tmp_path / "shift.alpha", tmp_path / "shift.html"
    source.write_text(UNDEFINED)
    assert main(["--equations-to-scop", "--emit=none", f"--report={page}", str(source)]) == 1
    # The error, and why there is no text with schedule trees and no C.
    assert page.read_text().count("is used outside its domain") == 3


def test_a_report_repeats_no_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, page = tmp_path / "calls.mlir", tmp_path / "calls.html"
    source.write_text(CALLS)
    assert main(["--pluto-schedule", "--emit=none", f"--report={page}", str(source)]) == 0
    assert capsys.readouterr().err.count("has no scop") == 1


@pytest.mark.parametrize("is_missing", [True, False])
def test_a_report_that_cannot_be_made_is_an_error_first(
    is_missing: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    page, expected = tmp_path / "none" / "sums.html", "error: cannot write '"
    if is_missing:
        page, expected = tmp_path / "sums.html", "error: a report needs jinja2 (pip install"
        monkeypatch.setitem(sys.modules, "jinja2", None)
        monkeypatch.delitem(sys.modules, "polyir.report.page", raising=False)
    assert main(["--reverse=S0.1", f"--report={page}", str(tmp_path / "sums.mlir")]) == 1
    assert capsys.readouterr().err.startswith(expected)


def test_what_the_target_says_is_on_the_page(tmp_path: Path) -> None:
    source, page = tmp_path / "calls.mlir", tmp_path / "calls.html"
    source.write_text(CALLS)
    assert main(["--emit=poly", f"--report={page}", str(source)]) == 0
    assert page.read_text().count("@f has no scop") == 1
