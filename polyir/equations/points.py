"""How diagnostics show sets of points: in isl's notation, with one point as an example."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from polyir.isl_lists import parameters_of, text_of

_NEAR = 8
"""Examples are within so many steps of zero if any are: readers check them by hand."""


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

    The point of no dimensions is not written if there are parameters.
    """
    sample = _near(points).sample_point()
    space = points.get_space()
    count = 0 if points.is_params() else points.dim(isl.dim_type.set)
    values = [_value(sample, isl.dim_type.set, position) for position in range(count)]
    parameters = [
        f"{name} = {_value(sample, isl.dim_type.param, position)}"
        for position, name in enumerate(parameters_of(space))
    ]
    point = f"({', '.join(values)})" if values or not parameters else ""
    condition = ", ".join(parameters)
    return f"{point} with {condition}" if point and condition else point or condition


def counted(count: int, noun: str) -> str:
    """`1 dimension`, `2 dimensions`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _near(points: isl.Set) -> isl.Set:
    """Those of the points that are not negative and small, or else small, or else all."""
    for lowest in (0, -_NEAR):
        near = _within(points, lowest, _NEAR)
        if not near.is_empty():
            return near
    return points


def _within(points: isl.Set, lowest: int, highest: int) -> isl.Set:
    """The points for which all coordinates and parameters are between two numbers."""
    kinds = [isl.dim_type.param] if points.is_params() else [isl.dim_type.param, isl.dim_type.set]
    for kind in kinds:
        for position in range(points.dim(kind)):
            points = points.lower_bound_val(kind, position, isl.Val(lowest))
            points = points.upper_bound_val(kind, position, isl.Val(highest))
    return points


def _value(point: isl.Point, kind: isl.dim_type, position: int) -> str:
    return str(point.get_coordinate_val(kind, position))
