"""Which tiles of a block run first, so that messages are on their way while the others run.

The parallel tiles of a step are independent, so they may run in any order. Those that write what
other ranks read are, in many programs, a few tiles at the edges of a block.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce

import islpy as isl

from polyir.base import budgets
from polyir.base.limits import within_operations
from polyir.distributed.elements import OWN, PEER, Division, Elements, apart
from polyir.distributed.phases import Phase
from polyir.sets.lists import basic_sets_of, sets_of
from polyir.sets.values import isl_value


@dataclass(frozen=True)
class Edge:
    """Tiles of a block that are first, or last, in a divided loop."""

    dimension: int
    is_last: bool
    tiles: int


def edges_of(elements: Elements, phase: Phase) -> tuple[Edge, ...] | None:
    """Edges that have all tiles that write in a step what other ranks read.

    `None` if such tiles are not in edges of a constant number of tiles.
    """
    return within_operations(budgets.DISTRIBUTED_SET, lambda: _edges(elements, phase))


def _edges(elements: Elements, phase: Phase) -> tuple[Edge, ...] | None:
    division = elements.divisions[phase.name]
    tiles: dict[tuple[int, bool], int] = {}
    for writers in _places(elements, phase, division):
        bounds = [
            (bound, dimension, is_last)
            for dimension in range(len(division.ranges))
            for is_last in (False, True)
            if (bound := _most(writers, _distance(writers, division, dimension, is_last)))
            is not None
        ]
        if not bounds:
            return None
        bound, dimension, is_last = min(bounds)
        key = dimension, is_last
        tiles[key] = max(tiles.get(key, 0), bound)
    return tuple(Edge(*key, count) for key, count in sorted(tiles.items()) if count > 0)


def _places(elements: Elements, phase: Phase, division: Division) -> Iterator[isl.BasicSet]:
    """`{ [p] }`: where instances are that write in a step what another rank reads."""
    for maps in elements.sent_by(phase, OWN, PEER).values():
        instances = reduce(
            isl.UnionSet.union, (isl.UnionSet.from_set(each.domain()) for each in maps)
        )
        for places in sets_of(instances.apply(phase.place)):
            for each in basic_sets_of(places.intersect_params(apart(division, OWN, PEER))):
                if not each.is_empty():
                    yield each


def _distance(places: isl.BasicSet, division: Division, dimension: int, is_last: bool) -> isl.Aff:
    """How far a place is from the begin of a block, or from its end, which is outside."""
    space = places.get_space()
    each = division.ranges[dimension]
    name = (division.end if is_last else division.begin)(dimension, OWN)
    position = places.get_space().find_dim_by_name(isl.dim_type.param, name)
    bound = isl.Aff.var_on_domain(space, isl.dim_type.param, position)
    bound = bound.scale_val(isl_value(each.stride)).add_constant_val(isl_value(each.offset))
    place = isl.Aff.var_on_domain(space, isl.dim_type.set, dimension)
    distance = bound.sub(place) if is_last else place.sub(bound).add_constant_val(isl.Val(1))
    return distance.scale_down_val(isl_value(each.stride)).ceil()


def _most(places: isl.BasicSet, distance: isl.Aff) -> int | None:
    most = isl.Set.from_basic_set(places).max_val(distance)
    return int(most.to_python()) if most.is_int() else None
