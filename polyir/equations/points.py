"""How diagnostics show sets of points: in isl's notation, with one point as an example."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from polyir.sets.examples import small_point
from polyir.sets.lists import parameters_of, text_of


def named(points: isl.Set, names: Sequence[str]) -> isl.Set:
    """The set with names for its dimensions, as many as there are."""
    for position, name in enumerate(names):
        points = points.set_dim_name(isl.dim_type.set, position, name)
    return points


def described(points: isl.Set) -> str:
    """`[N] -> { [i] : i = N }, for instance (3) with N = 3`, for a set that is not empty."""
    return f"{text_of(points.coalesce())}, for instance {example(points)}"


def example(points: isl.Set) -> str:
    """`(1, 0) with N = 3`: a point of a set that is not empty, and values of parameters.

    Readers check them by hand, so the numbers are small. The point of no dimensions is not written
    if there are parameters.
    """
    parameters = parameters_of(points.get_space())
    if points.is_params():
        points = isl.Set.from_params(points)
    numbers = small_point(
        points.move_dims(isl.dim_type.set, 0, isl.dim_type.param, 0, len(parameters))
    )
    values = [str(number) for number in numbers[len(parameters) :]]
    condition = ", ".join(
        f"{name} = {number}" for name, number in zip(parameters, numbers, strict=False)
    )
    point = f"({', '.join(values)})" if values or not parameters else ""
    return f"{point} with {condition}" if point and condition else point or condition


def counted(count: int, noun: str) -> str:
    """`1 dimension`, `2 dimensions`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
