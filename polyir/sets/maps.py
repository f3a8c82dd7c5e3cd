"""Sets and maps for which isl has no single call."""

from __future__ import annotations

import islpy as isl

from polyir.sets.values import isl_value


def universe(space: isl.Space) -> isl.UnionSet:
    """`{ S[i] }`: all instances of one statement, with the space of its domain."""
    return isl.UnionSet.from_set(isl.Set.universe(space))


def moved_along(space: isl.Space, position: int, step: int) -> isl.Map:
    """`{ S[..., x, ...] -> S[..., x + step, ...] }`: a step along one dimension of a set space."""
    values = isl.MultiAff.identity(space.map_from_set())
    moved = values.get_at(position).add_constant_val(isl_value(step))
    return isl.Map.from_multi_aff(values.set_at(position, moved))


def small_point(points: isl.Set) -> list[int]:
    """A point of a set without parameters, each coordinate in turn as near to 0 as may be."""
    values: list[int] = []
    for position in range(points.dim(isl.dim_type.set)):
        value = isl.Val(0)
        if points.fix_val(isl.dim_type.set, position, value).is_empty():
            value = _nearest_to_zero(points, position)
        points = points.fix_val(isl.dim_type.set, position, value)
        values.append(int(value.to_python()))
    return values


def _nearest_to_zero(points: isl.Set, position: int) -> isl.Val:
    """The least positive value of a coordinate, or else the greatest negative one.

    By `lexmin`, since `dim_min_val` is wrong for sets with parts that have rational points only.
    """
    count = points.dim(isl.dim_type.set)
    values = points.project_out(isl.dim_type.set, position + 1, count - position - 1)
    values = values.project_out(isl.dim_type.set, 0, position)
    nearest = values.lower_bound_val(isl.dim_type.set, 0, isl.Val(1)).lexmin()
    if nearest.is_empty():
        nearest = values.upper_bound_val(isl.dim_type.set, 0, isl.Val(-1)).lexmax()
    return nearest.sample_point().get_coordinate_val(isl.dim_type.set, 0)
