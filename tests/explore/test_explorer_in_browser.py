"""`polyir-explore` in a browser, with the keyboard alone: changes, refusals, commands."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from browser import CONTRASTS, Browser, headless
from firefox import wait_for
from suites import rarely

from polyir.tools import polyir_opt

pytest.importorskip("jinja2")
pytest.importorskip("pygments")

ROOT = Path(__file__).parents[2]
POLYBENCH = ROOT / "benchmarks" / "polybench"
ENTER, TAB, CONTROL = "\ue007", "\ue004", "\ue009"

FOCUSED = "return document.activeElement.innerText"
IDLE = "return !document.body.hasAttribute('aria-busy')"
ACTIONS = """
return Object.fromEntries([...document.querySelectorAll("#list li")].map((item) => {
  const button = item.querySelector("button");
  const why = item.querySelector(".why")?.innerText ?? "";
  return [button.innerText, [button.getAttribute("aria-disabled") === "true", why]];
}));
"""
EDITOR = "document.querySelector('.CodeMirror').CodeMirror"
TREE = "#tree .line"
WORDS = "return document.querySelector('#picture output').innerText"
CODE = "return document.querySelector('#panel-0-c pre').textContent"


@pytest.fixture(scope="module", params=["chromium", rarely("firefox")])
def browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    with headless(request.param) as started:
        yield started


@contextmanager
def explorer(browser: Browser, file: Path) -> Iterator[None]:
    """The page of a program, from the tool itself."""
    command = (sys.executable, "-m", "polyir.tools.polyir_explore", "--no-browser", file)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as tool:
        assert tool.stdout is not None
        try:
            browser.problems()
            browser.driver.get(tool.stdout.readline().strip())
            settle(browser)
            yield
            assert browser.problems() == []
        finally:
            tool.terminate()


def settle(browser: Browser) -> None:
    """Wait for the answer to what was asked for last."""
    wait_for(lambda: bool(browser.script(IDLE)))


def go_to(browser: Browser, text: str) -> None:
    """Press Tab until an element has the focus whose text begins as given."""
    for _ in range(200):
        if browser.script(FOCUSED).startswith(text):
            return
        browser.press(TAB)
    pytest.fail(f"Tab does not lead to {text}")


def choose(browser: Browser, loop: str) -> dict[str, tuple[bool, str]]:
    """Choose a loop; the actions, whether each is refused, and why."""
    # Past the end of the page, Tab leads to buttons of the browser, and keys do nothing here.
    browser.script(f"{EDITOR}.focus()")
    do(browser, loop)
    found: dict[str, tuple[bool, str]] = browser.script(ACTIONS)
    return found


def do(browser: Browser, action: str) -> None:
    """Press Enter on what is so called."""
    go_to(browser, action)
    browser.press(ENTER)
    settle(browser)


def require_same_text(browser: Browser, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command of the page prints the code of the page."""
    tool, *arguments = shlex.split(browser.texts("#command")[0])
    assert (tool, arguments[-1]) == ("polyir-opt", file.name)
    assert polyir_opt.main([*arguments[:-1], str(file)]) == 0
    assert capsys.readouterr().out.rstrip() == browser.script(CODE).rstrip()


@pytest.mark.matrix
def test_gemm_is_tiled_and_parallel(browser: Browser, capsys: pytest.CaptureFixture[str]) -> None:
    file = POLYBENCH / "gemm.mlir"
    with explorer(browser, file):
        for action in (
            "Pluto's schedule",
            "Tile all permutable bands by 32",
            "Mark parallel loops",
        ):
            do(browser, action)
        assert len(browser.texts("#steps li")) == 3
        assert "#pragma omp parallel for" in browser.script(CODE)
        assert any("tiles of 32" in line for line in browser.texts(TREE))
        require_same_text(browser, file, capsys)
        do(browser, "Undo")
        assert "#pragma omp parallel for" not in browser.script(CODE)
        assert browser.script(CONTRASTS) == {}


@pytest.mark.matrix
def test_seidel_is_refused_then_skewed_and_tiled(
    browser: Browser, capsys: pytest.CaptureFixture[str]
) -> None:
    file = POLYBENCH / "seidel-2d.mlir"
    with explorer(browser, file):
        is_refused, why = choose(browser, "S0.0")["Interchange with S0.1"]
        assert is_refused
        assert "violates the flow dependence through A" in why
        go_to(browser, "Interchange with S0.1")
        assert browser.script(WORDS) == "S0[0, 2, 1] must run before S0[1, 1, 1]"
        # A refused action does nothing.
        browser.press(ENTER)
        settle(browser)
        assert browser.texts("#steps li") == []
        assert choose(browser, "S0.0")["Tile S0.0,S0.1,S0.2 by 32"][0]
        for loop, outer in (("S0.1", "S0.0"), ("S0.2", "S0.0"), ("S0.2", "S0.1")):
            choose(browser, loop)
            do(browser, f"Skew by {outer}")
        assert not choose(browser, "S0.0")["Tile S0.0,S0.1,S0.2 by 32"][0]
        do(browser, "Tile S0.0,S0.1,S0.2 by 32")
        assert len(browser.texts("#steps li")) == 4
        require_same_text(browser, file, capsys)
        assert 'polyir.Program.read("seidel-2d.mlir").run(' in browser.texts("#python")[0]


def test_source_that_is_wrong_is_named(browser: Browser) -> None:
    with explorer(browser, POLYBENCH / "gemm.mlir"):
        right = browser.script(f"return {EDITOR}.getValue()")
        browser.script(f"{EDITOR}.setValue('// Not closed.\\nfunc.func @f() -> i32 {{')")
        do(browser, "Read the source again")
        assert "gemm.mlir:2:24: error" in browser.texts("#error")[0]
        assert browser.texts(".CodeMirror .wrong") == ["2\nfunc.func @f() -> i32 {"]
        browser.script(f"{EDITOR}.setValue(arguments[0])", right)
        do(browser, "Read the source again")
        assert browser.texts(".CodeMirror .wrong") == browser.texts("#error") == []


def test_the_editor_takes_keys(browser: Browser) -> None:
    with explorer(browser, POLYBENCH / "gemm.mlir"):
        browser.script(f"{EDITOR}.focus()")
        first = browser.script(f"return {EDITOR}.getLine(0)")
        browser.press("x")
        assert browser.script(f"return {EDITOR}.getLine(0)") == f"x{first}"
        browser.press(CONTROL + ENTER)
        settle(browser)
        assert ":1:1: error" in browser.texts("#error")[0]
        browser.press(CONTROL + "z")
        browser.press(CONTROL + ENTER)
        settle(browser)
        assert browser.texts("#error") == []
        browser.press(TAB)
        assert browser.script(FOCUSED) == "Read the source again"
