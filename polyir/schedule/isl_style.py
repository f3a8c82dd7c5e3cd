"""A scheduler for isl's problem: separate relations, signed coefficients, clusters.

Paper 001 (Zinenko et al., Unified Polyhedral Modeling of Temporal and Spatial Locality), section
3; Verdoolaege and Janssens, "Scheduling for PPCG" (2017).
"""

from __future__ import annotations

from dataclasses import dataclass

import islpy as isl

from polyir.schedule.band_search import ProximitySearch
from polyir.schedule.cluster_scheduler import ClusterScheduler
from polyir.schedule.clustering import Clustering, Fusion
from polyir.schedule.constraints import ScheduleConstraints
from polyir.schedule.problem import parameter_space, statements_of
from polyir.schedule.role_graph import role_graph
from polyir.schedule.tree import ScheduleResult


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
    chosen = options or IslStyleOptions()
    statements = statements_of(constraints)
    parameter_count = parameter_space(constraints).dim(isl.dim_type.param)
    search = ProximitySearch(parameter_count, chosen.outer_coincidence)
    scheduler = ClusterScheduler(
        statements,
        parameter_count,
        Clustering(statements, search, chosen.fusion),
        outer_coincidence=chosen.outer_coincidence,
    )
    return scheduler.run(constraints, role_graph(constraints, statements))
