"""The schedule tree in words, with the addresses of its loops."""

from __future__ import annotations

from collections.abc import Iterator

import islpy as isl

from polyir.sets.lists import text_of
from polyir.transform.bands import listed
from polyir.transform.walk import BAND, MARK
from polyir.tree import AddedBelow, BandMember, Kind, Schedule, ScheduleNode
from polyir.tree.addresses import Directory, LoopPosition, TreePath
from polyir.tree.names import statements_of

_INDENT = "  "


def outline(schedule: Schedule) -> str:
    """One line a node, and one line a loop with its addresses, its values and its flags.

        band of 2, permutable
          S0.0 S1.0: { S0[i, j] -> [(i)]; S1[i, j, k] -> [(i)] } parallel
          S0.1 S1.1: { S0[i, j] -> [(j)]; S1[i, j, k] -> [(j)] } parallel
          sequence
            S0
            S1
              band of 1
                S1.2: { S1[i, j, k] -> [(k)] }

    Below a filter stand the statements, or parts of statements, that pass it. `parallel` are
    loops with the coincident flag. An extension names the statements that it adds.
    """
    directory = Directory(schedule)
    return "\n".join(_lines(schedule.root.child(0), (0,), directory, 0))


def _lines(node: ScheduleNode, path: TreePath, directory: Directory, depth: int) -> Iterator[str]:
    inner = depth + 1
    kind = node.kind
    if kind is Kind.LEAF:
        if len(path) == 1:
            yield f"{_INDENT * depth}{listed(statements_of(node))}"
        return
    if kind is BAND:
        yield _INDENT * depth + _band(node)
        for member, loop in enumerate(node.members):
            yield _INDENT * inner + _loop(LoopPosition(path, member), loop, directory)
    elif kind is Kind.FILTER:
        yield _INDENT * depth + listed(_references_below(path, node, directory))
    elif kind is MARK:
        match node.attribute:
            case AddedBelow(statements=added):
                yield f"{_INDENT * depth}extension {listed(sorted(added))}"
            case attribute:
                yield f"{_INDENT * depth}mark {attribute}"
    else:
        yield _INDENT * depth + kind.value
    for position in range(node.n_children):
        yield from _lines(node.child(position), (*path, position), directory, inner)


def _band(band: ScheduleNode) -> str:
    permutable = ", permutable" if band.permutable else ""
    return f"band of {len(band.members)}{permutable}"


def _loop(place: LoopPosition, loop: BandMember, directory: Directory) -> str:
    addresses = " ".join(directory.addresses_of(place))
    values = text_of(loop.function)
    notes = ["parallel"] if loop.is_coincident else []
    notes += [] if loop.kind is isl.ast_loop_type.default else [loop.kind.name]
    notes += map(str, loop.attributes)
    return " ".join([f"{addresses}: {values[values.index('{') :]}", *notes])


def _references_below(path: TreePath, node: ScheduleNode, directory: Directory) -> tuple[str, ...]:
    """The statements below a filter node, those of which other parts are elsewhere by part."""
    inside = statements_of(node.child(0))
    names: list[str] = []
    for name in inside:
        here = [part for part in directory.parts[name] if part.path[: len(path)] == path]
        whole = len(here) == len(directory.parts[name])
        names += [name] if whole else [str(part.reference) for part in here]
    return tuple(names)
