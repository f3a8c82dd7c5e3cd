"""Feautrier's scheduler: few sequential loops outside, all parallelism inside.

Feautrier, "Some efficient solutions to the affine scheduling problem, part II: multidimensional
time" (1992); paper 001, section 2.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import islpy as isl

from polyir.schedule.carry import carrying_row
from polyir.schedule.components import (
    Component,
    in_program_order,
    strongly_connected_components,
    weakly_connected_components,
)
from polyir.schedule.dependences import DependenceGraph, dependence_graph
from polyir.schedule.linear import Row, rank
from polyir.schedule.problem import (
    ScheduledStatement,
    SchedulingError,
    SchedulingProblem,
    parameter_space,
    statements_of,
)
from polyir.schedule.tree import (
    AffineRow,
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
class FeautrierOptions:
    """`serialize`: strongly connected components run one after the other, not interleaved."""

    serialize: bool = False


def feautrier_schedule(
    problem: SchedulingProblem, options: FeautrierOptions | None = None
) -> ScheduleResult:
    """Schedule `problem` with few sequential dimensions: minimum-latency multidimensional time.

    Each row carries as many dependences as possible, until none is left; loops that are then
    still needed are parallel and innermost. Only `validity` counts. Raises `SchedulingError` if
    a dependence cycle has no affine schedule.
    """
    statements = statements_of(problem)
    parameters = parameter_space(problem)
    parameter_count = parameters.dim(isl.dim_type.param)
    scheduler = _Scheduler(statements, parameter_count, options or FeautrierOptions())
    found = {each.position: each.affine_hull for each in statements}
    whole = dependence_graph(problem, statements)
    ordered = DependenceGraph(tuple(each for each in whole.dependences if each.is_ordered))
    tree = scheduler.schedule(tuple(found), found, ordered)
    domain = problem.domain.align_params(parameters)
    return ScheduleResult(to_isl_schedule(tree, statements, domain), tree, tuple(scheduler.notes))


Found = Mapping[int, tuple[Row, ...]]
"""For each statement the directions that need no further row."""


class _Scheduler:
    """One run of the algorithm; `notes` grows as decisions are taken."""

    def __init__(
        self,
        statements: tuple[ScheduledStatement, ...],
        parameter_count: int,
        options: FeautrierOptions,
    ) -> None:
        self._statements = statements
        self._parameter_count = parameter_count
        self._serialize = options.serialize
        self.notes: list[str] = []

    def schedule(self, group: Component, found: Found, graph: DependenceGraph) -> Node:
        """The tree for `group`, all whose dependences left are in `graph`."""
        if not group:
            return Leaf()
        parts = self._parts(group, graph)
        if len(parts) > 1:
            return self._in_order(parts, found, graph)
        if not graph.dependences:
            return self._parallel_loops(group[0], found)
        statements = [self._statements[position] for position in group]
        row = carrying_row(statements, self._parameter_count, graph.dependences)
        if row is not None:
            return self._sequential_loop(group, row, found, graph)
        parts = self._cycles(group, graph)
        if len(parts) == 1:
            raise SchedulingError(
                f"no affine schedule found for the dependence cycle of {self._names(group)}"
            )
        return self._in_order(parts, found, graph)

    def _parts(self, group: Component, graph: DependenceGraph) -> tuple[Component, ...]:
        if self._serialize:
            return self._cycles(group, graph)
        parts = weakly_connected_components(group, graph.edges())
        return tuple(tuple(sorted(part)) for part in parts)

    def _cycles(self, group: Component, graph: DependenceGraph) -> tuple[Component, ...]:
        """The strongly connected components, which can run one after the other."""
        edges = graph.edges()
        return in_program_order(strongly_connected_components(group, edges), edges)

    def _in_order(self, parts: Sequence[Component], found: Found, graph: DependenceGraph) -> Node:
        return Order(
            tuple((part, self.schedule(part, found, graph.within(part))) for part in parts)
        )

    def _sequential_loop(
        self, group: Component, row: Hyperplane, found: Found, graph: DependenceGraph
    ) -> Node:
        extended = {
            **found,
            **{each: (*found[each], row[each].coefficients) for each in group},
        }
        left = graph.uncarried_by([row])
        carried = len(graph.dependences) - len(left.dependences)
        self.notes.append(
            f"sequential loop for {self._names(group)}: carries {carried} of "
            f"{len(graph.dependences)} dependences"
        )
        child = self.schedule(group, extended, left)
        return Band((row,), (False,), (self._no_bound(),), child)

    def _parallel_loops(self, position: int, found: Found) -> Node:
        """A band of the original loops, outermost first, that the rows found do not span."""
        depth = self._statements[position].depth
        directions = found[position]
        rows: list[Hyperplane] = []
        for iterator in range(depth):
            unit = tuple(int(each == iterator) for each in range(depth))
            if rank((*directions, unit), depth) > rank(directions, depth):
                directions = (*directions, unit)
                rows.append({position: AffineRow(unit, 0)})
        if not rows:
            return Leaf()
        count = len(rows)
        self.notes.append(f"parallel loops for {self._statements[position].name}: {count}")
        return Band(tuple(rows), (True,) * count, (self._no_bound(),) * count, Leaf())

    def _no_bound(self) -> DistanceBound:
        """The bound on what is to be near, of which this scheduler knows nothing."""
        return DistanceBound((0,) * self._parameter_count, 0)

    def _names(self, group: Component) -> str:
        return ", ".join(self._statements[position].name for position in group)
