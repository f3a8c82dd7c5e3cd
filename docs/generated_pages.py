"""Pages of the site that are made from the code and of files outside of `docs`.

A hook of MkDocs (`mkdocs.yml`). A page says what the tools print: the docstring of a pass with its
IR before and after, its options with types and defaults, what operations and attributes hold, the
help of a command.
"""

from __future__ import annotations

import inspect
import io
from collections.abc import Iterator
from contextlib import redirect_stdout, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from xdsl.irdl import IRDLOperation

import polyir
from polyir.base.explanations import pages as explanation_pages
from polyir.base.explanations import sections
from polyir.passes.options import describe_options
from polyir.tools import start
from polyir.universe import PASSES_BY_TOPIC, POLYIR_UNIVERSE, pass_type

if TYPE_CHECKING:
    # The tests of these pages have no MkDocs.
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

ROOT = Path(__file__).parents[1]

PUBLIC = {
    "Programs": tuple(f"polyir.{name}" for name in polyir.__all__),
    "What is compiled": ("polyir.runtime.CompiledModule",),
    "Errors": tuple(
        f"polyir.base.diagnostics.{name}"
        for name in ("PolyirError", "InputSyntaxError", "OptionError", "LegalityError")
    ),
    "Passes of your own": (
        "polyir.passes.prerequisites.ScopPass",
        "polyir.passes.scheduler_pass.SchedulerPass",
        "polyir.model.scop.Scop",
        "polyir.model.outcome.Outcome",
        "polyir.dialects.dependence.Dependences",
        "polyir.tree.addresses.LoopAddress",
        "polyir.tree.addresses.Directory",
        "polyir.transform.parallel.mark_loops",
        "polyir.proofs.legality.require_legal",
        "polyir.base.diagnostics.remark",
        "polyir.base.diagnostics.missed",
        "polyir.base.plugins.PolyirUniverse",
        "polyir.dialects.loop_attributes.LoopAttribute",
        "polyir.model.memory_accesses.AccessesMemory",
        "polyir.target.c.spelling.SpelledInC",
    ),
    "Choices of your own": (
        "polyir.choose.strategies.Situation",
        "polyir.choose.strategies.Strategy",
        "polyir.choose.model.CostModel",
        "polyir.choose.machine.Machine",
        "polyir.choose.machine.Cache",
    ),
}
"""The names that stay as they are within a major version, by topic."""

FROM_ROOT = {
    "index.md": "README.md",
    "changelog.md": "CHANGELOG.md",
    "contributing.md": "CONTRIBUTING.md",
    "security.md": "SECURITY.md",
}
"""Pages that are files of the repository's folder."""

COMMANDS = {
    name.replace("_", "-"): f"polyir.tools.{name if '_' in name else 'doctor'}"
    for name in vars(start)
    if name.startswith("polyir")
}
"""The commands, and the module of each."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Name the generated pages in the navigation."""
    assert config.nav is not None
    passes = [
        {_title(topic): [f"reference/passes/{name}.md" for name in names]}
        for topic, names in PASSES_BY_TOPIC.items()
    ]
    config.nav += [
        {
            "Reference": [
                {"Passes": ["reference/passes/index.md", *passes]},
                {"Diagnostics": [f"reference/diagnostics/{name}.md" for name in diagnostics()]},
                {"Dialects": [f"reference/dialects/{name}.md" for name in dialects()]},
                {"Commands": [f"reference/commands/{name}.md" for name in COMMANDS]},
                {"Python": "reference/python.md"},
            ]
        }
    ]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    from mkdocs.structure.files import File

    for name, text in pages():
        files.append(File.generated(config, name, content=text))
    return files


def pages() -> Iterator[tuple[str, str]]:
    """The name and the text of each generated page."""
    for name, file in FROM_ROOT.items():
        text = (ROOT / file).read_text(encoding="utf-8").replace("](docs/", "](")
        for other, linked in FROM_ROOT.items():
            text = text.replace(f"]({linked})", f"]({other})")
        yield name, text
    yield "reference/passes/index.md", list_of_passes()
    for names in PASSES_BY_TOPIC.values():
        for name in names:
            yield f"reference/passes/{name}.md", page_of_pass(name)
    for name in dialects():
        yield f"reference/dialects/{name}.md", page_of_dialect(name)
    for name, text in diagnostics().items():
        yield f"reference/diagnostics/{name}.md", text
    yield "reference/python.md", page_of_python()
    for command in COMMANDS:
        yield f"reference/commands/{command}.md", page_of_command(command)


def dialects() -> tuple[str, ...]:
    return tuple(POLYIR_UNIVERSE.all_dialects)


def diagnostics() -> dict[str, str]:
    """The list of the names of diagnostics, and the pages that explain them."""
    lines = [
        "# Diagnostics",
        "",
        "Each warning and error ends with the name of its kind, which stays as it is within a "
        "major version. All tools print what is here with `--explain=NAME`.",
        "",
        "| name | what it means |",
        "| --- | --- |",
    ]
    texts: dict[str, str] = {}
    rows: list[str] = []
    for page in explanation_pages():
        texts[page.stem] = page.read_text(encoding="utf-8")
        for name, text in sections(page):
            summary = " ".join(text.partition("\n\n")[0].split())
            rows.append(f"| [`{name}`]({page.stem}.md#{name}) | {_cell(summary)} |")
    return {"index": "\n".join([*lines, *sorted(rows)]), **texts}


def list_of_passes() -> str:
    """All passes by topic, with a line each."""
    lines = ["# Passes", "", "Each is a flag of `polyir-opt`; `--help-pass=NAME` prints its page."]
    for topic, names in PASSES_BY_TOPIC.items():
        lines += ["", f"## {_title(topic)}", "", "| pass | what it does |", "| --- | --- |"]
        for name in names:
            summary = _documentation(pass_type(name)).partition("\n")[0]
            lines.append(f"| [`{name}`]({name}.md) | {_cell(summary)} |")
    return "\n".join(lines)


def page_of_pass(name: str) -> str:
    """What `--help-pass` prints of a pass, with its options as a table."""
    found = pass_type(name)
    lines = [f"# `{name}`", "", _documentation(found), "", "## Options", ""]
    options = describe_options(found)
    if options:
        lines += ["| option | type | default |", "| --- | --- | --- |"]
    else:
        lines.append("It has no options.")
    for number, option in enumerate(options):
        main = " (the main one)" if number == 0 else ""
        default = "required" if option.is_required else _code(option.default or "")
        lines.append(f"| `{option.name}`{main} | {_cell(option.type)} | {default} |")
    spelled = f'--{name}="{options[0].name}=..."' if options else f"--{name}"
    lines += ["", f"As a flag of `polyir-opt`: `{spelled}`. From Python:"]
    lines += [f"`program.{name.replace('-', '_')}(...)`."]
    return "\n".join(lines)


def page_of_dialect(name: str) -> str:
    """The operations and attributes of a dialect, with what each holds."""
    dialect = POLYIR_UNIVERSE.all_dialects[name]()
    lines = [f"# The dialect `{name}`", ""]
    for operation in dialect.operations:
        assert issubclass(operation, IRDLOperation)
        definition = operation.get_irdl_definition()
        lines += [f"## `{operation.name}`", "", _documentation(operation), ""]
        parts = {
            "operands": definition.operands,
            "results": definition.results,
            "attributes": [*definition.properties.items(), *definition.attributes.items()],
            "regions": definition.regions,
        }
        lines += [
            f"- {what}: " + ", ".join(f"`{part}`{_kind(held)}" for part, held in found)
            for what, found in parts.items()
            if found
        ]
        lines.append("")
    for attribute in dialect.attributes:
        lines += [f"## `#{attribute.name}`", "", _documentation(attribute), ""]
    return "\n".join(lines)


def page_of_python() -> str:
    """The public names, whose docstrings mkdocstrings fills in."""
    lines = [
        "# Python",
        "",
        "These names stay as they are within a major version; all others are internal. "
        "[The Python API](../python-api.md) and [passes of your own](../plugins.md) show them at "
        "work. Each pass is also [a method](passes/index.md) of programs and schedule trees.",
    ]
    for topic, names in PUBLIC.items():
        lines += ["", f"## {topic}"]
        lines += [f"\n::: {name}\n    options: {{heading_level: 3}}" for name in names]
    return "\n".join(lines)


def page_of_command(command: str) -> str:
    """What `--help` prints."""
    main = import_module(COMMANDS[command]).main
    text = io.StringIO()
    with redirect_stdout(text), suppress(SystemExit):
        main(["--help"])
    return f"# `{command}`\n\n```text\n{text.getvalue().rstrip()}\n```\n"


def _documentation(found: type) -> str:
    """The docstring of a class itself, not that of a class it derives from."""
    return inspect.cleandoc(found.__doc__ or "")


def _kind(held: object) -> str:
    """Whether a part of an operation may be missing or be many, by the name of its class."""
    kind = type(held).__name__
    return " (optional)" if kind.startswith("Opt") else " (any number)" if "Var" in kind else ""


def _title(topic: str) -> str:
    return topic[0].upper() + topic[1:]


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def _cell(text: str) -> str:
    return text.replace("|", r"\|")
