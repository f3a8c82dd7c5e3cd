"""Schedule trees from clusters of statements with a band each.

Paper 001 (Zinenko et al., Unified Polyhedral Modeling of Temporal and Spatial Locality), sections
3.2 and 3.4; Verdoolaege and Janssens, "Scheduling for PPCG" (2017).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic

from polyir.schedule.carry import carrying_row
from polyir.schedule.cluster import BandOfRows, Cluster, Graph
from polyir.schedule.clustering import Clustering, Found
from polyir.schedule.components import (
    Component,
    in_program_order,
    strongly_connected_components,
)
from polyir.schedule.problem import (
    ScheduledStatement,
    SchedulingError,
    SchedulingProblem,
    parameter_space,
)
from polyir.schedule.proximity_row import rows_left
from polyir.schedule.tree import (
    Band,
    DistanceBound,
    Hyperplane,
    Leaf,
    Node,
    Order,
    ScheduleResult,
    to_isl_schedule,
)


class ClusterScheduler(Generic[Graph]):
    """One run of a scheduler of clusters; `notes` grows as decisions are taken.

    `outer_coincidence` says that the search of `clustering` refuses bands that are not parallel
    outside.
    """

    def __init__(
        self,
        statements: tuple[ScheduledStatement, ...],
        parameter_count: int,
        clustering: Clustering[Graph],
        *,
        outer_coincidence: bool = False,
    ) -> None:
        self.notes: list[str] = []
        self._statements = statements
        self._parameter_count = parameter_count
        self._outer_coincidence = outer_coincidence
        self._clustering = clustering

    def run(self, problem: SchedulingProblem, graph: Graph) -> ScheduleResult:
        """The schedule of all statements of `problem`, whose dependences are `graph`.

        Raises `SchedulingError` if a cycle of dependences has no affine schedule.
        """
        found = {each.position: each.affine_hull for each in self._statements}
        tree = self.schedule(tuple(found), found, graph)
        domain = problem.domain.align_params(parameter_space(problem))
        schedule = to_isl_schedule(tree, self._statements, domain)
        return ScheduleResult(schedule, tree, tuple(self.notes))

    def schedule(self, group: Component, found: Found, graph: Graph) -> Node:
        """The tree for `group`: its clusters one after the other, each with its band."""
        if self._is_done(group, found, graph):
            return self._scalar_order(group, graph)
        clusters = self._clustering.clusters(group, found, graph)
        if len(clusters) == 1:
            return self._finish(clusters[0], found, graph)
        self.notes.append("apart: " + " | ".join(self._names(each.members) for each in clusters))
        return Order(
            tuple(
                (each.members, self._finish(each, found, graph.within(each.members)))
                for each in clusters
            )
        )

    def carrying_row(
        self, statements: Sequence[ScheduledStatement], graph: Graph
    ) -> Hyperplane | None:
        """The row for statements that have no band; `None` if nothing can be carried."""
        return carrying_row(statements, self._parameter_count, graph.ordered())

    def why_no_band(self, graph: Graph) -> str:
        """Why the statements of `graph` have no band, in words."""
        return "no band is parallel outside" if self._outer_coincidence else "no band was found"

    def below(self, graph: Graph, band: BandOfRows) -> Graph:
        """What is to be known of `graph` below `band`, before what it carries is taken out."""
        return graph

    def _finish(self, cluster: Cluster, found: Found, graph: Graph) -> Node:
        """The tree of a cluster: its band, or a row that carries, and what is inside."""
        if not cluster.band.width:
            if self._is_done(cluster.members, found, graph):
                return self._scalar_order(cluster.members, graph)
            return self._carry(cluster.members, found, graph)
        self._note_band(cluster)
        band = cluster.band
        child = self._inside(cluster.members, band.hyperplanes, found, self.below(graph, band))
        bounds = tuple(each.bound for each in band.rows)
        return Band(band.hyperplanes, band.coincident, bounds, child, band.attributes)

    def _carry(self, members: Component, found: Found, graph: Graph) -> Node:
        """The tree of a dependence cycle without a band: Feautrier's row comes first."""
        statements = [self._statements[position] for position in members]
        row = self.carrying_row(statements, graph)
        if row is None:
            raise SchedulingError(
                f"no affine schedule found for the dependence cycle of {self._names(members)}"
            )
        reason = self.why_no_band(graph)
        self.notes.append(f"sequential loop for {self._names(members)}: {reason}")
        no_bound = DistanceBound((0,) * self._parameter_count, 0)
        return Band((row,), (False,), (no_bound,), self._inside(members, (row,), found, graph))

    def _inside(
        self,
        members: Component,
        hyperplanes: Sequence[Hyperplane],
        found: Found,
        graph: Graph,
    ) -> Node:
        extended = dict(found)
        for position in members:
            rows = tuple(each[position].coefficients for each in hyperplanes)
            extended[position] = found[position] + rows
        return self.schedule(members, extended, graph.uncarried_by(hyperplanes))

    def _is_done(self, group: Component, found: Found, graph: Graph) -> bool:
        """Whether no statement needs a further row, and no two depend on each other in a cycle."""
        edges = graph.within(group).ordered_edges()
        return (
            not rows_left([self._statements[position] for position in group], found)
            and all(source != target for source, target in edges)
            and all(len(each) == 1 for each in strongly_connected_components(group, edges))
        )

    def _scalar_order(self, group: Component, graph: Graph) -> Node:
        """The tree of statements that are done: one after the other."""
        edges = graph.within(group).ordered_edges()
        components = in_program_order(strongly_connected_components(group, edges), edges)
        if len(components) <= 1:
            return Leaf()
        return Order(tuple((component, Leaf()) for component in components))

    def _names(self, group: Component) -> str:
        return ", ".join(self._statements[position].name for position in group)

    def _note_band(self, cluster: Cluster) -> None:
        parallel = [str(index) for index, flag in enumerate(cluster.band.coincident) if flag]
        loops = f"parallel members {', '.join(parallel)}" if parallel else "no member parallel"
        attributes = "".join(f", {attribute}" for attribute in cluster.band.attributes)
        self.notes.append(
            f"band of {cluster.band.width} for {self._names(cluster.members)}: {loops}{attributes}"
        )
