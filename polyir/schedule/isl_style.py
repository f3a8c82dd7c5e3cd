"""A scheduler for isl's problem: separate relations, signed coefficients, clusters.

Paper 001 (Zinenko et al., Unified Polyhedral Modeling of Temporal and Spatial Locality), section
3; Verdoolaege and Janssens, "Scheduling for PPCG" (2017).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import islpy as isl

from polyir.schedule.band_search import BandSearch
from polyir.schedule.carry import carrying_row
from polyir.schedule.cluster import Cluster
from polyir.schedule.clustering import Clustering, Found, Fusion
from polyir.schedule.components import (
    Component,
    in_program_order,
    strongly_connected_components,
)
from polyir.schedule.constraints import ScheduleConstraints
from polyir.schedule.problem import (
    ScheduledStatement,
    SchedulingError,
    parameter_space,
    statements_of,
)
from polyir.schedule.proximity_row import rows_left
from polyir.schedule.role_graph import RoleGraph, role_graph
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


@dataclass(frozen=True)
class IslStyleOptions:
    """What the user can choose.

    With `outer_coincidence`, a band that would not be parallel outside is replaced by a
    sequential loop that carries as much as possible, and what is inside.
    """

    fusion: Fusion = Fusion.TYPED
    outer_coincidence: bool = False


def isl_style_schedule(
    constraints: ScheduleConstraints, options: IslStyleOptions | None = None
) -> ScheduleResult:
    """Schedule `constraints` with clusters of permutable bands, coincident rows first.

    Where a dependence cycle has no band, one row of Feautrier's kind comes first (section 3.2,
    "band splitting"). Raises `SchedulingError` if a cycle has no affine schedule.
    """
    statements = statements_of(constraints)
    parameters = parameter_space(constraints)
    parameter_count = parameters.dim(isl.dim_type.param)
    scheduler = _Scheduler(statements, parameter_count, options or IslStyleOptions())
    found = {each.position: each.affine_hull for each in statements}
    tree = scheduler.schedule(tuple(found), found, role_graph(constraints, statements))
    domain = constraints.domain.align_params(parameters)
    return ScheduleResult(to_isl_schedule(tree, statements, domain), tree, tuple(scheduler.notes))


class _Scheduler:
    """One run of the algorithm; `notes` grows as decisions are taken."""

    def __init__(
        self,
        statements: tuple[ScheduledStatement, ...],
        parameter_count: int,
        options: IslStyleOptions,
    ) -> None:
        self._statements = statements
        self._parameter_count = parameter_count
        self._outer_coincidence = options.outer_coincidence
        search = BandSearch(parameter_count, options.outer_coincidence)
        self._clustering = Clustering(statements, search, options.fusion)
        self.notes: list[str] = []

    def schedule(self, group: Component, found: Found, graph: RoleGraph) -> Node:
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

    def _finish(self, cluster: Cluster, found: Found, graph: RoleGraph) -> Node:
        """The tree of a cluster: its band, or a row that carries, and what is inside."""
        if not cluster.band.width:
            if self._is_done(cluster.members, found, graph):
                return self._scalar_order(cluster.members, graph)
            return self._carry(cluster.members, found, graph)
        self._note_band(cluster)
        band = cluster.band
        child = self._inside(cluster.members, band.hyperplanes, found, graph)
        bounds = tuple(each.bound for each in band.rows)
        return Band(band.hyperplanes, band.coincident, bounds, child)

    def _carry(self, members: Component, found: Found, graph: RoleGraph) -> Node:
        """The tree of a dependence cycle without a band: Feautrier's row comes first."""
        statements = [self._statements[position] for position in members]
        row = carrying_row(statements, self._parameter_count, graph.ordered())
        if row is None:
            raise SchedulingError(
                f"no affine schedule found for the dependence cycle of {self._names(members)}"
            )
        wanted = "no band is parallel outside" if self._outer_coincidence else "no band was found"
        self.notes.append(f"sequential loop for {self._names(members)}: {wanted}")
        no_bound = DistanceBound((0,) * self._parameter_count, 0)
        return Band((row,), (False,), (no_bound,), self._inside(members, (row,), found, graph))

    def _inside(
        self,
        members: Component,
        hyperplanes: Sequence[Hyperplane],
        found: Found,
        graph: RoleGraph,
    ) -> Node:
        extended = dict(found)
        for position in members:
            rows = tuple(each[position].coefficients for each in hyperplanes)
            extended[position] = found[position] + rows
        return self.schedule(members, extended, graph.uncarried_by(hyperplanes))

    def _is_done(self, group: Component, found: Found, graph: RoleGraph) -> bool:
        """Whether no statement needs a further row, and no two depend on each other in a cycle."""
        edges = graph.within(group).ordered_edges()
        return (
            not rows_left([self._statements[position] for position in group], found)
            and all(source != target for source, target in edges)
            and all(len(each) == 1 for each in strongly_connected_components(group, edges))
        )

    def _scalar_order(self, group: Component, graph: RoleGraph) -> Node:
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
        self.notes.append(
            f"band of {cluster.band.width} for {self._names(cluster.members)}: {loops}"
        )
