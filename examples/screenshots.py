"""The screenshots of reports and of the explorer in the documentation, with Debian's Chromium.

make screenshots    # writes docs/report-tree.png, docs/report-picture.png and docs/explorer.png
"""

from __future__ import annotations

import subprocess
import sys
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import gallery
from browser import Browser, headless
from firefox import wait_for
from PIL import Image

COLOURS = 64
EXAMPLE = "stencil-1d"
SHOTS = (
    ("tree", "light", "document.querySelectorAll(view + ' summary')[1].click();"),
    ("pictures", "dark", ""),
)
"""The tab, the colours, and what a reader has done before."""


def main(folder: Path) -> None:
    """Write a picture of each tab, after the pass `wavefront`."""
    entries = (each for section in gallery.SECTIONS.values() for each in section)
    entry = next(each for each in entries if each.path == EXAMPLE)
    with TemporaryDirectory() as scratch, headless() as browser:
        page = gallery.write(entry, Path(scratch))
        browser.width(1280)
        for tab, scheme, done in SHOTS:
            browser.media(scheme=scheme)
            browser.open(page)
            browser.script(
                "[...document.querySelectorAll('button.pass')]"
                ".find((each) => each.innerText.startsWith('wavefront')).click();"
                f"document.getElementById('tab-{tab}').click();"
                f"const view = 'section.step:not([hidden]) .view:not([hidden])'; {done}"
            )
            save(browser, folder / f"report-{tab.removesuffix('s')}.png")
        browser.media()
        explore(browser)
        save(browser, folder / "explorer.png")


def save(browser: Browser, file: Path) -> None:
    """Write a picture of what the window shows."""
    shot = Image.open(BytesIO(browser.driver.get_screenshot_as_png()))
    shot.quantize(COLOURS).save(file, optimize=True)


def explore(browser: Browser) -> None:
    """Open seidel-2d in the explorer, and ask for an illegal interchange."""
    file = gallery.EXAMPLES.parent / "benchmarks" / "polybench" / "seidel-2d.mlir"
    command = (sys.executable, "-m", "polyir.tools.polyir_explore", "--no-browser", file)
    is_idle = "return !document.body.hasAttribute('aria-busy')"
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as tool:
        assert tool.stdout is not None
        browser.driver.get(tool.stdout.readline().strip())
        wait_for(lambda: bool(browser.script(is_idle)))
        browser.script("document.querySelector('#tree [data-loop]').click()")
        wait_for(lambda: bool(browser.script(is_idle)))
        browser.script("document.querySelectorAll('#list button')[1].focus()")
        tool.terminate()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
