"""The screenshots of reports in the README, with Debian's Chromium.

make screenshots    # writes docs/report-tree.png and docs/report-picture.png
"""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import gallery
from browser import headless
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
            shot = Image.open(BytesIO(browser.driver.get_screenshot_as_png()))
            shot.quantize(COLOURS).save(
                folder / f"report-{tab.removesuffix('s')}.png", optimize=True
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
