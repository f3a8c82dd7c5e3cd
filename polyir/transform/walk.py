"""Walking a schedule tree: the moves that several transformations share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import islpy as isl

from polyir.base.diagnostics import OptionError, nearest
from polyir.dialects.dependence import Dependences
from polyir.model.bands import facts_of_nest, merge_bands
from polyir.sets.lists import sets_of
from polyir.tree import Kind, Schedule, ScheduleNode

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

    def is_other(node: ScheduleNode) -> bool:
        if node.kind is not BAND:
            return True
        return len(node.members) < 2 or not node.permutable

    return not schedule.root.every(is_other)


def below_marks(node: ScheduleNode) -> ScheduleNode:
    """`node`, or the first node below it that is not a mark."""
    while node.kind is MARK:
        node = node.child(0)
    return node


def statements_of(node: ScheduleNode) -> tuple[str, ...]:
    """The names of the statements that reach `node`, sorted, S9 before S10."""
    return names_in(node.domain)


def names_in(instances: isl.UnionSet) -> tuple[str, ...]:
    """The names of the statements that `instances` are of, sorted, S9 before S10."""
    names = [part.get_tuple_name() for part in sets_of(instances)]
    return tuple(sorted(names, key=lambda name: (len(name), name)))


def name_list(names: Sequence[str], shown: int = 6) -> str:
    """Names for a message, not too many."""
    if len(names) <= shown:
        return ", ".join(names)
    return f"{', '.join(names[: shown - 1])} and {len(names) - shown + 1} more"


def check_statements(names: Iterable[str], schedule: Schedule) -> None:
    """Raise `OptionError` if one of `names` is none of the statements that `schedule` runs."""
    valid = names_in(schedule.domain)
    for name in names:
        if name not in valid:
            hint = nearest(name, valid) or f" (statements: {', '.join(valid)})"
            raise OptionError(f"there is no statement '{name}'{hint}")


def describe_band(band: ScheduleNode) -> str:
    """A band in words: `"the band of 2 over S0, S1"`."""
    return f"the band of {len(band.members)} over {name_list(statements_of(band))}"


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
