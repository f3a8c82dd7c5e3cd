"""Fusion of neighbouring nests, by request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import islpy as isl

from polyir.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.model.bands import annotate_bands
from polyir.model.legality import require_legal
from polyir.model.outcome import Outcome
from polyir.model.tree import node_type
from polyir.transform.walk import (
    BAND,
    check_statements,
    describe_band,
    require_own_instances,
    statements_of,
)


@dataclass(frozen=True)
class FuseOptions:
    """Which nests to fuse: those of `statements`, along their `depth` outermost loops.

    Raises `OptionError` for a depth below 1 and for fewer than two statements.
    """

    statements: tuple[str, ...]
    depth: int = 1

    def __post_init__(self) -> None:
        if self.depth < 1:
            raise OptionError(f"depth must be 1 or more: depth={self.depth}")
        if len(dict.fromkeys(self.statements)) < 2:
            raise OptionError("fusion needs two statements or more, as in statements=S0,S1")


def fuse(schedule: isl.Schedule, dependences: Dependences, options: FuseOptions) -> Outcome:
    """Fuse the neighbouring nests that hold the given statements.

    At the sequence that separates the statements, the nests of theirs, which must be next to
    each other, get their `depth` outermost loops in common, the first with the first:

        sequence                                  band [i; j]
          filter S0                                 sequence
            band [i]             =>                   filter S0
          filter S1                                   filter S1
            band [j, k]                                 band [k]

    Iterations with equal values meet; nothing is shifted. All flags of the result are exact; the
    loop kinds of fused loops are not kept.

    Raises `OptionError` for names of no statement, for nests that are not neighbours or have
    too few loops, and `LegalityError` if a dependence is violated, and for trees with extension
    or expansion nodes.
    """
    require_own_instances(schedule, "fusion")
    check_statements(options.statements, schedule)
    names = ", ".join(options.statements)
    sequence = _separating_sequence(schedule.get_root(), options.statements)
    if sequence is None:
        return Outcome(schedule, (), (f"nothing was fused: {names} share all their loops",))
    sequence = _isolate(sequence, options.statements)
    fused = _merge_loops(sequence, options.depth).get_schedule()
    require_legal(dependences, fused, f"fusing {names}")
    loops = "loop" if options.depth == 1 else f"{options.depth} loops"
    done = f"fused the outermost {loops} of {names}"
    return Outcome(annotate_bands(fused, dependences), (done,))


def _separating_sequence(
    node: isl.ScheduleNode, statements: Sequence[str]
) -> isl.ScheduleNode | None:
    """The node from `node` down with the statements in different children, if there is one."""
    while node.n_children() > 0:
        children = [node.child(position) for position in range(node.n_children())]
        holders = [child for child in children if set(statements) <= set(_names_below(child))]
        if not holders:
            return node
        node = holders[0]
    return None


def _names_below(node: isl.ScheduleNode) -> tuple[str, ...]:
    """The statements that reach what is below `node`, which may be a filter."""
    return statements_of(node.child(0) if node.n_children() > 0 else node)


def _isolate(sequence: isl.ScheduleNode, statements: Sequence[str]) -> isl.ScheduleNode:
    """A sequence of the children with the statements, all other children moved around it.

    Returned is the inner sequence. Raises `OptionError` if there is another child between.
    """
    children = [sequence.child(position) for position in range(sequence.n_children())]
    wanted = [bool(set(statements) & set(_names_below(child))) for child in children]
    first = wanted.index(True)
    last = len(wanted) - 1 - wanted[::-1].index(True)
    for child, is_wanted in zip(children[first:last], wanted[first:last], strict=True):
        if not is_wanted:
            between = ", ".join(_names_below(child))
            raise OptionError(
                f"the nests of {', '.join(statements)} are not neighbours: {between} runs between"
            )
    filters = [child.filter_get_filter() for child in children]
    if first > 0:
        sequence = sequence.order_before(reduce(isl.UnionSet.union, filters[:first]))
    if last + 1 < len(filters):
        sequence = sequence.order_after(reduce(isl.UnionSet.union, filters[last + 1 :]))
    return sequence


def _merge_loops(sequence: isl.ScheduleNode, depth: int) -> isl.ScheduleNode:
    """`sequence` below a band of the `depth` outermost loops of all its children.

    Returned is the band.
    """
    merged: isl.MultiUnionPwAff | None = None
    for position in range(sequence.n_children()):
        filter_node = sequence.child(position)
        loops = _outer_loops(filter_node.child(0), depth)
        loops = loops.intersect_domain(filter_node.filter_get_filter())
        merged = loops if merged is None else merged.union_add(loops)
        sequence = _without_loops(filter_node.child(0), depth).parent().parent()
    assert merged is not None
    return sequence.insert_partial_schedule(merged)


def _outer_loops(node: isl.ScheduleNode, depth: int) -> isl.MultiUnionPwAff:
    """The members of the `depth` outermost loops from `node` down, as those of one band.

    Raises `OptionError` if there are fewer before anything else stands in the tree.
    """
    members: list[isl.MultiUnionPwAff] = []
    names = ", ".join(statements_of(node))
    while len(members) < depth:
        if node_type(node) is not BAND:
            loops = "1 loop" if depth == 1 else f"{depth} loops"
            own = len(members) or "none"
            raise OptionError(f"cannot fuse {loops}: {names} has {own} that can be shared")
        if node.is_subtree_anchored():
            raise OptionError(
                f"cannot fuse: AST options at or below {describe_band(node)} name loops around it"
            )
        band = node.band_get_partial_schedule()
        members += [
            isl.MultiUnionPwAff.from_union_pw_aff(band.get_at(member))
            for member in range(node.band_n_member())
        ]
        node = node.child(0)
    return reduce(isl.MultiUnionPwAff.flat_range_product, members[:depth])


def _without_loops(node: isl.ScheduleNode, depth: int) -> isl.ScheduleNode:
    """What stands in the place of `node` without its `depth` outermost loops."""
    while depth > 0:
        members = node.band_n_member()
        if members > depth:
            node = node.band_split(depth)
        depth -= node.band_n_member()
        node = node.delete()
    return node
