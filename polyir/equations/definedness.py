"""Why an expression has no value at some points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce

import islpy as isl

from polyir.base.diagnostics import SourceLocation
from polyir.equations.domains import Domains, with_auto
from polyir.equations.points import described, named
from polyir.equations.system import (
    AutoRestrict,
    Case,
    Dependence,
    Expression,
    Polynomial,
    Reduce,
    Restrict,
    Variable,
)
from polyir.equations.text.names import names_of


@dataclass(frozen=True)
class Reason:
    """Why there is no value: a clause, and the place that it is about."""

    text: str
    location: SourceLocation | None


def reasons(expression: Expression, missing: isl.Set, domains: Domains) -> Iterator[Reason]:
    """The reasons why an expression has no value at any of the points `missing`."""
    if missing.is_empty():
        return
    count = missing.dim(isl.dim_type.set)
    match expression:
        case Variable(name=name):
            outside = named(missing, names_of(domains.of(expression, count)))
            text = f"'{name}' is used outside its domain, at {described(outside)}"
            yield Reason(text, expression.location)
        case Polynomial():
            yield Reason(
                f"this polynomial has no value at {described(missing)}", expression.location
            )
        case Dependence(operand=operand, function=function):
            image = missing.apply(isl.Map.from_multi_aff(function))
            yield from reasons(operand, image, domains)
        case Reduce():
            text = f"this reduction has nothing to combine at {described(missing)}"
            yield Reason(text, expression.location)
        case Restrict(operand=operand, domain=domain):
            outside = missing.subtract(domain)
            if not outside.is_empty():
                text = f"this restriction leaves out {described(outside)}"
                yield Reason(text, expression.location)
            yield from reasons(operand, missing.intersect(domain), domains)
        case Case():
            yield from _reasons_of_case(expression, missing, domains)
        case _:
            for operand in expression.operands:
                outside = missing.subtract(domains.of(operand, count))
                yield from reasons(operand, outside, domains)


def _reasons_of_case(case: Case, missing: isl.Set, domains: Domains) -> Iterator[Reason]:
    claims = _claims(case, missing)
    left = reduce(isl.Set.subtract, claims, missing)
    if not left.is_empty():
        yield Reason(f"this case has no branch for {described(left)}", case.location)
    for branch, claim in zip(case.parts, claims, strict=True):
        yield from reasons(branch, claim, domains)


def _claims(case: Case, points: isl.Set) -> list[isl.Set]:
    """For each branch, at which of the points it is meant to have a value."""
    return with_auto(case, [_meant(branch, points) for branch in case.parts])


def _meant(expression: Expression, points: isl.Set) -> isl.Set:
    """At which of the points an expression would have a value if all variables had one there."""
    match expression:
        case Restrict(operand=operand, domain=domain):
            return _meant(operand, points.intersect(domain))
        case AutoRestrict(operand=operand):
            return _meant(operand, points)
        case Case():
            return reduce(isl.Set.union, _claims(expression, points))
    return points
