"""Fusion of neighbouring nests, by request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import islpy as isl

from polyir.base.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.transform.bands import anchored, listed
from polyir.transform.loop_attributes import merged, settled
from polyir.transform.walk import BAND
from polyir.tree import BandMember, Schedule, ScheduleNode
from polyir.tree.addresses import Directory, LoopAddress, LoopPosition, TreePath, node_at
from polyir.tree.names import check_statements, statements_of


@dataclass(frozen=True)
class FuseOptions:
    """Which nests to fuse, named in one of two ways.

    Those of `statements`, along their `depth` outermost loops; or those of `loops`, one address
    a nest, from their outermost loop that is not common yet down to the loop named.

    Raises `OptionError` for a depth below 1, for fewer than two statements or loops, and where
    both ways are mixed.
    """

    statements: tuple[str, ...] = ()
    depth: int = 1
    loops: tuple[LoopAddress, ...] = ()

    def __post_init__(self) -> None:
        if self.depth < 1:
            raise OptionError(f"depth must be 1 or more: depth={self.depth}")
        if self.loops and (self.statements or self.depth > 1):
            raise OptionError("loops cannot be combined with statements or depth")
        if len(dict.fromkeys(self.loops or self.statements)) < 2:
            what = "loops or more, as in loops=S0.0,S1.0" if self.loops else _TWO_STATEMENTS
            raise OptionError(f"fusion needs two {what}")

    @property
    def shown(self) -> str:
        """What is to be fused, in words."""
        return listed(self.loops or self.statements)


_TWO_STATEMENTS = "statements or more, as in statements=S0,S1"


@dataclass(frozen=True)
class _Nests:
    """Children of a sequence that are to be fused, along so many of their outermost loops."""

    sequence: ScheduleNode
    children: frozenset[int]
    depth: int


def fuse(schedule: Schedule, dependences: Dependences, options: FuseOptions) -> Outcome:
    """Fuse the neighbouring nests that hold the given statements or loops.

    At the sequence that separates them, the nests of theirs, which must be next to each other,
    get their outermost loops in common, the first with the first:

        sequence                                  band [i; j]
          filter S0                                 sequence
            band [i]             =>                   filter S0
          filter S1                                   filter S1
            band [j, k]                                 band [k]

    Iterations with equal values meet; nothing is shifted. All flags of the result are exact; the
    loop kinds of fused loops are not kept.

    Raises `OptionError` for names of no statement, addresses of no loop, for nests that are not
    neighbours, have too few loops or other depths than each other, and `LegalityError` if a
    dependence is violated.
    """
    by_address = bool(options.loops)
    nests = _nests_of_loops(schedule, options) if by_address else _nests_of(schedule, options)
    if nests is None:
        shared = "are the same loop" if by_address else "already share all their loops"
        return Outcome(
            schedule, (), (f"nothing was fused: {options.shown} {shared}",), name="not-fused"
        )
    sequence = _isolate(nests, options.shown)
    fused = _merge_loops(sequence, nests.depth).schedule
    loops = "loop" if nests.depth == 1 else f"{nests.depth} loops"
    what = options.shown if by_address else f"the outermost {loops} of {options.shown}"
    return settled(schedule, fused, dependences, f"fusing {options.shown}", [f"fused {what}"])


def _nests_of(schedule: Schedule, options: FuseOptions) -> _Nests | None:
    """The nests of statements; `None` if no sequence separates them."""
    check_statements(options.statements, schedule)
    sequence = _separating_sequence(schedule.root, options.statements)
    if sequence is None:
        return None
    holders = (
        position
        for position in range(sequence.n_children)
        if set(options.statements) & set(_names_below(sequence.child(position)))
    )
    return _Nests(sequence, frozenset(holders), options.depth)


def _nests_of_loops(schedule: Schedule, options: FuseOptions) -> _Nests | None:
    """The nests of loops; `None` if the loops are one.

    Raises `OptionError` for loops inside each other, and where nests have other numbers of loops
    down to the one that is named.
    """
    directory = Directory(schedule)
    places = {directory.loop(address).place: address for address in options.loops}
    if len(places) == 1:
        return None
    stem = _common_start([place.path for place in places])
    for place, address in places.items():
        inside = [str(other) for found, other in places.items() if place.is_around(found)]
        if inside:
            raise OptionError(f"cannot fuse {address} and {inside[0]}: one is inside the other")
    depths = {address: _depth(directory, address, place, stem) for place, address in places.items()}
    if len(set(depths.values())) > 1:
        told = ", ".join(f"{address} is loop {depth}" for address, depth in depths.items())
        raise OptionError(
            f"cannot fuse loops at different depths: below the loops they share, {told}"
        )
    children = frozenset(place.path[len(stem)] for place in places)
    if len(children) < len(places):
        raise OptionError(f"cannot fuse {options.shown}: first fuse those that are in one nest")
    return _Nests(node_at(schedule, stem), children, next(iter(depths.values())))


def _common_start(paths: Sequence[TreePath]) -> TreePath:
    """The longest path that all of `paths` begin with."""
    shortest = min(paths, key=len)
    length = next(
        (n for n in range(len(shortest)) if len({path[n] for path in paths}) > 1), len(shortest)
    )
    return shortest[:length]


def _depth(directory: Directory, address: LoopAddress, place: LoopPosition, stem: TreePath) -> int:
    """How many loops there are from the node at the end of `stem` to the loop, with the loop."""
    loops = directory.parts_of(address.reference)[0].loops
    return sum(len(loop.path) > len(stem) for loop in loops[: loops.index(place) + 1])


def _separating_sequence(node: ScheduleNode, statements: Sequence[str]) -> ScheduleNode | None:
    """The node from `node` down with the statements in different children, if there is one."""
    while node.n_children > 0:
        children = node.children()
        holders = [child for child in children if set(statements) <= set(_names_below(child))]
        if not holders:
            return node
        node = holders[0]
    return None


def _names_below(node: ScheduleNode) -> tuple[str, ...]:
    """The statements that reach what is below `node`, which may be a filter."""
    return statements_of(node.child(0) if node.n_children > 0 else node)


def _isolate(nests: _Nests, shown: str) -> ScheduleNode:
    """A sequence of the nests, all other children of their sequence moved around it.

    Returned is the inner sequence. Raises `OptionError` if there is another child between.
    """
    sequence = nests.sequence
    children = sequence.children()
    first, last = min(nests.children), max(nests.children)
    for position in range(first, last):
        if position not in nests.children:
            between = ", ".join(_names_below(children[position]))
            raise OptionError(f"the nests of {shown} are not adjacent: {between} runs between them")
    filters = [child.filter for child in children]
    if first > 0:
        sequence = sequence.order_before(reduce(isl.UnionSet.union, filters[:first]))
    if last + 1 < len(filters):
        sequence = sequence.order_after(reduce(isl.UnionSet.union, filters[last + 1 :]))
    return sequence


def _merge_loops(sequence: ScheduleNode, depth: int) -> ScheduleNode:
    """`sequence` below a band of the `depth` outermost loops of all its children.

    Returned is the band.
    """
    nests: list[list[BandMember]] = []
    for position in range(sequence.n_children):
        filter_node = sequence.child(position)
        instances = filter_node.filter
        loops = _outer_loops(filter_node.child(0), depth)
        nests.append(
            [loop.with_function(loop.function.intersect_domain(instances)) for loop in loops]
        )
        sequence = _without_loops(filter_node.child(0), depth).parent().parent()
    return sequence.insert_band([_common_loop(loops) for loops in zip(*nests, strict=True)])


def _common_loop(loops: Sequence[BandMember]) -> BandMember:
    function = reduce(isl.UnionPwAff.union_add, (loop.function for loop in loops))
    return BandMember(function, attributes=merged([loop.attributes for loop in loops]))


def _outer_loops(node: ScheduleNode, depth: int) -> list[BandMember]:
    """The `depth` outermost loops from `node` down.

    Raises `OptionError` if there are fewer before anything else stands in the tree.
    """
    members: list[BandMember] = []
    names = ", ".join(statements_of(node))
    while len(members) < depth:
        if node.kind is not BAND:
            loops = "1 loop" if depth == 1 else f"{depth} loops"
            own = len(members) or "none"
            raise OptionError(f"cannot fuse {loops}: {names} has {own} that can be fused")
        if node.is_subtree_anchored:
            raise OptionError(f"cannot fuse: {anchored(node)}")
        members += node.members
        node = node.child(0)
    return members[:depth]


def _without_loops(node: ScheduleNode, depth: int) -> ScheduleNode:
    """What stands in the place of `node` without its `depth` outermost loops."""
    while depth > 0:
        members = len(node.members)
        if members > depth:
            node = node.split(depth)
        depth -= len(node.members)
        node = node.delete()
    return node
