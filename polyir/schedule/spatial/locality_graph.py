"""Dependences with the reuse of the array references.

Zinenko et al., "Unified Polyhedral Modeling of Temporal and Spatial Locality", 2017, section 4.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import islpy as isl

from polyir.schedule.constraints import ScheduleConstraints, ScheduledStatement
from polyir.schedule.dependences import (
    DependenceEdge,
    DependenceGraph,
    StatementImage,
    graph_of_constraints,
    is_bounded,
    relations_by_pair,
)
from polyir.schedule.linear import constraint_rows, rank
from polyir.schedule.spatial.references import ArrayReference
from polyir.schedule.spatial.reuse import ReuseGroup
from polyir.schedule.tree import Hyperplane, affine_function


@dataclass(frozen=True)
class PlacedReference:
    """A reference under the rows that a schedule has so far.

    `relation` is `{ S[i] -> [rows, a] }`: what the rows give, then the subscripts; `statement`
    the position of S, or of what it is a part of.
    """

    statement: int
    reference: ArrayReference
    relation: isl.Map

    def free_subscripts(self) -> int:
        """How many subscripts the rows do not fix: the access rank.

        The equations between rows and subscripts are those of `A . T^-1`.
        """
        count = len(self.reference.subscripts)
        if not count:
            return 0
        equalities, _ = constraint_rows(self.relation.range().affine_hull().remove_divs())
        return count - rank([row[-count:] for row in equalities], count)

    def under(self, hyperplanes: Sequence[Hyperplane]) -> PlacedReference:
        """The reference with further rows."""
        relation = self.relation
        for hyperplane in hyperplanes:
            row = affine_function(hyperplane[self.statement], relation.get_space().domain())
            relation = isl.Map.from_aff(row).flat_range_product(relation)
        return replace(self, relation=relation)


@dataclass(frozen=True)
class LocalityGroup:
    """References to one array with one linear part, and the reuse that is left to a schedule."""

    references: tuple[PlacedReference, ...]
    temporal: tuple[DependenceEdge, ...]
    spatial: tuple[DependenceEdge, ...]

    @property
    def priority(self) -> tuple[int, int, bool]:
        """Access rank and multiplicity, the greater the more is lost when it is carried.

        Among equals, those whose elements are reused come before those of which only lines are.
        """
        ranks = (each.free_subscripts() for each in self.references)
        return max(ranks, default=0), len(self.references), bool(self.temporal)

    def within(self, statements: Sequence[int]) -> LocalityGroup:
        """What concerns `statements` alone."""
        return LocalityGroup(
            tuple(each for each in self.references if each.statement in statements),
            _within(self.temporal, statements),
            _within(self.spatial, statements),
        )

    def uncarried_by(self, hyperplanes: Sequence[Hyperplane]) -> LocalityGroup:
        """The reuse with distance zero on all `hyperplanes`, and the references under them.

        What is carried in part is gone: no inner loop makes good use of the rest.
        """
        return LocalityGroup(
            tuple(each.under(hyperplanes) for each in self.references),
            _at_zero(self.temporal, hyperplanes),
            _at_zero(self.spatial, hyperplanes),
        )

    def mapped(self, image: StatementImage) -> LocalityGroup:
        """The same between the images of the statements."""
        references = (
            replace(
                each,
                statement=image.numbers[each.statement],
                relation=each.relation.apply_domain(image.instances[each.statement]),
            )
            for each in self.references
        )
        return LocalityGroup(
            tuple(references),
            tuple(map(image.of, self.temporal)),
            tuple(map(image.of, self.spatial)),
        )


@dataclass(frozen=True)
class LocalityGraph(DependenceGraph):
    """Dependences with roles, and the reuse of each group of references.

    `groups` follow the program. Where one loop is parallel already, `is_inside_parallel`.
    """

    groups: tuple[LocalityGroup, ...] = ()
    is_inside_parallel: bool = False

    def proximity_edges(self) -> tuple[DependenceEdge, ...]:
        """What is to be near: instances that touch one element, or one cache line."""
        spatial = (each for group in self.groups for each in group.spatial)
        return (
            *super().proximity_edges(),
            *(each for each in spatial if each.source != each.target),
        )

    def within(self, statements: Sequence[int]) -> Self:
        """What has both ends among `statements`."""
        groups = (each.within(statements) for each in self.groups)
        return replace(
            super().within(statements), groups=tuple(each for each in groups if each.references)
        )

    def uncarried_by(self, hyperplanes: Sequence[Hyperplane]) -> Self:
        """What the hyperplanes leave at distance zero; they concern all statements of the graph."""
        groups = tuple(each.uncarried_by(hyperplanes) for each in self.groups)
        return replace(super().uncarried_by(hyperplanes), groups=groups)

    def mapped(self, image: StatementImage) -> Self:
        """The same between the images of the statements."""
        groups = tuple(each.mapped(image) for each in self.groups)
        return replace(super().mapped(image), groups=groups)


def by_priority(groups: Sequence[LocalityGroup]) -> tuple[LocalityGroup, ...]:
    """`groups` with those first that are to be carried last; the program's order among equals."""
    ranked = sorted(((each.priority, -number) for number, each in enumerate(groups)), reverse=True)
    return tuple(groups[-number] for _, number in ranked)


def locality_graph(
    constraints: ScheduleConstraints,
    statements: Sequence[ScheduledStatement],
    reuse: Sequence[ReuseGroup],
) -> LocalityGraph:
    """The dependences of `constraints`, and `reuse`, pair by pair."""
    graph = graph_of_constraints(constraints, statements)
    position = {each.name: each.position for each in statements}

    def dependences(relation: isl.UnionMap) -> tuple[DependenceEdge, ...]:
        pairs = relations_by_pair(relation, constraints, statements)
        return tuple(
            DependenceEdge(*pair, part, proximity=True)
            for pair, part in pairs.items()
            if is_bounded(part)
        )

    def placed(reference: ArrayReference) -> PlacedReference:
        number = position[reference.statement]
        domain = statements[number].domain
        relation = reference.relation.align_params(domain.get_space()).intersect_domain(domain)
        return PlacedReference(number, reference, relation.reset_tuple_id(isl.dim_type.out))

    groups = tuple(
        LocalityGroup(
            tuple(placed(each) for each in group.references if each.statement in position),
            dependences(group.temporal),
            dependences(group.spatial),
        )
        for group in reuse
    )
    return LocalityGraph(graph.edges, graph.conditional, groups)


def _within(
    edges: Sequence[DependenceEdge], statements: Sequence[int]
) -> tuple[DependenceEdge, ...]:
    return tuple(each for each in edges if each.is_within(statements))


def _at_zero(
    edges: Sequence[DependenceEdge], hyperplanes: Sequence[Hyperplane]
) -> tuple[DependenceEdge, ...]:
    return tuple(
        each
        for each in edges
        if all(each.has_zero_distance(hyperplane) for hyperplane in hyperplanes)
    )


def register_pressure(groups: Sequence[LocalityGroup]) -> int:
    """The heuristic h: each array reference counts as many times as there are loops around it.

    References with the same subscripts, which share a register, count once (section 4.7,
    "Carrying Dependences to Avoid Fusion").
    """
    placed = _references(groups)
    return sum({reference.registers: reference.depth for reference in placed}.values())


def loop_depth(groups: Sequence[LocalityGroup]) -> int:
    """The largest number of loops around a reference."""
    return max((each.depth for each in _references(groups)), default=0)


def _references(groups: Sequence[LocalityGroup]) -> list[ArrayReference]:
    return [each.reference for group in groups for each in group.references]
