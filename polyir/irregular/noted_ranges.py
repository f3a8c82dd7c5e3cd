"""The range of the subscripts that an inspector visits, as numbers in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from xdsl.ir import SSAValue

from polyir.loops.code import Code

_FAR: Final = 2**62
"""More than any subscript."""


@dataclass(frozen=True)
class NotedRange:
    """Cells for the least and the greatest subscript that code notes."""

    first: SSAValue
    last: SSAValue

    def clear(self, code: Code, first: int = _FAR, last: int = -_FAR) -> None:
        """Add code after which all subscripts from `first` to `last` are noted, or none."""
        code.store(first, self.first)
        code.store(last, self.last)

    def note(self, code: Code, subscript: SSAValue) -> None:
        """Add code that notes a subscript."""
        code.store(code.minimum(code.load(self.first), subscript), self.first)
        code.store(code.maximum(code.load(self.last), subscript), self.last)

    def include(self, code: Code, other: NotedRange) -> None:
        """Add code that notes the ends of another range."""
        for end in (other.first, other.last):
            self.note(code, code.load(end))


def new_range(code: Code, name: str, first: int = _FAR, last: int = -_FAR) -> NotedRange:
    """New cells, in which all subscripts from `first` to `last` are noted, or none."""
    found = NotedRange(code.cell(f"{name}_first"), code.cell(f"{name}_last"))
    found.clear(code, first, last)
    return found
