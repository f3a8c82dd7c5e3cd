"""What is known of the functions that check subscripts; see `index_checks.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

REPORT_SIZE: Final = 8
"""The numbers of a report: the access from 1 on, 0 if all are right, the dimension, the subscript,
the extent, and the place in the index array that the subscript comes from."""

MOST_POSITIONS: Final = REPORT_SIZE - 4
"""How many subscripts of that place there is room for."""


@dataclass(frozen=True)
class CheckedSubscript:
    """A subscript that is checked: its dimension, and the index array that it comes from, if any,
    with the number of dimensions of that.

    Where the extent of the array is not known, the subscript is compared with what is promised of
    the index array, `by_range`; the extent in a report is then the last number of its range.
    """

    dimension: int
    source: tuple[str, int] | None
    by_range: bool = False


@dataclass(frozen=True)
class CheckedAccess:
    """An access: its array, the number of dimensions of that, the subscripts that are checked, and
    where the access is in the program."""

    array: str
    rank: int
    subscripts: tuple[CheckedSubscript, ...]
    place: str

    def message(self, subscript: CheckedSubscript) -> str:
        """What is wrong with a subscript, with `{n}` for the n-th number of a report."""
        where = f" in dimension {subscript.dimension}" if self.rank > 1 else ""
        has = f"'{self.array}' has {{3}} elements{where}"
        if subscript.source is None:
            return f"{has}, and the subscript {{2}} is out of bounds"
        name, rank = subscript.source
        position = ", ".join(f"{{{4 + n}}}" for n in range(min(rank, MOST_POSITIONS)))
        value = f"'{name}' has {{2}} at [{position}]"
        if subscript.by_range:
            return f"{value}, outside of its range, which ends at {{3}}"
        return f"{value}, but {has}"


@dataclass(frozen=True)
class IndexCheck:
    """A function that checks the accesses of a loop.

    Its operands are arguments of the kernel, by their positions, and the report, which is -1.
    `shapes` are the numbers of the operands of which it needs the shape only.
    """

    symbol: str
    operands: tuple[int, ...]
    shapes: frozenset[int]
    accesses: tuple[CheckedAccess, ...]


IndexChecks: TypeAlias = Mapping[str, Sequence[IndexCheck]]
"""The checks of each kernel, by its name."""
