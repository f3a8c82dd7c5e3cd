"""How a schedule tree orders the pairs of a dependence, node by node.

A pair (source instance, target instance) is *active* at a node when all nodes above give both
instances equal positions: it is for this node or one below to order them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

import islpy as isl

from polyir.dialects.dependence import Dependence, DependenceKind
from polyir.sets.hulls import simplified
from polyir.sets.lists import maps_of, sets_of, union_map
from polyir.tree import Kind, Schedule, ScheduleNode

MOST_REMEMBERED: Final = 4096
"""Results of questions about the order of pairs that are kept for when they are asked again."""


@dataclass(frozen=True)
class Active:
    """The pairs of `dependence` that are active at a node: `relation`, never empty."""

    dependence: Dependence
    relation: isl.Map


def strict_ones(actives: Iterable[Active]) -> tuple[Active, ...]:
    """Those whose order must be kept: all but reductions."""
    reduction = DependenceKind.REDUCTION
    return tuple(each for each in actives if each.dependence.kind is not reduction)


Member = Mapping[str, isl.PwAff]
"""One member of a band: its function `{ S[i] -> [t] }` for each statement that reaches it."""


def all_active(dependences: Iterable[Dependence]) -> tuple[Active, ...]:
    """Everything is active at the root."""
    return tuple(
        Active(dependence, dependence.relation)
        for dependence in dependences
        if not dependence.is_empty
    )


def backward(active: Active, member: Member) -> isl.Map:
    """The active pairs whose target the member places before the source."""
    dependence = active.dependence
    return _backward(active.relation, member[dependence.source], member[dependence.target])


def forward(active: Active, member: Member) -> isl.Map:
    """The active pairs whose source the member places before the target."""
    dependence = active.dependence
    return _forward(active.relation, member[dependence.source], member[dependence.target])


def separates(active: Active, member: Member) -> bool:
    """Whether the member gives the two ends of some active pair different places."""
    return not (forward(active, member).is_empty() and backward(active, member).is_empty())


def still_active(actives: Iterable[Active], member: Member) -> tuple[Active, ...]:
    """The pairs that the member places at the same time."""
    kept = []
    for active in actives:
        dependence = active.dependence
        source, target = member[dependence.source], member[dependence.target]
        relation = _at_once(active.relation, source, target)
        if not relation.is_empty():
            kept.append(Active(dependence, relation))
    return tuple(kept)


# Passes of a pipeline, and the checks of each, ask the same of parts of the tree that stay.
@lru_cache(MOST_REMEMBERED)
def _backward(pairs: isl.Map, source: isl.PwAff, target: isl.PwAff) -> isl.Map:
    return pairs.intersect(source.gt_map(target))


@lru_cache(MOST_REMEMBERED)
def _forward(pairs: isl.Map, source: isl.PwAff, target: isl.PwAff) -> isl.Map:
    return pairs.intersect(source.lt_map(target))


@lru_cache(MOST_REMEMBERED)
def _at_once(pairs: isl.Map, source: isl.PwAff, target: isl.PwAff) -> isl.Map:
    # Most loops order none of most pairs: that is seen far faster than what is left is simplified.
    orders = (order(pairs, source, target) for order in (_backward, _forward))
    if all(ordered.is_empty() for ordered in orders):
        return pairs
    return simplified(pairs.intersect(source.eq_map(target)))


def below(node: ScheduleNode, actives: tuple[Active, ...]) -> tuple[tuple[Active, ...], ...]:
    """For each child of `node` what is active there, given what is active at `node`."""
    match node.kind:
        case Kind.BAND:
            for member in node.band.functions_by_statement:
                actives = still_active(actives, member)
            return (actives,)
        case Kind.SEQUENCE | Kind.SET:
            inner: list[list[Active]] = [[] for _ in range(node.n_children)]
            for part in across_children(node, actives):
                if part.source_child == part.target_child:
                    inner[part.source_child].append(part.active)
            return tuple(map(tuple, inner))
        case _:
            return (actives,) * node.n_children


def below_child(
    node: ScheduleNode, actives: tuple[Active, ...], position: int
) -> tuple[Active, ...]:
    """What is active at one child of `node`: that part of `below`, without what others need."""
    if node.kind not in (Kind.SEQUENCE, Kind.SET):
        return below(node, actives)[position]
    passed = {each.get_tuple_name(): each for each in sets_of(_filter(node, position))}
    inner = (
        Active(each.dependence, each.relation.intersect_domain(source).intersect_range(target))
        for each in actives
        if (source := passed.get(each.dependence.source)) is not None
        and (target := passed.get(each.dependence.target)) is not None
    )
    return tuple(each for each in inner if not each.relation.is_empty())


def ordered_pairs(schedule: Schedule, pairs: isl.UnionMap) -> isl.UnionMap:
    """Those of `{ S[i] -> T[j] }` where S[i] runs before T[j].

    The children of a set node have no order. Nothing is eliminated, so the time hardly depends on
    how the pairs are related: isl's dataflow analysis has been seen to take minutes for
    subscripts with `mod`.
    """
    return ordered_below(schedule.root, pairs)


def ordered_below(node: ScheduleNode, pairs: isl.UnionMap) -> isl.UnionMap:
    """As `ordered_pairs`, for pairs that are in one iteration of the loops around `node`."""
    relations = (
        Active(Dependence(DependenceKind.INPUT, "", relation), relation)
        for relation in maps_of(pairs)
    )
    return union_map(_ordered(node, tuple(relations)), pairs.get_space())


def _ordered(node: ScheduleNode, actives: tuple[Active, ...]) -> Iterator[isl.Map]:
    """The pairs that `node` and the nodes below it order, of those that are active there."""
    if not actives:
        return
    kind = node.kind
    if kind is Kind.BAND:
        for member in node.band.functions_by_statement:
            yield from (forward(active, member) for active in actives)
            actives = still_active(actives, member)
    inner: list[tuple[Active, ...]] = [actives] * node.n_children
    if kind in (Kind.SEQUENCE, Kind.SET):
        parts = tuple(across_children(node, actives))
        if kind is Kind.SEQUENCE:
            yield from (
                part.active.relation for part in parts if part.source_child < part.target_child
            )
        inner = [
            tuple(part.active for part in parts if part.source_child == part.target_child == child)
            for child in range(node.n_children)
        ]
    for position, below_child in enumerate(inner):
        if below_child:
            yield from _ordered(node.child(position), below_child)


class AcrossChildren(NamedTuple):
    """Active pairs whose instances pass the filters of these children of a sequence or set."""

    source_child: int
    target_child: int
    active: Active


def across_children(node: ScheduleNode, actives: Iterable[Active]) -> Iterator[AcrossChildren]:
    """The pairs that are active at a sequence or set node, by the children that they pass."""
    filters = _filters_of(node)
    for active in actives:
        for source_child, source in filters[active.dependence.source]:
            relation = active.relation.intersect_domain(source)
            for target_child, target in filters[active.dependence.target]:
                part = relation.intersect_range(target)
                if not part.is_empty():
                    yield AcrossChildren(
                        source_child, target_child, Active(active.dependence, part)
                    )


def _filters_of(node: ScheduleNode) -> dict[str, list[tuple[int, isl.Set]]]:
    """For each statement the children of a sequence or set that it passes, and with what."""
    filters: dict[str, list[tuple[int, isl.Set]]] = {}
    for position in range(node.n_children):
        for part in sets_of(_filter(node, position)):
            filters.setdefault(part.get_tuple_name(), []).append((position, part))
    return filters


def _filter(node: ScheduleNode, position: int) -> isl.UnionSet:
    """What a child of a sequence or set lets pass."""
    return node.child(position).filter
