"""The dependences of a problem in isl's manner, pair by pair, with the roles that each has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import islpy as isl

from polyir.schedule.constraints import ScheduleConstraints
from polyir.schedule.dependences import Dependence, DependenceGraph, is_bounded, pairs_of
from polyir.schedule.problem import ScheduledStatement
from polyir.schedule.tree import Hyperplane


@dataclass(frozen=True)
class ConditionalDependence:
    """An order to keep between live ranges, unless the ranges are local (see `ConditionalOrder`).

    `ranges` are the live ranges of the array that touch the source or the target of `order`.
    """

    order: Dependence
    ranges: tuple[Dependence, ...]

    def is_broken_by(self, hyperplanes: Sequence[Hyperplane]) -> bool:
        """Whether some row may reverse the order while a live range spans iterations of a row."""
        reversed_by_some = not all(self.order.is_respected_by(each) for each in hyperplanes)
        return reversed_by_some and not all(
            live_range.has_zero_distance(each) for live_range in self.ranges for each in hyperplanes
        )

    def uncarried_by(self, hyperplanes: Sequence[Hyperplane]) -> ConditionalDependence | None:
        """What the rows leave at distance zero; what they reverse needs no order any more."""
        order = self.order.uncarried_by(hyperplanes)
        if order is None:
            return None
        left = (each.uncarried_by(hyperplanes) for each in self.ranges)
        return ConditionalDependence(order, tuple(each for each in left if each is not None))


@dataclass(frozen=True)
class RoleGraph(DependenceGraph):
    """Dependences with roles, and the order that live-range reordering may give up."""

    conditional: tuple[ConditionalDependence, ...] = ()

    def ordered_edges(self) -> tuple[tuple[int, int], ...]:
        """The pairs of statements with an order, be it conditional."""
        return (
            *super().ordered_edges(),
            *((each.order.source, each.order.target) for each in self.conditional),
        )

    def within(self, statements: Sequence[int]) -> RoleGraph:
        """What has both ends among `statements`."""
        return RoleGraph(
            super().within(statements).dependences,
            tuple(
                each
                for each in self.conditional
                if each.order.source in statements and each.order.target in statements
            ),
        )

    def uncarried_by(self, hyperplanes: Sequence[Hyperplane]) -> RoleGraph:
        """What the hyperplanes leave at distance zero."""
        left = (each.uncarried_by(hyperplanes) for each in self.conditional)
        return RoleGraph(
            super().uncarried_by(hyperplanes).dependences,
            tuple(each for each in left if each is not None),
        )

    def ordered(self) -> tuple[Dependence, ...]:
        """All that is ordered, the conditional order taken as if it had no condition."""
        return (
            *(each for each in self.dependences if each.is_ordered),
            *(each.order for each in self.conditional),
        )


def role_graph(
    constraints: ScheduleConstraints, statements: Sequence[ScheduledStatement]
) -> RoleGraph:
    """The validity, proximity and coincidence relations between pairs of statements.

    Relations that are equal are one dependence with several roles.
    """
    ordered = pairs_of(constraints.validity, constraints, statements)
    near = pairs_of(constraints.proximity, constraints, statements)
    coincident = pairs_of(constraints.coincidence, constraints, statements)
    pairs = sorted(dict.fromkeys((*ordered, *near, *coincident)))
    return RoleGraph(
        tuple(
            dependence
            for pair in pairs
            for dependence in _of_pair(
                pair, ordered.get(pair), near.get(pair), coincident.get(pair)
            )
        ),
        _conditional(constraints, statements),
    )


def _of_pair(
    pair: tuple[int, int],
    ordered: isl.Map | None,
    near: isl.Map | None,
    coincident: isl.Map | None,
) -> Iterator[Dependence]:
    found: list[Dependence] = []
    if ordered is not None:
        _add(found, Dependence(*pair, ordered, is_ordered=True, is_near=False))
    if near is not None and is_bounded(near):
        _add(found, Dependence(*pair, near, is_ordered=False, is_near=True))
    if coincident is not None:
        _add(found, Dependence(*pair, coincident, False, False, is_coincident=True))
    yield from found


def _add(found: list[Dependence], new: Dependence) -> None:
    for place, known in enumerate(found):
        if known.relation.is_equal(new.relation):
            found[place] = replace(
                known,
                is_ordered=known.is_ordered or new.is_ordered,
                is_near=known.is_near or new.is_near,
                is_coincident=known.is_coincident or new.is_coincident,
            )
            return
    found.append(new)


def _conditional(
    constraints: ScheduleConstraints, statements: Sequence[ScheduledStatement]
) -> tuple[ConditionalDependence, ...]:
    """The conditional order of `constraints`, pair by pair."""
    found: list[ConditionalDependence] = []
    for each in constraints.conditional:
        ranges = tuple(
            Dependence(*pair, relation, is_ordered=True, is_near=False)
            for pair, relation in pairs_of(each.live_ranges, constraints, statements).items()
        )
        for pair, relation in pairs_of(each.order, constraints, statements).items():
            order = Dependence(*pair, relation, is_ordered=True, is_near=False)
            touching = tuple(
                part for live_range in ranges if (part := _touching(live_range, order)) is not None
            )
            found.append(ConditionalDependence(order, touching))
    return tuple(found)


def _touching(live_range: Dependence, order: Dependence) -> Dependence | None:
    """The part of a live range with an end at an end of `order`."""
    relation = isl.Map.empty(live_range.relation.get_space())
    for position, instances in (
        (order.source, order.relation.domain()),
        (order.target, order.relation.range()),
    ):
        if live_range.source == position:
            relation = relation.union(live_range.relation.intersect_domain(instances))
        if live_range.target == position:
            relation = relation.union(live_range.relation.intersect_range(instances))
    return None if relation.is_empty() else replace(live_range, relation=relation.coalesce())
