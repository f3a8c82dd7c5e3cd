"""How many operations a system costs: the degree of the polynomial that counts them.

All parameters grow together. The points of a polyhedron are then as many as a polynomial of the
parameters says, whose degree is the dimension of the recession cone of the polyhedron in the space
of parameters and indices, less the dimension of the cone's projection on the parameters. The
number itself would need Barvinok's algorithm; the degree needs linear algebra only. Gautam and
Rajopadhye, "Simplifying Reductions" (POPL 2006), call it the complexity of the set.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import islpy as isl

from polyir.equations.domains import Domains
from polyir.equations.system import Body, Equation, Reduce, System
from polyir.schedule.linear import constraint_rows, rank
from polyir.sets.maps import at_sizes

EMPTY = -1
"""The degree of a set without points."""

_NAMES = ("constant", "linear", "quadratic", "cubic")


def degree(points: isl.Set) -> int:
    """The degree of the number of points as the parameters grow; `EMPTY` for no points."""
    pieces = points.compute_divs().get_basic_sets()
    return max((_degree_of_piece(piece) for piece in pieces), default=EMPTY)


def degree_of_equation(system: System, body: Body, equation: Equation) -> int:
    """The degree of the number of operations: the points of an equation and of its reductions."""
    finder = Domains(system)
    needed = system.variables[equation.variable].domain.intersect_params(body.context)
    return max(degree(points) for points in _computed(finder, equation, needed))


def degree_of_system(system: System) -> int:
    """The greatest degree of its equations; `EMPTY` if it has none."""
    return max(
        (degree_of_equation(system, body, each) for body, each in _equations(system)),
        default=EMPTY,
    )


def number_of_operations(system: System, parameters: Mapping[str, int]) -> int:
    """The points of all equations, and of all reductions in them, for these parameters."""
    finder = Domains(system)
    total = 0
    for body, equation in _equations(system):
        needed = system.variables[equation.variable].domain.intersect_params(body.context)
        for points in _computed(finder, equation, needed):
            total += int(at_sizes(points, parameters).count_val().to_python())
    return total


def in_words(found: int, parameters: tuple[str, ...]) -> str:
    """A degree for readers: `quadratic, O(N^2)`."""
    size = parameters[0] if len(parameters) == 1 else "n"
    order = {EMPTY: "0", 0: "1", 1: size}.get(found, f"{size}^{found}")
    if found == EMPTY:
        return "no operations"
    name = f"{_NAMES[found]}, " if found < len(_NAMES) else ""
    return f"{name}O({order})"


def _equations(system: System) -> Iterator[tuple[Body, Equation]]:
    for body in system.bodies:
        for equation in body.equations:
            yield body, equation


def _computed(finder: Domains, equation: Equation, needed: isl.Set) -> Iterator[isl.Set]:
    """The points of an equation, then those of each reduction in it."""
    yield needed
    for expression, points in finder.contexts(equation.expression, needed):
        if isinstance(expression, Reduce):
            inner = finder.of(expression.operand, expression.projection.dim(isl.dim_type.in_))
            yield inner.intersect(points.preimage_multi_aff(expression.projection))


def _degree_of_piece(piece: isl.BasicSet) -> int:
    if piece.is_empty():
        return EMPTY
    # The fibres of the span over the parameters are those of the cone's relative interior.
    hull = _cone(piece).affine_hull()
    dimensions = hull.dim(isl.dim_type.set)
    equalities, _ = constraint_rows(hull)
    return dimensions - rank([row[len(row) - dimensions :] for row in equalities], dimensions)


def _cone(piece: isl.BasicSet) -> isl.BasicSet:
    """The recession cone, with integer divisions as further dimensions: they follow the others."""
    lifted = piece.lift().flatten()
    cone = isl.BasicSet.universe(lifted.get_space())
    for constraint in lifted.get_constraints():
        cone = cone.add_constraint(constraint.set_constant_val(isl.Val(0)))
    return cone
