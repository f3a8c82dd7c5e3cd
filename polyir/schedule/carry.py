"""One row that carries as many dependences as possible: the linear program of Feautrier.

Feautrier, "Some efficient solutions to the affine scheduling problem, part II" (1992); paper
001, section 2.2, formula (1), has an indicator e_k for every dependence, and minimises how many
are zero. Rows that respect all dependences can be added, and the sum carries what each carries:
so there is one greatest set that can be carried, that of all dependences that can be carried
at all. It is found first, and demanded then, without indicators.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import islpy as isl

from polyir.isl_lists import basic_maps_of
from polyir.schedule.dependences import Dependence
from polyir.schedule.integer_program import Constraints
from polyir.schedule.problem import ScheduledStatement
from polyir.schedule.signed_row import SignedRows
from polyir.schedule.tree import Hyperplane

PARAMETERS, ITERATORS, LEADING = range(3)
"""The leading unknowns, which are minimised first and second, and their number."""


def carrying_row(
    statements: Sequence[ScheduledStatement],
    parameter_count: int,
    dependences: Sequence[Dependence],
    wanted: Sequence[Dependence] | None = None,
) -> Hyperplane | None:
    """A row for each statement under which as many dependences as possible have a distance >= 1.

    No ordered dependence of `dependences` has a negative distance. Those to carry are `wanted`,
    or all of them; each convex part of a relation counts as one. Among the rows that carry as
    many, the sum of the parameters' coefficients is minimised, then that of the iterators'.
    `None` if nothing can be carried.
    """
    to_carry = dependences if wanted is None else wanted
    parts = [part for each in to_carry if each.is_ordered for part in _convex_parts(each)]
    rows = SignedRows(statements, parameter_count, LEADING)
    rows.define_coefficient_sums(PARAMETERS, ITERATORS)
    for each in dependences:
        if each.is_ordered:
            rows.demand_order(each)
    demands = [rows.at_least_one(part) for part in parts]
    whole = rows.program.lexicographic_minimum(_joined(demands))
    if whole is not None:
        return rows.decode(whole)
    chosen = _demands_that_can_be_met(rows, parts, demands)
    if not chosen:
        return None
    solution = rows.program.lexicographic_minimum(_joined(chosen))
    return None if solution is None else rows.decode(solution)


def _demands_that_can_be_met(
    rows: SignedRows, parts: Sequence[Dependence], demands: Sequence[Constraints]
) -> list[Constraints]:
    """Those of `demands` that some row meets; a row found for one mostly meets others too."""
    met: dict[int, None] = {}
    for number, demand in enumerate(demands):
        if number in met:
            continue
        solution = rows.program.lexicographic_minimum(demand)
        if solution is not None:
            row = rows.decode(solution)
            met |= dict.fromkeys(k for k, part in enumerate(parts) if part.is_carried_by(row))
    return [demands[number] for number in sorted(met)]


def _convex_parts(dependence: Dependence) -> list[Dependence]:
    pieces = basic_maps_of(dependence.relation)
    if len(pieces) == 1:
        return [dependence]
    return [replace(dependence, relation=isl.Map.from_basic_map(piece)) for piece in pieces]


def _joined(demands: Sequence[Constraints]) -> Constraints:
    return tuple(dict.fromkeys(row for demand in demands for row in demand))
