"""The report of a C file in a browser: its overview, the passes of `optimize`, its estimates."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import CONTRASTS, Browser, headless
from suites import rarely

from polyir.tools import polyir_cc

pytest.importorskip("jinja2")
pytest.importorskip("pygments")

PROGRAM = """\
void left(int n, double *restrict x, double ***y) {
  for (int i = 0; i < n; i++)
    x[i] = y[i][0][0];
}

void stencil(long n, long steps, double *restrict A, double *restrict B) {
  for (long t = 0; t < steps; t++) {
    for (long i = 1; i < n - 1; i++)
      B[i] = A[i - 1] + A[i + 1];
    for (long i = 1; i < n - 1; i++)
      A[i] = B[i];
  }
}
"""
VIEW = "section.step:not([hidden]) .view:not([hidden])"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    source, page = folder / "stencil.c", folder / "stencil.html"
    source.write_text(PROGRAM)
    options = ["--optimize=threads=2 strategy=tiles", "--quiet", "-o", "/dev/null"]
    assert polyir_cc.main([*options, f"--report={page}", str(source)]) == 0
    return page


@pytest.fixture(params=["chromium", rarely("firefox")])
def opened(request: pytest.FixtureRequest, page: Path) -> Iterator[Browser]:
    with headless(request.param) as browser:
        browser.width(1280)
        browser.open(page)
        yield browser
        assert browser.problems() == []


def title(browser: Browser) -> str:
    (text,) = browser.texts("section.step:not([hidden]) h2")
    return text


def test_overview_steps_and_estimates(opened: Browser) -> None:
    """One test, since it is the browser that takes time to start."""
    # It opens on the overview and the first step, although something was left.
    assert title(opened) == "lines 7 to 12: input"
    parts = opened.texts(".overview td:first-child")
    assert parts == ["line 3", "lines 7 to 12"]
    assert not opened.all("[role=alert]")
    # The last step of a region has the estimates.
    (button,) = opened.shown(".overview button")
    button.click()
    assert title(opened).startswith("lines 7 to 12: optimize")
    (row,) = opened.texts(f"{VIEW} .strategies tr:nth-child(2) td:first-child")
    assert row == "tiles"
    for scheme in ("light", "dark"):
        opened.media(scheme=scheme)
        assert opened.script(CONTRASTS) == {}
    opened.width(400)
    assert opened.script("return document.documentElement.scrollWidth") <= 400
    opened.width(1280)
    # Each of its passes has a tree, dependences, and a picture.
    names = opened.texts("button.pass > span")
    tiled = next(n for n, name in enumerate(names) if name.startswith("tile"))
    assert tiled < names.index("lower-poly") < len(names) - 1
    opened.script(
        "document.querySelector(`button.pass[data-step='${arguments[0]}']`).click()", tiled
    )
    assert "band of" in opened.texts(f"{VIEW} .trees")[0]
    opened.script("document.querySelector('#tab-dependences').click()")
    assert "flow" in opened.texts(VIEW)[0]
    opened.script("document.querySelector('#tab-pictures').click()")
    assert opened.shown(f"{VIEW} canvas")
    opened.script("document.querySelector('#tab-c').click()")
    assert "for (long " in opened.texts(VIEW)[0]
