"""Reports in a browser: each tab, what lights up, keys, the filter, colours, paper.

The lines that a statement lights up are found in the source by a rule of their own: a statement is
the lines from a brace to a store.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from browser import CONTRASTS, SHOWN, Browser, headless
from suites import rarely, some

from polyir.tools import polyir_opt

pytest.importorskip("jinja2")
pytest.importorskip("pygments")

POLYBENCH = Path(__file__).parents[2] / "benchmarks" / "polybench"
KERNELS = ("gemm", "jacobi-2d", "lu")
TABS = ("tree", "poly", "loops", "c", "dependences", "accesses", "pictures")
STEPS = ("input", "poly-raise", "poly-dependences", "pluto-schedule", "tile", "mark-parallel")
ANALYSED, SCHEDULED, TILED, LAST = range(2, 6)
LEFT, RIGHT, ESCAPE, TAB = "\ue012", "\ue014", "\ue00c", "\ue004"
HIDDEN = "const main = document.querySelector('main'); return main.scrollWidth - main.clientWidth"
"""How many pixels of the step are to the right of what is seen of it."""

VIEW = "section.step:not([hidden]) .view:not([hidden])"
STATES = """
const steps = [...document.querySelectorAll("button.pass[aria-current=step]")];
const tabs = [...document.querySelectorAll("[role=tab][aria-selected=true]")];
return steps.flatMap((step) => tabs.map((tab) => [step.dataset.step, tab.dataset.view]));
"""
PANEL = """
const panels = [...document.querySelectorAll("[role=tabpanel]")].filter((e) => e.checkVisibility());
const tab = document.querySelector("[role=tab][aria-selected=true]");
return panels.length === 1 && panels[0].innerText.trim() !== ""
  && tab.getAttribute("aria-controls") === panels[0].id
  && panels[0].getAttribute("aria-labelledby") === tab.id;
"""
"""Whether there is one panel, with a text, that belongs to the tab."""

RUNS = f"{VIEW} pre [data-statements]"
"""Lines of a program, one after the other, that come from the same statements."""

PIXELS = f"return document.querySelector('{VIEW} canvas').toDataURL()"


@pytest.fixture(scope="module", params=["chromium", rarely("firefox")])
def browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    with headless(request.param) as started:
        yield started


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    folder = tmp_path_factory.mktemp("reports")
    found = {}
    for kernel in KERNELS:
        found[kernel] = folder / f"{kernel}.html"
        options = ("--pluto-schedule", "--tile=32", "--mark-parallel", "--emit=none")
        report = f"--report={found[kernel]}"
        assert polyir_opt.main([*options, report, str(source(kernel))]) == 0
    return found


@pytest.fixture(params=some(KERNELS))
def kernel(request: pytest.FixtureRequest, browser: Browser, pages: Mapping[str, Path]) -> str:
    name: str = request.param
    browser.width(1280)
    browser.media()
    browser.open(pages[name])
    return name


@pytest.fixture(autouse=True)
def _no_problems(browser: Browser) -> Iterator[None]:
    yield
    assert browser.problems() == []


def source(kernel: str) -> Path:
    return POLYBENCH / f"{kernel}.mlir"


def lines_of_statements(kernel: str) -> Mapping[str, list[int]]:
    """The lines of each statement, from 1."""
    found: dict[str, list[int]] = {}
    current: list[int] = []
    for number, line in enumerate(source(kernel).read_text().splitlines(), 1):
        if line.endswith(("{", "}")):
            current = []
            continue
        current.append(number)
        if "affine.store" in line:
            found[f"S{len(found)}"] = current
            current = []
    return found


def lines_of(kernel: str, statements: Iterable[str]) -> list[int]:
    """The lines of statements, and of those of loops such as `S0.1`."""
    known = lines_of_statements(kernel)
    return sorted({line for each in statements for line in known[each.partition(".")[0]]})


def lit_lines(browser: Browser) -> list[int]:
    found: list[int] = browser.script(
        "return [...document.querySelectorAll('.source .lit')].map(e => Number(e.dataset.line))"
    )
    return found


def open_view(browser: Browser, step: int, tab: str) -> None:
    browser.script(
        "for (const each of arguments) document.querySelector(each).click()",
        f"button.pass[data-step='{step}']",
        f"#tab-{tab}",
    )


def state(browser: Browser) -> tuple[str, str]:
    """The number of the step and the name of the tab that are said to be shown."""
    (found,) = browser.script(STATES)
    step, tab = found
    return step, tab


def title(line: str) -> str:
    """The title of a loop: what stands before its badges."""
    return " ".join(word for word in line.splitlines()[0].split() if word.startswith("S"))


def test_each_tab_of_each_step(browser: Browser, kernel: str) -> None:
    assert browser.texts("button.pass > span") == list(STEPS)
    for step, button in enumerate(browser.all("button.pass")):
        button.click()
        browser.all(f"#tab-{TABS[step]}")[0].click()
        assert state(browser) == (str(step), TABS[step])
        for tab in TABS:
            open_view(browser, step, tab)
            assert state(browser) == (str(step), tab)
            assert browser.script(PANEL)
    open_view(browser, LAST, "c")
    assert "for (int64_t" in browser.texts("[role=tabpanel]")[0]
    open_view(browser, 0, "dependences")
    assert browser.texts("[role=tabpanel]") == ["No dependences are known here."]


def test_a_statement_lights_up_in_the_source_and_in_the_loops_around_it(
    browser: Browser, kernel: str
) -> None:
    for step in (ANALYSED, SCHEDULED, TILED):
        open_view(browser, step, "tree")
        loops = browser.texts(f"{VIEW} .line[data-loop]")
        leaves = browser.hovered(f"{VIEW} button.statement")
        assert {each.text for each in leaves} == set(lines_of_statements(kernel))
        for leaf in leaves:
            around = [each for each in loops if f"{leaf.text}." in title(each)]
            assert leaf.lines == lines_of(kernel, [leaf.text])
            assert [each for each in leaf.lit if each in loops] == around
            assert around


def test_a_loop_lights_up_with_its_statements(browser: Browser, kernel: str) -> None:
    open_view(browser, TILED, "tree")
    loops = browser.hovered(f"{VIEW} .line[data-loop]")
    assert len(loops) > 3
    for loop in loops:
        assert loop.lines == lines_of(kernel, title(loop.text).split())
        assert {title(each) for each in loop.lit} == {title(loop.text)}


def test_a_dependence_lights_up_its_statements(browser: Browser, kernel: str) -> None:
    open_view(browser, TILED, "dependences")
    rows = browser.hovered(f"{VIEW} tbody")
    assert rows
    for row in rows:
        assert row.lines == lines_of(kernel, row.text.split()[2:4])
        assert row.lit == [row.text]
    uncarried = sum("no loop" in row.text for row in rows)
    assert uncarried == (3 if kernel == "gemm" else 0)
    assert len(browser.shown(f"{VIEW} tbody:has(.carrier)")) == len(rows) - uncarried
    for carrier in browser.hovered(f"{VIEW} .carrier"):
        assert carrier.lines == lines_of(kernel, carrier.text.split())
        assert set(carrier.lit) == {carrier.text}


def test_an_answer_lights_up_its_dependence(browser: Browser, kernel: str) -> None:
    open_view(browser, TILED, "tree")
    browser.script("for (const each of document.querySelectorAll('details')) each.open = true")
    answers = browser.hovered(f"{VIEW} details li")
    assert answers
    for answer in answers:
        ends = [each.partition("[")[0] for each in answer.text.split(": ")[1].split(" before ")]
        assert answer.lines == lines_of(kernel, ends)
        assert answer.text in answer.lit
        # Its other answers have other examples.
        kinds = {each.partition(":")[0] for each in answer.lit if each.startswith(("flow", "anti"))}
        assert kinds <= {answer.text.partition(":")[0]}


def test_a_line_of_the_source_lights_up_its_statement(browser: Browser, kernel: str) -> None:
    open_view(browser, TILED, "tree")
    known = lines_of_statements(kernel)
    for number, line in enumerate(browser.hovered(".source li"), 1):
        names = {name for name, lines in known.items() if number in lines}
        assert line.lines == lines_of(kernel, names)
        assert {each for each in line.lit if each in known} == names


def names_of(browser: Browser, selector: str) -> list[set[str]]:
    """The names of the statements that each of the visible elements is said to be about."""
    found: list[str] = browser.script(
        f"return {SHOWN}.map((each) => each.dataset.statements)", selector
    )
    return [{key.partition(":")[0] for key in each.split()} for each in found]


@pytest.mark.parametrize("tab", ["poly", "loops", "c"])
def test_lines_of_programs_light_up_with_their_statements(
    browser: Browser, kernel: str, tab: str
) -> None:
    open_view(browser, TILED, tab)
    known = lines_of_statements(kernel)
    runs = browser.hovered(RUNS)
    names = names_of(browser, RUNS)
    assert {frozenset(each) for each in names} >= {frozenset([name]) for name in known}
    if (kernel, tab) == ("gemm", "c"):
        assert ["*= beta" in each.text for each in runs].index(True) == names.index({"S0"})
    for run, about in zip(runs, names, strict=True):
        assert run.lines == lines_of(kernel, about)
        assert run.lit == [each.text for each, of in zip(runs, names, strict=True) if of & about]
    for number, line in enumerate(browser.hovered(".source li"), 1):
        about = {name for name, lines in known.items() if number in lines}
        assert line.lit == [each.text for each, of in zip(runs, names, strict=True) if of & about]


def test_what_is_kept_lights_up_in_programs(browser: Browser, kernel: str) -> None:
    open_view(browser, TILED, "dependences")
    browser.script("document.querySelector(arguments[0]).click()", f"{VIEW} tbody td")
    (row,) = browser.texts(f"{VIEW} tbody.lit")
    for step, tab in ((TILED, "c"), (LAST, "loops"), (0, "poly")):
        open_view(browser, step, tab)
        ends = set(row.split()[2:4])
        lit = [bool(each & ends) for each in names_of(browser, RUNS)]
        assert any(lit)
        assert len(browser.shown(f"{RUNS}.lit")) == sum(lit)


def test_the_mouse_and_a_click_that_keeps_what_is_lit(browser: Browser, kernel: str) -> None:
    open_view(browser, TILED, "tree")
    found = browser.shown(f"{VIEW} button.statement")
    first = next(each for each in found if each.text == "S0")
    other = next(each for each in found if each.text == "S1")
    browser.hover(other)
    assert lit_lines(browser) == lines_of(kernel, ["S1"])
    first.click()
    browser.hover(other)
    assert lit_lines(browser) == lines_of(kernel, ["S0"])
    assert first.get_attribute("aria-pressed") == "true"
    assert other.get_attribute("aria-pressed") == "false"
    open_view(browser, SCHEDULED, "dependences")
    assert lit_lines(browser) == lines_of(kernel, ["S0"])
    browser.press(ESCAPE)
    assert not browser.all(".lit")
    assert not browser.all("[aria-pressed=true]")


def test_the_slider_and_the_button_play_the_order(browser: Browser, kernel: str) -> None:
    open_view(browser, TILED, "pictures")
    (slider,) = browser.shown(f"{VIEW} input[type=range]")
    last = int(slider.get_attribute("max"))
    assert int(slider.get_attribute("value")) == last > 10
    whole = browser.script(PIXELS)
    slider.send_keys(LEFT)
    assert int(slider.get_attribute("value")) == last - 1
    assert state(browser)[0] == str(TILED)
    (said,) = browser.texts(f"{VIEW} output")
    assert f"number {last} of {last + 1}" in said
    assert slider.get_attribute("aria-valuetext") == said
    assert browser.script(PIXELS) != whole
    (play,) = browser.shown(f"{VIEW} .play")
    play.click()
    assert play.text == "Stop" or int(slider.get_attribute("value")) == last
    browser.script("document.querySelector(arguments[0]).value = 'of'", f"{VIEW} .colours")
    browser.hover(browser.shown(f"{VIEW} .shapes .statement")[0])
    assert lit_lines(browser) == lines_of(kernel, [browser.texts(f"{VIEW} .shapes .statement")[0]])


def test_the_filter_shows_rows_with_all_words(browser: Browser, kernel: str) -> None:
    open_view(browser, TILED, "dependences")
    rows = browser.texts(f"{VIEW} tbody")
    (field,) = browser.shown(".filter")
    array = {"gemm": "C", "jacobi-2d": "B", "lu": "A"}[kernel]
    for words in (["flow"], [array], ["S1"], ["flow", array, "S0"], ["nothing"]):
        field.clear()
        field.send_keys(" ".join(words))
        wanted = [row for row in rows if set(words) <= set(row.split()[:4])]
        left = browser.texts(f"{VIEW} tbody")
        assert [each.strip() for each in left] == [each.strip() for each in wanted]
        assert browser.texts("output") == [f"{len(wanted)} of {len(rows)}"]
    # The arrows move in the field.
    field.send_keys(LEFT)
    assert state(browser) == (str(TILED), "dependences")


def test_each_sequential_loop_says_why(browser: Browser, kernel: str) -> None:
    open_view(browser, TILED, "dependences")
    rows = [tuple(each.split()[:4]) for each in browser.texts(f"{VIEW} tbody")]
    open_view(browser, TILED, "tree")
    questions: list[Any] = browser.shown(f"{VIEW} summary")
    assert questions
    for question in questions:
        shown = len(browser.texts(f"{VIEW} details li"))
        question.click()
        assert len(browser.texts(f"{VIEW} details li")) > shown
    for answer in browser.texts(f"{VIEW} details li"):
        kind, rest = answer.split(" dependence through ")
        array, example = rest.split(": ")
        start, end = (each.partition("[")[0] for each in example.split(" must run before "))
        assert (kind, array, start, end) in rows


@pytest.fixture
def opened(browser: Browser, pages: Mapping[str, Path]) -> Browser:
    """A browser with the page of jacobi-2d, for what is the same for all programs."""
    browser.width(1280)
    browser.media()
    browser.open(pages["jacobi-2d"])
    return browser


def test_the_arrows_go_from_pass_to_pass_and_from_tab_to_tab(opened: Browser) -> None:
    assert state(opened) == ("0", "tree")
    seen = []
    for key in (LEFT, *[RIGHT] * len(STEPS), LEFT):
        opened.press(key)
        seen.append(int(state(opened)[0]))
    assert seen == [0, *range(1, len(STEPS)), LAST, TILED]
    opened.all("#tab-tree")[0].click()
    tabs = []
    for key in (*[RIGHT] * len(TABS), LEFT):
        opened.press(key)
        tabs.append(state(opened)[1])
        assert opened.driver.switch_to.active_element.get_attribute("id") == f"tab-{tabs[-1]}"
    assert tabs == [*TABS[1:], TABS[0], TABS[-1]]
    assert state(opened)[0] == str(TILED)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_have_a_contrast_of_4_5(opened: Browser, scheme: str) -> None:
    opened.media(scheme=scheme)
    for tab in TABS:
        open_view(opened, TILED, tab)
        assert opened.script(CONTRASTS) == {}
        if tab in ("poly", "loops", "c"):
            assert opened.hovered(RUNS)[0].lit
            assert opened.script(CONTRASTS) == {}
    open_view(opened, TILED, "tree")
    assert opened.hovered(f"{VIEW} .line")[-1].lines
    assert opened.script(CONTRASTS) == {}


def test_paper_has_all_steps(opened: Browser) -> None:
    opened.media("print", "dark")
    assert len(opened.shown("section.step")) == len(STEPS)
    assert not opened.shown("[role=tablist]")
    places = "return ['nav', 'aside', 'main'].map((e) => document.querySelector(e).offsetTop)"
    assert opened.script(places) == sorted(opened.script(places))
    assert opened.shown("section.step[data-step='3'] .view[data-view=c] pre")
    # What did not change is there once.
    assert opened.shown("section.step[data-step='2'] .view[data-view=c] .same")
    assert not opened.shown("section.step[data-step='2'] .view[data-view=c] pre")
    assert opened.script("return getComputedStyle(document.body).color") == "rgb(28, 32, 36)"
    opened.media()
    assert opened.pdf().startswith(b"%PDF")


def test_pictures_on_paper_have_the_colours_of_paper(opened: Browser) -> None:
    open_view(opened, TILED, "pictures")
    drawn = {}
    for scheme in ("light", "dark"):
        opened.media(scheme=scheme)
        for event in ("afterprint", "beforeprint"):
            opened.script("dispatchEvent(new Event(arguments[0]))", event)
            drawn[scheme, event] = opened.script(PIXELS)
    assert drawn["dark", "beforeprint"] == drawn["light", "beforeprint"]
    assert drawn["dark", "afterprint"] != drawn["light", "afterprint"]


@pytest.mark.parametrize("pixels", [400, 1000, 1280, 1920])
def test_nothing_is_wider_than_the_window(opened: Browser, pixels: int) -> None:
    opened.width(pixels)
    for tab in TABS:
        open_view(opened, TILED, tab)
        assert opened.script("return document.documentElement.scrollWidth") <= pixels
        # Programs may be wide, unless their lines are wrapped.
        if tab in ("tree", "dependences", "accesses", "pictures"):
            assert opened.script(HIDDEN) == 0
    opened.all("#wrap")[0].click()
    for tab in ("poly", "loops", "c"):
        open_view(opened, TILED, tab)
        assert opened.script(HIDDEN) == 0


def test_controls_have_names_and_show_their_focus(opened: Browser) -> None:
    for tab in ("tree", "dependences", "pictures"):
        open_view(opened, TILED, tab)
        controls = opened.shown("button, input, select, summary, canvas")
        assert len(controls) > len(STEPS) + len(TABS)
        assert all(each.accessible_name for each in controls)
    opened.all(f"#tab-{TABS[-1]}")[0].click()
    seen = []
    for _ in range(8):
        opened.press(TAB)
        seen.append(opened.driver.switch_to.active_element)
        style = "const s = getComputedStyle(document.activeElement); return s.outlineStyle"
        assert opened.script(style) == "solid"
    assert len({each.id for each in seen}) == 8


def test_headings_and_title(opened: Browser) -> None:
    assert opened.driver.title == "jacobi-2d.mlir - polyir"
    open_view(opened, TILED, "accesses")
    levels = [int(each.tag_name[1]) for each in opened.shown("h1, h2, h3, h4")]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_a_page_is_small_and_opens_at_once(
    browser: Browser, kernel: str, pages: Mapping[str, Path]
) -> None:
    """The bound is a generous one, for machines that do other things; `-s` prints the figures."""
    timing = "const t = performance.timing; return t.loadEventEnd - t.navigationStart"
    milliseconds = browser.script(timing)
    size = pages[kernel].stat().st_size
    print(f"{kernel}: {size / 1000:.0f} kB, open after {milliseconds} ms")
    assert 0 < milliseconds < 10_000
    assert size < 2_000_000
