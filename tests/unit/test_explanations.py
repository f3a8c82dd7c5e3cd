"""Every warning and error has a name, which is explained with an input that gives it."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import tool_server
from documentation import ROOT, Listing, listings, run_command, write_files

from polyir.base import diagnostics
from polyir.base.explanations import explanations, pages, sections
from polyir.tools.polyir_opt import main

SECTIONS = [(name, text) for page in pages() for name, text in sections(page)]

DEFECTS = {"invalid-tree", "isl-crash", "internal-error", "no-loops", "wrong-result"}
ELSEWHERE = {"device", "missing-package", "missing-tool", "plugin", "ranks-failed", "time-limit"}
WITHOUT_EXAMPLE = DEFECTS | ELSEWHERE | {"no-strategy"}
"""What must not happen, what depends on the machine, and what other packages bring."""

NAMED = {"PolyirError", "Remark", "missed", "refuse", "named", "Outcome", "settled", "partial"}
ERRORS = {"NotModelledError", "LegalityError", "InputSyntaxError", "OptionError", "UnreadFileError"}


def sources() -> Iterator[tuple[Path, ast.Module]]:
    for folder in ("polyir", "dialects", "passes", "tools"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path, ast.parse(path.read_text())


def function_of(call: ast.Call) -> str:
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def names_in(tree: ast.Module) -> Iterator[str]:
    """The names that diagnostics are given, and those of classes of errors."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and function_of(node) in NAMED | ERRORS:
            given = [each.value for each in node.keywords if each.arg == "name"]
            given += node.args[1:2] if function_of(node) == "named" else []
            yield from (each.value for each in given if isinstance(each, ast.Constant))
        if isinstance(node, ast.ClassDef) and node.name.endswith("Error"):
            for part in node.body:
                if isinstance(part, ast.Assign) and ast.unparse(part.targets[0]) == "name":
                    assert isinstance(part.value, ast.Constant)
                    yield part.value.value


def test_every_name_is_explained_and_used() -> None:
    assert [name for name, _ in SECTIONS] == list(dict.fromkeys(name for name, _ in SECTIONS))
    given = {name for _, tree in sources() for name in names_in(tree)} - {""}
    assert given - set(explanations()) == set()
    quoted = {
        node.value
        for _, tree in sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert set(explanations()) - quoted == set()


def test_every_warning_and_error_has_a_name() -> None:
    nameless = [
        f"{path}:{node.lineno}"
        for path, tree in sources()
        if path != Path(diagnostics.__file__)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and function_of(node) in ("PolyirError", "missed", "Remark")
        and "RemarkKind.REMARK" not in ast.unparse(node)
        and all(each.arg != "name" for each in node.keywords)
    ]
    assert nameless == []


def test_explain(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--explain=not-tiled"])
    assert capsys.readouterr().out.startswith("# not-tiled\n\nNo band of loops can be tiled")
    assert main(["--explain=not-tild"]) == 1
    assert "no diagnostic has the name 'not-tild'; did you mean 'not-tiled'" in (
        capsys.readouterr().err
    )


@pytest.fixture(scope="module")
def path() -> str:
    return tool_server.start()


@pytest.mark.every_case
@pytest.mark.parametrize(("name", "text"), SECTIONS, ids=[name for name, _ in SECTIONS])
def test_example(name: str, text: str, path: str, tmp_path: Path) -> None:
    write_files(text, tmp_path)
    found: list[Listing] = list(listings(text))
    assert bool(found) != (name in WITHOUT_EXAMPLE)
    for listing in found:
        assert f"[{name}]" in listing[-1][1]
        for command, expected in listing:
            run_command(command, expected, tmp_path, {**os.environ, "PATH": path})
