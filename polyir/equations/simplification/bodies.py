"""The body of a reduction as values on disjoint domains, and what those values depend on."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import product
from math import lcm

import islpy as isl

from polyir.equations.domains import Domains
from polyir.equations.system import (
    AutoRestrict,
    Case,
    Constant,
    Dependence,
    Expression,
    Index,
    Polynomial,
    Reduce,
    Restrict,
    Variable,
)
from polyir.schedule.linear import Row

Branch = tuple[isl.Set, Expression]
"""The points at which an expression has the value of another, which has no case, restriction or
reduction in it, and whose dependences are on variables."""


def branches(expression: Expression, dimensions: int, domains: Domains) -> list[Branch]:
    """The values of an expression: the domains are disjoint, and no two values are written alike.

    `expression` has no reduction in it: those are variables by now.
    """
    found: dict[str, Branch] = {}
    for domain, value in _branches(expression, dimensions, domains):
        key = repr(value)
        known = found.get(key)
        found[key] = (domain if known is None else known[0].union(domain), value)
    return [(domain.coalesce(), value) for domain, value in found.values() if not domain.is_empty()]


def _branches(expression: Expression, dimensions: int, domains: Domains) -> Iterator[Branch]:
    match expression:
        case Reduce():
            raise AssertionError("reductions have become variables")
        case AutoRestrict(operand=operand):
            yield from _branches(operand, dimensions, domains)
        case Restrict(operand=operand, domain=domain):
            for inner, value in _branches(operand, dimensions, domains):
                yield inner.intersect(domain), value
        case Dependence(operand=operand, function=function):
            outer = domains.of(expression, dimensions)
            for inner, value in _branches(operand, function.dim(isl.dim_type.out), domains):
                yield inner.preimage_multi_aff(function).intersect(outer), moved(value, function)
        case Case():
            parts = domains.of_branches(expression, dimensions)
            for branch, domain in zip(expression.parts, parts, strict=True):
                for inner, value in _branches(branch, dimensions, domains):
                    yield inner.intersect(domain), value
        case _ if expression.operands:
            choices = [list(_branches(each, dimensions, domains)) for each in expression.operands]
            for chosen in product(*choices):
                domain = reduce(isl.Set.intersect, (each for each, _ in chosen))
                yield domain, expression.with_operands(tuple(value for _, value in chosen))
        case _:
            yield domains.of(expression, dimensions), expression


def moved(value: Expression, function: isl.MultiAff) -> Expression:
    """The value of a branch at the point to which `function` maps the one at hand."""
    match value:
        case Constant():
            return value
        case Index(function=affine):
            return Index(affine.pullback_multi_aff(function), location=value.location)
        case Dependence(operand=operand, function=inner):
            return Dependence(operand, inner.pullback_multi_aff(function), location=value.location)
        case Variable() | Polynomial():
            return Dependence(value, function, location=value.location)
        case _:
            return value.with_operands(tuple(moved(each, function) for each in value.operands))


def forms_of(value: Expression, dimensions: int) -> tuple[Row, ...]:
    """Linear forms of the indices: where all are zero on a vector, the value is the same along it.

    The value is that of a branch.
    """
    match value:
        case Constant():
            return ()
        case Index(function=function):
            return forms_of_affine(function)
        case Dependence(function=function):
            return forms_of_function(function)
        case Polynomial(function=function):
            return tuple(
                unit
                for place, unit in enumerate(_units(dimensions))
                if function.involves_dims(isl.dim_type.in_, place, 1)
            )
        case Variable():
            return _units(dimensions)
        case _:
            return tuple(form for each in value.operands for form in forms_of(each, dimensions))


def forms_of_function(function: isl.MultiAff) -> tuple[Row, ...]:
    """Forms for each of the affine functions."""
    return tuple(
        form
        for place in range(function.dim(isl.dim_type.out))
        for form in forms_of_affine(function.get_at(place))
    )


def forms_of_affine(function: isl.Aff) -> tuple[Row, ...]:
    """The linear part of an affine function, and those of the integer divisions in it.

    Along a vector on which all are zero the function is constant.
    """
    rows = [_linear_part(function)]
    for place in range(function.dim(isl.dim_type.div)):
        if not function.get_coefficient_val(isl.dim_type.div, place).is_zero():
            rows.extend(forms_of_affine(function.get_div(place)))
    return tuple(row for row in rows if any(row))


def _linear_part(function: isl.Aff) -> Row:
    count = function.dim(isl.dim_type.in_)
    values = [function.get_coefficient_val(isl.dim_type.in_, place) for place in range(count)]
    common = lcm(*(int(value.get_den_val().to_python()) for value in values))
    return tuple(int(value.mul(isl.Val(common)).to_python()) for value in values)


def leaves(value: Expression) -> Iterator[Expression]:
    """The variables, with their dependences, and the constants in the value of a branch."""
    if isinstance(value, Dependence) or not value.operands:
        yield value
    else:
        for operand in value.operands:
            yield from leaves(operand)


def _units(dimensions: int) -> tuple[Row, ...]:
    return tuple(
        tuple(int(place == other) for other in range(dimensions)) for place in range(dimensions)
    )
