"""Arrays that hold variables: over the bounding box of the domain, with the least index first."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from polyir.equations.functions import Point, at_parameters
from polyir.sets import boxes
from polyir.sets.boxes import constant_box


def first_point(domain: isl.Set, parameters: Sequence[int]) -> Point:
    """The indices of element 0 of the array of a variable: the least one along each dimension."""
    instance = at_parameters(domain, parameters)
    if instance.is_empty():
        return (0,) * domain.dim(isl.dim_type.set)
    return tuple(least for least, _ in constant_box(instance))


def shape_of(domain: isl.Set, parameters: Sequence[int]) -> tuple[int, ...]:
    """The shape of the array of a variable: what its indices span along each dimension."""
    return boxes.shape_of(at_parameters(domain, parameters))
