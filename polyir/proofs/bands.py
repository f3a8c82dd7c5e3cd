"""What the dependences allow the bands of a schedule: permutation and parallel execution.

The facts are computed from the dependences, whatever flags the bands have. A dependence
matters to a band where it is active: where all outer nodes leave it to the band.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import islpy as isl

from polyir.dialects.dependence import Dependence, Dependences
from polyir.model.distance import DistanceVector, vectors_of
from polyir.sets.examples import example_of
from polyir.tree import BandMember, Kind, Schedule, ScheduleNode
from polyir.tree.order import (
    Active,
    Member,
    all_active,
    backward,
    below,
    below_child,
    forward,
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


def active_at(node: ScheduleNode, dependences: Dependences) -> tuple[Active, ...]:
    """The pairs of the ordering dependences that the nodes above `node` leave to it."""
    root = node.schedule.root
    actives = all_active(dependences.ordering)
    for position in node.path:
        actives = below_child(root, actives, position)
        root = root.child(position)
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


def facts_of_band(band: ScheduleNode, dependences: Dependences) -> BandFacts:
    """What the dependences allow a band node of a schedule."""
    return band_facts(active_at(band, dependences), band.band.functions_by_statement)


def facts_of_nest(band: ScheduleNode, dependences: Dependences) -> BandFacts:
    """What the dependences would allow `band` and the bands directly below it as one band."""
    actives = active_at(band, dependences)
    members: list[Member] = []
    while band.kind is Kind.BAND:
        members += band.band.functions_by_statement
        band = band.child(0)
    return band_facts(actives, members)


def annotate_bands(schedule: Schedule, dependences: Dependences) -> Schedule:
    """The same tree with the flags `permutable` and `coincident` of every band exact."""
    return _rewrite_bands(schedule, dependences, _annotate)


def annotate_band(band: ScheduleNode, dependences: Dependences) -> ScheduleNode:
    """A band node with its flags `permutable` and `coincident` exact."""
    return _annotate(band, active_at(band, dependences))


def merge_bands(schedule: Schedule, dependences: Dependences) -> Schedule:
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


def merge_below(band: ScheduleNode, actives: tuple[Active, ...]) -> ScheduleNode:
    """`band` with those of the bands directly below that are permutable with it; flags exact.

    `actives` are at `band`.
    """
    return _merge(band, actives)


_Visit = Callable[[ScheduleNode, tuple[Active, ...]], ScheduleNode]
"""Rewrites a band node, given what is active there; returns the node in its new tree."""


def _rewrite_bands(schedule: Schedule, dependences: Dependences, visit: _Visit) -> Schedule:
    """Visit all bands, outer ones first; children that a visit makes are visited too."""

    def rewrite(node: ScheduleNode, actives: tuple[Active, ...]) -> ScheduleNode:
        if node.kind is Kind.BAND:
            node = visit(node, actives)
        for position, inner in enumerate(below(node, actives)):
            node = rewrite(node.child(position), inner).parent()
        return node

    root = rewrite(schedule.root, all_active(dependences.ordering))
    return root.schedule


def _annotate(band: ScheduleNode, actives: tuple[Active, ...]) -> ScheduleNode:
    facts = band_facts(actives, band.band.functions_by_statement)
    band = band.changed(permutable=facts.permutable)
    for position, coincident in enumerate(facts.coincident):
        band = band.with_member(position, is_coincident=coincident)
    return band


def _split(band: ScheduleNode, actives: tuple[Active, ...]) -> ScheduleNode:
    members = band.band.functions_by_statement
    prefix = max(1, _permutable_prefix(actives, members))
    return band.split(prefix) if prefix < len(members) else band


def _merge(band: ScheduleNode, actives: tuple[Active, ...]) -> ScheduleNode:
    while _may_merge(band):
        child = band.child(0)
        if not band_facts(
            actives, band.band.functions_by_statement + child.band.functions_by_statement
        ).permutable:
            break
        band = _as_one_band(band, child)
    return _annotate(band, actives)


def _permutable_prefix(actives: tuple[Active, ...], members: tuple[Member, ...]) -> int:
    """How many of the first members are permutable together."""
    for position, member in enumerate(members):
        if any(not backward(active, member).is_empty() for active in strict_ones(actives)):
            return position
    return len(members)


def _may_merge(band: ScheduleNode) -> bool:
    """Is the child a band too, has neither AST build options, and do none below name them?"""
    child = band.child(0)
    if child.kind is not Kind.BAND or band.is_subtree_anchored:
        return False
    default = isl.ast_loop_type.default
    return all(
        node.members and all(member.kind is default for member in node.members)
        for node in (band, child)
    )


def _as_one_band(band: ScheduleNode, child: ScheduleNode) -> ScheduleNode:
    members = [
        BandMember(member.function, attributes=member.attributes)
        for member in (*band.members, *child.members)
    ]
    return child.delete().parent().delete().insert_band(members)


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
