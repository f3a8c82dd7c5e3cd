"""Boxes around sets: between which numbers each coordinate of their points is."""

from __future__ import annotations

import islpy as isl

Ends = tuple[int, int]
"""The least and the greatest value of a coordinate."""


def least_of(points: isl.Set, position: int) -> int | None:
    """The least value of a coordinate, for any values of the parameters.

    `None` if there is no bound, and for the empty set.
    """
    return _finite(points.dim_min_val(position))


def greatest_of(points: isl.Set, position: int) -> int | None:
    """The greatest value of a coordinate, as `least_of`."""
    return _finite(points.dim_max_val(position))


def _finite(value: isl.Val) -> int | None:
    return int(value.to_python()) if value.is_int() else None


def ends_of(points: isl.Set, position: int) -> tuple[int | None, int | None]:
    """The least and the greatest value of a coordinate, as `least_of`."""
    return least_of(points, position), greatest_of(points, position)


def constant_box(points: isl.Set) -> tuple[Ends, ...]:
    """The ends of each coordinate, for any values of the parameters.

    The set must not be empty, and all its coordinates must be bounded.
    """
    box: list[Ends] = []
    for position in range(points.dim(isl.dim_type.set)):
        least, greatest = ends_of(points, position)
        assert least is not None
        assert greatest is not None
        box.append((least, greatest))
    return tuple(box)


def shape_of(points: isl.Set) -> tuple[int, ...]:
    """How many integers the constant box has along each coordinate; 0 if there are no points."""
    if points.is_empty():
        return (0,) * points.dim(isl.dim_type.set)
    return tuple(last - first + 1 for first, last in constant_box(points))


def most_values(values: isl.Map) -> int | None:
    """How many integers there are at most between the ends of the range of one point.

    `values` is `{ [i] -> [v] }`, such as the values of a loop in an iteration of those around it.
    `None` if there is no bound for all values of the parameters.
    """
    # { [d] : i -> v and i -> v + d }
    greatest = greatest_of(values.reverse().apply_range(values).deltas(), 0)
    return None if greatest is None else greatest + 1
