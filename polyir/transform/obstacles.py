"""Which dependence is in the way of what needs a permutable band, in words."""

from __future__ import annotations

from collections.abc import Iterator

import islpy as isl

from polyir.dialects.dependence import Dependences
from polyir.model.bands import facts_of_nest
from polyir.model.tree import node_type
from polyir.transform.walk import BAND, describe_band


def because(band: isl.ScheduleNode, dependences: Dependences) -> str:
    """`", because ..."` for loops from `band` down that are not permutable; else `""`."""
    obstacle = facts_of_nest(band, dependences).not_permutable
    return "" if obstacle is None else f", because {obstacle}"


def no_permutable_band(schedule: isl.Schedule, dependences: Dependences) -> str:
    """Says that there is none, and what forbids the first nest of several loops to be one."""
    reasons = (
        f": the loops from {describe_band(band)} down are not permutable{reason}"
        for band in _outermost_bands(schedule.get_root())
        if (reason := because(band, dependences))
    )
    return "there is no permutable band of 2 or more" + next(reasons, "")


def _outermost_bands(node: isl.ScheduleNode) -> Iterator[isl.ScheduleNode]:
    """The bands at or below `node` that are not directly inside another."""
    if node_type(node) is BAND:
        yield node
        while node_type(node) is BAND:
            node = node.child(0)
    for position in range(node.n_children()):
        yield from _outermost_bands(node.child(position))
