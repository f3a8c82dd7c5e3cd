"""The reference of the site covers every pass, option, operation, attribute and public name."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from os.path import normpath
from pathlib import Path

from documentation import ROOT

from polyir.passes.options import describe_options
from polyir.universe import PASS_NAMES, POLYIR_UNIVERSE, pass_type

sys.path.insert(0, str(ROOT / "docs"))
generated_pages = import_module("generated_pages")

PAGES: dict[str, str] = dict(generated_pages.pages())


def test_every_pass_has_a_page_with_its_options_and_ir() -> None:
    index = PAGES["reference/passes/index.md"]
    found = {name: PAGES[f"reference/passes/{name}.md"] for name in PASS_NAMES}
    assert not [name for name, page in found.items() if not re.search(r"^    \S", page, re.M)]
    for name, page in found.items():
        assert f"[`{name}`]({name}.md)" in index
        for option in describe_options(pass_type(name)):
            assert f"| `{option.name}`" in page, (name, option.name)


def test_every_operation_and_attribute_is_described() -> None:
    for name, factory in POLYIR_UNIVERSE.all_dialects.items():
        page, dialect = PAGES[f"reference/dialects/{name}.md"], factory()
        for operation in dialect.operations:
            assert re.search(rf"^## `{operation.name}`\n\n\w", page, re.MULTILINE), operation.name
        for attribute in dialect.attributes:
            assert re.search(rf"^## `#{attribute.name}`\n\n\S", page, re.MULTILINE), attribute.name


def test_every_command_has_its_help() -> None:
    assert len(generated_pages.COMMANDS) == 9
    for command in generated_pages.COMMANDS:
        assert f"usage: {command}" in PAGES[f"reference/commands/{command}.md"]


LINK = re.compile(r"\]\(([^)#\s:]*)(?:#([^)\s]*))?\)")
CODE = re.compile(r"^```.*?^```$|^    .*?$|`[^`]*`", re.MULTILINE | re.DOTALL)


def anchors(text: str) -> set[str]:
    """The anchors of a page: those that it has itself, and those that MkDocs makes of headings."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    words = (re.sub(r"[^\w\s-]", "", heading).strip().lower() for heading in headings)
    made = {re.sub(r"[-\s]+", "-", each) for each in words}
    return made | set(re.findall(r'<a id="([^"]+)">', text))


def test_links_and_anchors_exist() -> None:
    """`make docs` checks them as well, with the packages that make the site."""
    docs = ROOT / "docs"
    written = {str(path.relative_to(docs)): path.read_text() for path in docs.rglob("*.md")}
    all_pages = {**PAGES, **written}
    broken = []
    for name, text in all_pages.items():
        for file, anchor in LINK.findall(CODE.sub("", text)):
            target = normpath(Path(name).parent / file) if file else name
            there = target in all_pages or (ROOT / "docs" / target).is_file()
            if not there or (anchor and anchor not in anchors(all_pages[target])):
                broken.append(f"{name}: {file}#{anchor}")
    assert not broken


def public_names() -> Iterator[tuple[str, object]]:
    """The names that are public, and the members of those that are classes."""
    for names in generated_pages.PUBLIC.values():
        for name in names:
            module, _, attribute = name.rpartition(".")
            found = getattr(import_module(module), attribute)
            yield name, found
            for base in found.__mro__ if inspect.isclass(found) else ():
                if base.__module__.startswith("polyir."):
                    yield from (
                        (f"{name}.{member}", getattr(found, member))
                        for member, value in vars(base).items()
                        if not member.startswith("_")
                        and (inspect.isroutine(value) or isinstance(value, property))
                    )


def test_public_names_have_docstrings() -> None:
    assert not [name for name, value in public_names() if not inspect.getdoc(value)]
