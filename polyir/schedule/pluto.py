"""The Pluto algorithm: tileable bands of minimal communication, with fusion.

Paper 000 (Bondhugula et al., Affine Transformations for Communication Minimal Parallelization
and Locality Optimization of Arbitrarily Nested Loop Sequences), section 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import islpy as isl

from polyir.schedule.components import (
    Component,
    in_program_order,
    runs,
    strongly_connected_components,
    weakly_connected_components,
)
from polyir.schedule.dependences import DependenceGraph, dependence_graph
from polyir.schedule.hyperplane import HyperplaneProgram
from polyir.schedule.linear import Row, rank
from polyir.schedule.problem import (
    ScheduledStatement,
    SchedulingError,
    SchedulingProblem,
    parameter_space,
    statements_of,
)
from polyir.schedule.tree import Band, Hyperplane, Leaf, Node, Order, to_isl_schedule


class Fusion(Enum):
    """When strongly connected components share loops.

    `MAX`: wherever a common hyperplane exists. `SMART`: as `MAX`, but components with different
    numbers of loops are kept apart, and statements that share no data run in common loops only
    if that costs neither parallelism nor band width. `NONE`: never.
    """

    MAX = "max"
    SMART = "smart"
    NONE = "none"


@dataclass(frozen=True)
class PlutoOptions:
    """What the user can choose."""

    fuse: Fusion = Fusion.SMART


@dataclass(frozen=True)
class PlutoResult:
    """The schedule, the same as plain integers, and one line for every decision."""

    schedule: isl.Schedule
    tree: Node
    notes: tuple[str, ...]


def pluto_schedule(
    problem: SchedulingProblem, options: PlutoOptions | None = None
) -> PlutoResult:
    """Schedule `problem` with the Pluto algorithm.

    Every band of the result is permutable, hence tileable, and has the smallest bound on the
    distance of the dependences in `proximity` that a further independent hyperplane allows.
    Raises `SchedulingError` if some statements cannot be ordered by affine functions.
    """
    statements = statements_of(problem)
    parameters = parameter_space(problem)
    parameter_count = parameters.dim(isl.dim_type.param)
    scheduler = _Scheduler(statements, parameter_count, options or PlutoOptions())
    found = {each.position: each.affine_hull for each in statements}
    graph = dependence_graph(problem, statements)
    tree = scheduler.schedule(tuple(found), found, graph)
    return PlutoResult(
        to_isl_schedule(tree, statements, problem.domain.align_params(parameters)), tree, tuple(scheduler.notes)
    )


Found = Mapping[int, tuple[Row, ...]]
"""For each statement the directions that need no further row."""


@dataclass(frozen=True)
class _Strip:
    """Some statements and the band found for them; no hyperplanes if there is none."""

    members: Component
    hyperplanes: tuple[Hyperplane, ...]
    coincident: tuple[bool, ...]


class _Scheduler:
    """One run of the algorithm; `notes` grows as decisions are taken."""

    def __init__(
        self,
        statements: tuple[ScheduledStatement, ...],
        parameter_count: int,
        options: PlutoOptions,
    ) -> None:
        self._statements = statements
        self._parameter_count = parameter_count
        self._fuse = options.fuse
        self.notes: list[str] = []

    def schedule(self, group: Component, found: Found, graph: DependenceGraph) -> Node:
        """The tree for `group`: cut by the fusion policy, else a band, else cut where stuck."""
        parts = self._cut_by_policy(group, found, graph)
        if len(parts) > 1:
            return self._sequence(parts, found, graph)
        strips = self._strips(group, found, graph)
        if len(strips) > 1:
            return Order(
                tuple((strip.members, self._finish(strip, found, graph)) for strip in strips)
            )
        return self._finish(strips[0], found, graph)

    def _sequence(self, parts: Sequence[Component], found: Found, graph: DependenceGraph) -> Node:
        return Order(
            tuple((part, self.schedule(part, found, graph.within(part))) for part in parts)
        )

    def _finish(self, strip: _Strip, found: Found, graph: DependenceGraph) -> Node:
        """The tree of a strip: its band and what comes inside, or what is left when stuck."""
        graph = graph.within(strip.members)
        if not strip.hyperplanes:
            return self._cut_where_stuck(strip.members, found, graph)
        self._note_band(strip)
        extended = dict(found)
        for position in strip.members:
            rows = tuple(each[position].coefficients for each in strip.hyperplanes)
            extended[position] = found[position] + rows
        child = self.schedule(strip.members, extended, graph.uncarried_by(strip.hyperplanes))
        return Band(strip.hyperplanes, strip.coincident, child)

    # Bands

    def _strips(self, group: Component, found: Found, graph: DependenceGraph) -> list[_Strip]:
        """The bands of the weakly connected components, alike ones side by side in one band."""
        order = [each for component in self._components(group, graph) for each in component]
        merged: dict[tuple[object, ...], _Strip] = {}
        for component in weakly_connected_components(order, graph.edges()):
            strip = self._strip(component, found, graph.within(component))
            key: tuple[object, ...] = (len(strip.hyperplanes),)
            if self._fuse is Fusion.SMART:
                key = strip.coincident
            merged[key] = _beside(merged[key], strip) if key in merged else strip
        return list(merged.values())

    def _strip(self, component: Component, found: Found, graph: DependenceGraph) -> _Strip:
        """As many hyperplanes as a component has under the dependences of `graph`."""
        hyperplanes = self._hyperplanes(component, found, graph, signed=False)
        if not hyperplanes and len(self._components(component, graph)) == 1:
            hyperplanes = self._hyperplanes(component, found, graph, signed=True)
        coincident = tuple(
            all(
                each.has_zero_distance(hyperplane) for each in graph.dependences if each.is_ordered
            )
            for hyperplane in hyperplanes
        )
        return _Strip(component, hyperplanes, coincident)

    def _hyperplanes(
        self, component: Component, found: Found, graph: DependenceGraph, *, signed: bool
    ) -> tuple[Hyperplane, ...]:
        """Hyperplanes until all statements have full rank, or no further one exists."""
        if not self._has_loops_left(component, found):
            return ()
        program = self._program(component, graph, signed=signed)
        hyperplanes: list[Hyperplane] = []
        spanned = {position: found[position] for position in component}
        while self._has_loops_left(component, spanned):
            hyperplane = program.solve(spanned)
            if hyperplane is None:
                break
            hyperplanes.append(hyperplane)
            for position in component:
                spanned[position] = (*spanned[position], hyperplane[position].coefficients)
        return tuple(hyperplanes)

    def _program(
        self, component: Component, graph: DependenceGraph, *, signed: bool = False
    ) -> HyperplaneProgram:
        statements = [self._statements[position] for position in component]
        return HyperplaneProgram(
            statements, self._parameter_count, graph.dependences, signed=signed
        )

    # Cuts

    def _cut_by_policy(
        self, group: Component, found: Found, graph: DependenceGraph
    ) -> tuple[Component, ...]:
        """The parts that the fusion policy keeps apart from the start, in order."""
        if self._fuse is Fusion.MAX:
            return (group,)
        components = self._components(group, graph)
        if self._fuse is Fusion.NONE:
            return components
        return tuple(
            _joined(run)
            for run in runs(components, lambda each: self._loops_left(each, found))
        )

    def _cut_where_stuck(self, group: Component, found: Found, graph: DependenceGraph) -> Node:
        """Order the components of a group that has no common hyperplane."""
        components = self._components(group, graph)
        if len(components) == 1:
            return self._single_component(group, found, graph)
        if not self._has_loops_left(group, found):
            parts = in_program_order(components, graph.ordered_edges())
            return Order(tuple((part, self._single_component(part, found, graph.within(part))) for part in parts))
        if self._fuse is Fusion.MAX:
            parts = self._fusable_runs(components, found, graph)
        else:
            middle = (len(components) + 1) // 2
            parts = (_joined(components[:middle]), _joined(components[middle:]))
        self._note_cut(parts)
        return self._sequence(parts, found, graph)

    def _single_component(self, group: Component, found: Found, graph: DependenceGraph) -> Node:
        if len(group) == 1 and not graph.ordered_edges() and not self._has_loops_left(group, found):
            return Leaf()
        names = ", ".join(f"'{self._statements[position].name}'" for position in group)
        raise SchedulingError(f"no affine schedule found for the dependence cycle of {names}")

    def _fusable_runs(
        self, components: Sequence[Component], found: Found, graph: DependenceGraph
    ) -> tuple[Component, ...]:
        """Runs of components, each as long as a common hyperplane for all of it exists."""
        parts = [components[0]]
        for component in components[1:]:
            joined = tuple(sorted(parts[-1] + component))
            if self._has_common_hyperplane(joined, found, graph.within(joined)):
                parts[-1] = joined
            else:
                parts.append(component)
        return tuple(parts)

    def _has_common_hyperplane(
        self, group: Component, found: Found, graph: DependenceGraph
    ) -> bool:
        return all(
            self._program(component, graph.within(component)).solve(found) is not None
            for component in weakly_connected_components(group, graph.edges())
        )

    # Statements

    def _components(self, group: Component, graph: DependenceGraph) -> tuple[Component, ...]:
        return strongly_connected_components(group, graph.ordered_edges())

    def _loops_left(self, component: Component, found: Found) -> int:
        """The largest number of rows that a statement of the component still needs."""
        return max(
            self._statements[position].depth
            - rank(found[position], self._statements[position].depth)
            for position in component
        )

    def _has_loops_left(self, component: Component, found: Found) -> bool:
        return self._loops_left(component, found) > 0

    # Notes

    def _note_band(self, strip: _Strip) -> None:
        names = ", ".join(self._statements[position].name for position in strip.members)
        parallel = [str(index) for index, flag in enumerate(strip.coincident) if flag]
        loops = f"parallel: {', '.join(parallel)}" if parallel else "none parallel"
        self.notes.append(f"band of {len(strip.hyperplanes)} for {names}, permutable, {loops}")

    def _note_cut(self, parts: Sequence[Component]) -> None:
        names = " | ".join(
            ", ".join(self._statements[position].name for position in part) for part in parts
        )
        self.notes.append(f"no common loop, distributed: {names}")


def _joined(components: Sequence[Component]) -> Component:
    return tuple(sorted(position for component in components for position in component))


def _beside(left: _Strip, right: _Strip) -> _Strip:
    """Two bands of equal width over unrelated statements as one band."""
    hyperplanes = tuple(
        {**one, **other} for one, other in zip(left.hyperplanes, right.hyperplanes, strict=True)
    )
    coincident = tuple(
        one and other for one, other in zip(left.coincident, right.coincident, strict=True)
    )
    return _Strip(tuple(sorted(left.members + right.members)), hyperplanes, coincident)
