"""One row that carries as many dependences as possible: the integer program of Feautrier.

Feautrier, "Some efficient solutions to the affine scheduling problem, part II" (1992), in the
form of paper 001, section 2.2, formula (1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import islpy as isl

from polyir.isl_lists import basic_maps_of
from polyir.schedule.dependences import Dependence
from polyir.schedule.problem import ScheduledStatement
from polyir.schedule.signed_row import SignedRows
from polyir.schedule.tree import Hyperplane

UNCARRIED, PARAMETERS, ITERATORS, FIRST_INDICATOR = range(4)
"""The leading unknowns: what is minimised first, second, third, and e_1, e_2, ..."""


def carrying_row(
    statements: Sequence[ScheduledStatement],
    parameter_count: int,
    dependences: Sequence[Dependence],
) -> Hyperplane | None:
    """A row for each statement under which as many dependences as possible have a distance >= 1.

    No ordered dependence of `dependences` has a negative distance. Each convex part of a relation
    counts as one. Among the rows that carry as many, the sum of the parameters' coefficients is
    minimised, then that of the iterators'. `None` if nothing can be carried.
    """
    groups = [part for each in dependences if each.is_ordered for part in _convex_parts(each)]
    leading = FIRST_INDICATOR + len(groups)
    rows = SignedRows(statements, parameter_count, leading)
    indicators = range(FIRST_INDICATOR, leading)
    # The number of groups that are not carried is their number less the sum of indicators.
    _define_uncarried(rows, indicators)
    rows.define_coefficient_sums(PARAMETERS, ITERATORS)
    for indicator, group in zip(indicators, groups, strict=True):
        _demand_indicated(rows, group, indicator)
    solution = rows.program.lexicographic_minimum()
    if solution is None or solution[UNCARRIED] == len(groups):
        return None
    return rows.decode(solution)


def _convex_parts(dependence: Dependence) -> list[Dependence]:
    return [
        replace(dependence, relation=isl.Map.from_basic_map(piece))
        for piece in basic_maps_of(dependence.relation)
    ]


def _define_uncarried(rows: SignedRows, indicators: range) -> None:
    row = [0] * (rows.width + 1)
    row[UNCARRIED] = 1
    row[-1] = -len(indicators)
    for indicator in indicators:
        row[indicator] = 1
    rows.program.add_equality(row)


def _demand_indicated(rows: SignedRows, group: Dependence, indicator: int) -> None:
    """Demand 0 <= e <= 1 and a distance of at least e, for the unknown e of one group."""
    at_most_one = [0] * (rows.width + 1)
    at_most_one[indicator], at_most_one[-1] = -1, 1
    rows.program.add_inequality(at_most_one)
    for cone, add in (
        (group.forms.equalities, rows.program.add_equality),
        (group.forms.inequalities, rows.program.add_inequality),
    ):
        for row in cone:
            # The first entry of a row belongs to the constant of the form: distance - e.
            constraint = rows.distance_row(group, row)
            constraint[indicator] -= row[0]
            add(constraint)
