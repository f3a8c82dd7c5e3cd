"""The gallery of reports has all examples."""

from __future__ import annotations

from html import unescape
from pathlib import Path

import gallery


def entries() -> list[gallery.Entry]:
    return [each for section in gallery.SECTIONS.values() for each in section]


def test_all_examples_have_a_report() -> None:
    paths = sorted(gallery.EXAMPLES.rglob("*.mlir"))
    expected = {
        str(path.relative_to(gallery.EXAMPLES).with_suffix(""))
        for path in paths
        if "plugin" not in path.parts
    }
    found = [each.path for each in entries()]
    assert set(found) == expected
    assert len(found) == len(expected) == len({each.page for each in entries()})


def test_a_report_and_the_index_are_written(tmp_path: Path) -> None:
    first = entries()[0]
    page = gallery.write(first, tmp_path).read_text()
    assert "<title>stencil-1d.mlir - polyir</title>" in page
    index = gallery.index()
    for each in entries():
        assert f'<a href="{each.page}">' in index
    assert " '--sparse-tile=tile=100 sweeps=4' " in unescape(index)
