"""The scheduler for temporal and spatial locality.

Paper 001 (Zinenko et al., Unified Polyhedral Modeling of Temporal and Spatial Locality), section 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

import islpy as isl

from polyir.schedule.band_search import BandSearch
from polyir.schedule.carry import carrying_row
from polyir.schedule.cluster import BandOfRows
from polyir.schedule.cluster_scheduler import ClusterScheduler
from polyir.schedule.clustering import Fusion
from polyir.schedule.constraints import ScheduleConstraints
from polyir.schedule.problem import ScheduledStatement, parameter_space, statements_of
from polyir.schedule.spatial.band_search import CpuSearch, GpuSearch
from polyir.schedule.spatial.clustering import LocalityClustering
from polyir.schedule.spatial.locality_graph import LocalityGraph, locality_graph
from polyir.schedule.spatial.register_pressure import register_pressure
from polyir.schedule.spatial.reuse import ReuseGroup
from polyir.schedule.tree import Hyperplane, ScheduleResult


class Recipe(Enum):
    """What a schedule is for.

    `CPU`: one parallel loop, as far outside as can be, and lines used by the innermost loop.
    `GPU`: many parallel loops, the first one of a band with coalesced accesses.
    """

    CPU = "cpu"
    GPU = "gpu"


DEFAULT_REGISTER_LIMIT: Final = 28
"""Keeps seidel-2d (h = 27) in a band for wavefronts, and splits jacobi-2d (30) and heat-3d (56)."""


@dataclass(frozen=True)
class SpatialOptions:
    """What the user can choose.

    `register_limit` is how many registers the statements of a band may want by the heuristic h
    before the CPU recipe does without a band that is not parallel outside.
    """

    recipe: Recipe = Recipe.CPU
    fusion: Fusion = Fusion.TYPED
    register_limit: int = DEFAULT_REGISTER_LIMIT


def spatial_schedule(
    constraints: ScheduleConstraints,
    reuse: Sequence[ReuseGroup],
    options: SpatialOptions | None = None,
) -> ScheduleResult:
    """Schedule `constraints` so that the loops make use of `reuse` where the recipe wants it.

    Raises `SchedulingError` if a cycle of dependences has no affine schedule.
    """
    chosen = options or SpatialOptions()
    statements = statements_of(constraints)
    parameter_count = parameter_space(constraints).dim(isl.dim_type.param)
    search: BandSearch[LocalityGraph] = GpuSearch(parameter_count)
    if chosen.recipe is Recipe.CPU:
        search = CpuSearch(parameter_count, chosen.register_limit)
    clustering = LocalityClustering(statements, search, chosen.fusion, chosen.recipe is Recipe.CPU)
    scheduler = _Scheduler(statements, parameter_count, clustering, chosen)
    return scheduler.run(constraints, locality_graph(constraints, statements, reuse))


class _Scheduler(ClusterScheduler[LocalityGraph]):
    """A scheduler of clusters that knows what is around a band."""

    def __init__(
        self,
        statements: tuple[ScheduledStatement, ...],
        parameter_count: int,
        clustering: LocalityClustering,
        options: SpatialOptions,
    ) -> None:
        is_gpu = options.recipe is Recipe.GPU
        super().__init__(statements, parameter_count, clustering, outer_coincidence=is_gpu)
        self._options = options

    def carrying_row(
        self, statements: Sequence[ScheduledStatement], graph: LocalityGraph
    ) -> Hyperplane | None:
        """A row that carries what statements depend on themselves by, or else what it can.

        What is between statements is left to their order inside the loop, if it can be, which
        makes for simpler rows.
        """
        ordered = graph.ordered()
        own = [each for each in ordered if each.source == each.target]
        row = carrying_row(statements, self._parameter_count, ordered, own) if own else None
        return row or carrying_row(statements, self._parameter_count, ordered)

    def why_no_band(self, graph: LocalityGraph) -> str:
        """Why the statements of `graph` have no band, in words."""
        pressure, limit = register_pressure(graph.groups), self._options.register_limit
        is_cpu = self._options.recipe is Recipe.CPU
        if is_cpu and not graph.is_inside_parallel and pressure > limit:
            return f"no band is parallel outside, and {pressure} registers are more than {limit}"
        return super().why_no_band(graph)

    def below(self, graph: LocalityGraph, band: BandOfRows) -> LocalityGraph:
        """Below a parallel loop no other is asked for."""
        return replace(graph, is_inside_parallel=graph.is_inside_parallel or any(band.coincident))
