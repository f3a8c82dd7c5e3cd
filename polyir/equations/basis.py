"""Other coordinates for the points of a variable, or of the body of a reduction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import islpy as isl

from polyir.base.diagnostics import PolyirError, SourceLocation
from polyir.equations.domains import Domains
from polyir.equations.points import named
from polyir.equations.rewriting import (
    Draft,
    Site,
    equation_of,
    moved,
    needed_points,
    restricted,
    rewrite_reduction,
    value_names,
    with_argument_names,
)
from polyir.equations.system import (
    Dependence,
    Expression,
    Reduce,
    Role,
    System,
    Variable,
)
from polyir.sets.lists import pieces_of


@dataclass(frozen=True)
class Basis:
    """New coordinates for the points of a set: `inverse(function(x)) = x` for all x in it."""

    function: isl.MultiAff
    inverse: isl.MultiAff


def change_of_basis(
    system: System, variable: str, function: isl.MultiAff, inverse: isl.MultiAff | None = None
) -> System:
    """The local has at `function(x)` the value that it had at x: its domain and all uses change.

    `inverse` is found where it is one affine function. Raises `PolyirError` if the variable is no
    local that an equation defines, or `function` is not injective on its domain.
    """
    place, equation = equation_of(system, variable)
    declaration = system.variables[variable]
    if declaration.role is not Role.LOCAL:
        word = "output" if declaration.role is Role.OUTPUT else "input"
        raise PolyirError(
            f"'{variable}' is an {word}: who uses the system relies on its domain",
            declaration.location,
            name="change-of-basis",
        )
    domain = declaration.domain.intersect_params(system.context)
    basis = basis_of(domain, function, inverse, f"the domain of '{variable}'", declaration.location)
    image = declaration.domain.apply(isl.Map.from_multi_aff(function)).coalesce()
    image = named(image, value_names(function))

    def at_new_point(expression: Expression) -> Expression:
        if isinstance(expression, Variable) and expression.name == variable:
            return Dependence(expression, function, location=expression.location)
        if isinstance(expression, Dependence) and isinstance(expression.operand, Dependence):
            return moved(expression.operand, expression.function)
        return expression

    changed = _map_expressions(system, lambda each: each.rewritten(at_new_point))
    draft = Draft(
        replace(
            changed,
            declarations=tuple(
                replace(each, domain=image) if each is declaration else each
                for each in system.declarations
            ),
        )
    )
    needed = needed_points(system, place, variable)
    definition = _moved_definition(equation.expression, basis, needed, Domains(system))
    definition = definition.rewritten(at_new_point)
    draft.replace_expression(place, variable, definition)
    return _without_index_names(draft.system, variable)


def change_reduction_basis(
    system: System,
    variable: str,
    number: int,
    function: isl.MultiAff,
    inverse: isl.MultiAff | None = None,
) -> System:
    """A reduction in the equation of a variable combines the same values from other points.

    What the body had at x it has at `function(x)`. The order in which values are combined changes.
    Raises `PolyirError` if `function` is not injective on the domain of the body.
    """

    def rule(draft: Draft, site: Site) -> Expression:
        domains = Domains(system)
        reduction = site.reduction
        (points,) = domains.operand_contexts(reduction, site.needed)
        what = "the domain of the reduction's body"
        location = reduction.location or site.equation.location
        basis = basis_of(points, function, inverse, what, location)
        image = points.apply(isl.Map.from_multi_aff(function)).coalesce()
        image = named(image, value_names(function))
        body = restricted(moved(reduction.operand, basis.inverse), image, domains)
        projection = reduction.projection.pullback_multi_aff(basis.inverse)
        return replace(reduction, operand=body, projection=projection)

    return rewrite_reduction(system, variable, number, rule)


def basis_of(
    domain: isl.Set,
    function: isl.MultiAff,
    inverse: isl.MultiAff | None,
    of_what: str,
    location: SourceLocation | None,
) -> Basis:
    """The coordinates, checked exactly on a domain.

    Raises `PolyirError` at a location, with the reason, if they are not such.
    """
    dimensions = domain.dim(isl.dim_type.set)
    if function.dim(isl.dim_type.in_) != dimensions:
        raise PolyirError(
            f"the function has {function.dim(isl.dim_type.in_)} arguments, and {of_what} has "
            f"{dimensions} dimensions",
            location,
            name="change-of-basis",
        )
    here = isl.Map.from_multi_aff(function).intersect_domain(domain)
    if not here.is_injective():
        first, second = _with_one_image(here)
        raise PolyirError(
            f"the function is not injective on {of_what}: it maps {first} and {second} to one "
            "point",
            location,
            name="change-of-basis",
        )
    if inverse is None:
        pieces = pieces_of(isl.PwMultiAff.from_map(here.reverse()).coalesce())
        if len(pieces) > 1:
            raise PolyirError(
                f"the inverse of the function on {of_what} is not one affine function: give one",
                location,
                name="change-of-basis",
            )
        found = pieces[0][1] if pieces else isl.MultiAff.zero(function.get_space().reverse())
        return Basis(function, with_argument_names(found, value_names(function)))
    expected = (function.dim(isl.dim_type.out), dimensions)
    if (inverse.dim(isl.dim_type.in_), inverse.dim(isl.dim_type.out)) != expected:
        raise PolyirError(
            "the inverse has other dimensions than the function from its end",
            location,
            name="change-of-basis",
        )
    round_trip = here.apply_range(isl.Map.from_multi_aff(inverse))
    if not round_trip.is_identity():
        raise PolyirError(
            f"'{inverse}' is not the inverse of '{function}' on {of_what}",
            location,
            name="change-of-basis",
        )
    return Basis(function, inverse)


def _with_one_image(relation: isl.Map) -> tuple[str, str]:
    """Two points that a relation maps to one, for readers."""
    pairs = relation.apply_range(relation.reverse())
    later = pairs.intersect(isl.Map.lex_lt(pairs.get_space().domain()))
    point = later.wrap().sample_point()
    values = [
        point.get_coordinate_val(isl.dim_type.set, place).to_python()
        for place in range(point.get_space().dim(isl.dim_type.set))
    ]
    half = len(values) // 2
    return (
        f"({', '.join(map(str, values[:half]))})",
        f"({', '.join(map(str, values[half:]))})",
    )


def _moved_definition(
    expression: Expression, basis: Basis, needed: isl.Set, domains: Domains
) -> Expression:
    """What defines the variable in the new coordinates.

    A reduction stays the whole right-hand side: what contributed to x contributes to
    `function(x)`, and points that contributed to none of the domain must not now.
    """
    if not isinstance(expression, Reduce):
        return moved(expression, basis.inverse)
    body = expression.operand
    if not isl.Map.from_multi_aff(basis.function).is_injective():
        (points,) = domains.operand_contexts(expression, needed)
        body = restricted(body, points, domains)
    projection = basis.function.pullback_multi_aff(expression.projection)
    return replace(expression, operand=body, projection=projection)


def _map_expressions(system: System, change: Callable[[Expression], Expression]) -> System:
    """The system with all expressions in equations, and inputs of uses, replaced."""
    bodies = []
    for body in system.bodies:
        equations = tuple(
            replace(each, expression=change(each.expression)) for each in body.equations
        )
        uses = tuple(
            replace(each, inputs=tuple(change(item) for item in each.inputs)) for each in body.uses
        )
        bodies.append(replace(body, equations=equations, uses=uses))
    return replace(system, bodies=tuple(bodies))


def _without_index_names(system: System, variable: str) -> System:
    """The indices of the equation of a variable are those of its domain."""
    bodies = tuple(
        replace(
            body,
            equations=tuple(
                replace(each, index_names=None) if each.variable == variable else each
                for each in body.equations
            ),
        )
        for body in system.bodies
    )
    return replace(system, bodies=bodies)
