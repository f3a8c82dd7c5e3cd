"""A report as one HTML page that needs nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from itertools import groupby
from pathlib import PurePath
from typing import Final

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup, escape

from polyir.choose.machine import byte_text
from polyir.report.contents import Contents, ScopView, StatementView, StepView
from polyir.report.estimates import number_text
from polyir.report.footprints import MACHINE
from polyir.report.highlight import highlighted
from polyir.report.lines import Line, compared, lines_of
from polyir.report.picture_data import json_of
from polyir.report.texts import LEVELS, Text

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


_TEMPLATES: Final = ("report.html", "step.html", "pictures.html", "last_step.html")
_SCRIPTS: Final = ("report.js", "pictures.js")


def page(contents: Contents) -> str:
    """The page. What comes from the input is escaped."""
    return _rendered(
        "report.html",
        contents,
        name=PurePath(contents.filename).name,
        tabs=TABS,
        style=Markup(text_of_template("report.css")),
        scripts=[Markup(text_of_template(name)) for name in _SCRIPTS],
        pictures=Markup(json_of(contents.pictures)),
    )


def step_page(contents: Contents) -> tuple[str, str]:
    """The last step as a part of a page, and the data of its pictures."""
    return _rendered("last_step.html", contents), json_of(contents.pictures)


def text_of_template(name: str) -> str:
    """A file of the page: a template, a style or a script."""
    return (files("polyir.report") / "templates" / name).read_text("utf-8")


def _rendered(template: str, contents: Contents, **values: object) -> str:
    environment = Environment(
        loader=DictLoader({name: text_of_template(name) for name in _TEMPLATES}),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["bytes"] = byte_text
    environment.filters["number"] = number_text
    environment.filters["counted"] = lambda kinds: Counter(kinds).items()
    colours = _colours(contents)
    statements_at = _statements_at(contents, colours)
    rendered: str = environment.get_template(template).render(
        contents=contents,
        steps=_pages(contents, colours, statements_at),
        texts=LEVELS,
        machine=MACHINE,
        source=[Markup(line) for line in highlighted(contents.source, _language(contents))],
        statements_at=statements_at,
        **values,
    )
    # C files need not be UTF-8.
    return rendered.encode(errors="surrogateescape").decode(errors="replace")


def _language(contents: Contents) -> str:
    return "c" if contents.filename.endswith((".c", ".h")) else "mlir"


def _statements(contents: Contents) -> Iterator[StatementView]:
    """The statements of all steps."""
    return (each for step in contents.steps for scop in step.scops for each in scop.statements)


def _colours(contents: Contents) -> Mapping[str, int]:
    """The number of the colour of each statement, by its key."""
    keys = dict.fromkeys(statement.key for statement in _statements(contents))
    return {key: number % COLOURS for number, key in enumerate(keys)}


def _statements_at(
    contents: Contents, colours: Mapping[str, int]
) -> Mapping[int, Mapping[str, int]]:
    """The keys and colours of the statements of each line of the source."""
    found: dict[int, dict[str, int]] = {}
    for statement in _statements(contents):
        for line in statement.lines:
            found.setdefault(line, {})[statement.key] = colours[statement.key]
    return found


@dataclass(frozen=True)
class ScopPage:
    """A static control part on the page: its tree, and the one before, as lines.

    `number` is its position in the step. `colours` are those of all statements, by key.
    """

    number: int
    scop: ScopView
    before: tuple[Line, ...]
    after: tuple[Line, ...]
    colours: Mapping[str, int]

    @cached_property
    def keys(self) -> Mapping[str, str]:
        """What tells each statement from those of the same name in other parts, in all steps."""
        return {each.name: each.key for each in self.scop.statements}

    def keys_of(self, statements: Iterable[str]) -> str:
        """The keys of statements as the page's script reads them."""
        return " ".join(self.keys.get(name, name) for name in statements)

    def colour(self, name: str) -> int:
        """The number of the colour of a statement."""
        return self.colours.get(self.keys.get(name, name), 0)

    @property
    def has_all_carriers(self) -> bool:
        """Whether each loop says what it carries: a dependence without carriers has none."""
        return all(each.loop.carried is not None for each in self.after if each.loop is not None)

    def carriers(self, number: int) -> list[tuple[Line, str]]:
        """The loops that carry a dependence, each with an example, or ""."""
        return [
            (line, carried.example)
            for line in self.after
            if line.loop is not None
            for carried in line.loop.carried or ()
            if carried.number == number
        ]


@dataclass(frozen=True)
class StepPage:
    """A step on the page; `same_texts` has the numbers of the steps that have its texts."""

    number: int
    step: StepView
    scops: tuple[ScopPage, ...]
    same_texts: Mapping[str, int]
    texts: Mapping[str, Markup]
    """Those that no step before has."""


def _pages(
    contents: Contents, colours: Mapping[str, int], statements_at: Mapping[int, Mapping[str, int]]
) -> list[StepPage]:
    pages: list[StepPage] = []
    for number, step in enumerate(contents.steps):
        last = pages[-1] if pages else None
        if last is not None and not step.is_changed:
            scops = tuple(replace(each, before=each.after) for each in last.scops)
            pages.append(StepPage(number, step, scops, last.same_texts, {}))
            continue
        before = last.scops if last is not None and last.step.region == step.region else ()
        scops = tuple(_scop_pages(step, before, colours))
        same = _same_texts(number, step, last, statements_at)
        texts: dict[str, Markup] = {
            level: _marked_up(text, "c" if level == "c" else "mlir", statements_at)
            for level, text in zip(LEVELS, step.texts, strict=True)
            if same[level] == number
        }
        pages.append(StepPage(number, step, scops, same, texts))
    return pages


def _marked_up(text: Text, language: str, statements_at: Mapping[int, Mapping[str, int]]) -> Markup:
    """A text with colours, whose lines know the statements that they come from.

    Neighbouring lines from the same statements are one element, with the end of its last line.
    """
    lines = enumerate(highlighted(text.text, language))
    parts: list[str] = []
    for keys, run in groupby(lines, lambda line: _keys(text, line[0], statements_at)):
        inner = "".join(f"{line}\n" for _, line in run)
        parts.append(f'<span data-statements="{escape(keys)}">{inner}</span>' if keys else inner)
    return Markup("".join(parts))


def _keys(text: Text, line: int, statements_at: Mapping[int, Mapping[str, int]]) -> str:
    """The keys of the statements that a line comes from, as the page's script reads them."""
    found: set[str] = set()
    for origin in text.origins.get(line, ()):
        found.update(statements_at.get(origin, ()) if isinstance(origin, int) else (origin,))
    return " ".join(sorted(found))


def _same_texts(
    number: int,
    step: StepView,
    last: StepPage | None,
    statements_at: Mapping[int, Mapping[str, int]],
) -> dict[str, int]:
    """The number of the step that has each text: this one, or one before it."""
    same: dict[str, int] = dict.fromkeys(LEVELS, number)
    if last is not None and last.step.region == step.region:
        for level, text, before in zip(LEVELS, step.texts, last.step.texts, strict=True):
            if _are_same(text, before, statements_at):
                same[level] = last.same_texts[level]
    return same


def _are_same(text: Text, other: Text, statements_at: Mapping[int, Mapping[str, int]]) -> bool:
    """Whether two texts are the same, and their lines come from the same statements."""
    return text.text == other.text and all(
        _keys(text, line, statements_at) == _keys(other, line, statements_at)
        for line in {*text.origins, *other.origins}
    )


def _scop_pages(
    step: StepView, before: Sequence[ScopPage], colours: Mapping[str, int]
) -> Iterator[ScopPage]:
    """The static control parts of a step beside those of the same functions before it."""
    for number, scop in enumerate(step.scops):
        lines = lines_of(scop.tree)
        is_same = number < len(before) and before[number].scop.function == scop.function
        pair = compared(before[number].after, lines) if is_same else ((), lines)
        yield ScopPage(number, scop, *pair, colours)
