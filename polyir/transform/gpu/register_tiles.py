"""Loops around arrays in registers: unrolled, and bands split where arrays are promoted."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

import islpy as isl

from polyir.dialects.loop_attributes import MapAttr
from polyir.transform.bands import replace_band
from polyir.transform.walk import BAND
from polyir.tree import Schedule, ScheduleNode, mapped_children
from polyir.tree.addresses import LoopPosition, TreePath, node_at
from polyir.tree.names import statements_of


def with_register_tiles(
    schedule: Schedule,
    kept: Iterable[tuple[LoopPosition, set[str]]],
    places: Collection[LoopPosition],
) -> Schedule:
    """The tree with loops unrolled so that all subscripts of arrays in registers are constants.

    They are the loops below the arrays that are mapped to threads, several iterations to each
    thread. If their band is permutable, they become its innermost loops, so that what the
    iterations of the others load is there for all elements of the thread:

        band [i, j, k] thread y, x    =>    band [k, i, j] thread y, x, unrolled

    `kept` are the loops inside which arrays are in registers, each with the statements that access
    the array there; `places` are all loops inside which something is promoted.
    """
    others = [place.path for place in places]
    for loop, names in kept:
        schedule = _unrolled(node_at(schedule, loop.path), loop, names, others).schedule
    return schedule


def _unrolled(
    node: ScheduleNode, loop: LoopPosition, names: set[str], others: Collection[TreePath]
) -> ScheduleNode:
    """The tree from `node`, the band of a loop, down with loops inside of that unrolled."""
    path = node.path
    if not names & set(statements_of(node)):
        return node
    if node.kind is BAND and not node.is_subtree_anchored:
        first = loop.member + 1 if path == loop.path else 0
        members = list(node.members)
        mapped = [
            position
            for position in range(first, len(members))
            if any(isinstance(each, MapAttr) for each in members[position].attributes)
        ]
        for position in mapped:
            members[position] = replace(members[position], kind=isl.ast_loop_type.unroll)
        permutable = node.permutable
        # What is promoted further inside counts the loops in their order.
        if permutable and not any(other[: len(path)] == path for other in others):
            members = [
                *(member for position, member in enumerate(members) if position not in mapped),
                *(members[position] for position in mapped),
            ]
        if mapped:
            node = replace_band(node, members, permutable)
    return mapped_children(node, lambda child: _unrolled(child, loop, names, others))


class SplitBands:
    """A schedule whose bands are split after some members, and the places inside these loops."""

    def __init__(self, schedule: Schedule, loops: Collection[LoopPosition]) -> None:
        self._members: dict[TreePath, list[int]] = {}
        for loop in sorted(loops, key=lambda loop: (len(loop.path), loop.member), reverse=True):
            # Splitting a band leaves the paths of what is outside of it as they are.
            band = node_at(schedule, loop.path)
            if loop.member + 1 < len(band.members):
                schedule = band.split(loop.member + 1).schedule
                self._members.setdefault(loop.path, []).append(loop.member)
        self.schedule = schedule

    def inside(self, loop: LoopPosition) -> TreePath:
        """The path to the node that is directly inside a loop."""
        path: list[int] = []
        for depth, position in enumerate(loop.path):
            path += [0] * len(self._members.get(loop.path[:depth], ()))
            path.append(position)
        outer = [member for member in self._members.get(loop.path, ()) if member < loop.member]
        return (*path, *(0 for _ in outer), 0)
