"""Points of sets and pairs of relations, to show to a reader: with numbers as small as may be."""

from __future__ import annotations

from typing import NamedTuple

import islpy as isl

from polyir.sets.maps import coordinate


class Example(NamedTuple):
    """One pair of instances as text: `S0[1, 0]`, `S0[2, 1]`, `n = 3` (or "")."""

    source: str
    target: str
    parameters: str

    @property
    def where(self) -> str:
        """The parameters as the end of a sentence: ` (n = 3)`, or ""."""
        return f" ({self.parameters})" if self.parameters else ""

    def __str__(self) -> str:
        return f"{self.source} must run before {self.target}{self.where}"


def example_of(relation: isl.Map) -> Example:
    """A pair of a relation that is not empty, with small numbers."""
    parameters = relation.dim(isl.dim_type.param)
    sources = relation.dim(isl.dim_type.in_)
    names = [relation.get_dim_name(isl.dim_type.param, i) for i in range(parameters)]
    points = (
        relation.wrap().flatten().move_dims(isl.dim_type.set, 0, isl.dim_type.param, 0, parameters)
    )
    values = small_point(points)
    source = values[parameters : parameters + sources]
    target = values[parameters + sources :]
    return Example(
        f"{relation.get_tuple_name(isl.dim_type.in_)}{source}",
        f"{relation.get_tuple_name(isl.dim_type.out)}{target}",
        ", ".join(f"{name} = {value}" for name, value in zip(names, values, strict=False)),
    )


def instance_in(points: isl.Set) -> str:
    """A point of a set as text, with the parameters: `S0[1, 0] (n = 3)`."""
    example = example_of(points.identity())
    return f"{example.source}{example.where}"


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
    values = coordinate(points, position)
    nearest = values.lower_bound_val(isl.dim_type.set, 0, isl.Val(1)).lexmin()
    if nearest.is_empty():
        nearest = values.upper_bound_val(isl.dim_type.set, 0, isl.Val(-1)).lexmax()
    return nearest.sample_point().get_coordinate_val(isl.dim_type.set, 0)
