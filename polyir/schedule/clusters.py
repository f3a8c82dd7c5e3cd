"""Clusters of statements that share a band, as in isl's scheduler.

Each strongly connected component starts as a cluster with a band of its own. To join clusters,
rows are found that combine the rows of each, by the same integer program, in which each cluster
is one statement whose iterators are the rows of its band. Zinenko et al., "Unified Polyhedral
Modeling of Temporal and Spatial Locality", 2017, section 3.4; Verdoolaege and Janssens,
"Scheduling for PPCG", 2017.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Literal

import islpy as isl

from polyir.schedule.components import (
    Component,
    Pair,
    in_program_order,
    strongly_connected_components,
)
from polyir.schedule.constraints import (
    ScheduledStatement,
    Spanned,
    equality_directions,
    rows_left,
)
from polyir.schedule.dependences import (
    ConditionalEdge,
    DependenceEdge,
    DependenceGraph,
    StatementImage,
)
from polyir.schedule.driver import Decision, Graph, Policy, Step, with_rows
from polyir.schedule.feautrier import carrying_row
from polyir.schedule.tree import (
    AffineRow,
    BoundedHyperplane,
    Hyperplane,
    RowBand,
    affine_function,
)
from polyir.sets.lists import basic_maps_of
from polyir.sets.values import isl_value

ClusterFusion = Literal["max", "typed", "min"]
"""When clusters are joined.

`max`: wherever a common band exists. `typed`: if the common band is as wide and has as many
coincident rows as each of the bands, and brings something near. `min`: never.
"""


@dataclass(frozen=True)
class Cluster:
    """Statements, in program order, that share `band`; it has no rows if none was found."""

    members: Component
    band: RowBand


class ClusterPolicy(Policy[Graph]):
    """Clusters one after the other, each with its band or else with a row that carries much."""

    def __init__(
        self,
        statements: Sequence[ScheduledStatement],
        parameter_count: int,
        fusion: ClusterFusion,
    ) -> None:
        super().__init__(statements)
        self.parameter_count = parameter_count
        self.fusion = fusion

    @abstractmethod
    def rows_of_band(
        self,
        statements: Sequence[ScheduledStatement],
        graph: Graph,
        edges: Sequence[DependenceEdge],
        spanned: Spanned,
    ) -> RowBand:
        """A permutable band of `statements` with rows that are independent of `spanned`.

        `edges` are to be respected, and not those of `graph`.
        """

    def carrying_row(
        self, statements: Sequence[ScheduledStatement], graph: Graph
    ) -> Hyperplane | None:
        """The row of statements without a band; `None` if nothing can be carried."""
        return carrying_row(statements, self.parameter_count, graph.validity_edges())

    def why_no_band(self, graph: Graph) -> str:
        """Why the statements of `graph` have no band, in words."""
        return "no band was found"

    def is_wanted(self, clusters: Sequence[Cluster], band: RowBand, graph: Graph) -> bool:
        """Whether `clusters`, between which `graph` is, are to share `band`."""
        if self.fusion == "max":
            return True
        return (
            band.width == max(each.band.width for each in clusters)
            and sum(band.coincident) >= max(sum(each.band.coincident) for each in clusters)
            and self.brings_near(clusters, band, graph)
        )

    def decide(self, group: Component, spanned: Spanned, graph: Graph) -> Decision:
        if self.is_done(group, spanned, graph):
            return Decision()
        clusters = self._clusters(group, spanned, graph)
        steps = tuple(self._step(each, spanned, graph.within(each.members)) for each in clusters)
        if len(steps) == 1:
            return Decision(steps)
        return Decision(steps, self.sequence_note("not fused", [each.members for each in clusters]))

    def _step(self, cluster: Cluster, spanned: Spanned, graph: Graph) -> Step:
        """The band of a cluster, or the row that is first in a dependence cycle without one."""
        members = cluster.members
        if cluster.band.rows:
            return Step(members, cluster.band)
        if self.is_done(members, spanned, graph):
            return Step(members)
        row = self.carrying_row(self.members(members), graph)
        if row is None:
            raise self.no_schedule(members)
        note = f"sequential loop for {self.names(members)}: {self.why_no_band(graph)}"
        return Step(members, RowBand((BoundedHyperplane(row),), (False,)), note=note)

    # Bands

    def _band(
        self, statements: Sequence[ScheduledStatement], graph: Graph, spanned: Spanned
    ) -> RowBand:
        """The band of `statements`, which may reverse a conditional order.

        If it does so while a live range next to the order spans several iterations, the band is
        searched again: with these live ranges inside single iterations, or, if that gives more
        rows, with the order kept unconditionally.
        """
        local = self._mended(statements, graph, spanned, _local_ranges)
        spanned_by_local = with_rows(spanned, local.hyperplanes)
        if not graph.conditional or not rows_left(statements, spanned_by_local):
            return local
        ordered = self._mended(statements, graph, spanned, _unconditional_order)
        return ordered if ordered.width > local.width else local

    def _mended(
        self,
        statements: Sequence[ScheduledStatement],
        graph: Graph,
        spanned: Spanned,
        demands: Callable[[ConditionalEdge], Sequence[DependenceEdge]],
    ) -> RowBand:
        """The band with the `demands` of all conditional orders that it would break otherwise."""
        demanded: dict[int, None] = {}
        while True:
            further = [each for number in demanded for each in demands(graph.conditional[number])]
            band = self.rows_of_band(statements, graph, (*graph.edges, *further), spanned)
            broken = [
                number
                for number, each in enumerate(graph.conditional)
                if number not in demanded and each.is_broken_by(band.hyperplanes)
            ]
            if not broken:
                return band
            demanded |= dict.fromkeys(broken)

    # Clusters

    def _clusters(self, group: Component, spanned: Spanned, graph: Graph) -> tuple[Cluster, ...]:
        """The clusters of `group`, each after those that it depends on."""
        pairs = graph.ordered_pairs()
        clusters = [
            Cluster(
                component,
                self._band(self.members(component), graph.within(component), spanned),
            )
            for component in in_program_order(strongly_connected_components(group, pairs), pairs)
        ]
        if self.fusion != "min":
            clusters = self._joined(clusters, spanned, graph)
        order = in_program_order([each.members for each in clusters], pairs)
        return tuple(sorted(clusters, key=lambda each: order.index(each.members)))

    def _joined(self, clusters: list[Cluster], spanned: Spanned, graph: Graph) -> list[Cluster]:
        """The clusters after all joins that are wanted, one pair with a reuse at a time."""
        refused: dict[Pair, None] = {}
        while True:
            pair = next(_candidates(clusters, graph, refused), None)
            if pair is None:
                return clusters
            chosen = _with_all_between(pair, clusters, graph.ordered_pairs())
            joined = self._join([clusters[number] for number in chosen], spanned, graph)
            if joined is None:
                refused |= dict.fromkeys(_proximity_pairs(clusters, pair, graph))
            else:
                rest = [each for number, each in enumerate(clusters) if number not in chosen]
                clusters = sorted([*rest, joined], key=lambda each: each.members)

    def _join(self, clusters: list[Cluster], spanned: Spanned, graph: Graph) -> Cluster | None:
        """The clusters as one, `None` if they have no common band or it is not wanted."""
        widths = [each.band.width for each in clusters]
        if not min(widths) or any(
            each.band.width < max(widths) and self._needs_more(each, spanned) for each in clusters
        ):
            return None
        members = tuple(sorted(member for each in clusters for member in each.members))
        within = graph.within(members)
        view = MergedView(clusters, self.statements)
        nothing = {each.position: each.affine_hull for each in view.statements}
        merged = self._band(view.statements, within.mapped(view.image), nothing)
        band = view.expand(merged)
        if not band.rows or not self.is_wanted(clusters, band, within):
            return None
        return Cluster(members, band)

    def _needs_more(self, cluster: Cluster, spanned: Spanned) -> bool:
        """Whether a statement needs rows after the cluster's band."""
        after = with_rows(spanned, cluster.band.hyperplanes)
        return rows_left(self.members(cluster.members), after) > 0

    def brings_near(self, clusters: Sequence[Cluster], band: RowBand, graph: Graph) -> bool:
        """Whether some proximity between two different clusters gets a small constant distance.

        That is the condition under which sharing loops pays.
        """
        owner = _owners(clusters)
        return any(
            each.source in owner
            and each.target in owner
            and owner[each.source] != owner[each.target]
            and self._is_close(each, band)
            for each in graph.proximity_edges()
        )

    def _is_close(self, edge: DependenceEdge, band: RowBand) -> bool:
        """Whether the distance in each member of `band` is bounded by `SMALL_DISTANCE`."""
        spaces = [self.statements[end].domain.get_space() for end in (edge.source, edge.target)]
        for hyperplane in band.hyperplanes:
            source = isl.Map.from_aff(affine_function(hyperplane[edge.source], spaces[0]))
            target = isl.Map.from_aff(affine_function(hyperplane[edge.target], spaces[1]))
            for piece in basic_maps_of(edge.relation):
                relation = isl.Map.from_basic_map(piece)
                distance = relation.apply_domain(source).apply_range(target).deltas()
                outside = distance.lower_bound_val(
                    isl.dim_type.set, 0, isl_value(SMALL_DISTANCE + 1)
                ).union(
                    distance.upper_bound_val(isl.dim_type.set, 0, isl_value(-SMALL_DISTANCE - 1))
                )
                if not outside.is_empty():
                    return False
        return True


def _local_ranges(condition: ConditionalEdge) -> list[DependenceEdge]:
    return [replace(each, local=True) for each in condition.ranges]


def _unconditional_order(condition: ConditionalEdge) -> list[DependenceEdge]:
    return [condition.order]


SMALL_DISTANCE = 8
"""The largest constant distance at which instances are near enough to share loops."""


class MergedView:
    """Some clusters as the statements of a smaller scheduling problem, and the way back."""

    def __init__(
        self, clusters: Sequence[Cluster], statements: Sequence[ScheduledStatement]
    ) -> None:
        self._clusters = tuple(clusters)
        self._statements = statements
        self._owner = _owners(clusters)

    @cached_property
    def statements(self) -> tuple[ScheduledStatement, ...]:
        """One statement a cluster: its instances are the points of the cluster's band."""
        return tuple(
            self._as_statement(number, cluster) for number, cluster in enumerate(self._clusters)
        )

    @cached_property
    def image(self) -> StatementImage:
        """The map from the instances of statements to the points of their clusters' bands."""
        return StatementImage(
            self._owner,
            {
                member: self._position_map(number, self._statements[member])
                for member, number in self._owner.items()
            },
        )

    def expand(self, band: RowBand) -> RowBand:
        """The rows over the clusters' bands as rows over the statements."""
        return replace(band, rows=tuple(self._expanded(row) for row in band.rows))

    def _position_map(self, number: int, statement: ScheduledStatement) -> isl.Map:
        function = isl.Map.from_domain(statement.domain)
        for hyperplane in self._clusters[number].band.hyperplanes:
            row = affine_function(hyperplane[statement.position], statement.domain.get_space())
            function = function.flat_range_product(isl.Map.from_aff(row))
        return function.set_tuple_name(isl.dim_type.out, f"cluster_{number}")

    def _as_statement(self, number: int, cluster: Cluster) -> ScheduledStatement:
        images = (self.image.instances[member].range() for member in cluster.members)
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


def _owners(clusters: Sequence[Cluster]) -> dict[int, int]:
    """For each statement the number of its cluster."""
    return {member: number for number, each in enumerate(clusters) for member in each.members}


def _candidates(
    clusters: Sequence[Cluster], graph: DependenceGraph, refused: Mapping[Pair, None]
) -> Iterator[Pair]:
    """Pairs of clusters with a proximity edge; first those whose bands are equally wide."""
    owner = _owners(clusters)
    pairs: dict[Pair, None] = {}
    for each in graph.proximity_edges():
        edge = (each.source, each.target)
        if edge not in refused and all(end in owner for end in edge):
            first, second = sorted(owner[end] for end in edge)
            if first != second:
                pairs[first, second] = None

    def differ_in_width(pair: Pair) -> bool:
        return clusters[pair[0]].band.width != clusters[pair[1]].band.width

    yield from sorted(pairs, key=lambda pair: (differ_in_width(pair), pair))


def _proximity_pairs(clusters: Sequence[Cluster], pair: Pair, graph: DependenceGraph) -> list[Pair]:
    """The pairs of statements of two clusters with a proximity edge between them."""
    first, second = (clusters[number].members for number in pair)
    return [
        (each.source, each.target)
        for each in graph.proximity_edges()
        if (each.source in first and each.target in second)
        or (each.source in second and each.target in first)
    ]


def _with_all_between(
    pair: Pair, clusters: Sequence[Cluster], edges: Sequence[Pair]
) -> tuple[int, ...]:
    """`pair` and all clusters on a path of dependences from one to the other."""
    owner = _owners(clusters)
    following: dict[int, dict[int, None]] = {number: {} for number in range(len(clusters))}
    preceding: dict[int, dict[int, None]] = {number: {} for number in range(len(clusters))}
    for source, target in edges:
        if source in owner and target in owner:
            following[owner[source]][owner[target]] = None
            preceding[owner[target]][owner[source]] = None
    chosen = dict.fromkeys(pair)
    for start, end in (pair, pair[::-1]):
        after, before = _reachable(start, following), _reachable(end, preceding)
        chosen |= dict.fromkeys(number for number in after if number in before)
    return tuple(sorted(chosen))


def _reachable(start: int, neighbours: Mapping[int, Mapping[int, None]]) -> dict[int, None]:
    reached = {start: None}
    waiting = [start]
    while waiting:
        for number in neighbours[waiting.pop()]:
            if number not in reached:
                reached[number] = None
                waiting.append(number)
    return reached
