"""Arrays that hold variables: over the bounding box of the domain, with the least index first."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from polyir.equations.functions import Point, at_parameters


def first_point(domain: isl.Set, parameters: Sequence[int]) -> Point:
    """The indices of element 0 of the array of a variable: the least one along each dimension."""
    instance = at_parameters(domain, parameters)
    if instance.is_empty():
        return (0,) * domain.dim(isl.dim_type.set)
    return tuple(int(instance.dim_min_val(place).to_python()) for place in _dimensions(instance))


def shape_of(domain: isl.Set, parameters: Sequence[int]) -> tuple[int, ...]:
    """The shape of the array of a variable: what its indices span along each dimension."""
    instance = at_parameters(domain, parameters)
    if instance.is_empty():
        return (0,) * domain.dim(isl.dim_type.set)
    return tuple(
        int(instance.dim_max_val(place).sub(instance.dim_min_val(place)).to_python()) + 1
        for place in _dimensions(instance)
    )


def _dimensions(domain: isl.Set) -> range:
    return range(domain.dim(isl.dim_type.set))
