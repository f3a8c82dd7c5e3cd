"""The graph of dependences between statements, and what schedule rows do to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import islpy as isl

from polyir.base import budgets
from polyir.base.limits import within_operations
from polyir.schedule.components import Pair
from polyir.schedule.constraints import ScheduleConstraints, ScheduledStatement
from polyir.schedule.farkas import NonNegativeForms, forms_of_loops, non_negative_forms
from polyir.schedule.tree import Hyperplane
from polyir.sets.lists import maps_of
from polyir.sets.values import isl_value


@dataclass(frozen=True)
class DependenceEdge:
    """The part of the relations between one pair of statements, by their positions.

    The flags say which conditions the pairs of instances in `relation` put on a row. `validity`:
    the source comes first, so the distance must not be negative. `proximity`: the distance should
    be small. `coincidence`: a loop is parallel only if the distance is zero. `local`: the
    distance must be zero.

    `is_hard`: `relation` is part of one of which not all forms could be found. They are not tried
    again, for each loop of a nest would take as long.
    """

    source: int
    target: int
    relation: isl.Map
    validity: bool = False
    proximity: bool = False
    coincidence: bool = False
    local: bool = False
    is_hard: bool = False

    @cached_property
    def forms(self) -> NonNegativeForms:
        """Affine forms that are non-negative on the relation."""
        return (forms_of_loops if self.is_hard else non_negative_forms)(self.relation)

    def is_within(self, statements: Sequence[int]) -> bool:
        """Whether both ends are among `statements`."""
        return self.source in statements and self.target in statements

    def has_zero_distance(self, hyperplane: Hyperplane) -> bool:
        """Whether source and target always have the same value of `hyperplane`."""
        return self.vanishes_on(hyperplane) or self.relation.is_subset(
            self._zero_distance(hyperplane)
        )

    def is_respected_by(self, hyperplane: Hyperplane) -> bool:
        """Whether the distance is nowhere negative by Farkas' lemma; `False` may be wrong."""
        return self.forms.contains(self._distance_form(hyperplane, 1))

    def is_carried_by(self, hyperplane: Hyperplane, sign: int = 1) -> bool:
        """Whether `sign` times the distance is at least 1 everywhere.

        This is decided by Farkas' lemma, and `False` may be wrong.
        """
        at_least_one = self._distance_form(hyperplane, sign)
        at_least_one[0] -= 1
        return self.forms.contains(at_least_one)

    def vanishes_on(self, hyperplane: Hyperplane) -> bool:
        """Whether the distance is zero everywhere, by Farkas' lemma; `False` may be wrong."""
        return self.forms.vanishes(self._distance_form(hyperplane, 1))

    def uncarried_by(self, hyperplanes: Sequence[Hyperplane]) -> Self | None:
        """The part with distance zero on all `hyperplanes`; `None` if it is empty.

        Where the distance is nowhere negative, this is the part that the hyperplanes leave
        unordered.
        """
        relation = self.relation
        for hyperplane in hyperplanes:
            if self.vanishes_on(hyperplane):
                continue
            if self.is_carried_by(hyperplane):
                return None
            relation = relation.intersect(self._zero_distance(hyperplane))
        if relation is self.relation:
            return self
        if relation.is_empty():
            return None
        if self.forms.has_bounds:
            return replace(self, relation=_coalesced(relation))
        return replace(self, relation=relation, is_hard=True)

    def _distance_form(self, hyperplane: Hyperplane, sign: int) -> list[int]:
        """`sign` times phi_target - phi_source, in the order that `NonNegativeForms` has."""
        source, target = hyperplane[self.source], hyperplane[self.target]
        parameters = [0] * self.relation.dim(isl.dim_type.param)
        for row, factor in ((target, sign), (source, -sign)):
            for place, coefficient in enumerate(row.parameters):
                parameters[place] += factor * coefficient
        return [
            sign * (target.constant - source.constant),
            *parameters,
            *(-sign * coefficient for coefficient in source.coefficients),
            *(sign * coefficient for coefficient in target.coefficients),
        ]

    def _zero_distance(self, hyperplane: Hyperplane) -> isl.Map:
        """All pairs of instances of the two statements with distance zero."""
        kinds = isl.dim_type
        form = self._distance_form(hyperplane, 1)
        equality = isl.Constraint.alloc_equality(
            isl.LocalSpace.from_space(self.relation.get_space())
        ).set_constant_val(isl_value(form[0]))
        first_source = 1 + self.relation.dim(kinds.param)
        first_target = first_source + self.relation.dim(kinds.in_)
        for kind, entries in (
            (kinds.param, form[1:first_source]),
            (kinds.in_, form[first_source:first_target]),
            (kinds.out, form[first_target:]),
        ):
            for iterator, coefficient in enumerate(entries):
                equality = equality.set_coefficient_val(kind, iterator, isl_value(coefficient))
        return isl.Map.from_basic_map(isl.BasicMap.from_constraint(equality))


@dataclass(frozen=True)
class ConditionalEdge:
    """An order that must be kept unless the live ranges next to it are local.

    `ranges` are the live ranges of the array (see `ConditionalOrder`) that touch the source or
    the target of `order`.
    """

    order: DependenceEdge
    ranges: tuple[DependenceEdge, ...]

    def is_broken_by(self, hyperplanes: Sequence[Hyperplane]) -> bool:
        """Whether some row may reverse the order while a live range spans iterations of a row."""
        is_kept = all(self.order.is_respected_by(each) for each in hyperplanes)
        return not is_kept and not self.is_local_to(hyperplanes)

    def is_local_to(self, hyperplanes: Sequence[Hyperplane]) -> bool:
        """Whether each live range stays in one iteration of every row."""
        return all(
            live_range.has_zero_distance(each) for live_range in self.ranges for each in hyperplanes
        )


@dataclass(frozen=True)
class StatementImage:
    """Statements as parts of others: their new `numbers`, and maps of their `instances`."""

    numbers: Mapping[int, int]
    instances: Mapping[int, isl.Map]

    def of(self, edge: DependenceEdge) -> DependenceEdge:
        """The dependence between the images of what `edge` relates."""
        relation = edge.relation.apply_domain(self.instances[edge.source])
        return replace(
            edge,
            source=self.numbers[edge.source],
            target=self.numbers[edge.target],
            relation=relation.apply_range(self.instances[edge.target]),
        )


@dataclass(frozen=True)
class DependenceGraph:
    """The dependences between statements, and the order that live-range reordering may change."""

    edges: tuple[DependenceEdge, ...]
    conditional: tuple[ConditionalEdge, ...] = ()

    def pairs(self) -> tuple[Pair, ...]:
        """The pairs of statements with an edge."""
        return tuple((each.source, each.target) for each in self.edges)

    def ordered_pairs(self) -> tuple[Pair, ...]:
        """The pairs of statements with a validity edge or a conditional order."""
        return tuple((each.source, each.target) for each in self.validity_edges())

    def validity_edges(self) -> tuple[DependenceEdge, ...]:
        """The validity edges, and the conditional order as if it had no condition."""
        return (
            *(each for each in self.edges if each.validity),
            *(each.order for each in self.conditional),
        )

    def proximity_edges(self) -> tuple[DependenceEdge, ...]:
        """The edges whose distance should be small."""
        return tuple(each for each in self.edges if each.proximity)

    def within(self, statements: Sequence[int]) -> Self:
        """What has both ends among `statements`.

        The order next to a live range that leaves them becomes unconditional.
        """
        orders = [each for each in self.conditional if each.order.is_within(statements)]
        return self._with_orders(
            [each for each in self.edges if each.is_within(statements)],
            [(each, all(part.is_within(statements) for part in each.ranges)) for each in orders],
        )

    def uncarried_by(self, hyperplanes: Sequence[Hyperplane]) -> Self:
        """What the hyperplanes leave at distance zero.

        An order that the hyperplanes reverse is no longer needed. The order next to a live range
        that spans iterations becomes unconditional.
        """
        orders = []
        for each in self.conditional:
            order = each.order.uncarried_by(hyperplanes)
            if order is not None:
                left = ConditionalEdge(order, each.ranges)
                orders.append((left, each.is_local_to(hyperplanes)))
        edges = (each.uncarried_by(hyperplanes) for each in self.edges)
        return self._with_orders([each for each in edges if each is not None], orders)

    def mapped(self, image: StatementImage) -> Self:
        """The images of all edges; those with the same ends and flags become one."""
        merged: dict[tuple[object, ...], DependenceEdge] = {}
        for each in map(image.of, self.edges):
            flags = (each.validity, each.proximity, each.coincidence, each.local)
            key = (each.source, each.target, *flags)
            if key in merged:
                other = merged[key]
                relation = _coalesced(other.relation.union(each.relation))
                is_hard = other.is_hard or each.is_hard
                each = replace(each, relation=relation, is_hard=is_hard)
            merged[key] = each
        conditional = tuple(
            ConditionalEdge(image.of(each.order), tuple(map(image.of, each.ranges)))
            for each in self.conditional
        )
        return replace(self, edges=tuple(merged.values()), conditional=conditional)

    def _with_orders(
        self,
        edges: Sequence[DependenceEdge],
        orders: Sequence[tuple[ConditionalEdge, bool]],
    ) -> Self:
        """The graph with other edges and further orders, each still conditional or not."""
        return replace(
            self,
            edges=(*edges, *(each.order for each, is_conditional in orders if not is_conditional)),
            conditional=tuple(each for each, is_conditional in orders if is_conditional),
        )


def graph_of_constraints(
    constraints: ScheduleConstraints,
    statements: Sequence[ScheduledStatement],
    *,
    disjoint: bool = False,
) -> DependenceGraph:
    """The relations of `constraints`, pair of statements by pair of statements.

    Relations between the same statements that are equal become one edge with several flags. A
    proximity relation with unbounded distances is left out (see `is_bounded`).

    With `disjoint`, a proximity relation that includes the validity relation becomes two edges:
    the validity edge, which is a proximity edge too, and one for the rest. Both give the same
    conditions on a row, but what the two have in common is treated once. A scheduler that decides
    by single proximity edges must not ask for it.
    """
    validity = relations_by_pair(constraints.validity, constraints, statements)
    proximity, coincidence = (
        # Often the same relation, of which this takes time.
        validity
        if relation is constraints.validity
        else relations_by_pair(relation, constraints, statements)
        for relation in (constraints.proximity, constraints.coincidence)
    )
    edges: list[DependenceEdge] = []
    for pair in sorted(dict.fromkeys((*validity, *proximity, *coincidence))):
        found: list[DependenceEdge] = []
        if pair in validity:
            found.append(DependenceEdge(*pair, validity[pair], validity=True))
        if pair in proximity and is_bounded(proximity[pair]):
            near = proximity[pair]
            is_larger = found and found[0].relation is not near
            if disjoint and is_larger and found[0].relation.is_strict_subset(near):
                found[0] = replace(found[0], proximity=True)
                near = _coalesced(near.subtract(found[0].relation))
            _add(found, DependenceEdge(*pair, near, proximity=True))
        if pair in coincidence:
            _add(found, DependenceEdge(*pair, coincidence[pair], coincidence=True))
        edges += found
    return DependenceGraph(tuple(edges), _conditional_edges(constraints, statements))


def _add(found: list[DependenceEdge], new: DependenceEdge) -> None:
    for place, known in enumerate(found):
        if known.relation is new.relation or known.relation.is_equal(new.relation):
            found[place] = replace(
                known,
                proximity=known.proximity or new.proximity,
                coincidence=known.coincidence or new.coincidence,
            )
            return
    found.append(new)


def _conditional_edges(
    constraints: ScheduleConstraints, statements: Sequence[ScheduledStatement]
) -> tuple[ConditionalEdge, ...]:
    found: list[ConditionalEdge] = []
    for each in constraints.conditional:
        ranges = tuple(
            DependenceEdge(*pair, relation, validity=True)
            for pair, relation in relations_by_pair(
                each.live_ranges, constraints, statements
            ).items()
        )
        for pair, relation in relations_by_pair(each.order, constraints, statements).items():
            order = DependenceEdge(*pair, relation, validity=True)
            touching = tuple(
                part for live_range in ranges if (part := _touching(live_range, order)) is not None
            )
            found.append(ConditionalEdge(order, touching))
    return tuple(found)


def _touching(live_range: DependenceEdge, order: DependenceEdge) -> DependenceEdge | None:
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
    return None if relation.is_empty() else replace(live_range, relation=_coalesced(relation))


def relations_by_pair(
    relation: isl.UnionMap,
    constraints: ScheduleConstraints,
    statements: Sequence[ScheduledStatement],
) -> dict[Pair, isl.Map]:
    """`relation` by pairs of statements, in ascending order; empty ones are left out.

    The relations are restricted to the context and to the statements' domains.
    """
    kinds = isl.dim_type
    parameters = constraints.parameter_space
    context = constraints.context.align_params(parameters)
    position = {statement.name: statement.position for statement in statements}
    relations: dict[Pair, isl.Map] = {}
    for piece in maps_of(relation):
        source = position.get(piece.get_tuple_name(kinds.in_) or "")
        target = position.get(piece.get_tuple_name(kinds.out) or "")
        if source is None or target is None:
            continue
        restricted = (
            piece.align_params(parameters)
            .intersect_params(context)
            .intersect_domain(statements[source].domain)
            .intersect_range(statements[target].domain)
        )
        if not restricted.is_empty():
            relations[source, target] = _coalesced(restricted)
    return dict(sorted(relations.items()))


def is_bounded(relation: isl.Map) -> bool:
    """Whether, for fixed parameters, only finitely many instances are related.

    Otherwise no affine form in the parameters bounds the distance (Bondhugula et al., 2007,
    lemma 3).
    """
    return relation.wrap().is_bounded()


def _coalesced(relation: isl.Map) -> isl.Map:
    """The relation with fewer polyhedra, unless that takes isl too many operations."""
    result = within_operations(budgets.COALESCING, relation.coalesce)
    return relation if result is None else result
