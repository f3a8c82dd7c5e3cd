"""The dependences of a problem in isl's manner, pair by pair, with the roles that each has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

import islpy as isl

from polyir.schedule.constraints import ScheduleConstraints
from polyir.schedule.dependences import (
    Dependence,
    DependenceGraph,
    StatementImage,
    is_bounded,
    pairs_of,
)
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
        is_kept = all(self.order.is_respected_by(each) for each in hyperplanes)
        return not is_kept and not self.is_local_to(hyperplanes)

    def is_local_to(self, hyperplanes: Sequence[Hyperplane]) -> bool:
        """Whether each live range stays in one iteration of every row."""
        return all(
            live_range.has_zero_distance(each) for live_range in self.ranges for each in hyperplanes
        )

    def is_inside(self, statements: Sequence[int]) -> bool:
        """Whether each live range has both ends among `statements`."""
        return all(each.source in statements and each.target in statements for each in self.ranges)


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

    def near(self) -> tuple[Dependence, ...]:
        """What is to be near."""
        return tuple(each for each in self.dependences if each.is_near)

    def within(self, statements: Sequence[int]) -> Self:
        """What has both ends among `statements`.

        Next to a live range that goes outside, the order has no condition any more.
        """
        orders = [
            each
            for each in self.conditional
            if each.order.source in statements and each.order.target in statements
        ]
        return self._with_orders(
            super().within(statements).dependences,
            [(each, each.is_inside(statements)) for each in orders],
        )

    def uncarried_by(self, hyperplanes: Sequence[Hyperplane]) -> Self:
        """What the hyperplanes leave at distance zero; what they reverse needs no order any more.

        Next to a live range that spans iterations, the order has no condition any more.
        """
        orders = []
        for each in self.conditional:
            order = each.order.uncarried_by(hyperplanes)
            if order is not None:
                left = ConditionalDependence(order, each.ranges)
                orders.append((left, each.is_local_to(hyperplanes)))
        return self._with_orders(super().uncarried_by(hyperplanes).dependences, orders)

    def ordered(self) -> tuple[Dependence, ...]:
        """All that is ordered, the conditional order taken as if it had no condition."""
        return (
            *(each for each in self.dependences if each.is_ordered),
            *(each.order for each in self.conditional),
        )

    def mapped(self, image: StatementImage) -> Self:
        """The images of all dependences; those with the same ends and roles become one."""
        merged: dict[tuple[int, int, bool, bool, bool], Dependence] = {}
        for each in map(image.of, self.dependences):
            key = (each.source, each.target, each.is_ordered, each.is_near, each.is_coincident)
            if key in merged:
                relation = merged[key].relation.union(each.relation).coalesce()
                each = replace(each, relation=relation)
            merged[key] = each
        conditional = tuple(
            ConditionalDependence(
                image.of(each.order), tuple(image.of(live_range) for live_range in each.ranges)
            )
            for each in self.conditional
        )
        return replace(self, dependences=tuple(merged.values()), conditional=conditional)

    def _with_orders(
        self,
        dependences: tuple[Dependence, ...],
        orders: Sequence[tuple[ConditionalDependence, bool]],
    ) -> Self:
        """The graph with other dependences and further orders, these with a condition or not."""
        return replace(
            self,
            dependences=(*dependences, *(each.order for each, keeps in orders if not keeps)),
            conditional=tuple(each for each, keeps in orders if keeps),
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
