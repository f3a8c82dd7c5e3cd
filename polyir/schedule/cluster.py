"""Clusters of statements with a common band, and how two become one.

Paper 001, section 3.4: each strongly connected component starts as a cluster with a band of its
own. To join clusters, rows are found that combine the rows of each cluster, by the same integer
program in which each cluster is one statement whose iterators are the rows of its band.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import TypeVar

import islpy as isl

from polyir.dialects.loop_attributes import LoopAttributes
from polyir.isl_lists import basic_maps_of
from polyir.schedule.components import Component
from polyir.schedule.dependences import Dependence, StatementImage
from polyir.schedule.hyperplane import BoundedHyperplane
from polyir.schedule.problem import ScheduledStatement, equality_directions
from polyir.schedule.role_graph import RoleGraph
from polyir.schedule.tree import AffineRow, Hyperplane, affine_function

Graph = TypeVar("Graph", bound=RoleGraph)
"""The dependences with what else a scheduler wants to know of them."""


@dataclass(frozen=True)
class BandOfRows:
    """The rows of a band, and which of them are coincident.

    `attributes` are those of the loop of the first row.
    """

    rows: tuple[BoundedHyperplane, ...]
    coincident: tuple[bool, ...]
    attributes: LoopAttributes = ()

    @property
    def width(self) -> int:
        """The number of rows."""
        return len(self.rows)

    @property
    def statements(self) -> tuple[int, ...]:
        """The positions of the statements that the band is for, none if it has no rows."""
        return tuple(self.rows[0].hyperplane) if self.rows else ()

    @property
    def hyperplanes(self) -> tuple[Hyperplane, ...]:
        """The rows without their bounds."""
        return tuple(each.hyperplane for each in self.rows)


@dataclass(frozen=True)
class Cluster:
    """Statements, in program order, that share `band`."""

    members: Component
    band: BandOfRows


class MergedView:
    """Some clusters as the statements of a smaller scheduling problem, and the way back."""

    def __init__(
        self, clusters: Sequence[Cluster], statements: Sequence[ScheduledStatement]
    ) -> None:
        self._clusters = tuple(clusters)
        self._statements = statements
        self._owner = {
            member: number for number, each in enumerate(clusters) for member in each.members
        }

    @cached_property
    def statements(self) -> tuple[ScheduledStatement, ...]:
        """One statement a cluster: its instances are the points of the cluster's band."""
        return tuple(
            self._as_statement(number, cluster) for number, cluster in enumerate(self._clusters)
        )

    def graph(self, graph: Graph) -> Graph:
        """The dependences of `graph` between the points of the clusters' bands."""
        return graph.mapped(StatementImage(self._owner, self._positions))

    def expand(self, band: BandOfRows) -> BandOfRows:
        """The rows over the clusters' bands as rows over the statements."""
        return replace(band, rows=tuple(self._expanded(row) for row in band.rows))

    @cached_property
    def _positions(self) -> dict[int, isl.Map]:
        """For each statement the map from its instances to the points of its cluster's band."""
        return {
            member: self._position_map(number, self._statements[member])
            for member, number in self._owner.items()
        }

    def _position_map(self, number: int, statement: ScheduledStatement) -> isl.Map:
        function = isl.Map.from_domain(statement.domain)
        for hyperplane in self._clusters[number].band.hyperplanes:
            row = affine_function(hyperplane[statement.position], statement)
            function = function.flat_range_product(isl.Map.from_aff(row))
        return function.set_tuple_name(isl.dim_type.out, f"cluster_{number}")

    def _as_statement(self, number: int, cluster: Cluster) -> ScheduledStatement:
        images = (self._positions[member].range() for member in cluster.members)
        domain = reduce(isl.Set.union, images).coalesce()
        return ScheduledStatement(
            number, domain.get_tuple_name() or "", domain, equality_directions(domain)
        )

    def _expanded(self, row: BoundedHyperplane) -> BoundedHyperplane:
        hyperplane = {
            member: _composed(
                row.hyperplane[number],
                [each[member] for each in self._clusters[number].band.hyperplanes],
                self._statements[member].depth,
            )
            for member, number in self._owner.items()
        }
        return replace(row, hyperplane=hyperplane)


def _composed(outer: AffineRow, rows: Sequence[AffineRow], depth: int) -> AffineRow:
    """The row `outer` of the values of `rows`."""
    coefficients = [0] * depth
    parameters = list(outer.parameters)
    constant = outer.constant
    for factor, row in zip(outer.coefficients, rows, strict=True):
        constant += factor * row.constant
        coefficients = [a + factor * b for a, b in zip(coefficients, row.coefficients, strict=True)]
        parameters = [a + factor * b for a, b in zip(parameters, row.parameters, strict=True)]
    return AffineRow(tuple(coefficients), constant, tuple(parameters))


SMALL_DISTANCE = 8
"""Up to which constant distance instances count as near enough to share loops."""


def brings_near(
    graph: RoleGraph,
    clusters: Sequence[Cluster],
    merged: BandOfRows,
    statements: Sequence[ScheduledStatement],
) -> bool:
    """Whether some proximity between two different clusters gets a small constant distance.

    That is the condition under which sharing loops pays (paper 001, section 3.4).
    """
    owner = {member: number for number, each in enumerate(clusters) for member in each.members}
    return any(
        each.source in owner
        and each.target in owner
        and owner[each.source] != owner[each.target]
        and _is_close(each, merged, statements)
        for each in graph.near()
    )


def _is_close(
    dependence: Dependence, band: BandOfRows, statements: Sequence[ScheduledStatement]
) -> bool:
    """Whether the distance in each member of `band` is bounded by `SMALL_DISTANCE`."""
    source, target = statements[dependence.source], statements[dependence.target]
    for hyperplane in band.hyperplanes:
        of_source = isl.Map.from_aff(affine_function(hyperplane[source.position], source))
        of_target = isl.Map.from_aff(affine_function(hyperplane[target.position], target))
        for piece in basic_maps_of(dependence.relation):
            relation = isl.Map.from_basic_map(piece)
            distance = relation.apply_domain(of_source).apply_range(of_target).deltas()
            outside = distance.lower_bound_val(isl.dim_type.set, 0, SMALL_DISTANCE + 1).union(
                distance.upper_bound_val(isl.dim_type.set, 0, -SMALL_DISTANCE - 1)
            )
            if not outside.is_empty():
                return False
    return True
