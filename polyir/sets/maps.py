"""Sets and maps for which isl has no single call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import islpy as isl

from polyir.sets.values import isl_value

Relation = TypeVar("Relation", isl.Set, isl.Map)


def universe(space: isl.Space) -> isl.UnionSet:
    """`{ S[i] }`: all instances of one statement, with the space of its domain."""
    return isl.UnionSet.from_set(isl.Set.universe(space))


def moved_along(space: isl.Space, position: int, step: int) -> isl.Map:
    """`{ S[..., x, ...] -> S[..., x + step, ...] }`: a step along one dimension of a set space."""
    values = isl.MultiAff.identity(space.map_from_set())
    moved = values.get_at(position).add_constant_val(isl_value(step))
    return isl.Map.from_multi_aff(values.set_at(position, moved))


def at_sizes(points: Relation, sizes: Mapping[str, int]) -> Relation:
    """The part of a set or map at the values of parameters that `sizes` has by name.

    Names that are none of its parameters do not count.
    """
    for name, value in sizes.items():
        position = points.find_dim_by_name(isl.dim_type.param, name)
        if position >= 0:
            points = points.fix_val(isl.dim_type.param, position, isl_value(value))
    return points


def values_of_parameter(points: isl.Set, name: str) -> isl.Set:
    """`{ [x] }`: the values that a parameter has in `points`, all others being free."""
    position = points.find_dim_by_name(isl.dim_type.param, name)
    if position < 0:
        return isl.Set("{ [x] }")
    others = points.params().dim(isl.dim_type.param)
    line = points.params().project_out(isl.dim_type.param, position + 1, others - position - 1)
    line = line.project_out(isl.dim_type.param, 0, position)
    line = isl.Set.from_params(line).insert_dims(isl.dim_type.set, 0, 1)
    line = line.equate(isl.dim_type.param, 0, isl.dim_type.set, 0)
    return line.project_out(isl.dim_type.param, 0, 1)


def nearest_value(values: isl.Set, wanted: int) -> int:
    """The greatest number up to `wanted` of a set of numbers, `{ [x] }`, or the least above.

    The set must not be empty.
    """
    below = values.upper_bound_val(isl.dim_type.set, 0, isl_value(wanted))
    nearest_points = values.lexmin() if below.is_empty() else below.lexmax()
    point = nearest_points.sample_point()
    return int(point.get_coordinate_val(isl.dim_type.set, 0).to_python())


def coordinate(points: Relation, position: int) -> Relation:
    """`{ [x] }` or `{ [i] -> [x] }`: the values of one coordinate of a set or of a map's range."""
    count = points.dim(isl.dim_type.out)
    values = points.project_out(isl.dim_type.out, position + 1, count - position - 1)
    return values.project_out(isl.dim_type.out, 0, position)
