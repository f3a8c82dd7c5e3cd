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
class CheckedAccess:
    """An access: its array, for each dimension the index array of the subscript and the number of
    that array's dimensions, and where the access is in the program."""

    array: str
    index_arrays: tuple[tuple[str, int] | None, ...]
    place: str


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
