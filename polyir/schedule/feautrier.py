"""Feautrier's scheduler: few sequential loops outside, all parallelism inside.

Feautrier, "Some efficient solutions to the affine scheduling problem, part II: multidimensional
time", 1992; Zinenko et al., "Unified Polyhedral Modeling of Temporal and Spatial Locality", 2017,
section 2.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import islpy as isl

from polyir.schedule.components import (
    Component,
    in_program_order,
    strongly_connected_components,
    weakly_connected_components,
)
from polyir.schedule.constraints import (
    ScheduleConstraints,
    ScheduledStatement,
    Spanned,
    scheduled_statements,
)
from polyir.schedule.dependences import DependenceEdge, DependenceGraph, graph_of_constraints
from polyir.schedule.driver import Decision, Policy, Step, schedule_by_policy
from polyir.schedule.linear import rank
from polyir.schedule.row_problem import ObjectiveTerm, RowForm, RowProblem
from polyir.schedule.tree import (
    AffineRow,
    BoundedHyperplane,
    Hyperplane,
    RowBand,
    ScheduleResult,
    affine_function,
)
from polyir.sets.lists import basic_maps_of, pieces_of


@dataclass(frozen=True)
class FeautrierOptions:
    """With `serialize`, strongly connected components run one after the other at every level.

    With `late`, statements in no dependence cycle run right before what needs them, and not as
    early as they can: what they write is live for a shorter time.
    """

    serialize: bool = False
    late: bool = False


def feautrier_schedule(
    constraints: ScheduleConstraints, options: FeautrierOptions | None = None
) -> ScheduleResult:
    """Schedule `constraints` with few sequential dimensions: minimum-latency time.

    Each row carries as many dependences as possible, until none is left; the loops that are then
    still needed are parallel and innermost. Only `validity` counts. Raises `SchedulingError` if a
    dependence cycle has no affine schedule.
    """
    statements = scheduled_statements(constraints)
    parameter_count = constraints.parameter_space.dim(isl.dim_type.param)
    policy = _FeautrierPolicy(statements, parameter_count, options or FeautrierOptions())
    graph = DependenceGraph(graph_of_constraints(constraints, statements).validity_edges())
    return schedule_by_policy(constraints, statements, policy, graph)


class _FeautrierPolicy(Policy[DependenceGraph]):
    """A carrying row for each component, and parallel loops when nothing is left to carry."""

    def __init__(
        self,
        statements: Sequence[ScheduledStatement],
        parameter_count: int,
        options: FeautrierOptions,
    ) -> None:
        super().__init__(statements)
        self._parameter_count = parameter_count
        self._serialize = options.serialize
        self._late = options.late

    def decide(self, group: Component, spanned: Spanned, graph: DependenceGraph) -> Decision:
        parts = self._parts(group, graph)
        if len(parts) > 1:
            return Decision((Step(group, pieces=parts),))
        if not graph.edges:
            band = self._parallel_loops(group, spanned)
            return Decision((Step(group, band),) if band.rows else ())
        row = carrying_row(self.members(group), self._parameter_count, graph.edges)
        if row is not None:
            if self._late:
                row = self._later(row, group, graph)
            return Decision((Step(group, RowBand((BoundedHyperplane(row),), (False,))),))
        parts = self._cycles(group, graph)
        if len(parts) == 1:
            raise self.no_schedule(group)
        return Decision((Step(group, pieces=parts),))

    def band_note(
        self, members: Component, band: RowBand, graph: DependenceGraph, below: DependenceGraph
    ) -> str:
        if not graph.edges:
            return f"parallel loops for {self.names(members)}: {band.width}"
        carried, every = len(graph.edges) - len(below.edges), len(graph.edges)
        return (
            f"sequential loop for {self.names(members)}: carries {carried} of {every} dependences"
        )

    def _parts(self, group: Component, graph: DependenceGraph) -> tuple[Component, ...]:
        if self._serialize:
            return self._cycles(group, graph)
        parts = weakly_connected_components(group, graph.pairs())
        return tuple(tuple(sorted(part)) for part in parts)

    def _cycles(self, group: Component, graph: DependenceGraph) -> tuple[Component, ...]:
        """The strongly connected components, which can run one after the other."""
        pairs = graph.pairs()
        return in_program_order(strongly_connected_components(group, pairs), pairs)

    def _later(self, row: Hyperplane, group: Component, graph: DependenceGraph) -> Hyperplane:
        """The row with statements in no cycle moved to right before the first that needs them.

        What the row carries stays carried, and all else is respected.
        """
        pairs = graph.pairs()
        for component in reversed(strongly_connected_components(group, pairs)):
            (position, *others) = component
            if not others and (position, position) not in pairs:
                row = _moved(row, self.statements[position], graph)
        return row

    def _parallel_loops(self, group: Component, spanned: Spanned) -> RowBand:
        """The original loops of one statement, outermost first, that the rows do not span yet."""
        rows: list[BoundedHyperplane] = []
        for position in group:
            depth = self.statements[position].depth
            directions = spanned[position]
            for iterator in range(depth):
                unit = tuple(int(each == iterator) for each in range(depth))
                if rank((*directions, unit), depth) > rank(directions, depth):
                    directions = (*directions, unit)
                    rows.append(BoundedHyperplane({position: AffineRow(unit, 0)}))
        return RowBand(tuple(rows), (True,) * len(rows))


def _moved(row: Hyperplane, statement: ScheduledStatement, graph: DependenceGraph) -> Hyperplane:
    """The row with one statement as late as its targets allow, if that is anywhere later."""
    position = statement.position
    edges = [each for each in graph.edges if position in (each.source, each.target)]
    latest = row
    for edge in edges:
        if edge.source == position:
            for before in _right_before(edge, row[edge.target]):
                moved = {**row, position: before}
                if _is_later(before, latest[position], statement.domain) and all(
                    each.is_carried_by(moved)
                    if each.is_carried_by(row)
                    else each.is_respected_by(moved)
                    for each in edges
                ):
                    latest = moved
    return latest


def _is_later(row: AffineRow, other: AffineRow, domain: isl.Set) -> bool:
    """Whether a row has other values on a domain, and none that is less."""
    space = domain.get_space()
    distance = affine_function(row, space).sub(affine_function(other, space))
    negative = isl.PwAff.from_aff(distance.neg()).pos_set()
    return not distance.plain_is_zero() and bool(negative.is_disjoint(domain))


def _right_before(edge: DependenceEdge, target: AffineRow) -> Iterator[AffineRow]:
    """Rows of the source that are one less than that of the first target of an instance."""
    kinds = isl.dim_type
    space = edge.relation.get_space().range()
    first = affine_function(target, space)
    for _, function in pieces_of(edge.relation.lexmin_pw_multi_aff()):
        value = first.pullback_multi_aff(function)
        if value.dim(kinds.div) == 0 and value.get_denominator_val().is_one():
            yield AffineRow(
                _coefficients(value, kinds.in_),
                int(value.get_constant_val().to_python()) - 1,
                _coefficients(value, kinds.param),
            )


def _coefficients(function: isl.Aff, kind: isl.dim_type) -> tuple[int, ...]:
    return tuple(
        int(function.get_coefficient_val(kind, place).to_python())
        for place in range(function.dim(kind))
    )


CARRYING_FORM = RowForm(
    (ObjectiveTerm.PARAMETER_SUM, ObjectiveTerm.ITERATOR_SUM), signed=True, parametric=True
)


def carrying_row(
    statements: Sequence[ScheduledStatement],
    parameter_count: int,
    edges: Sequence[DependenceEdge],
    wanted: Sequence[DependenceEdge] | None = None,
) -> Hyperplane | None:
    """A row for each statement that carries as many dependences as possible.

    Those to carry, with a distance of at least 1, are `wanted`, or all of `edges`; each convex
    part of a relation counts as one. No validity edge of `edges` has a negative distance. Among
    the rows that carry as many, the sum of the parameters' coefficients is minimised, then that
    of the iterators'. `None` if nothing can be carried.

    Feautrier's program (1992; formula 1 of Zinenko et al., 2017) has an indicator for every
    dependence and minimises how many are zero. But rows that respect all dependences can be
    added, and the sum carries what each of them carries. So there is one greatest set that can
    be carried: that of all dependences that can be carried at all. It is found first, and then
    demanded, without indicators.
    """
    to_carry = edges if wanted is None else wanted
    parts = _different_parts([each for each in to_carry if each.validity])
    problem = RowProblem(statements, parameter_count, CARRYING_FORM)
    problem.add_edges(each for each in edges if each.validity)
    whole = problem.solve([(problem.carried(parts),)])
    if whole is not None:
        return whole.hyperplane
    chosen = _parts_that_can_be_carried(problem, parts)
    if not chosen:
        return None
    solution = problem.solve([(problem.carried(chosen),)])
    return None if solution is None else solution.hyperplane


def _parts_that_can_be_carried(
    problem: RowProblem, parts: Sequence[DependenceEdge]
) -> list[DependenceEdge]:
    """Those of `parts` that some row carries; a row found for one mostly carries others too."""
    carried: dict[int, None] = {}
    for number, part in enumerate(parts):
        if number not in carried:
            row = problem.solve([(problem.carried([part]),)])
            if row is not None:
                carried |= dict.fromkeys(
                    other for other, each in enumerate(parts) if each.is_carried_by(row.hyperplane)
                )
    return [parts[number] for number in sorted(carried)]


def _different_parts(edges: Sequence[DependenceEdge]) -> list[DependenceEdge]:
    """The convex parts of `edges`, but for those that ask the same of a row as another one does.

    Parts of a lattice often differ in their remainders only, which the forms do not know. Empty
    parts, which isl does not always find, ask nothing: a row of zeros would carry them for ever.
    """
    found: dict[object, DependenceEdge] = {}
    for edge in edges:
        for part in _convex_parts(edge):
            forms = part.forms
            asked = (part.source, part.target, forms.equalities, forms.inequalities)
            found.setdefault(asked, part)
    return [part for part in found.values() if not _is_empty(part)]


def _is_empty(part: DependenceEdge) -> bool:
    """Whether -1 is not negative on a part, by Farkas' lemma; `False` may be wrong."""
    return part.forms.contains((-1, *(0,) * (part.forms.width - 1)))


def _convex_parts(edge: DependenceEdge) -> list[DependenceEdge]:
    pieces = basic_maps_of(edge.relation)
    if len(pieces) == 1:
        return [edge]
    return [replace(edge, relation=isl.Map.from_basic_map(piece)) for piece in pieces]
