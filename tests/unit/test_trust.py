"""docs/trust.md names all proofs, and all that they stand on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/trust.md").read_text()
ROOMS = {"proofs", "tree", "model", "sets", "base", "dialects"}


def file_of(module: str) -> Path | None:
    """The file of a module of polyir; `None` if that is not a module."""
    parts = module.split(".")[1:]
    base = ROOT if parts[:1] == ["dialects"] else ROOT / "polyir"
    path = base.joinpath(*parts)
    return next(filter(Path.is_file, (path.with_suffix(".py"), path / "__init__.py")), None)


def imported_by(path: Path) -> Iterator[Path]:
    """The modules of polyir that a file imports, also inside of functions and for types only."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "polyir":
            assert node.module is not None
            for alias in node.names:
                found = file_of(f"{node.module}.{alias.name}") or file_of(node.module)
                assert found is not None, (path, node.module)
                yield found


@pytest.fixture(scope="module")
def trusted() -> set[str]:
    """The modules that the proofs import, directly or not: `model/scop.py`."""
    waiting = list((ROOT / "polyir/proofs").glob("*.py"))
    seen: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            waiting += imported_by(path)
    names = (str(path.relative_to(ROOT)).removeprefix("polyir/") for path in seen)
    return {name for name in names if not name.endswith("__init__.py")}


def test_proofs_import_the_tree_the_scop_and_the_sets(trusted: set[str]) -> None:
    assert {name.split("/")[0] for name in trusted} <= ROOMS


def test_each_proof_is_named() -> None:
    named = set(re.findall(r"`(\w+\.py)`", TEXT.split("## A check that gives up")[0]))
    own = {path.name for path in (ROOT / "polyir/proofs").glob("*.py")} - {"__init__.py"}
    assert named == own


def test_what_proofs_stand_on_is_named(trusted: set[str]) -> None:
    named = set(re.findall(r"`([\w/]+\.py)`", TEXT.split("## What the proofs stand on")[1]))
    named.discard("tests/unit/test_trust.py")
    assert {f"model/{name}" for name in named} == {n for n in trusted if n.startswith("model/")}
