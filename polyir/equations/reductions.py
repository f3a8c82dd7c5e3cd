"""Reductions in parts: locals for them, two in place of one, one for each branch of a case."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

import islpy as isl

from polyir.equations.domains import Domains
from polyir.equations.points import named
from polyir.equations.rewriting import (
    Draft,
    Site,
    moved,
    reduction_name,
    restricted,
    rewrite_reduction,
    through,
    tidied,
    value_names,
)
from polyir.equations.system import (
    AutoRestrict,
    Case,
    Constant,
    Dependence,
    Expression,
    Operation,
    Reduce,
    Restrict,
    System,
)


def hoist_reduction(
    system: System, variable: str, number: int = 0, name: str | None = None
) -> System:
    """Give a reduction in the equation of a variable a local of its own, called `name`.

    The domain of the local is where its value is needed. Raises `PolyirError` if the equation has
    no such reduction, or it is the whole right-hand side.
    """

    def rule(draft: Draft, site: Site) -> Expression:
        if site.reduction is site.equation.expression:
            raise site.error(f"the reduction is all that '{variable}' is")
        chosen = site.local_name(system, name, site.reduction)
        points = site.needed.coalesce()
        return draft.new_local(site.place, variable, chosen, points, site.reduction)

    return rewrite_reduction(system, variable, number, rule)


def decompose_reduction(
    system: System,
    variable: str,
    number: int,
    inner: isl.MultiAff,
    outer: isl.MultiAff | None = None,
    name: str | None = None,
) -> System:
    """Split a projection: `reduce(op, f, e)` becomes `reduce(op, outer, Z)`, with a new local
    `Z = reduce(op, inner, e)`, where f is `outer` after `inner`.

    `outer` is found where it is one affine function. Values are combined in another order. Raises
    `PolyirError` if f is not the composition.
    """

    def rule(draft: Draft, site: Site) -> Expression:
        domains = Domains(system)
        reduction = site.reduction
        points = domains.of(reduction.operand, site.inner_dimensions)
        if inner.dim(isl.dim_type.in_) != site.inner_dimensions:
            raise site.error(
                f"the inner projection has {inner.dim(isl.dim_type.in_)} arguments, and the body "
                f"of the reduction has {site.inner_dimensions} dimensions"
            )
        last = _outer(inner, reduction.projection, points) if outer is None else outer
        if last is None:
            raise site.error(
                f"'{reduction.projection}' is not a function of '{inner}': the inner projection "
                "must not combine what belongs to different results"
            )
        _check_composition(site, inner, last, points)
        (used,) = domains.operand_contexts(reduction, site.needed)
        results = used.apply(isl.Map.from_multi_aff(inner)).coalesce()
        results = named(results, value_names(inner))
        chosen = site.local_name(system, name, reduction)
        partial = replace(reduction, projection=inner)
        local = draft.new_local(site.place, variable, chosen, results, partial)
        return replace(reduction, operand=local, projection=last)

    return rewrite_reduction(system, variable, number, rule)


def permutation_case_reduce(system: System, variable: str, number: int = 0) -> System:
    """A reduction over a case is a combination of reductions, one for each branch.

    Each branch gets a local. Where different branches have points that contribute to a result,
    that is the combination of those: a case says which they are, if it is not the same ones
    everywhere. Raises `PolyirError` if the body is not a case.
    """

    def rule(draft: Draft, site: Site) -> Expression:
        domains = Domains(system)
        body = _pushed_inside(site.reduction.operand)
        branches = list(_branches(body, site.inner_dimensions, domains))
        if len(branches) < 2:
            raise site.error("the body of the reduction is not a case of several branches")
        parts = []
        for domain, value in branches:
            part = replace(site.reduction, operand=restricted(value, domain, domains))
            image = domain.apply(isl.Map.from_multi_aff(part.projection))
            results = site.needed.intersect(image).coalesce()
            if not results.is_empty():
                parts.append((results, part))
        return _combined(draft, site, parts)

    return rewrite_reduction(system, variable, number, rule)


def _outer(inner: isl.MultiAff, projection: isl.MultiAff, points: isl.Set) -> isl.MultiAff | None:
    """The function that maps `inner(x)` to `projection(x)`, for the points x of a domain."""
    pieces = through(projection, inner, points)
    return pieces[0][1] if pieces is not None and len(pieces) == 1 else None


def _check_composition(
    site: Site, inner: isl.MultiAff, outer: isl.MultiAff, points: isl.Set
) -> None:
    projection = site.reduction.projection
    fits = (
        outer.dim(isl.dim_type.in_) == inner.dim(isl.dim_type.out)
        and outer.dim(isl.dim_type.out) == projection.dim(isl.dim_type.out)
        and isl.Map.from_multi_aff(outer.pullback_multi_aff(inner))
        .intersect_domain(points)
        .is_equal(isl.Map.from_multi_aff(projection).intersect_domain(points))
    )
    if not fits:
        raise site.error(f"'{outer}' after '{inner}' is not the projection '{projection}'")


def _pushed_inside(expression: Expression) -> Expression:
    """The expression with a dependence around it brought inside."""
    if isinstance(expression, Dependence):
        return moved(expression.operand, expression.function)
    return expression


def _branches(
    expression: Expression, dimensions: int, domains: Domains
) -> list[tuple[isl.Set, Expression]]:
    """The branches of a case, which may be restricted as a whole, with their domains."""
    match expression:
        case Restrict(operand=operand, domain=domain):
            inner = _branches(operand, dimensions, domains)
            return [(points.intersect(domain), value) for points, value in inner]
        case Case():
            found = []
            of_branches = domains.of_branches(expression, dimensions)
            for branch, points in zip(expression.parts, of_branches, strict=True):
                value = branch.operand if isinstance(branch, AutoRestrict) else branch
                found.append((points, value))
            return found
        case _:
            return [(domains.of(expression, dimensions), expression)]


def _combined(draft: Draft, site: Site, parts: list[tuple[isl.Set, Reduce]]) -> Expression:
    """The combination of those parts that have a value at a point; the sets say where they do."""
    if not parts:
        return Restrict(Constant(0), isl.Set.empty(site.needed.get_space()))
    last, values = site.variable, []
    for results, part in parts:
        name = reduction_name(site.variable, part)
        local = draft.new_local(site.place, last, name, results, part)
        last = local.name
        values.append((results, local))
    cells: list[tuple[isl.Set, list[Expression]]] = [(site.needed, [])]
    for results, value in values:
        cells = [
            (part.coalesce(), chosen)
            for points, before in cells
            for part, chosen in (
                (points.intersect(results), [*before, value]),
                (points.subtract(results), before),
            )
            if not part.is_empty()
        ]
    branches = [(points, _operation(site.reduction, chosen)) for points, chosen in cells if chosen]
    if len(branches) == 1:
        return branches[0][1]
    context = draft.system.context
    restrictions = tuple(Restrict(value, tidied(points, context)) for points, value in branches)
    return Case(restrictions, location=site.reduction.location)


def _operation(reduction: Reduce, values: list[Expression]) -> Expression:
    """The values, combined by the operator of a reduction."""
    if len(values) == 1:
        return values[0]

    def pair(*parts: Expression) -> Expression:
        return Operation(
            parts, reduction.operator, reduction.is_external, location=reduction.location
        )

    return reduce(pair, values) if reduction.is_external else pair(*values)
