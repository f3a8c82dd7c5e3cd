"""Which strongly connected components share a band: paper 001, section 3.4."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Generic

from polyir.schedule.band_search import BandSearch
from polyir.schedule.cluster import BandOfRows, Cluster, Graph, MergedView, brings_near
from polyir.schedule.components import (
    Component,
    in_program_order,
    strongly_connected_components,
)
from polyir.schedule.linear import Row
from polyir.schedule.problem import ScheduledStatement
from polyir.schedule.proximity_row import rows_left
from polyir.schedule.role_graph import RoleGraph

Found = Mapping[int, tuple[Row, ...]]
"""For each statement the directions that need no further row."""


class Fusion(Enum):
    """When clusters are joined.

    `MAX`: wherever a common band exists. `TYPED`: if the common band is as wide and has as many
    coincident rows as each of the bands, and brings something near. `MIN`: never.
    """

    MAX = "max"
    TYPED = "typed"
    MIN = "min"


class Clustering(Generic[Graph]):
    """The clusters of a group of statements, each with its band."""

    def __init__(
        self,
        statements: Sequence[ScheduledStatement],
        search: BandSearch[Graph],
        fusion: Fusion,
    ) -> None:
        self._statements = statements
        self._search = search
        self._fusion = fusion

    def clusters(self, group: Component, found: Found, graph: Graph) -> tuple[Cluster, ...]:
        """The clusters of `group`, each after those that it depends on."""
        edges = graph.ordered_edges()
        clusters = [
            Cluster(component, self._band(component, found, graph))
            for component in in_program_order(strongly_connected_components(group, edges), edges)
        ]
        if self._fusion is not Fusion.MIN:
            clusters = self._joined(clusters, found, graph)
        order = in_program_order([each.members for each in clusters], edges)
        return tuple(sorted(clusters, key=lambda each: order.index(each.members)))

    def _band(self, component: Component, found: Found, graph: Graph) -> BandOfRows:
        statements = [self._statements[position] for position in component]
        return self._search.find(statements, graph.within(component), found)

    def _joined(self, clusters: list[Cluster], found: Found, graph: Graph) -> list[Cluster]:
        """The clusters after all joins that the policy allows, one pair with a reuse at a time."""
        refused: dict[tuple[int, int], None] = {}
        while True:
            pair = next(self._candidates(clusters, graph, refused), None)
            if pair is None:
                return clusters
            chosen = _with_all_between(pair, clusters, graph.ordered_edges())
            joined = self._join([clusters[number] for number in chosen], found, graph)
            if joined is None:
                refused |= dict.fromkeys(_near_edges(clusters, pair, graph))
            else:
                rest = [each for number, each in enumerate(clusters) if number not in chosen]
                clusters = sorted([*rest, joined], key=lambda each: each.members)

    def _candidates(
        self,
        clusters: Sequence[Cluster],
        graph: Graph,
        refused: Mapping[tuple[int, int], None],
    ) -> Iterator[tuple[int, int]]:
        """Pairs of clusters with an edge of proximity; first those with bands of one width."""
        owner = {member: number for number, each in enumerate(clusters) for member in each.members}
        pairs: dict[tuple[int, int], None] = {}
        for each in graph.near():
            edge = (each.source, each.target)
            if edge not in refused and all(end in owner for end in edge):
                first, second = sorted((owner[each.source], owner[each.target]))
                if first != second:
                    pairs[first, second] = None

        def differ_in_width(pair: tuple[int, int]) -> bool:
            return clusters[pair[0]].band.width != clusters[pair[1]].band.width

        yield from sorted(pairs, key=lambda pair: (differ_in_width(pair), pair))

    def _join(self, clusters: list[Cluster], found: Found, graph: Graph) -> Cluster | None:
        """The clusters as one, `None` if they have no common band or the policy refuses it."""
        widths = [each.band.width for each in clusters]
        if not min(widths) or any(
            each.band.width < max(widths) and self._needs_more(each, found) for each in clusters
        ):
            return None
        members = tuple(sorted(member for each in clusters for member in each.members))
        within = graph.within(members)
        view = MergedView(clusters, self._statements)
        nothing = {each.position: each.affine_hull for each in view.statements}
        merged = self._search.find(view.statements, view.graph(within), nothing)
        band = view.expand(merged)
        if not band.width or not self.is_wanted(clusters, band, within):
            return None
        return Cluster(members, band)

    def _needs_more(self, cluster: Cluster, found: Found) -> bool:
        """Whether a statement needs rows behind the cluster's band."""
        spanned = {
            member: (
                *found[member],
                *(each[member].coefficients for each in cluster.band.hyperplanes),
            )
            for member in cluster.members
        }
        return rows_left([self._statements[each] for each in cluster.members], spanned) > 0

    def is_wanted(self, clusters: Sequence[Cluster], band: BandOfRows, graph: Graph) -> bool:
        """Whether the policy lets `clusters`, between which `graph` is, share `band`."""
        if self._fusion is Fusion.MAX:
            return True
        return (
            band.width == max(each.band.width for each in clusters)
            and sum(band.coincident) >= max(sum(each.band.coincident) for each in clusters)
            and brings_near(graph, clusters, band, self._statements)
        )


def _near_edges(
    clusters: Sequence[Cluster], pair: tuple[int, int], graph: RoleGraph
) -> list[tuple[int, int]]:
    """The proximity edges between two clusters."""
    first, second = (clusters[number].members for number in pair)
    return [
        (each.source, each.target)
        for each in graph.near()
        if (each.source in first and each.target in second)
        or (each.source in second and each.target in first)
    ]


def _with_all_between(
    pair: tuple[int, int], clusters: Sequence[Cluster], edges: Sequence[tuple[int, int]]
) -> tuple[int, ...]:
    """`pair` and all clusters on a path of dependences from one to the other."""
    owner = {member: number for number, each in enumerate(clusters) for member in each.members}
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
