"""The functions of dataclasses that commands keep."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import builtins
from polyir.base.dataclass_code import keep_code_of_dataclasses
keep_code_of_dataclasses()
compiled = []
usual = builtins.compile
builtins.compile = lambda text, *rest: compiled.append(text) or usual(text, *rest)
from dataclasses import dataclass, replace
@dataclass(frozen=True)
class Point:
    x: int
    y: int = 2
print(replace(Point(1), x=3), Point(1) == Point(1, 2), len({Point(1), Point(1)}), bool(compiled))
"""


def run(cache: Path | str) -> str:
    environment = {"POLYIR_CACHE": str(cache)}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


def said(is_compiled: bool) -> str:
    return f"Point(x=3, y=2) True 1 {is_compiled}\n"


def test_code_is_compiled_once(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert [run(cache), run(cache)] == [said(True), said(False)]
    (file,) = cache.iterdir()
    file.write_bytes(file.read_bytes()[:-1])
    assert [run(cache), run(cache)] == [said(True), said(False)]


@pytest.mark.parametrize("cache", ["off", "/dev/null/cache"])
def test_without_a_cache_nothing_changes(cache: str) -> None:
    # Python's own `exec` compiles the text.
    assert run(cache) == said(False)
