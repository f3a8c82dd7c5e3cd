"""Walking a schedule tree: the moves that several transformations share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from polyir.dialects.dependence import Dependences
from polyir.proofs.bands import facts_of_nest, merge_bands
from polyir.tree import Kind, Schedule, ScheduleNode
from polyir.tree.names import describe_band

BAND = Kind.BAND
MARK = Kind.MARK


def with_permutable_bands(schedule: Schedule, dependences: Dependences) -> Schedule:
    """`schedule` with bands that can be tiled, in the same order.

    Schedulers and earlier transformations make permutable bands of several loops, and those
    stand. A tree without any has its loops one by one, as the source has them: those that can
    be permuted are merged.
    """
    if has_permutable_band(schedule):
        return schedule
    return merge_bands(schedule, dependences)


def has_permutable_band(schedule: Schedule) -> bool:
    """Is there a band of two members or more that is called permutable?"""
    bands = (node for node in schedule.root.walk() if node.kind is BAND)
    return any(band.permutable and len(band.members) > 1 for band in bands)


def below_marks(node: ScheduleNode) -> ScheduleNode:
    """`node`, or the first node below it that is not a mark."""
    while node.kind is MARK:
        node = node.child(0)
    return node


def summary(reasons: Sequence[str], shown: int = 3) -> str:
    """The first of `reasons` in one line, and how many there are beyond."""
    beyond = len(reasons) - shown
    more = [f"and {beyond} more"] if beyond > 0 else []
    return "; ".join([*reasons[:shown], *more])


def because(band: ScheduleNode, dependences: Dependences) -> str:
    """`", because ..."` for loops from `band` down that are not permutable; else `""`."""
    obstacle = facts_of_nest(band, dependences).not_permutable
    return "" if obstacle is None else f", because {obstacle}"


def no_permutable_band(schedule: Schedule, dependences: Dependences) -> str:
    """Says that there is none, and why the first nest of several loops is not permutable."""
    reasons = (
        f": the loops from {describe_band(band)} down are not permutable{reason}"
        for band in _outermost_bands(schedule.root)
        if (reason := because(band, dependences))
    )
    return "there is no permutable band of 2 or more" + next(reasons, "")


def _outermost_bands(node: ScheduleNode) -> Iterator[ScheduleNode]:
    """The bands at or below `node` that are not directly inside another."""
    if node.kind is BAND:
        yield node
        while node.kind is BAND:
            node = node.child(0)
    for child in node.children():
        yield from _outermost_bands(child)
