"""A scheduler for isl's problem: separate relations, signed coefficients, clusters.

Zinenko et al., "Unified Polyhedral Modeling of Temporal and Spatial Locality", 2017, section 3;
Verdoolaege and Janssens, "Scheduling for PPCG", 2017.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import islpy as isl

from polyir.schedule.clusters import ClusterFusion, ClusterPolicy
from polyir.schedule.constraints import (
    ScheduleConstraints,
    ScheduledStatement,
    Spanned,
    rows_left,
    scheduled_statements,
)
from polyir.schedule.dependences import DependenceEdge, DependenceGraph, graph_of_constraints
from polyir.schedule.driver import band_of, schedule_by_policy, with_rows
from polyir.schedule.row_problem import ObjectiveTerm, RowForm, RowProblem
from polyir.schedule.tree import BoundedHyperplane, RowBand, ScheduleResult


@dataclass(frozen=True)
class IslOptions:
    """Which statements share loops, and what is done if the outermost one is not parallel.

    With `outer_coincidence`, a band that would not be parallel outside is replaced by a
    sequential loop that carries as much as possible, and the loops inside it.
    """

    fusion: ClusterFusion = "typed"
    outer_coincidence: bool = False


def isl_style_schedule(
    constraints: ScheduleConstraints, options: IslOptions | None = None
) -> ScheduleResult:
    """Schedule `constraints` with clusters of permutable bands, coincident rows first.

    A dependence cycle without a band gets one row of Feautrier's kind first (section 3.2, "Band
    Splitting"). Raises `SchedulingError` if a cycle has no affine schedule.
    """
    statements = scheduled_statements(constraints)
    parameter_count = constraints.parameter_space.dim(isl.dim_type.param)
    policy = _IslPolicy(statements, parameter_count, options or IslOptions())
    graph = graph_of_constraints(constraints, statements)
    return schedule_by_policy(constraints, statements, policy, graph)


class _IslPolicy(ClusterPolicy[DependenceGraph]):
    """Bands of short distances.

    With `outer_coincidence`, a band whose first row cannot be coincident is not wanted.
    """

    def __init__(
        self,
        statements: Sequence[ScheduledStatement],
        parameter_count: int,
        options: IslOptions,
    ) -> None:
        super().__init__(statements, parameter_count, options.fusion)
        self._outer_coincidence = options.outer_coincidence

    def rows_of_band(
        self,
        statements: Sequence[ScheduledStatement],
        graph: DependenceGraph,
        edges: Sequence[DependenceEdge],
        spanned: Spanned,
    ) -> RowBand:
        rows = proximity_rows(
            statements,
            self.parameter_count,
            edges,
            spanned,
            # Where only reductions are left, no loop that carries an order would get further.
            is_coincident_only=self._outer_coincidence and bool(graph.validity_edges()),
        )
        return band_of(rows, edges)

    def why_no_band(self, graph: DependenceGraph) -> str:
        if self._outer_coincidence:
            return NOT_PARALLEL_OUTSIDE
        return super().why_no_band(graph)


NOT_PARALLEL_OUTSIDE = "no band has a parallel outermost loop"

PROXIMITY_FORM = RowForm(
    (
        ObjectiveTerm.BOUND_SUM,
        ObjectiveTerm.BOUND_CONSTANT,
        ObjectiveTerm.PARAMETER_SUM,
        ObjectiveTerm.ITERATOR_SUM,
        ObjectiveTerm.BOUND_COEFFICIENTS,
    ),
    signed=True,
    parametric=True,
)
"""Zinenko et al., 2017, section 3.2, formula 3."""


def proximity_rows(
    statements: Sequence[ScheduledStatement],
    parameter_count: int,
    edges: Sequence[DependenceEdge],
    spanned: Spanned,
    *,
    is_coincident_only: bool = False,
) -> list[BoundedHyperplane]:
    """As many rows as can be found: coincident ones first, then any.

    With `is_coincident_only`, there are none unless the first one is coincident. A statement that
    needs fewer rows than others has slack: nothing is asked of it until as many rows are left as
    it needs (section 3.3).
    """
    rows: list[BoundedHyperplane] = []
    for coincident in (True, False):
        problem = RowProblem(statements, parameter_count, PROXIMITY_FORM)
        problem.limit_coefficients()
        problem.add_edges(edges, coincident=coincident)
        while left := rows_left(statements, spanned):
            row = problem.solve(problem.independence(spanned, needing=left))
            if row is None:
                break
            rows.append(row)
            spanned = with_rows(spanned, [row.hyperplane])
        if not rows_left(statements, spanned) or (is_coincident_only and not rows):
            break
    return rows
