"""The best tileable schedule that has a given interleaving.

Pouchet et al., "Loop Transformations: Convexity, Pruning and Optimization", 2011, section 4, its
optimization algorithm: level by level, a row for each block that fuses its statements, with the
bound on distances of Bondhugula et al., 2007, and below the levels of the interleaving as much
fusion as possible. Where a row leaves no way to go on, those that begin with other loops are tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain

import islpy as isl

from polyir.interleaving.fusability import Fusability, FusionOptions
from polyir.interleaving.point import Interleaving
from polyir.interleaving.pruning import legal_restrictions
from polyir.interleaving.space import InterleavingSpace
from polyir.schedule.components import Component, strongly_connected_components
from polyir.schedule.constraints import (
    ScheduleConstraints,
    SchedulingError,
    Spanned,
    scheduled_statements,
)
from polyir.schedule.dependences import DependenceEdge, DependenceGraph, graph_of_constraints
from polyir.schedule.driver import TreeBuilder, band_of, result_of_tree, with_rows
from polyir.schedule.pluto import PlutoOptions, PlutoPolicy
from polyir.schedule.sizes import with_sizes_as_parameters
from polyir.schedule.tree import (
    BandNode,
    BoundedHyperplane,
    RowTree,
    ScheduleResult,
    SequenceNode,
)


class InterleavingError(SchedulingError):
    """Statements cannot be together or apart as an interleaving says.

    `dependences` are the pairs of statements whose dependences do not allow it.
    """

    def __init__(self, reason: str, dependences: Sequence[tuple[str, str]]) -> None:
        super().__init__(reason)
        self.dependences = tuple(dependences)


class InterleavingScheduler:
    """Finds which interleavings of a program are legal, and the schedule of each."""

    def __init__(
        self, constraints: ScheduleConstraints, options: FusionOptions | None = None
    ) -> None:
        sized = with_sizes_as_parameters(constraints)
        self._constraints = constraints
        self._options = options or FusionOptions()
        self._context = sized.context.align_params(sized.parameter_space)
        self.statements = scheduled_statements(sized)
        self._graph = graph_of_constraints(sized, self.statements, disjoint=True)
        self._spanned: Spanned = {each.position: each.affine_hull for each in self.statements}
        parameter_count = sized.parameter_space.dim(isl.dim_type.param)
        self.policy = PlutoPolicy(self.statements, parameter_count, PlutoOptions("max"))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the statements, in program order."""
        return tuple(each.name for each in self.statements)

    @cached_property
    def outermost(self) -> Fusability:
        """Which statements can share the outermost loop."""
        return self.fusability(tuple(self._spanned), self._spanned, self._graph)

    @cached_property
    def legal_space(self) -> InterleavingSpace:
        """All legal interleavings of the outermost level, and no others."""
        restrictions = legal_restrictions(self.outermost)
        return InterleavingSpace(len(self.statements), restrictions=(restrictions,))

    def schedule(self, point: Interleaving) -> ScheduleResult:
        """The schedule of an interleaving.

        Raises `InterleavingError` if there is none with rows of the kind that is looked for.
        """
        search = _Search(self, point)
        tree = search.tree(tuple(self._spanned), 0, self._spanned, self._graph)
        statements = scheduled_statements(self._constraints)
        return result_of_tree(self._constraints, statements, tree, search.builder.notes)

    def fusability(self, group: Component, spanned: Spanned, graph: DependenceGraph) -> Fusability:
        """Which statements of a group can share the next loop after the rows in `spanned`."""
        statements = {each: self.statements[each] for each in group}
        within = graph.within(group)
        return Fusability(statements, self._context, within, spanned, self._options)


class _Search:
    """The search for the schedule of one interleaving."""

    def __init__(self, scheduler: InterleavingScheduler, point: Interleaving) -> None:
        self._scheduler = scheduler
        self._policy = scheduler.policy
        self._point = point
        self.builder = TreeBuilder(scheduler.policy)

    def tree(
        self, group: Component, level: int, spanned: Spanned, graph: DependenceGraph
    ) -> RowTree:
        """The tree of a group whose rows so far have the interleaving of the first levels."""
        if level >= len(self._point.levels):
            return self.builder.tree(group, spanned, graph)
        parts = self._parts(group, level)
        if len(parts) == 1:
            return self._shared(group, level, spanned, graph)
        self._require_order(parts, graph)
        return SequenceNode(
            tuple((part, self._shared(part, level, spanned, graph.within(part))) for part in parts)
        )

    def _parts(self, group: Component, level: int) -> tuple[Component, ...]:
        members = set(group)
        return tuple(each for each in self._point.levels[level] if members.issuperset(each))

    def _require_order(self, parts: Sequence[Component], graph: DependenceGraph) -> None:
        place = {each: number for number, part in enumerate(parts) for each in part}
        names = self._scheduler.names
        for source, target in graph.ordered_pairs():
            if place[source] > place[target]:
                cycles = strongly_connected_components(tuple(place), graph.ordered_pairs())
                if any(source in cycle and target in cycle for cycle in cycles):
                    both = sorted((source, target))
                    what = f"{' and '.join(names[each] for each in both)} must share a loop"
                else:
                    what = f"{names[target]} must not run before {names[source]}"
                raise InterleavingError(what, [(names[source], names[target])])

    def _shared(
        self, block: Component, level: int, spanned: Spanned, graph: DependenceGraph
    ) -> RowTree:
        """The tree of statements that share the loop of a level."""
        if self._policy.is_done(block, spanned, graph):
            return self.builder.tree(block, spanned, graph)
        failure: InterleavingError | None = None
        for rows in self._bands(block, level, spanned, graph):
            band = band_of(rows, graph.edges)
            below = graph.uncarried_by(band.hyperplanes)
            notes = len(self.builder.notes)
            self.builder.notes.append(self._policy.band_note(block, band, graph, below))
            inside = with_rows(spanned, band.hyperplanes)
            try:
                return BandNode(band, self.tree(block, level + band.width, inside, below))
            except InterleavingError as error:
                del self.builder.notes[notes:]
                failure = failure or error
        raise failure or self._cannot_share(block, spanned, graph)

    def _bands(
        self, block: Component, level: int, spanned: Spanned, graph: DependenceGraph
    ) -> Iterator[list[BoundedHyperplane]]:
        """Permutable rows of a block, as many as there are and the interleaving allows."""
        levels = len(self._point.levels)
        apart = (each for each in range(level, levels) if len(self._parts(block, each)) > 1)
        most = next(apart, None)
        fusability = self._scheduler.fusability(block, spanned, graph)
        if len(fusability.cycles) == 1:
            whole = self._policy.band(block, spanned, graph).rows
            if whole:
                yield list(whole if most is None else whole[: most - level])
            return
        for first in self._first_rows(fusability, block):
            rows = [first]
            while most is None or level + len(rows) < most:
                inside = with_rows(spanned, [each.hyperplane for each in rows])
                if level + len(rows) >= levels:
                    problem = self._policy.problem(block, graph)
                    rows += self._policy.independent_rows(problem, block, inside)
                    break
                further = self._scheduler.fusability(block, inside, graph).row(block)
                if further is None:
                    break
                rows.append(further)
            yield rows

    def _first_rows(self, fusability: Fusability, block: Component) -> Iterator[BoundedHyperplane]:
        """The best row that fuses a block, and those that begin with other loops."""
        best = fusability.row(block)
        if best is None:
            return
        yield best
        if len(self._point.levels) > 1:
            for loops in fusability.common_permutations(block):
                row = fusability.row(block, loops)
                if row is not None and row != best:
                    yield row

    def _cannot_share(
        self, block: Component, spanned: Spanned, graph: DependenceGraph
    ) -> InterleavingError:
        """The error for a block without a common row: a smallest part that has none, and why."""
        fusability = self._scheduler.fusability(block, spanned, graph)
        part = list(fusability.cycles)
        for cycle in fusability.cycles:
            others = [each for each in part if each != cycle]
            if others and not fusability.can_share(_joined(others)):
                part = others
        statements = _joined(part)
        within = graph.within(statements)
        edges = [each for each in within.edges if each.validity]
        reasons = [each for each in edges if self._is_reason(each, statements, spanned, within)]
        names = self._scheduler.names
        return InterleavingError(
            f"{', '.join(names[each] for each in statements)} cannot share a loop",
            [(names[each.source], names[each.target]) for each in reasons or edges],
        )

    def _is_reason(
        self,
        edge: DependenceEdge,
        statements: Component,
        spanned: Spanned,
        graph: DependenceGraph,
    ) -> bool:
        """Whether statements could share a loop without a dependence."""
        without = replace(graph, edges=tuple(each for each in graph.edges if each is not edge))
        fusability = self._scheduler.fusability(statements, spanned, without)
        return fusability.can_share(statements)


def _joined(cycles: Sequence[Component]) -> Component:
    return tuple(sorted(chain(*cycles)))
