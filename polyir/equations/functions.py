"""isl's sets and functions as Python functions of the parameters and a point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import islpy as isl
import numpy as np

from polyir.equations.errors import EquationFormError
from polyir.equations.polynomials import terms_of
from polyir.sets.boxes import constant_box
from polyir.sets.lists import basic_sets_of
from polyir.sets.values import isl_value

Point = tuple[int, ...]

Function = Callable[[Sequence[int], Sequence[Any]], Any]
"""A function of the values of the parameters and of a point; coordinates may be arrays."""


def function_of(function: isl.Aff) -> Function:
    """An affine function, rounded down."""
    compiled: Function = _compiled(_affine(function))
    return compiled


def functions_of(functions: isl.MultiAff) -> Callable[[Sequence[int], Sequence[Any]], Point]:
    """A tuple of affine functions."""
    count = functions.dim(isl.dim_type.out)
    texts = [_affine(functions.get_at(place)) for place in range(count)]
    function: Callable[[Sequence[int], Sequence[Any]], Point] = _compiled(
        f"({''.join(text + ', ' for text in texts)})"
    )
    return function


def membership_of(domain: isl.Set) -> Function:
    """Whether a point is in a set."""
    parts = [_conjunction(part) for part in basic_sets_of(domain.compute_divs())]
    compiled: Function = _compiled(" | ".join(parts) or "False")
    return compiled


def polynomial_of(polynomial: isl.PwQPolynomial) -> Callable[[Sequence[int], Sequence[int]], int]:
    """A piecewise quasi-polynomial, rounded down; it is 0 where it is not defined."""
    pieces = [
        (membership_of(domain), *_quasi_polynomial(piece))
        for domain, piece in polynomial.get_pieces()
    ]

    def value(parameters: Sequence[int], point: Sequence[int]) -> int:
        for holds, numerator, denominator in pieces:
            if holds(parameters, point):
                return int(numerator(parameters, point)) // denominator
        return 0

    return value


def points_of(domain: isl.Set, parameters: Sequence[int]) -> list[Point]:
    """The points of a set for given parameters, in lexicographic order.

    Raises `PolyirError` if there is no end of them.
    """
    instance = at_parameters(domain, parameters)
    if instance.is_empty():
        return []
    if not instance.dim(isl.dim_type.set):
        return [()]
    if not instance.is_bounded():
        raise EquationFormError(f"the set {domain} is not bounded")
    box = constant_box(instance)
    first, shape = [low for low, _ in box], [high - low + 1 for low, high in box]
    grid = [axis + low for axis, low in zip(np.indices(shape), first, strict=True)]
    inside = membership_of(domain)(parameters, grid)
    found = np.argwhere(np.broadcast_to(inside, shape)) + np.array(first)
    return [tuple(point) for point in found.tolist()]


def at_parameters(domain: isl.Set, parameters: Sequence[int]) -> isl.Set:
    """The part of a set at given values of its parameters, in their order."""
    for place, value in enumerate(parameters):
        domain = domain.fix_val(isl.dim_type.param, place, isl_value(value))
    return domain


def _compiled(text: str) -> Any:
    return eval(compile(f"lambda p, x: {text}", "<isl>", "eval"))


def _conjunction(part: isl.BasicSet) -> str:
    tests = [
        f"({_affine(each.get_aff())} {'==' if each.is_equality() else '>='} 0)"
        for each in part.get_constraints()
    ]
    return f"({' & '.join(tests)})" if tests else "True"


def _affine(function: isl.Aff) -> str:
    """The text of an affine function, of parameters `p` and a point `x`, rounded down."""
    denominator = function.get_denominator_val()
    constant = function.get_constant_val().mul(denominator)
    terms = [str(constant)]
    for kind, name in ((isl.dim_type.param, "p"), (isl.dim_type.in_, "x")):
        for place in range(function.dim(kind)):
            factor = function.get_coefficient_val(kind, place).mul(denominator)
            if not factor.is_zero():
                terms.append(f"{factor} * {name}[{place}]")
    for place in range(function.dim(isl.dim_type.div)):
        factor = function.get_coefficient_val(isl.dim_type.div, place).mul(denominator)
        if not factor.is_zero():
            terms.append(f"{factor} * {_affine(function.get_div(place))}")
    whole = f"({' + '.join(terms)})"
    return whole if denominator.is_one() else f"({whole} // {denominator})"


def _quasi_polynomial(polynomial: isl.QPolynomial) -> tuple[Function, int]:
    """A polynomial with whole coefficients, and the number by which it is divided."""
    products, denominator = terms_of(polynomial)
    texts = [
        " * ".join([str(coefficient), *map(_affine, factors)]) for coefficient, factors in products
    ]
    return _compiled(" + ".join(texts) or "0"), denominator
