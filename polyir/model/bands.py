"""What the dependences allow the bands of a schedule: permutation and parallel execution.

The facts are computed from the dependences, whatever flags the bands have. A dependence
matters to a band where it is active: where all outer nodes leave it to the band.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import islpy as isl

from polyir.dialects.dependence import Dependence, Dependences
from polyir.isl_trees import node_type, path_of
from polyir.model.distance import DistanceVector, vectors_of
from polyir.model.legality import example_of
from polyir.model.order import (
    Active,
    Member,
    all_active,
    backward,
    below,
    below_child,
    forward,
    members_of,
    still_active,
    strict_ones,
)


@dataclass(frozen=True)
class Obstacle:
    """Why not: a dependence, and the pairs of it that stand in the way, in a band's members."""

    dependence: Dependence
    relation: isl.Map
    members: Sequence[Member]

    @property
    def vector(self) -> DistanceVector:
        """Distances of the pairs in the members of the band.

        They are for the reader, and in tangled schedules they take far longer to compute than
        it takes to see that there is an obstacle.
        """
        return vectors_of(self.relation, self.members)[0]

    def __str__(self) -> str:
        example = example_of(self.relation)
        return f"array {self.dependence.array} carries {self.vector}: {example}"


@dataclass(frozen=True)
class BandFacts:
    """What the dependences allow a band; each tuple has one entry a member.

    Reductions do not keep a band from being permutable, but a member that carries them is neither
    coincident nor parallel.

    `not_permutable` is an obstacle unless `permutable`: a dependence with a negative distance
    in some member. A member is `coincident` if all active dependences have distance 0 in it,
    else `not_coincident` has an obstacle. It is `parallel` if it carries none of those that
    the earlier members of the band leave: weaker, and enough to run the member's iterations
    in parallel where it stands.
    """

    not_permutable: Obstacle | None
    not_coincident: tuple[Obstacle | None, ...]
    parallel: tuple[bool, ...]

    @property
    def permutable(self) -> bool:
        """May the members be interchanged, and tiled into rectangles?"""
        return self.not_permutable is None

    @property
    def coincident(self) -> tuple[bool, ...]:
        """Have all active dependences distance 0 in the member?"""
        return tuple(obstacle is None for obstacle in self.not_coincident)


def active_at(node: isl.ScheduleNode, dependences: Dependences) -> tuple[Active, ...]:
    """The pairs of the ordering dependences that the nodes above `node` leave to it."""
    root = node.get_schedule().get_root()
    actives = all_active(dependences.ordering)
    for position in path_of(node):
        actives = below_child(root, actives, position)
        root = root.get_child(position)
    return actives


def band_facts(actives: Sequence[Active], members: Sequence[Member]) -> BandFacts:
    """What the active dependences allow a band of the given members."""
    not_permutable: Obstacle | None = None
    not_coincident: list[Obstacle | None] = []
    parallel: list[bool] = []
    remaining: Sequence[Active] = actives
    strict = strict_ones(actives)
    for member in members:
        not_permutable = not_permutable or _obstacle(strict, member, members, (backward,))
        not_coincident.append(_obstacle(actives, member, members, (forward, backward)))
        parallel.append(_obstacle(remaining, member, members, (forward, backward)) is None)
        remaining = still_active(remaining, member)
    return BandFacts(not_permutable, tuple(not_coincident), tuple(parallel))


def facts_of_band(band: isl.ScheduleNode, dependences: Dependences) -> BandFacts:
    """What the dependences allow a band node of a schedule."""
    return band_facts(active_at(band, dependences), members_of(band))


def facts_of_nest(band: isl.ScheduleNode, dependences: Dependences) -> BandFacts:
    """What the dependences would allow `band` and the bands directly below it as one band."""
    actives = active_at(band, dependences)
    members: list[Member] = []
    while node_type(band) is isl.schedule_node_type.band:
        members += members_of(band)
        band = band.get_child(0)
    return band_facts(actives, members)


def annotate_bands(schedule: isl.Schedule, dependences: Dependences) -> isl.Schedule:
    """The same tree with the flags `permutable` and `coincident` of every band exact."""
    return _rewrite_bands(schedule, dependences, _annotate)


def annotate_band(band: isl.ScheduleNode, dependences: Dependences) -> isl.ScheduleNode:
    """A band node with its flags `permutable` and `coincident` exact."""
    return _annotate(band, active_at(band, dependences))


def merge_bands(schedule: isl.Schedule, dependences: Dependences) -> isl.Schedule:
    """The same order, with directly nested bands as one band where that is permutable.

        band [i]                              band [i, j] permutable
          band [j]               becomes        band [k]
            band [k]

    First each band that is not permutable is split after its longest permutable prefix, and
    so is the rest; then from the outside in, each band takes in as many of the bands below as
    stay permutable with it. All flags of the result are exact. Bands with AST build options
    are not merged: the options say what they do of one band; nor are bands around those whose
    options name the loops around them.
    """
    parts = _rewrite_bands(schedule, dependences, _split)
    return _rewrite_bands(parts, dependences, _merge)


def merge_below(band: isl.ScheduleNode, actives: tuple[Active, ...]) -> isl.ScheduleNode:
    """`band` with those of the bands directly below that are permutable with it; flags exact.

    `actives` are at `band`.
    """
    return _merge(band, actives)


_Visit = Callable[[isl.ScheduleNode, tuple[Active, ...]], isl.ScheduleNode]
"""Rewrites a band node, given what is active there; returns the node in its new tree."""


def _rewrite_bands(schedule: isl.Schedule, dependences: Dependences, visit: _Visit) -> isl.Schedule:
    """Visit all bands, outer ones first; children that a visit makes are visited too."""

    def rewrite(node: isl.ScheduleNode, actives: tuple[Active, ...]) -> isl.ScheduleNode:
        if node_type(node) is isl.schedule_node_type.band:
            node = visit(node, actives)
        for position, inner in enumerate(below(node, actives)):
            node = rewrite(node.get_child(position), inner).parent()
        return node

    root = rewrite(schedule.get_root(), all_active(dependences.ordering))
    return root.get_schedule()


def _annotate(band: isl.ScheduleNode, actives: tuple[Active, ...]) -> isl.ScheduleNode:
    facts = band_facts(actives, members_of(band))
    band = band.band_set_permutable(int(facts.permutable))
    for position, coincident in enumerate(facts.coincident):
        band = band.band_member_set_coincident(position, int(coincident))
    return band


def _split(band: isl.ScheduleNode, actives: tuple[Active, ...]) -> isl.ScheduleNode:
    members = members_of(band)
    prefix = max(1, _permutable_prefix(actives, members))
    return band.band_split(prefix) if prefix < len(members) else band


def _merge(band: isl.ScheduleNode, actives: tuple[Active, ...]) -> isl.ScheduleNode:
    while _may_merge(band):
        child = band.get_child(0)
        if not band_facts(actives, members_of(band) + members_of(child)).permutable:
            break
        band = _as_one_band(band, child)
    return _annotate(band, actives)


def _permutable_prefix(actives: tuple[Active, ...], members: tuple[Member, ...]) -> int:
    """How many of the first members are permutable together."""
    for position, member in enumerate(members):
        if any(not backward(active, member).is_empty() for active in strict_ones(actives)):
            return position
    return len(members)


def _may_merge(band: isl.ScheduleNode) -> bool:
    """Is the child a band too, has neither AST build options, and do none below name them?"""
    child = band.get_child(0)
    if node_type(child) is not isl.schedule_node_type.band or band.is_subtree_anchored():
        return False
    return all(
        node.band_n_member() > 0 and node.band_get_ast_build_options().is_empty()
        for node in (band, child)
    )


def _as_one_band(band: isl.ScheduleNode, child: isl.ScheduleNode) -> isl.ScheduleNode:
    schedule = band.band_get_partial_schedule().flat_range_product(
        child.band_get_partial_schedule()
    )
    return child.delete().parent().delete().insert_partial_schedule(schedule)


def _obstacle(
    actives: Sequence[Active],
    member: Member,
    members: Sequence[Member],
    orders: Sequence[Callable[[Active, Member], isl.Map]],
) -> Obstacle | None:
    """The first dependence that the member orders in one of the given ways."""
    for active in actives:
        for order in orders:
            relation = order(active, member)
            if not relation.is_empty():
                return Obstacle(active.dependence, relation, members)
    return None
