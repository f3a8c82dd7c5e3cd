"""The Pluto algorithm: tileable bands of minimal communication, with fusion.

Bondhugula et al., "Affine Transformations for Communication Minimal Parallelization and Locality
Optimization of Arbitrarily Nested Loop Sequences", 2007, section 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import islpy as isl

from polyir.schedule.components import (
    Component,
    runs,
    strongly_connected_components,
    weakly_connected_components,
)
from polyir.schedule.constraints import (
    ScheduleConstraints,
    ScheduledStatement,
    Spanned,
    scheduled_statements,
)
from polyir.schedule.dependences import DependenceGraph, graph_of_constraints
from polyir.schedule.driver import (
    Decision,
    Policy,
    Step,
    band_of,
    schedule_by_policy,
    with_rows,
)
from polyir.schedule.row_problem import ObjectiveTerm, RowForm, RowProblem
from polyir.schedule.sizes import with_sizes_as_parameters
from polyir.schedule.tree import BoundedHyperplane, RowBand, ScheduleResult

PlutoFusion = Literal["max", "smart", "none"]
"""When strongly connected components share loops.

`max`: wherever a common hyperplane exists. `smart`: as `max`, but components with different
numbers of loops are kept apart, and statements that share no data run in common loops only if
that costs neither parallelism nor band width. `none`: never.
"""


@dataclass(frozen=True)
class PlutoOptions:
    """Which statements share loops."""

    fuse: PlutoFusion = "smart"


def pluto_schedule(
    constraints: ScheduleConstraints, options: PlutoOptions | None = None
) -> ScheduleResult:
    """Schedule `constraints` with the Pluto algorithm.

    Every band of the result is permutable, hence tileable, and has the smallest bound on the
    distance of the dependences in `proximity` that a further independent hyperplane allows.
    Raises `SchedulingError` if some statements cannot be ordered by affine functions.
    """
    sized = with_sizes_as_parameters(constraints)
    statements = scheduled_statements(sized)
    parameter_count = sized.parameter_space.dim(isl.dim_type.param)
    policy = PlutoPolicy(statements, parameter_count, options or PlutoOptions())
    graph = graph_of_constraints(sized, statements, disjoint=True)
    return schedule_by_policy(constraints, scheduled_statements(constraints), policy, graph)


HYPERPLANE_OBJECTIVE = (
    ObjectiveTerm.BOUND_SUM,
    ObjectiveTerm.BOUND_COEFFICIENTS,
    ObjectiveTerm.BOUND_CONSTANT,
)
"""Bondhugula et al., 2007, equation 12: first the bound, then the coefficients."""


class PlutoPolicy(Policy[DependenceGraph]):
    """Groups cut by `fuse`, then bands of components, then cuts where there is no hyperplane."""

    def __init__(
        self,
        statements: Sequence[ScheduledStatement],
        parameter_count: int,
        options: PlutoOptions,
    ) -> None:
        super().__init__(statements)
        self._parameter_count = parameter_count
        self._fuse = options.fuse

    def decide(self, group: Component, spanned: Spanned, graph: DependenceGraph) -> Decision:
        if self.is_done(group, spanned, graph):
            return Decision()
        parts = self._parts_of_policy(group, spanned, graph)
        if len(parts) > 1:
            note = self.sequence_note(f"not fused because of fuse={self._fuse}", parts)
            return Decision((Step(group, pieces=parts, note=note),))
        steps = self._steps(group, spanned, graph)
        if len(steps) == 1:
            return Decision(steps)
        note = self.sequence_note("independent, not fused", [step.members for step in steps])
        return Decision(steps, note)

    # Bands

    def _steps(
        self, group: Component, spanned: Spanned, graph: DependenceGraph
    ) -> tuple[Step, ...]:
        """The bands of the weakly connected components, alike ones side by side in one band.

        Nothing relates these components, so each has an integer program of its own.
        """
        order = [each for component in self._components(group, graph) for each in component]
        merged: dict[object, tuple[Component, RowBand]] = {}
        for component in weakly_connected_components(order, graph.pairs()):
            members = tuple(sorted(component))
            band = self.band(members, spanned, graph.within(members))
            likeness = band.coincident if self._fuse == "smart" else band.width
            if likeness in merged:
                others, other = merged[likeness]
                members, band = _joined([others, members]), _beside(other, band)
            merged[likeness] = members, band
        return tuple(
            self._step(members, band, spanned, graph.within(members))
            for members, band in merged.values()
        )

    def _step(
        self, members: Component, band: RowBand, spanned: Spanned, graph: DependenceGraph
    ) -> Step:
        if band.rows:
            return Step(members, band)
        if self.is_done(members, spanned, graph):
            return Step(members)
        return self._cut(members, spanned, graph)

    def band(self, component: Component, spanned: Spanned, graph: DependenceGraph) -> RowBand:
        """The widest band of a component, under all dependences of `graph`."""
        if self.is_done(component, spanned, graph):
            return RowBand()
        problem = self.problem(component, graph)
        rows = self.independent_rows(problem, component, spanned)
        if not rows and len(self._components(component, graph)) == 1:
            rows = self._last_resort(problem, component, spanned, graph)
        return band_of(rows, graph.edges)

    def independent_rows(
        self, problem: RowProblem, component: Component, spanned: Spanned
    ) -> list[BoundedHyperplane]:
        """The best rows, each independent of those before it, as long as there is one."""
        rows: list[BoundedHyperplane] = []
        while self.rows_left(component, spanned):
            row = problem.solve(problem.independence(spanned))
            if row is None:
                break
            rows.append(row)
            spanned = with_rows(spanned, [row.hyperplane])
        return rows

    def _last_resort(
        self,
        problem: RowProblem,
        component: Component,
        spanned: Spanned,
        graph: DependenceGraph,
    ) -> list[BoundedHyperplane]:
        """Rows for a dependence cycle that has no independent one.

        First one that is new for some statements only, or for none, but carries some dependence.
        It exists wherever iterators follow the original order, for the outermost loop that
        carries something is one. Otherwise negative coefficients may help.
        """
        carrying = problem.solve([(problem.partly_carried(graph.edges),)])
        if carrying is not None:
            return [carrying]
        signed = self.problem(component, graph, signed=True)
        rows = self.independent_rows(signed, component, spanned)
        if rows:
            return rows
        carrying = signed.solve([(signed.partly_carried(graph.edges),)])
        return [] if carrying is None else [carrying]

    def problem(
        self, component: Component, graph: DependenceGraph, *, signed: bool = False
    ) -> RowProblem:
        """The program for one more row of a component, under all dependences of `graph`."""
        form = RowForm(HYPERPLANE_OBJECTIVE, signed=signed, parametric=False)
        problem = RowProblem(self.members(component), self._parameter_count, form)
        problem.limit_coefficients()
        problem.add_edges(graph.edges)
        return problem

    # Cuts

    def _parts_of_policy(
        self, group: Component, spanned: Spanned, graph: DependenceGraph
    ) -> tuple[Component, ...]:
        """The parts that the fusion policy keeps apart from the start, in order."""
        if self._fuse == "max":
            return (group,)
        components = self._components(group, graph)
        if self._fuse == "none":
            return components
        alike = runs(components, lambda component: self.rows_left(component, spanned))
        return tuple(_joined(run) for run in alike)

    def _cut(self, group: Component, spanned: Spanned, graph: DependenceGraph) -> Step:
        """A group without a common hyperplane is distributed, as little as possible.

        Raises `SchedulingError` if there is nothing to distribute.
        """
        components = self._components(group, graph)
        if len(components) == 1:
            raise self.no_schedule(group)
        if not self.rows_left(group, spanned):
            return Step(group, pieces=components)
        if self._fuse == "max":
            parts = self._fusable_runs(components, spanned, graph)
        else:
            middle = (len(components) + 1) // 2
            parts = (_joined(components[:middle]), _joined(components[middle:]))
        return Step(group, pieces=parts, note=self.sequence_note("no common loop", parts))

    def _fusable_runs(
        self, components: Sequence[Component], spanned: Spanned, graph: DependenceGraph
    ) -> tuple[Component, ...]:
        """Runs of components, each as long as a common hyperplane for all of it exists."""
        parts = [components[0]]
        for component in components[1:]:
            joined = _joined([parts[-1], component])
            if self._has_common_hyperplane(joined, spanned, graph.within(joined)):
                parts[-1] = joined
            else:
                parts.append(component)
        return tuple(parts)

    def _has_common_hyperplane(
        self, group: Component, spanned: Spanned, graph: DependenceGraph
    ) -> bool:
        for component in weakly_connected_components(group, graph.pairs()):
            problem = self.problem(component, graph.within(component))
            if problem.solve(problem.independence(spanned)) is None:
                return False
        return True

    def _components(self, group: Component, graph: DependenceGraph) -> tuple[Component, ...]:
        return strongly_connected_components(group, graph.ordered_pairs())


def _joined(components: Sequence[Component]) -> Component:
    return tuple(sorted(position for component in components for position in component))


def _beside(left: RowBand, right: RowBand) -> RowBand:
    """Two bands of equal width over unrelated statements as one band."""
    return RowBand(
        tuple(_row_beside(a, b) for a, b in zip(left.rows, right.rows, strict=True)),
        tuple(a and b for a, b in zip(left.coincident, right.coincident, strict=True)),
    )


def _row_beside(left: BoundedHyperplane, right: BoundedHyperplane) -> BoundedHyperplane:
    bound = None
    if left.bound is not None and right.bound is not None:
        bound = left.bound.maximum(right.bound)
    return BoundedHyperplane({**left.hyperplane, **right.hyperplane}, bound)
