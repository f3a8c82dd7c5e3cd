"""The normal form of systems, in which most analyses want them.

Gautam and Rajopadhye, "Computations on Iteration Spaces" (in The Compiler Design Handbook, 2007),
section 15.2.3.4 and table 15.2. Each equation is `Y = e` or `Y = reduce(op, f, e)`, where e is
`case { D_1 : g_1; D_2 : g_2; ... }`, and in each g there are operators and `if` over constants,
index expressions, polynomials and `X` at an affine function of the point.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import islpy as isl

from polyir.equations.domains import Domains
from polyir.equations.points import named
from polyir.equations.rewriting import (
    Draft,
    moved,
    needed_points,
    reduction_name,
    rewritten_at,
    tidied,
)
from polyir.equations.system import (
    AutoRestrict,
    Case,
    Constant,
    Dependence,
    Expression,
    Reduce,
    Restrict,
    System,
)
from polyir.equations.text.names import names_of


def normalized(system: System) -> System:
    """The system in normal form: see the top of this module. Uses of other systems stay."""
    hoisted = _with_locals_for_reductions(system)
    draft = Draft(hoisted)
    for place, body in enumerate(hoisted.bodies):
        domains = Domains(hoisted)
        for equation in body.equations:
            needed = needed_points(hoisted, place, equation.variable)
            expression = _normal_equation(equation.expression, needed, domains)
            draft.replace_expression(place, equation.variable, expression)
    return draft.system


def _with_locals_for_reductions(system: System) -> System:
    """Each reduction is the whole right-hand side of an equation."""
    draft = Draft(system)
    for place, body in enumerate(system.bodies):
        pending = [equation.variable for equation in body.equations]
        while pending:
            pending += _hoist(draft, place, pending.pop(0))
    return draft.system


def _hoist(draft: Draft, place: int, variable: str) -> list[str]:
    """Give the outermost reductions in an equation variables of their own; returns these."""
    system = draft.system
    domains = Domains(system)
    (equation,) = (each for each in system.bodies[place].equations if each.variable == variable)
    whole = equation.expression
    last, names = variable, []

    def rule(expression: Expression, needed: isl.Set) -> Expression | None:
        nonlocal last
        if not isinstance(expression, Reduce) or expression is whole:
            return None
        name = reduction_name(variable, expression)
        local = draft.new_local(place, last, name, needed.coalesce(), expression)
        last = local.name
        names.append(last)
        return local

    needed = draft.needed(place, variable)
    draft.replace_expression(place, variable, rewritten_at(whole, needed, domains, rule))
    return names


def _normal_equation(expression: Expression, needed: isl.Set, domains: Domains) -> Expression:
    if not isinstance(expression, Reduce):
        return normal_expression(expression, needed, needed, domains)
    (points,) = domains.operand_contexts(expression, needed)
    used = needed.preimage_multi_aff(expression.projection)
    body = normal_expression(expression.operand, points, used, domains)
    return replace(expression, operand=body)


def normal_expression(
    expression: Expression, needed: isl.Set, used: isl.Set, domains: Domains
) -> Expression:
    """A case of restricted operators over dependences, with the same values at `needed`.

    The expression has no reduction in it. `used` has `needed`, and points at which the result
    must not have a value. A restriction is left out where it says nothing.
    """
    found = list(branches(expression, needed, domains))
    if not found:
        return Restrict(Constant(0), isl.Set.empty(needed.get_space()))
    if len(found) == 1:
        ((domain, value),) = found
        elsewhere = domains.of(value, needed.dim(isl.dim_type.set)).subtract(domain)
        if elsewhere.intersect(used).is_empty():
            return value
    names = names_of(needed)
    parts = tuple(
        Restrict(
            value,
            named(tidied(domain, domains.context), names),
            location=value.location,
        )
        for domain, value in found
    )
    return parts[0] if len(parts) == 1 else Case(parts, location=expression.location)


def branches(
    expression: Expression, needed: isl.Set, domains: Domains
) -> Iterator[tuple[isl.Set, Expression]]:
    """Disjoint parts of `needed` that are not empty, and values without case and restriction.

    Reductions are as they were, also as operands of dependences.

    The rules of table 15.2, from the outside inwards: cases and restrictions only split and cut
    the points that are needed, so that they come out of operators and dependences (1 to 7), and
    a dependence goes through operators and becomes one with those inside (8 and 9).
    """
    if needed.is_empty():
        return
    match expression:
        case Case():
            contexts = domains.operand_contexts(expression, needed)
            for branch, points in zip(expression.parts, contexts, strict=True):
                yield from branches(branch, points, domains)
        case Restrict(operand=operand, domain=domain):
            yield from branches(operand, needed.intersect(domain), domains)
        case AutoRestrict(operand=operand):
            yield from branches(operand, needed, domains)
        case Reduce():
            yield needed, expression
        case Dependence(operand=operand, function=function):
            (points,) = domains.operand_contexts(expression, needed)
            for part, value in branches(operand, points, domains):
                # All of the points were reached from `needed`. An intersection would say so again,
                # with each basic set of the one and each of the other.
                is_whole = part is points
                here = needed if is_whole else needed.intersect(part.preimage_multi_aff(function))
                yield here, moved(value, function)
        case _ if expression.operands:
            for part, operands in _together(expression.operands, needed, domains):
                yield part, expression.with_operands(operands)
        case _:
            yield needed, expression


def _together(
    expressions: tuple[Expression, ...], needed: isl.Set, domains: Domains
) -> Iterator[tuple[isl.Set, tuple[Expression, ...]]]:
    """As `branches`, for several expressions at once."""
    if not expressions:
        yield needed, ()
        return
    for part, first in branches(expressions[0], needed, domains):
        for smaller, others in _together(expressions[1:], part, domains):
            yield smaller, (first, *others)
