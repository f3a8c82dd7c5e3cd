"""Lines of C, indented."""

from __future__ import annotations

from collections.abc import Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from polyir.target.c.expressions import Variable

INDENT = "  "


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
        self._lines.append(_Line(INDENT * self._depth + text))

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
