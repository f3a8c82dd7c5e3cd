"""What each kind of diagnostic means, with an input that gives it, and what to do about it.

The pages beside this file have a section for each stable name; tools print one with `--explain`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parent

_SECTION = re.compile(r"^## (\S+)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def explanations() -> dict[str, str]:
    """The text on each kind of diagnostic, in Markdown, by name."""
    return dict(sorted(found for page in pages() for found in sections(page)))


def pages() -> list[Path]:
    """The pages, each of a topic."""
    return sorted(FOLDER.glob("*.md"))


def sections(page: Path) -> Iterator[tuple[str, str]]:
    """The names and the texts of a page."""
    for name, text in _SECTION.findall(page.read_text(encoding="utf-8")):
        yield name, text.strip()
