"""The body of a reduction as values on disjoint domains, and what those values depend on."""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm

import islpy as isl

from polyir.equations import normal_form
from polyir.equations.domains import Domains
from polyir.equations.system import (
    Constant,
    Dependence,
    Expression,
    Index,
    Polynomial,
    Variable,
)
from polyir.schedule.linear import Row
from polyir.sets.values import isl_value

Branch = tuple[isl.Set, Expression]
"""The points at which an expression has the value of another, which has no case, restriction or
reduction in it, and whose dependences are on variables."""


def branches(expression: Expression, dimensions: int, domains: Domains) -> list[Branch]:
    """The values of an expression: the domains are disjoint, and no two values are written alike.

    `expression` has no reduction in it: those are variables by now.
    """
    found: dict[str, Branch] = {}
    points = domains.of(expression, dimensions)
    for domain, value in normal_form.branches(expression, points, domains):
        key = repr(value)
        known = found.get(key)
        found[key] = (domain if known is None else known[0].union(domain), value)
    return [(domain.coalesce(), value) for domain, value in found.values() if not domain.is_empty()]


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
    return tuple(int(value.mul(isl_value(common)).to_python()) for value in values)


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
