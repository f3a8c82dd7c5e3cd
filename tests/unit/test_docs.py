"""The listings of the documentation, run as a reader would.

Commands are run in the repository's folder, those of the README in an empty folder with the files
that it shows.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
import tool_server
from documentation import README, ROOT, Listing, listings, pages, run_command, write_files
from gpu_devices import missing_opencl

pytestmark = pytest.mark.every_case


@pytest.fixture(scope="module")
def path() -> str:
    return tool_server.start()


@pytest.fixture
def folder(page: str, tmp_path: Path) -> Path:
    """Where the listings of a page run."""
    if page != README.name:
        return ROOT
    write_files(README.read_text(), tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("page", "listing"),
    [(page.name, listing) for page in pages() for listing in listings(page.read_text())],
    ids=lambda value: value if isinstance(value, str) else value[0][0],
)
def test_listing(page: str, listing: Listing, path: str, folder: Path) -> None:
    for command, expected in listing:
        run_command(command, expected, folder, {**os.environ, "PATH": path})


PYTHON_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def programs() -> list[tuple[str, int, str]]:
    """All Python listings: page, number, text."""
    return [
        (page.name, number, text)
        for page in pages()
        for number, text in enumerate(PYTHON_BLOCK.findall(page.read_text()))
    ]


@pytest.mark.parametrize(("page", "number", "text"), programs())
def test_python_listing(
    page: str, number: int, text: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if 'target="opencl"' in text and missing_opencl():
        pytest.skip(missing_opencl())
    monkeypatch.chdir(folder)
    exec(compile(text, f"{page}, listing {number}", "exec"), {"__name__": "listing"})
