"""Lines of C, indented."""

from __future__ import annotations

from collections.abc import Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from polyir.target.c.expressions import BINARY_OPERATORS, Variable

INDENT = "  "
LINE_WIDTH = 100

_OPERATORS = ("?", ":", *BINARY_OPERATORS)


def wrapped(text: str) -> Iterator[str]:
    """The lines of a long statement, the first of which has its indentation.

    A line is broken before an operator or after a comma or semicolon, where the fewest
    parentheses are open; there, rather after a separator, and at the last place that fits.
    """
    indent = " " * (len(text) - len(text.lstrip())) + INDENT * 2
    while len(text) > LINE_WIDTH:
        place = _break(text, len(indent))
        if place is None:
            break
        yield text[:place]
        text = indent + text[place + 1 :]
    yield text


def _break(text: str, first: int) -> int | None:
    """The place of the space at which to break a line, not before `first`."""
    best: tuple[int, int, int] | None = None
    depth = 0
    for place, character in enumerate(text[:LINE_WIDTH]):
        depth += (character in "([{") - (character in ")]}")
        if character != " " or place <= first:
            continue
        is_separated = text[place - 1] in ",;"
        if is_separated or text[place + 1 : place + 4].split(" ")[0] in _OPERATORS:
            candidate = (depth, 0 if is_separated else 1, place)
            best = candidate if best is None or candidate[:2] <= best[:2] else best
    return None if best is None else best[2]


@dataclass(frozen=True)
class _Line:
    text: str


@dataclass(frozen=True)
class _Uses:
    """Uses of variables that nothing else may use."""

    indent: str
    variables: tuple[Variable, ...]


class Writer:
    """Collects lines; some of them turn out to be needed only at the end."""

    def __init__(self, depth: int = 0) -> None:
        self._lines: list[_Line | _Uses] = []
        self._depth = depth

    def line(self, text: str) -> None:
        """One statement, head or pragma; a long one becomes several lines."""
        indented = INDENT * self._depth + text
        if text.startswith("#"):
            self._lines.append(_Line(indented))
        else:
            self._lines.extend(_Line(line) for line in wrapped(indented))

    def mark_used(self, *variables: Variable) -> None:
        """A line that, against a warning, uses those of `variables` that nothing else uses."""
        self._lines.append(_Uses(INDENT * self._depth, variables))

    @contextmanager
    def block(self, head: str, tail: str = "}") -> Iterator[None]:
        """The line `head`, the lines written inside, and `tail`; no first line without `head`."""
        if head:
            self.line(head)
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            self.line(tail)

    def render(self, used: Container[Variable]) -> Iterator[str]:
        """The lines, given the variables that the program uses."""
        for line in self._lines:
            if isinstance(line, _Line):
                yield line.text
                continue
            unused = [variable for variable in line.variables if variable not in used]
            if unused:
                yield line.indent + " ".join(f"(void){variable.name};" for variable in unused)
