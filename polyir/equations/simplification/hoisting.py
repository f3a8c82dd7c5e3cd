"""Reductions in expressions become variables of their own, and nested ones become one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import islpy as isl

from polyir.equations.domains import Domains
from polyir.equations.rewriting import reduction_name, rewritten_at
from polyir.equations.system import (
    Body,
    Declaration,
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

    def as_variable(expression: Expression, points: isl.Set) -> Expression | None:
        if not isinstance(expression, Reduce):
            return None
        points = points.intersect(finder.of(expression, points.dim(isl.dim_type.set)))
        return _variable(hoisted, equation, alone(expression, points), points, fresh)

    def alone(reduction: Reduce, points: isl.Set) -> Reduce:
        """The reduction with no other one in its body."""
        reduction = merged(reduction)
        (inside,) = finder.operand_contexts(reduction, points)
        body = rewritten_at(reduction.operand, inside, finder, as_variable)
        return replace(reduction, operand=body)

    whole = equation.expression
    rewritten = (
        alone(whole, needed)
        if isinstance(whole, Reduce)
        else rewritten_at(whole, needed, finder, as_variable)
    )
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
    name = fresh(reduction_name(equation.variable, reduction))
    place = equation.location if reduction.location is None else reduction.location
    domain = points.coalesce()
    hoisted.declarations.append(Declaration(name, domain, Role.LOCAL, place))
    hoisted.equations.append(Equation(name, reduction, location=place))
    return Variable(name, location=place)
