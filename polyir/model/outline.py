"""A schedule tree as an outline to be read by people: one line a loop, children indented."""

from __future__ import annotations

import re
from collections.abc import Iterator

import islpy as isl

from polyir.isl_lists import sets_of
from polyir.isl_trees import node_type
from polyir.model.order import Member, members_of
from polyir.model.tree import attribute_of_mark, attributes_of_members


def outline_of(schedule: isl.Schedule) -> str:
    """The tree as pseudo-loops.

    A band is one `for` for each member, with what it iterates over; `parallel` marks the members
    that carry no dependence, `permutable` the bands that can be tiled.
    """
    return "\n".join(_lines(schedule.get_root()))


def _lines(node: isl.ScheduleNode) -> Iterator[str]:
    kind = node_type(node)
    match kind:
        case isl.schedule_node_type.leaf:
            yield from (_instance(part) for part in sets_of(node.get_domain()))
        case isl.schedule_node_type.domain | isl.schedule_node_type.filter:
            # Which statements are meant is seen from the leaves.
            yield from _children(node, "")
        case isl.schedule_node_type.band:
            heads = list(_band(node))
            for depth, head in enumerate(heads):
                yield "  " * depth + head
            yield from _children(node, "  " * len(heads))
        case isl.schedule_node_type.sequence:
            yield "sequence"
            yield from _children(node, "  ")
        case isl.schedule_node_type.set:
            yield "in any order"
            yield from _children(node, "  ")
        case isl.schedule_node_type.mark:
            yield f"mark {attribute_of_mark(node)}"
            yield from _children(node, "  ")
        case _:
            yield kind.name
            yield from _children(node, "  ")


def _children(node: isl.ScheduleNode, indent: str) -> Iterator[str]:
    for position in range(node.n_children()):
        for line in _lines(node.get_child(position)):
            yield indent + line


def _instance(part: isl.Set) -> str:
    names = (
        part.get_dim_name(isl.dim_type.set, n) or "_" for n in range(part.dim(isl.dim_type.set))
    )
    return f"{part.get_tuple_name()}[{', '.join(names)}]"


def _band(band: isl.ScheduleNode) -> Iterator[str]:
    """One line for each member of a band."""
    members = members_of(band)
    for position, member in enumerate(members):
        notes = []
        if position == 0 and band.band_get_permutable() and len(members) > 1:
            notes.append(f"permutable band of {len(members)}")
        if band.band_member_get_coincident(position):
            notes.append("parallel")
        notes += map(str, attributes_of_members(band)[position])
        line = f"for {_iterated(member)}"
        yield f"{line}  # {', '.join(notes)}" if notes else line


def _iterated(member: Member) -> str:
    """What a member iterates over, by statement where that is not the same for all."""
    texts = {name: _expression(function) for name, function in member.items()}
    if len(set(texts.values())) == 1:
        return next(iter(texts.values()))
    return ", ".join(f"{name}: {text}" for name, text in sorted(texts.items()))


def _expression(function: isl.PwAff) -> str:
    """The function without its domain, `i + j` of `[n] -> { S[i, j] -> [(i + j)] }`."""
    text = re.sub(r"^.*?\{|\}$", "", str(function)).strip()
    pieces = [re.sub(r"^\w*\[[^]]*\] -> ", "", piece) for piece in text.split("; ")]
    return " or ".join(_tile_loop(re.sub(r"^\[\((.*?)\)\]", r"\1", piece)) for piece in pieces)


def _tile_loop(expression: str) -> str:
    """The expression of a loop over tiles in words: `i - (i) mod 32` is i in steps of 32."""
    return re.sub(r"^(.+) - \(\1\) mod (\d+)$", r"\1 in steps of \2", expression)
