"""Text of the input never becomes markup of a report: names, attributes, comments, errors."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from browser import Browser, headless
from suites import rarely

from polyir.report import report_page
from polyir.report.recording import Recording
from polyir.tools import polyir_opt

pytest.importorskip("jinja2")
pytest.importorskip("pygments")

EVIL = "</script></style><img src=x onerror=\"document.title='hacked'\">{{ 7 * 6 }}'{% if %}&amp;"
QUOTED = EVIL.replace('"', '\\"')
PROGRAM = f"""\
// {EVIL}
func.func @"{QUOTED}"(%n: index, %A: memref<?xf64>) attributes {{"{QUOTED}" = "{QUOTED}"}} {{
  affine.for %i = 1 to %n {{
    %0 = affine.load %A[%i - 1] : memref<?xf64>
    affine.store %0, %A[%i] : memref<?xf64>
  }}
  return
}}
"""
C_TEXT = f'/* {EVIL} */\nconst char *text = "{QUOTED}";  // {EVIL}\n'


class Elements(HTMLParser):
    """The tags of a page, its attributes by name, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += (name for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


def evil_pages(folder: Path) -> Iterator[tuple[str, str]]:
    """Pages of compilations of evil texts, each with a text that it must show."""
    path = folder / f"{EVIL.replace('/', '')}.mlir"
    path.write_text(PROGRAM)
    report = folder / "report.html"
    options = ("--poly-raise", "--poly-dependences", "--emit=none", f"--report={report}")
    assert polyir_opt.main([*options, str(path)]) == 0
    yield report.read_text(), path.name
    path.write_text(PROGRAM.replace("affine.store", f"{EVIL}\n affine.store"))
    assert polyir_opt.main([*options, str(path)]) == 1
    yield report.read_text(), EVIL
    yield (
        report_page(Recording(C_TEXT, f"{EVIL}.c", error=f"{EVIL}: error: {EVIL}")),
        f"/* {EVIL} */",
    )


def test_pages_have_no_markup_of_the_input(tmp_path: Path) -> None:
    clean = Elements(report_page(Recording()))
    for page, shown in evil_pages(tmp_path):
        found = Elements(page)
        for tag in ("script", "style"):
            assert found.tags.count(tag) == clean.tags.count(tag) > 0
        assert "img" not in found.tags
        assert not [name for name in found.attributes if name.startswith("on")]
        assert shown in found.text
        assert EVIL in found.text


@pytest.mark.parametrize("name", ["chromium", rarely("firefox")])
def test_no_script_of_the_input_runs(tmp_path: Path, name: str) -> None:
    with headless(name) as browser:
        for number, (page, shown) in enumerate(evil_pages(tmp_path)):
            path = tmp_path / f"page-{number}.html"
            path.write_text(page)
            browser.open(path)
            _look_at_all(browser)
            assert browser.driver.title != "hacked"
            assert browser.all("img") == []
            text = browser.script("return document.body.textContent")
            assert shown in text
            assert browser.problems() == []


def _look_at_all(browser: Browser) -> None:
    browser.script(
        "for (const step of document.querySelectorAll('button.pass, [role=tab]')) step.click();"
        "for (const each of document.querySelectorAll('main *, aside *'))"
        "  each.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));"
    )
