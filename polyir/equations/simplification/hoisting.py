"""Reductions in expressions become variables of their own, and nested ones become one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import islpy as isl

from polyir.equations.domains import Domains
from polyir.equations.system import (
    Body,
    Case,
    Declaration,
    Dependence,
    Equation,
    Expression,
    Reduce,
    Restrict,
    Role,
    System,
    Variable,
)


@dataclass
class Hoisted:
    """An equation whose reductions are the whole right side of an equation each.

    The equations of the new variables come first.
    """

    equations: list[Equation] = field(default_factory=list)
    declarations: list[Declaration] = field(default_factory=list)


def hoist(system: System, body: Body, equation: Equation, fresh: Callable[[str], str]) -> Hoisted:
    """The equation with a new variable for each reduction that is not all of its right side."""
    hoisted = Hoisted()
    finder = Domains(system)
    needed = system.variables[equation.variable].domain.intersect_params(body.context)

    def visit(expression: Expression, points: isl.Set, is_whole: bool) -> Expression:
        if isinstance(expression, Reduce):
            expression = merged(expression)
            (operand,) = expression.operands
            function = expression.projection
            points = points.intersect(finder.of(expression, points.dim(isl.dim_type.set)))
            inside = finder.of(operand, function.dim(isl.dim_type.in_))
            inside = inside.intersect(points.preimage_multi_aff(function))
            found = replace(expression, operand=visit(operand, inside, False))
            return found if is_whole else _variable(hoisted, equation, found, points, fresh)
        operands = tuple(
            visit(operand, inner, False) for operand, inner in _inside(finder, expression, points)
        )
        return expression.with_operands(operands)

    rewritten = visit(equation.expression, needed, True)
    hoisted.equations.append(replace(equation, expression=rewritten))
    return hoisted


def merged(reduction: Reduce) -> Reduce:
    """One reduction for one over the results of another one with the same operator."""
    inner, restriction = reduction.operand, None
    while isinstance(inner, Restrict):
        domain = inner.domain
        restriction = domain if restriction is None else restriction.intersect(domain)
        inner = inner.operand
    if not isinstance(inner, Reduce) or inner.operator != reduction.operator:
        return reduction
    body = inner.operand
    if restriction is not None:
        body = Restrict(body, restriction.preimage_multi_aff(inner.projection))
    projection = reduction.projection.pullback_multi_aff(inner.projection)
    return merged(replace(reduction, operand=body, projection=projection))


def _variable(
    hoisted: Hoisted,
    equation: Equation,
    reduction: Reduce,
    points: isl.Set,
    fresh: Callable[[str], str],
) -> Variable:
    name = fresh(f"{equation.variable}_reduction")
    place = equation.location if reduction.location is None else reduction.location
    domain = points.coalesce()
    hoisted.declarations.append(Declaration(name, domain, Role.LOCAL, place))
    hoisted.equations.append(Equation(name, reduction, location=place))
    return Variable(name, location=place)


def _inside(
    finder: Domains, expression: Expression, points: isl.Set
) -> list[tuple[Expression, isl.Set]]:
    """The operands, each with the points at which its value is needed."""
    match expression:
        case Dependence(operand=operand, function=function):
            return [(operand, points.apply(isl.Map.from_multi_aff(function)))]
        case Restrict(operand=operand, domain=domain):
            return [(operand, points.intersect(domain))]
        case Case():
            domains = finder.of_branches(expression, points.dim(isl.dim_type.set))
            pairs = zip(expression.parts, domains, strict=True)
            return [(branch, points.intersect(domain)) for branch, domain in pairs]
        case _:
            return [(operand, points) for operand in expression.operands]
