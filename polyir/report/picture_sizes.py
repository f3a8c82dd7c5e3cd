"""Sizes of the pictures in a report: few points, and where possible more than one tile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, prod
from typing import Final

import islpy as isl

from polyir.model.scop import Scop
from polyir.sets.boxes import ends_of, least_of
from polyir.sets.lists import parameters_of
from polyir.sets.maps import at_sizes
from polyir.sets.values import isl_value
from polyir.view.picture import MOST_DIMENSIONS

MOST_POINTS: Final = 1500
"""About how many points a picture has at most: those of boxes around the statements count."""

_MOST_TILED: Final = 3200
"""How many points there may be if that shows more than one tile."""

_SIZES: Final = (4, 6, 8, 10, 12, 16)
"""What parameters may be, the first one if there is room for no more."""

_LARGER: Final = (24, 32, 48, 64, 128)
"""What all parameters are if smaller ones leave no points or the context excludes them."""


@dataclass(frozen=True)
class Drawn:
    """What is drawn of a scop: instances of some statements, for one value of each parameter.

    Where not even the least sizes make domains small enough, only their first `width` values in
    each dimension are drawn.
    """

    parameters: Mapping[str, int]
    instances: tuple[isl.Set, ...]
    left_out: tuple[str, ...]
    width: int = 0


def drawn_of(scop: Scop, stride: int) -> Drawn:
    """What is drawn of a scop whose tiles have sizes up to `stride`: perhaps nothing."""
    domains = {each.name: each.domain for each in scop.statements}
    shown = {
        name: domain
        for name, domain in domains.items()
        if domain.dim(isl.dim_type.set) <= MOST_DIMENSIONS
    }
    left_out = tuple(name for name in domains if name not in shown)
    parameters = _sizes(scop, tuple(shown.values()), stride)
    if parameters is None:
        return Drawn({}, (), left_out)
    fixed = [at_sizes(domain, parameters) for domain in shown.values()]
    width = _width(fixed, stride)
    if width:
        fixed = [_cut(points, width) for points in fixed]
    return Drawn(parameters, tuple(fixed), left_out, width)


def _sizes(scop: Scop, domains: Sequence[isl.Set], stride: int) -> dict[str, int] | None:
    """A value for each parameter; `None` if there are none with points."""
    chosen = _smallest(scop, domains)
    if chosen is None:
        return None
    free = [name for name in chosen if _fixed_value(scop, name) is None]
    wide = stride + stride // 4
    if stride > 1:
        for name in free:
            _grow(scop, domains, chosen, name, wide, _MOST_TILED)
    for size in _SIZES:
        for name in free:
            if size > chosen[name]:
                _grow(scop, domains, chosen, name, size, MOST_POINTS)
    return chosen


def _smallest(scop: Scop, domains: Sequence[isl.Set]) -> dict[str, int] | None:
    """The least sizes with which there is something to draw."""
    names = parameters_of(scop.context.get_space())
    known = {name: _fixed_value(scop, name) for name in names}
    for size in (*_SIZES, *_LARGER):
        chosen = {name: size if value is None else value for name, value in known.items()}
        if _is_possible(scop, chosen) and _points(domains, chosen):
            return chosen
    return None


def _grow(
    scop: Scop,
    domains: Sequence[isl.Set],
    chosen: dict[str, int],
    name: str,
    size: int,
    most: int,
) -> None:
    """Make a parameter larger if there are still at most so many points."""
    larger = chosen | {name: size}
    if _is_possible(scop, larger) and _points(domains, larger) <= most:
        chosen[name] = size


def _fixed_value(scop: Scop, name: str) -> int | None:
    position = scop.context.find_dim_by_name(isl.dim_type.param, name)
    value = scop.context.plain_get_val_if_fixed(isl.dim_type.param, position)
    return int(value.to_python()) if value.is_int() else None


def _is_possible(scop: Scop, values: Mapping[str, int]) -> bool:
    return not at_sizes(scop.context, values).is_empty()


def _points(domains: Sequence[isl.Set], values: Mapping[str, int]) -> float:
    """How many points the boxes around the domains have together."""
    return sum(prod(_extents(at_sizes(domain, values))) for domain in domains)


def _extents(points: isl.Set) -> list[float]:
    """How many values there are in each dimension; 0 where there are no points."""
    if points.is_empty():
        return [0]
    found: list[float] = []
    for position in range(points.dim(isl.dim_type.set)):
        low, high = ends_of(points, position)
        found.append(inf if low is None or high is None else high - low + 1)
    return found


def _width(domains: Sequence[isl.Set], stride: int) -> int:
    """How wide the boxes may be that are drawn of domains; 0 if these are small enough."""
    extents = [_extents(points) for points in domains]
    if sum(map(prod, extents)) <= _MOST_TILED:
        return 0
    widths = [(stride + stride // 4, _MOST_TILED)] if stride > 1 else []
    for width, most in (*widths, *((size, MOST_POINTS) for size in reversed(_SIZES))):
        if sum(prod(min(width, each) for each in one) for one in extents) <= most:
            return width
    return 2


def _cut(points: isl.Set, width: int) -> isl.Set:
    """The first values in each dimension."""
    if points.is_empty():
        return points
    for position in range(points.dim(isl.dim_type.set)):
        least = least_of(points, position)
        if least is not None:
            last = isl_value(least + width - 1)
            points = points.upper_bound_val(isl.dim_type.set, position, last)
    return points
