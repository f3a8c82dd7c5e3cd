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
from polyir.schedule.hyperplane import BoundedHyperplane, HyperplaneProgram
from polyir.schedule.linear import Row, rank
from polyir.schedule.problem import (
    ScheduledStatement,
    SchedulingError,
    SchedulingProblem,
    parameter_space,
    statements_of,
)
from polyir.schedule.sizes import with_sizes_as_parameters
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


def pluto_schedule(
    problem: SchedulingProblem, options: PlutoOptions | None = None
) -> ScheduleResult:
    """Schedule `problem` with the Pluto algorithm.

    Every band of the result is permutable, hence tileable, and has the smallest bound on the
    distance of the dependences in `proximity` that a further independent hyperplane allows.
    Raises `SchedulingError` if some statements cannot be ordered by affine functions.
    """
    given, problem = problem, with_sizes_as_parameters(problem)
    statements = statements_of(problem)
    parameter_count = parameter_space(problem).dim(isl.dim_type.param)
    scheduler = _Scheduler(statements, parameter_count, options or PlutoOptions())
    found = {each.position: each.affine_hull for each in statements}
    tree = scheduler.schedule(tuple(found), found, dependence_graph(problem, statements))
    domain = given.domain.align_params(parameter_space(given))
    schedule = to_isl_schedule(tree, statements_of(given), domain)
    return ScheduleResult(schedule, tree, tuple(scheduler.notes))


Found = Mapping[int, tuple[Row, ...]]
"""For each statement the directions that need no further row."""


@dataclass(frozen=True)
class _Strip:
    """Some statements and the band found for them; no hyperplanes if there is none."""

    members: Component
    hyperplanes: tuple[Hyperplane, ...]
    coincident: tuple[bool, ...]
    bounds: tuple[DistanceBound, ...]


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
        if self._is_done(group, found, graph):
            return self._scalar_order(group, graph)
        parts = self._parts_of_policy(group, found, graph)
        if len(parts) > 1:
            self._note_cut(f"kept apart by fuse={self._fuse.value}", parts)
            return self._in_order(parts, found, graph)
        strips = self._strips(group, found, graph)
        if len(strips) == 1:
            return self._finish(strips[0], found, graph)
        self._note_cut("unrelated", [strip.members for strip in strips])
        return Order(tuple((each.members, self._finish(each, found, graph)) for each in strips))

    def _in_order(self, parts: Sequence[Component], found: Found, graph: DependenceGraph) -> Node:
        """The parts one after the other: a scalar dimension satisfies what is between them."""
        return Order(
            tuple((part, self.schedule(part, found, graph.within(part))) for part in parts)
        )

    def _finish(self, strip: _Strip, found: Found, graph: DependenceGraph) -> Node:
        """The tree of a strip: its band and what comes inside, or what is left when stuck."""
        graph = graph.within(strip.members)
        if self._is_done(strip.members, found, graph):
            return self._scalar_order(strip.members, graph)
        if not strip.hyperplanes:
            return self._cut_where_stuck(strip.members, found, graph)
        self._note_band(strip)
        extended = dict(found)
        for position in strip.members:
            rows = tuple(each[position].coefficients for each in strip.hyperplanes)
            extended[position] = found[position] + rows
        child = self.schedule(strip.members, extended, graph.uncarried_by(strip.hyperplanes))
        return Band(strip.hyperplanes, strip.coincident, strip.bounds, child)

    # Bands

    def _strips(self, group: Component, found: Found, graph: DependenceGraph) -> list[_Strip]:
        """The bands of the weakly connected components, alike ones side by side in one band.

        Nothing relates these components, so each has an integer program of its own.
        """
        order = [each for component in self._components(group, graph) for each in component]
        merged: dict[tuple[bool, ...] | int, _Strip] = {}
        for component in weakly_connected_components(order, graph.edges()):
            strip = self._strip(tuple(sorted(component)), found, graph.within(component))
            likeness = strip.coincident if self._fuse is Fusion.SMART else len(strip.coincident)
            merged[likeness] = _beside(merged[likeness], strip) if likeness in merged else strip
        return list(merged.values())

    def _strip(self, component: Component, found: Found, graph: DependenceGraph) -> _Strip:
        """The widest band of a component, under all dependences of `graph`."""
        if self._is_done(component, found, graph):
            return _Strip(component, (), (), ())
        program = self._program(component, graph)
        solutions = self._independent_hyperplanes(program, component, found)
        if not solutions and len(self._components(component, graph)) == 1:
            solutions = self._last_resort(program, component, found, graph)
        ordered = [each for each in graph.dependences if each.is_ordered]
        return _Strip(
            component,
            tuple(each.hyperplane for each in solutions),
            tuple(
                all(dependence.has_zero_distance(each.hyperplane) for dependence in ordered)
                for each in solutions
            ),
            tuple(each.bound for each in solutions),
        )

    def _independent_hyperplanes(
        self, program: HyperplaneProgram, component: Component, found: Found
    ) -> list[BoundedHyperplane]:
        """The best hyperplanes, each independent of those before it, as long as there is one."""
        solutions: list[BoundedHyperplane] = []
        spanned = dict(found)
        while self._loops_left(component, spanned):
            solution = program.solve_independent(spanned)
            if solution is None:
                break
            solutions.append(solution)
            for position, row in solution.hyperplane.items():
                spanned[position] = (*spanned[position], row.coefficients)
        return solutions

    def _last_resort(
        self,
        program: HyperplaneProgram,
        component: Component,
        found: Found,
        graph: DependenceGraph,
    ) -> list[BoundedHyperplane]:
        """Hyperplanes for a dependence cycle that has none by the paper's rules.

        First one that is new for some statements only, or for none, but carries some dependence.
        It exists wherever iterators follow the original order, for the outermost loop that
        carries something is one. Otherwise negative coefficients may help.
        """
        carrying = program.solve_carrying()
        if carrying is not None:
            return [carrying]
        signed = self._program(component, graph, signed=True)
        solutions = self._independent_hyperplanes(signed, component, found)
        if solutions:
            return solutions
        carrying = signed.solve_carrying()
        return [] if carrying is None else [carrying]

    def _program(
        self, component: Component, graph: DependenceGraph, *, signed: bool = False
    ) -> HyperplaneProgram:
        statements = [self._statements[position] for position in component]
        return HyperplaneProgram(
            statements, self._parameter_count, graph.dependences, signed=signed
        )

    # Cuts

    def _parts_of_policy(
        self, group: Component, found: Found, graph: DependenceGraph
    ) -> tuple[Component, ...]:
        """The parts that the fusion policy keeps apart from the start, in order."""
        if self._fuse is Fusion.MAX:
            return (group,)
        components = self._components(group, graph)
        if self._fuse is Fusion.NONE:
            return components
        alike = runs(components, lambda component: self._loops_left(component, found))
        return tuple(_joined(run) for run in alike)

    def _cut_where_stuck(self, group: Component, found: Found, graph: DependenceGraph) -> Node:
        """The tree of a group without a common hyperplane: distributed, as little as possible.

        Raises `SchedulingError` if there is nothing to distribute.
        """
        components = self._components(group, graph)
        if len(components) == 1:
            raise SchedulingError(
                f"no affine schedule found for the dependence cycle of {self._names(group)}"
            )
        if not self._loops_left(group, found):
            return self._in_order(components, found, graph)
        if self._fuse is Fusion.MAX:
            parts = self._fusable_runs(components, found, graph)
        else:
            middle = (len(components) + 1) // 2
            parts = (_joined(components[:middle]), _joined(components[middle:]))
        self._note_cut("no common loop", parts)
        return self._in_order(parts, found, graph)

    def _scalar_order(self, group: Component, graph: DependenceGraph) -> Node:
        """The tree of statements that are done: one after the other."""
        components = in_program_order(self._components(group, graph), graph.ordered_edges())
        if len(components) == 1:
            return Leaf()
        return Order(tuple((component, Leaf()) for component in components))

    def _fusable_runs(
        self, components: Sequence[Component], found: Found, graph: DependenceGraph
    ) -> tuple[Component, ...]:
        """Runs of components, each as long as a common hyperplane for all of it exists."""
        parts = [components[0]]
        for component in components[1:]:
            joined = _joined([parts[-1], component])
            if self._has_common_hyperplane(joined, found, graph.within(joined)):
                parts[-1] = joined
            else:
                parts.append(component)
        return tuple(parts)

    def _has_common_hyperplane(
        self, group: Component, found: Found, graph: DependenceGraph
    ) -> bool:
        return all(
            self._program(component, graph.within(component)).solve_independent(found) is not None
            for component in weakly_connected_components(group, graph.edges())
        )

    # Statements

    def _components(self, group: Component, graph: DependenceGraph) -> tuple[Component, ...]:
        return strongly_connected_components(group, graph.ordered_edges())

    def _is_done(self, group: Component, found: Found, graph: DependenceGraph) -> bool:
        """Whether no statement needs a further row, and no two depend on each other in a cycle."""
        within = graph.within(group)
        return (
            not self._loops_left(group, found)
            and all(source != target for source, target in within.ordered_edges())
            and all(len(component) == 1 for component in self._components(group, within))
        )

    def _loops_left(self, component: Component, found: Found) -> int:
        """The largest number of rows that a statement of the component still needs."""
        depths = {position: self._statements[position].depth for position in component}
        return max(depth - rank(found[position], depth) for position, depth in depths.items())

    # Notes

    def _names(self, group: Component) -> str:
        return ", ".join(self._statements[position].name for position in group)

    def _note_band(self, strip: _Strip) -> None:
        parallel = [str(index) for index, flag in enumerate(strip.coincident) if flag]
        loops = f"parallel members {', '.join(parallel)}" if parallel else "no member parallel"
        width = len(strip.hyperplanes)
        self.notes.append(f"band of {width} for {self._names(strip.members)}: {loops}")

    def _note_cut(self, reason: str, parts: Sequence[Component]) -> None:
        self.notes.append(f"{reason}: " + " | ".join(self._names(part) for part in parts))


def _joined(components: Sequence[Component]) -> Component:
    return tuple(sorted(position for component in components for position in component))


def _beside(left: _Strip, right: _Strip) -> _Strip:
    """Two bands of equal width over unrelated statements as one band."""
    return _Strip(
        _joined([left.members, right.members]),
        tuple({**a, **b} for a, b in zip(left.hyperplanes, right.hyperplanes, strict=True)),
        tuple(a and b for a, b in zip(left.coincident, right.coincident, strict=True)),
        tuple(a.maximum(b) for a, b in zip(left.bounds, right.bounds, strict=True)),
    )
