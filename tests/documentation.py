"""What the pages of the documentation show: commands with their output, and files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
README: Final = ROOT / "README.md"

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"`(\w+\.\w+)`[:.]\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    """The README and the pages of `docs`."""
    return [README, *sorted((ROOT / "docs").glob("*.md"))]


def commands(page: Path) -> Iterator[tuple[str, str]]:
    """Each command of a page and its output: a line `$ command` in a `console` block, and the next.

    A line `...` of the output stands for any lines.
    """
    for block in _BLOCK.findall(page.read_text()):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def is_output(text: str, expected: str) -> bool:
    """Whether a command printed what a page says."""
    pattern = re.escape(expected).replace(re.escape("...\n"), "(?:.*\n)*?")
    return re.fullmatch(pattern, text) is not None


def write_files_of_readme(folder: Path) -> None:
    """Write the files that the README shows, each in a block after its name."""
    for name, text in _FILE.findall(README.read_text()):
        (folder / name).write_text(text)
