"""The scheduler for temporal and spatial locality.

Zinenko et al., "Unified Polyhedral Modeling of Temporal and Spatial Locality", 2017, section 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import islpy as isl

from polyir.base.diagnostics import OptionError
from polyir.dialects.loop_attributes import GpuDimension, LoopAttributes, MapAttr
from polyir.schedule.clusters import Cluster, ClusterFusion, ClusterPolicy
from polyir.schedule.constraints import (
    ScheduleConstraints,
    ScheduledStatement,
    Spanned,
    rows_left,
    scheduled_statements,
)
from polyir.schedule.dependences import DependenceEdge
from polyir.schedule.driver import band_of, schedule_by_policy, with_rows
from polyir.schedule.feautrier import carrying_row
from polyir.schedule.isl_style import NOT_PARALLEL_OUTSIDE, proximity_rows
from polyir.schedule.linear import rank
from polyir.schedule.spatial.locality_graph import (
    LocalityGraph,
    LocalityGroup,
    locality_graph,
    loop_depth,
    register_pressure,
)
from polyir.schedule.spatial.reuse import ReuseGroup
from polyir.schedule.spatial.rows import LocalityRows, is_carried
from polyir.schedule.tree import BoundedHyperplane, Hyperplane, RowBand, ScheduleResult

MAP_TO_X = MapAttr(GpuDimension("thread", "x"))
"""The attribute of a loop that gives coalesced accesses along a GPU's x."""

UNPROFITABLE = 2
"""With at most this many rows left, a parallel loop would not pay for its barriers (4.7)."""


@dataclass(frozen=True)
class SpatialOptions:
    """What the schedule is for.

    `target=cpu`: one parallel loop, as far outside as possible, and lines used by the innermost
    loop. `target=gpu`: many parallel loops, the first one of a band with coalesced accesses.

    `line_size` is the number of elements in a cache line. With `target=cpu`, `register_limit` is
    how large the heuristic h (see `register_pressure`) may be for the statements of a band whose
    outermost loop is not parallel; section 4.7 calls it h_lim. Without one it is the number of
    registers that are left when each loop has one for its counter.
    """

    target: Literal["cpu", "gpu"] = "cpu"
    line_size: int = 1
    fusion: ClusterFusion = "typed"
    register_limit: int | None = None

    def __post_init__(self) -> None:
        if self.line_size < 1:
            raise OptionError(f"line-size must be 1 or more: line-size={self.line_size}")
        if self.register_limit is not None and self.register_limit < 0:
            raise OptionError(
                f"register-limit must not be negative: register-limit={self.register_limit}"
            )


def spatial_schedule(
    constraints: ScheduleConstraints,
    reuse: Sequence[ReuseGroup],
    options: SpatialOptions,
    registers: int,
) -> ScheduleResult:
    """Schedule `constraints` so that the loops make use of `reuse` as `target` wants it.

    `reuse` is for lines of `line_size` elements (see `reuse_groups`), and there are so many
    `registers` for values. Raises `SchedulingError` if a cycle of dependences has no affine
    schedule.
    """
    statements = scheduled_statements(constraints)
    parameter_count = constraints.parameter_space.dim(isl.dim_type.param)
    policies = {"cpu": _CpuPolicy, "gpu": _GpuPolicy}
    policy = policies[options.target](statements, parameter_count, options, registers)
    graph = locality_graph(constraints, statements, reuse)
    return schedule_by_policy(constraints, statements, policy, graph)


class _LocalityPolicy(ClusterPolicy[LocalityGraph]):
    """Clusters with a knowledge of what is around a band."""

    def __init__(
        self,
        statements: Sequence[ScheduledStatement],
        parameter_count: int,
        options: SpatialOptions,
        registers: int,
    ) -> None:
        super().__init__(statements, parameter_count, options.fusion)
        self._register_limit = options.register_limit
        self._all_registers = registers

    def carrying_row(
        self, statements: Sequence[ScheduledStatement], graph: LocalityGraph
    ) -> Hyperplane | None:
        """A row that carries what statements depend on themselves by, or else what it can.

        What is between statements is left to their order inside the loop, if possible, which
        makes for simpler rows.
        """
        edges = graph.validity_edges()
        own = [each for each in edges if each.source == each.target]
        row = carrying_row(statements, self.parameter_count, edges, own) if own else None
        return row or carrying_row(statements, self.parameter_count, edges)

    def below(self, graph: LocalityGraph, band: RowBand) -> LocalityGraph:
        """Below a parallel loop no other is asked for."""
        return replace(graph, is_inside_parallel=graph.is_inside_parallel or any(band.coincident))


class _CpuPolicy(_LocalityPolicy):
    """Bands for caches: outer rows carry as little reuse as possible, the last one much.

    One coincident row is enough. If the first row cannot be coincident, the band is left to
    wavefronts, unless its statements need too many registers: then there is no band, and a
    sequential loop has parallel ones inside.
    """

    def rows_of_band(
        self,
        statements: Sequence[ScheduledStatement],
        graph: LocalityGraph,
        edges: Sequence[DependenceEdge],
        spanned: Spanned,
    ) -> RowBand:
        run = _BandSearch(statements, self.parameter_count, edges, graph, spanned)
        is_parallel = graph.is_inside_parallel
        while run.rows_left:
            row = None
            if not is_parallel and (not run.rows or run.rows_left > UNPROFITABLE):
                row = run.next_row(coincident=True)
                is_parallel = row is not None
                if row is None and not run.rows and self._registers(graph) > self._limit(graph):
                    return RowBand()
            row = row or run.next_row(coincident=False)
            if row is None:
                break
            run.add(row)
        return band_of(run.rows, edges)

    def is_wanted(self, clusters: Sequence[Cluster], band: RowBand, graph: LocalityGraph) -> bool:
        """As for isl, but clusters may lose parallelism, apart from the last coincident row.

        And the innermost loops must go along as many lines as before.
        """
        if self.fusion != "typed":
            return super().is_wanted(clusters, band, graph)
        return (
            band.width == max(each.band.width for each in clusters)
            and any(band.coincident) >= any(any(each.band.coincident) for each in clusters)
            and self.brings_near(clusters, band, graph)
            and self._lines_used(graph, (band,))
            >= self._lines_used(graph, [each.band for each in clusters])
        )

    def why_no_band(self, graph: LocalityGraph) -> str:
        registers, limit = self._registers(graph), self._limit(graph)
        if not graph.is_inside_parallel and registers > limit:
            return (
                f"{NOT_PARALLEL_OUTSIDE}, and the statements need {registers} registers "
                f"(register-limit is {limit})"
            )
        return super().why_no_band(graph)

    def _registers(self, graph: LocalityGraph) -> int:
        """How many registers the statements of `graph` need, by the heuristic h."""
        return register_pressure(graph.groups)

    def _limit(self, graph: LocalityGraph) -> int:
        """How many registers they may need."""
        if self._register_limit is not None:
            return self._register_limit
        return self._all_registers - loop_depth(graph.groups)

    def _lines_used(self, graph: LocalityGraph, bands: Sequence[RowBand]) -> int:
        """How often the innermost loop of a statement goes along the lines of a group."""
        return sum(
            self._groups_along_innermost(position, graph, band.hyperplanes)
            for band in bands
            for position in band.statements
        )

    def _groups_along_innermost(
        self, position: int, graph: LocalityGraph, hyperplanes: Sequence[Hyperplane]
    ) -> int:
        """How many groups have their spatial reuse carried by the last loop of a statement.

        The last loop is the last row that is new for the statement.
        """
        depth = self.statements[position].depth
        rows = [each[position].coefficients for each in hyperplanes]
        ranks = [rank(rows[:count], depth) for count in range(len(rows) + 1)]
        if not ranks[-1]:
            return 0
        last = ranks.index(ranks[-1]) - 1
        own = [each.within((position,)).spatial for each in graph.groups]
        return sum(
            bool(spatial)
            and all(each.vanishes_on(row) for each in spatial for row in hyperplanes[:last])
            and is_carried(spatial, hyperplanes[last])
            for spatial in own
        )


class _GpuPolicy(_LocalityPolicy):
    """Bands for GPUs: the first row gives coalesced accesses, as many rows as can are coincident.

    If the first row cannot be coincident, there is no band: a sequential loop has parallel ones
    inside, and they become kernels. If nothing but reductions is in the way, that loop is any one,
    as there is no order for it to carry.
    """

    def rows_of_band(
        self,
        statements: Sequence[ScheduledStatement],
        graph: LocalityGraph,
        edges: Sequence[DependenceEdge],
        spanned: Spanned,
    ) -> RowBand:
        run = _BandSearch(statements, self.parameter_count, edges, graph, spanned)
        attributes: LoopAttributes = ()
        if not graph.is_inside_parallel and run.rows_left:
            many = run.problems.carrying_many(run.groups, run.spanned, coincident=True)
            if many is None and any(each.validity for each in edges):
                return RowBand()
            if many is None:
                any_rows = proximity_rows(statements, self.parameter_count, edges, run.spanned)
                return band_of(any_rows[:1], edges)
            if many.carried:
                run.add(many.hyperplane)
                attributes = (MAP_TO_X,)
        others = proximity_rows(statements, self.parameter_count, edges, run.spanned)
        return band_of([*run.rows, *others], edges, attributes)

    def why_no_band(self, graph: LocalityGraph) -> str:
        return NOT_PARALLEL_OUTSIDE


class _BandSearch:
    """One search for a band: the rows so far, and what they leave."""

    def __init__(
        self,
        statements: Sequence[ScheduledStatement],
        parameter_count: int,
        edges: Sequence[DependenceEdge],
        graph: LocalityGraph,
        spanned: Spanned,
    ) -> None:
        self.rows: list[BoundedHyperplane] = []
        self._groups = graph.groups
        self._carriers: list[Hyperplane] = []
        self.spanned: Spanned = {each.position: spanned[each.position] for each in statements}
        self.problems = LocalityRows(statements, parameter_count, edges)

    @property
    def rows_left(self) -> int:
        return rows_left(self.problems.statements, self.spanned)

    @property
    def groups(self) -> tuple[LocalityGroup, ...]:
        """The reuse that the rows leave; after the last row, nobody asks for it."""
        for row in self._carriers:
            self._groups = tuple(each.uncarried_by([row]) for each in self._groups)
        self._carriers = []
        return self._groups

    def next_row(self, *, coincident: bool) -> Hyperplane | None:
        """A row that carries few groups, or if it is the last one, a row that carries many."""
        if self.rows_left > 1:
            return self.problems.carrying_few(self.groups, self.spanned, coincident=coincident)
        many = self.problems.carrying_many(self.groups, self.spanned, coincident=coincident)
        return None if many is None else many.hyperplane

    def add(self, row: Hyperplane) -> None:
        self.rows.append(BoundedHyperplane(row))
        self.spanned = with_rows(self.spanned, [row])
        self._carriers.append(row)
