"""Factors in front of reductions, by the distributivity of operators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import reduce as fold
from typing import Final

import islpy as isl

from polyir.equations.domains import Domains
from polyir.equations.rewriting import Draft, Site, moved, restricted, rewrite_reduction, through
from polyir.equations.system import (
    AutoRestrict,
    Case,
    Constant,
    Dependence,
    Expression,
    If,
    Index,
    Operation,
    Restrict,
    System,
    Variable,
)

DISTRIBUTES: Final = {
    "+": ("*",),
    "min": ("+", "max", "min"),
    "max": ("+", "min", "max"),
    "or": ("and", "or"),
    "and": ("or", "and"),
    "xor": ("and",),
}
"""For the operator of a reduction, those of its body in front of which factors may come.

A reduction has a value at points with a body only, so that an idempotent operator distributes over
itself. Multiplication does not distribute over minima: the factor may be negative.
"""


def factor_out_of_reduction(system: System, variable: str, number: int = 0) -> System:
    """`reduce(op, f, a * b)` becomes `a * reduce(op, f, b)` if a depends on the result only.

    For all such operands of the operator that is the reduction's body, if it distributes
    (`DISTRIBUTES`). An operand depends on the result only if its dependence functions map all
    points of the body that contribute to one result to one point, which is checked exactly. On
    floating-point numbers, a product with a sum is rounded otherwise. Raises `PolyirError` with the
    reason if there is no such operand.
    """

    def rule(draft: Draft, site: Site) -> Expression:
        reduction = site.reduction
        domains = Domains(system)
        points = domains.of(reduction.operand, site.inner_dimensions)
        operation = _operation(site)
        parts = _flat(operation)
        (used,) = domains.operand_contexts(reduction, site.needed)
        outside: list[Expression] = []
        inside: list[Expression] = []
        for part in parts:
            factor = at_result(part, reduction.projection, used)
            # Something must be left to reduce.
            if factor is None or (part is parts[-1] and not inside):
                inside.append(part)
            else:
                outside.append(factor)
        if not outside:
            raise site.error(
                f"no operand of '{operation.operator}' in the body of the reduction depends on "
                "the result only"
            )

        def pair(first: Expression, second: Expression) -> Expression:
            return replace(operation, parts=(first, second))

        rest = restricted(fold(pair, inside), points, domains)
        return pair(fold(pair, outside), replace(reduction, operand=rest))

    return rewrite_reduction(system, variable, number, rule)


def _operation(site: Site) -> Operation:
    """The operator that is the body of a reduction, or all of it but restrictions."""
    body = site.reduction.operand
    while isinstance(body, Restrict | AutoRestrict | Dependence):
        if isinstance(body, Dependence):
            inner = moved(body.operand, body.function)
            if isinstance(inner, Dependence):
                break
            body = inner
        else:
            body = body.operand
    if isinstance(body, Case):
        raise site.error(
            "the body of the reduction is a case: 'permutation-case-reduce' takes it apart"
        )
    if not isinstance(body, Operation):
        raise site.error("the body of the reduction is not an operator on several operands")
    allowed = () if site.reduction.is_external else DISTRIBUTES.get(site.reduction.operator, ())
    if body.is_external or body.operator not in allowed:
        raise site.error(f"'{body.operator}' does not distribute over '{site.reduction.operator}'")
    return body


def _flat(operation: Operation) -> list[Expression]:
    """The operands of an associative operator, and those of the same operator among them."""
    found: list[Expression] = []
    for part in operation.parts:
        if isinstance(part, Operation) and part.operator == operation.operator:
            found += _flat(part)
        else:
            found.append(part)
    return found


def at_result(
    expression: Expression, projection: isl.MultiAff, points: isl.Set
) -> Expression | None:
    """An expression that has at `projection(x)` the value that another has at x, for all `points`.

    `None` if the values at points with one projection may differ, or that is not known.
    """
    match expression:
        case Constant():
            return expression
        case Variable():
            here = isl.MultiAff.identity_on_domain_space(points.get_space())
            return _along(here, projection, points, lambda to: moved(expression, to))
        case Index(function=affine):
            values = isl.MultiAff.from_aff(affine)
            return _along(
                values, projection, points, lambda to: replace(expression, function=to.get_at(0))
            )
        case Dependence(operand=operand, function=function):
            return _along(function, projection, points, lambda to: moved(operand, to))
        case Restrict(operand=operand) | AutoRestrict(operand=operand):
            # All points are in its domain.
            return at_result(operand, projection, points)
        case Operation() | If():
            operands = [at_result(each, projection, points) for each in expression.operands]
            known = tuple(each for each in operands if each is not None)
            return expression.with_operands(known) if len(known) == len(operands) else None
        case _:
            return None


def _along(
    function: isl.MultiAff,
    projection: isl.MultiAff,
    points: isl.Set,
    value: Callable[[isl.MultiAff], Expression],
) -> Expression | None:
    """The value by the function of the result that has the values of one of the body."""
    pieces = through(function, projection, points)
    if pieces is None:
        return None
    if len(pieces) == 1:
        return value(pieces[0][1])
    return Case(tuple(Restrict(value(part), domain) for domain, part in pieces))
