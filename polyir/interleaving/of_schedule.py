"""The interleaving that a schedule tree has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import islpy as isl

from polyir.interleaving.point import Block, Interleaving, Level
from polyir.sets.lists import sets_of
from polyir.tree import Kind, Schedule, ScheduleNode


def interleaving_of_schedule(
    schedule: Schedule, statements: Sequence[str], depth: int
) -> Interleaving | None:
    """The first `depth` levels of a schedule tree, by the positions of its statements.

    Statements are together at level k if they share the k-th loop from the outside. `None` if
    parts of a statement are in different places, or one without a loop of its own shares one.
    """
    number = {name: position for position, name in enumerate(statements)}
    levels = _levels(schedule.root, number, depth)
    if any(sorted(sum(level, ())) != list(range(len(number))) for level in levels):
        return None
    alone = [
        number[each.get_tuple_name() or ""]
        for each in sets_of(schedule.domain)
        if not each.dim(isl.dim_type.set)
    ]
    if any(each in block and len(block) > 1 for each in alone for block in levels[0]):
        return None
    return Interleaving(levels)


def _levels(node: ScheduleNode, number: Mapping[str, int], depth: int) -> tuple[Level, ...]:
    """The first levels below a node, for the statements that it has."""
    kind = node.kind
    if not depth:
        return ()
    if kind in (Kind.SEQUENCE, Kind.SET):
        parts = [_levels(node.child(each), number, depth) for each in range(node.n_children)]
        return tuple(sum(level, ()) for level in zip(*parts, strict=True))
    if kind is Kind.LEAF:
        return (tuple((each,) for each in _statements(node, number)),) * depth
    child = node.child(0)
    if kind is not Kind.BAND:
        return _levels(child, number, depth)
    shared = min(len(node.members), depth)
    together: Level = (_statements(node, number),)
    return (*(together,) * shared, *_levels(child, number, depth - shared))


def _statements(node: ScheduleNode, number: Mapping[str, int]) -> Block:
    names = (each.get_tuple_name() or "" for each in sets_of(node.domain))
    return tuple(sorted(number[name] for name in names))
