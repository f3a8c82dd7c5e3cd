"""Equations and reductions over unions, as cases of disjoint sets without holes."""

from __future__ import annotations

from dataclasses import replace

import islpy as isl

from polyir.equations.domains import Domains
from polyir.equations.rewriting import (
    Draft,
    Site,
    equation_of,
    needed_points,
    rewrite_reduction,
    tidied,
)
from polyir.equations.system import Case, Expression, Restrict, System
from polyir.sets.lists import basic_sets_of


def split_union_into_case(system: System, variable: str) -> System:
    """The equation of a variable is a case of the disjoint basic sets that its domain consists of.

    The system as it is if there is only one. Raises `PolyirError` if no equation defines the
    variable.
    """
    place, equation = equation_of(system, variable)
    pieces = disjoint_pieces(needed_points(system, place, variable), system.context)
    draft = Draft(system)
    draft.replace_expression(place, variable, _split(equation.expression, pieces))
    return draft.system


def split_union_of_reduction(system: System, variable: str, number: int) -> System:
    """The body of a reduction in the equation of a variable is a case of disjoint basic sets.

    As `split_union_into_case`, for the points at which the body is defined and used.
    """

    def rule(draft: Draft, site: Site) -> Expression:
        (points,) = Domains(system).operand_contexts(site.reduction, site.needed)
        body = _split(site.reduction.operand, disjoint_pieces(points, system.context))
        return replace(site.reduction, operand=body)

    return rewrite_reduction(system, variable, number, rule)


def disjoint_pieces(points: isl.Set, context: isl.Set) -> list[isl.Set]:
    """Disjoint basic sets whose union is a set for parameters in the context, in isl's order."""
    parts = points.coalesce().make_disjoint().compute_divs()
    pieces = (isl.Set.from_basic_set(part) for part in basic_sets_of(parts) if not part.is_empty())
    return [tidied(piece, context) for piece in pieces]


def _split(expression: Expression, pieces: list[isl.Set]) -> Expression:
    if len(pieces) < 2:
        return expression
    inner = expression
    while isinstance(inner, Restrict):
        # Each piece is a part of its domain.
        inner = inner.operand
    branches = tuple(Restrict(inner, piece, location=inner.location) for piece in pieces)
    return Case(branches, location=expression.location)
