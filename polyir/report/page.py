"""A report as one HTML page that needs nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import Final

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from polyir.report.contents import LEVELS, Contents, ScopView, StepView
from polyir.report.highlight import colours, highlighted
from polyir.report.lines import Line, compared, lines_of
from polyir.report.picture_data import json_of

TABS: Final = (
    ("tree", "Schedule tree"),
    ("poly", "Poly"),
    ("loops", "Loops"),
    ("c", "C"),
    ("dependences", "Dependences"),
    ("accesses", "Accesses"),
    ("pictures", "Pictures"),
)
"""The views of a step: names, and titles."""

COLOURS: Final = 8
"""How many statements have a colour of their own."""


_TEMPLATES: Final = ("report.html", "step.html", "pictures.html")
_SCRIPTS: Final = ("report.js", "pictures.js")


def page(contents: Contents) -> str:
    """The page. What comes from the input is escaped."""
    folder = files("polyir.report") / "templates"
    texts = {name: (folder / name).read_text("utf-8") for name in _TEMPLATES}
    environment = Environment(
        loader=DictLoader(texts), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters["counted"] = lambda kinds: Counter(kinds).items()
    style = (folder / "report.css").read_text("utf-8") + colours()
    scripts = [(folder / name).read_text("utf-8") for name in _SCRIPTS]
    rendered: str = environment.get_template("report.html").render(
        contents=contents,
        steps=_pages(contents),
        tabs=TABS,
        source=[Markup(line) for line in highlighted(contents.source, _language(contents))],
        statements_at=_statements_at(contents),
        style=Markup(style),
        scripts=list(map(Markup, scripts)),
        pictures=Markup(json_of(contents.pictures)),
    )
    return rendered


def _language(contents: Contents) -> str:
    return "c" if contents.filename.endswith((".c", ".h")) else "mlir"


def _statements_at(contents: Contents) -> Mapping[int, Sequence[str]]:
    """The statements of each line of the source."""
    found: dict[int, dict[str, None]] = {}
    for step in contents.steps:
        for scop in step.scops:
            for statement in scop.statements:
                found.setdefault(statement.line, {})[statement.name] = None
    return {line: list(names) for line, names in found.items()}


@dataclass(frozen=True)
class ScopPage:
    """A static control part on the page: its tree, and the one before, as lines."""

    scop: ScopView
    before: tuple[Line, ...]
    after: tuple[Line, ...]

    @cached_property
    def colours(self) -> Mapping[str, int]:
        """The number of the colour of each statement."""
        return {each.name: at % COLOURS for at, each in enumerate(self.scop.statements)}

    def carriers(self, number: int) -> list[str]:
        """The loops that carry a dependence."""
        return [
            line.title
            for line in self.after
            if line.loop is not None and any(c.number == number for c in line.loop.carried or ())
        ]


@dataclass(frozen=True)
class StepPage:
    """A step on the page; `same_texts` is the number of the step that has its texts."""

    number: int
    step: StepView
    scops: tuple[ScopPage, ...]
    same_texts: int
    texts: Mapping[str, Markup]


def _pages(contents: Contents) -> list[StepPage]:
    pages: list[StepPage] = []
    for number, step in enumerate(contents.steps):
        last = pages[-1] if pages else None
        if last is not None and not step.is_changed:
            scops = tuple(ScopPage(each.scop, each.after, each.after) for each in last.scops)
            pages.append(StepPage(number, step, scops, last.same_texts, {}))
            continue
        texts: dict[str, Markup] = {
            level: Markup("\n".join(highlighted(text, "c" if level == "c" else "mlir")))
            for level, text in zip(LEVELS, step.texts, strict=True)
        }
        before = last.scops if last is not None else ()
        pages.append(StepPage(number, step, _scop_pages(step, before), number, texts))
    return pages


def _scop_pages(step: StepView, before: Sequence[ScopPage]) -> tuple[ScopPage, ...]:
    """The static control parts of a step beside those of the same functions before it."""
    found: list[ScopPage] = []
    for number, scop in enumerate(step.scops):
        lines = lines_of(scop.tree)
        is_same = number < len(before) and before[number].scop.function == scop.function
        pair = compared(before[number].after, lines) if is_same else ((), lines)
        found.append(ScopPage(scop, *pair))
    return tuple(found)
