"""What `make test` leaves to `make test-all`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest


def examples(few: int, many: int) -> int:
    """How many random examples a test takes: `few` in `make test`, `many` in `make test-all`."""
    return many if "POLYIR_TEST_ALL" in os.environ else few


def rarely(*values: object) -> Any:
    """Parameters of a test that only `make test-all` runs."""
    return pytest.param(*values, marks=pytest.mark.matrix)


def some(values: Iterable[object], every: int = 2) -> list[Any]:
    """Parameters of a test; `make test` runs one in `every` of them, beginning with the first."""
    return [
        value if number % every == 0 else rarely(*value if isinstance(value, tuple) else (value,))
        for number, value in enumerate(values)
    ]


def in_turn(rows: Sequence[object], columns: Sequence[object], every: int) -> list[Any]:
    """Parameters for all pairs of a row and a column.

    `make test` runs one in `every` of each row and of each column.
    """
    return [
        (row, column) if (number + position) % every == 0 else rarely(row, column)
        for number, row in enumerate(rows)
        for position, column in enumerate(columns)
    ]


FEW = 2
"""A test with no more cases than that keeps all."""


def thin_out(items: Iterable[pytest.Item], every: int = 8) -> None:
    """Leave all but one in `every` cases of each test with many of them to `make test-all`.

    Tests marked `every_case` keep all, and cases that are left to it already do not count. The
    names decide: as every eighth case, those of a table with eight columns would all be in one
    column.
    """
    cases: dict[tuple[Path, str], list[pytest.Item]] = {}
    for item in items:
        if all(item.get_closest_marker(name) is None for name in ("matrix", "every_case")):
            cases.setdefault((item.path, item.name.partition("[")[0]), []).append(item)
    for found in cases.values():
        if len(found) > FEW:
            found.sort(key=lambda item: crc32(item.name.encode()))
            for item in found[-(-len(found) // every) :]:
                item.add_marker(pytest.mark.matrix)
