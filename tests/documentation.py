"""What the pages of the documentation show: commands with their output, and files."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
README: Final = ROOT / "README.md"

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"`([\w.]+)`[:.]\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    """The README and the pages of `docs`."""
    docs = ROOT / "docs"
    return [README, *sorted((*docs.glob("*.md"), *docs.glob("papers/*.md")))]


Listing = tuple[tuple[str, str], ...]
"""Commands and their outputs, one after the other; a line `...` stands for any lines."""


def listings(page: str) -> Iterator[Listing]:
    """The `console` blocks in the text of a page: lines `$ command`, each before its output."""
    for block in _BLOCK.findall(page):
        parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
        pairs = (part.partition("\n") for part in parts)
        yield tuple((command, output) for command, _, output in pairs)


def run_command(
    command: str, expected: str, folder: Path, environment: dict[str, str] | None = None
) -> None:
    """Run a command of a page, and compare both of its streams with what the page says.

    It must succeed if the page leaves out all of its output.
    """
    done = subprocess.run(
        ("bash", "-c", command),
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=expected == "...\n",
    )
    pattern = re.escape(expected).replace(re.escape("...\n"), "(?:.*\n)*?")
    assert re.fullmatch(pattern, done.stdout), done.stdout


def tutorials() -> list[Path]:
    """The pages that a reader follows in an empty folder, with an environment of his own."""
    return sorted((ROOT / "docs" / "tutorials").glob("*.md"))


def write_files(page: str, folder: Path) -> None:
    """Write the files that the text of a page shows, each in a block after its name."""
    for name, text in _FILE.findall(page):
        (folder / name).write_text(text)
