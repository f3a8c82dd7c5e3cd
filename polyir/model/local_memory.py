"""Marks of the schedule tree for memory of which each iteration around has a copy of its own."""

from __future__ import annotations

import islpy as isl

_PREFIX = "local "


def local_mark(array: str) -> isl.Id:
    """The mark above what accesses the copies of `array`."""
    return isl.Id(f"{_PREFIX}{array}")


def array_of_mark(name: str) -> str | None:
    """The array that a mark of that name is for; `None` for other marks."""
    return name.removeprefix(_PREFIX) if name.startswith(_PREFIX) else None
