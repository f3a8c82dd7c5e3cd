"""What a report shows of a compilation that a violated dependence ended."""

from __future__ import annotations

import re
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
