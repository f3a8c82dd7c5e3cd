"""A headless Chromium or Firefox for tests of pages: Debian's, driven by Selenium."""

from __future__ import annotations

import base64
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import firefox
import pytest

PROGRAMS = {"chromium": ("chromium", "chromedriver"), "firefox": ("firefox-esr",)}
"""What each browser needs."""

PACKAGES = {"chromedriver": "chromium-driver"}
"""Debian's packages of programs, where they have other names."""

CONTRASTS = """
const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
const light = (colour) => {
  const [r, g, b] = parts(colour).slice(0, 3).map((each) => each / 255)
    .map((each) => each <= 0.03928 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ground = (element) => {
  for (; element; element = element.parentElement) {
    const colour = getComputedStyle(element).backgroundColor;
    const alpha = parts(colour)[3] ?? 1;
    if (alpha === 1) return colour;
    if (alpha !== 0) throw new Error(`half transparent: ${element.className}`);
  }
  return "rgb(255, 255, 255)";
};
const low = new Map();
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  if (!walker.currentNode.data.trim() || !element.checkVisibility()) continue;
  const [one, other] = [getComputedStyle(element).color, ground(element)];
  const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
  const ratio = (bright + 0.05) / (dark + 0.05);
  if (ratio < 4.5)
    low.set(`${element.className} ${one} on ${other}`, `${ratio} ${walker.currentNode.data}`);
}
return Object.fromEntries(low);
"""
"""For each pair of colours of a visible text with a contrast below 4.5 (WCAG 2, 1.4.3): which."""

HEIGHT = 900
"""Pixels of a window."""

PROBLEMS = """
const storage = Cc["@mozilla.org/consoleAPI-storage;1"].getService(Ci.nsIConsoleAPIStorage);
const errors = Services.console.getMessageArray().map(String);
const said = storage.getEvents().map((event) => event.arguments.join(" "));
Services.console.reset();
storage.clearEvents();
return [...errors, ...said];
"""
"""What Firefox's console has said in the process of the page, once."""

SHOWN = "[...document.querySelectorAll(arguments[0])].filter(e => e.checkVisibility())"

HOVERED = f"""
const texts = (elements) => elements.filter((e) => e.checkVisibility()).map((e) => e.innerText);
return {SHOWN}.map((element) => {{
  element.dispatchEvent(new MouseEvent("mouseover", {{ bubbles: true }}));
  const lines = [...document.querySelectorAll(".source .lit")].map((e) => Number(e.dataset.line));
  return [element.innerText, lines, texts([...document.querySelectorAll("main .lit")])];
}});
"""
"""Hover on each element that a selector finds."""


@dataclass(frozen=True)
class Hovered:
    """The text of an element under the mouse, the lines of the source that are lit, and texts."""

    text: str
    lines: list[int]
    lit: list[str]


class Browser(ABC):
    """A browser with one window."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    @abstractmethod
    def problems(self) -> list[str]:
        """What the console has said since the last call: errors and warnings."""

    @abstractmethod
    def media(self, kind: str = "", scheme: str = "light") -> None:
        """Emulate paper (`print`), and what colours the reader prefers."""

    @abstractmethod
    def width(self, pixels: int) -> None:
        """Make the window wide or narrow."""

    @abstractmethod
    def pdf(self) -> bytes:
        """The page on paper."""

    def open(self, page: Path) -> None:
        """Open a page; what the console said about those before is forgotten."""
        self.problems()
        self.driver.get(page.as_uri())

    def script(self, text: str, *arguments: object) -> Any:
        """The value that a script returns."""
        return self.driver.execute_script(text, *arguments)

    def all(self, selector: str) -> list[Any]:
        """The elements that a CSS selector finds."""
        found: list[Any] = self.driver.find_elements("css selector", selector)
        return found

    def shown(self, selector: str) -> list[Any]:
        """Those that are visible."""
        found: list[Any] = self.script(f"return {SHOWN}", selector)
        return found

    def texts(self, selector: str) -> list[str]:
        """The texts of those that are visible."""
        found: list[str] = self.script(f"return {SHOWN}.map(e => e.innerText)", selector)
        return found

    def hovered(self, selector: str) -> list[Hovered]:
        """What lights up under the mouse at each of those that are visible, in one round trip."""
        return [Hovered(*each) for each in self.script(HOVERED, selector)]

    def press(self, key: str) -> None:
        """Press a key where the focus is."""
        # What is hidden loses the focus only when the browser draws the page, which may be later.
        self.script("const e = document.activeElement; if (!e.checkVisibility()) e.blur()")
        self.driver.switch_to.active_element.send_keys(key)

    def hover(self, element: Any) -> None:
        """Move the mouse to the upper left corner of an element, which is seldom another one's."""
        from selenium.webdriver import ActionChains

        self.script("arguments[0].scrollIntoView({block: 'center'})", element)
        box = self.script("return arguments[0].getBoundingClientRect().toJSON()", element)
        actions = ActionChains(self.driver, duration=0)
        pointer = actions.w3c_actions.pointer_action
        # A mouse that does not move would light up nothing.
        pointer.move_to_location(0, 0)
        pointer.move_to_location(int(box["x"]) + 3, int(box["y"]) + 3)
        actions.perform()


class Chromium(Browser):
    """Chromium, with its own commands (CDP)."""

    def command(self, name: str, **arguments: object) -> Any:
        """What Chromium answers."""
        return self.driver.execute_cdp_cmd(name, arguments)

    def problems(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def media(self, kind: str = "", scheme: str = "light") -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.command("Emulation.setEmulatedMedia", media=kind, features=features)

    def width(self, pixels: int) -> None:
        size = {"width": pixels, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
        self.command("Emulation.setDeviceMetricsOverride", **size)

    def pdf(self) -> bytes:
        return base64.b64decode(self.command("Page.printToPDF")["data"])


class Firefox(Browser):
    """Firefox, with scripts that have the browser's own rights."""

    def problems(self) -> list[str]:
        found: list[str] = firefox.in_page(self.driver, PROBLEMS)
        return found

    def media(self, kind: str = "", scheme: str = "light") -> None:
        override = "[context.mediumOverride, context.prefersColorSchemeOverride] = arguments;"
        firefox.in_window(self.driver, override, kind, scheme)

    def width(self, pixels: int) -> None:
        sizes = {"width": f"{pixels}px", "height": f"{HEIGHT}px"}
        styles = {f"{end}-{name}": size for name, size in sizes.items() for end in ("min", "max")}
        firefox.in_window(self.driver, "Object.assign(browser.style, arguments[0]);", styles)
        firefox.wait_for(lambda: self.script("return innerWidth") == pixels)

    def pdf(self) -> bytes:
        return base64.b64decode(self.driver.execute("printPage")["value"])


def programs(name: str) -> list[str]:
    """The paths of what a browser needs; skips the test where something is missing."""
    found = [shutil.which(each) for each in PROGRAMS[name]]
    for each, path in zip(PROGRAMS[name], found, strict=True):
        if path is None:
            pytest.skip(f"no {each} (Debian: {PACKAGES.get(each, each)})")
    return [path for path in found if path is not None]


@contextmanager
def chromium() -> Iterator[Browser]:
    """A Chromium; skips the test where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location, driver_path = programs("chromium")
    # Containers have no user but root, and little shared memory.
    flags = ("--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu")
    for argument in ("--headless=new", "--window-size=1280,900", *flags):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(driver_path)
    driver = webdriver.Chrome(options=options, service=service)
    try:
        yield Chromium(driver)
    finally:
        driver.quit()


@contextmanager
def headless(name: str = "chromium") -> Iterator[Browser]:
    """A browser; skips the test where it is missing."""
    if name == "chromium":
        with chromium() as browser:
            yield browser
        return
    pytest.importorskip("selenium.webdriver")
    (program,) = programs(name)
    with firefox.started(program) as driver:
        yield Firefox(driver)
