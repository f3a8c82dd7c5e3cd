"""The listings of the documentation, run as a reader would.

In a `console` block, a line `$ command` is run in the repository's folder, and what follows is
compared with its output; a line `...` stands for any lines.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
import tool_server
from gpu_devices import missing_opencl

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def listings() -> list[tuple[str, str, str]]:
    """All commands of all pages: page, command, expected output."""
    found: list[tuple[str, str, str]] = []
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for block in BLOCK.findall(page.read_text()):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                found.append((page.name, command, output))
    return found


@pytest.fixture(scope="module")
def path() -> str:
    return tool_server.start()


@pytest.mark.parametrize(("page", "command", "expected"), listings())
def test_listing(page: str, command: str, expected: str, path: str) -> None:
    done = subprocess.run(
        command,
        shell=True,
        cwd=ROOT,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    pattern = re.escape(expected).replace(re.escape("...\n"), "(?:.*\n)*?")
    assert re.fullmatch(pattern, done.stdout), done.stdout


PYTHON_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def programs() -> list[tuple[str, int, str]]:
    """All Python listings: page, number, text."""
    return [
        (page.name, number, text)
        for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
        for number, text in enumerate(PYTHON_BLOCK.findall(page.read_text()))
    ]


@pytest.mark.parametrize(("page", "number", "text"), programs())
def test_python_listing(page: str, number: int, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if 'target="opencl"' in text and missing_opencl():
        pytest.skip(missing_opencl())
    monkeypatch.chdir(ROOT)
    exec(compile(text, f"{page}, listing {number}", "exec"), {"__name__": "listing"})
