"""isl's collections as Python tuples, in isl's own (deterministic) order."""

from __future__ import annotations

import islpy as isl


def sets_of(union: isl.UnionSet) -> tuple[isl.Set, ...]:
    """The sets of a union set, one a space."""
    items = union.get_set_list()
    return tuple(items.get_at(position) for position in range(items.n_set()))


def maps_of(union: isl.UnionMap) -> tuple[isl.Map, ...]:
    """The maps of a union map, one a space."""
    items = union.get_map_list()
    return tuple(items.get_at(position) for position in range(items.n_map()))


def basic_sets_of(union: isl.Set) -> tuple[isl.BasicSet, ...]:
    """The basic sets of a set; they may overlap (`make_disjoint` first if that matters)."""
    return tuple(union.get_basic_sets())


def basic_maps_of(union: isl.Map) -> tuple[isl.BasicMap, ...]:
    """The basic maps of a map; they may overlap (`make_disjoint` first if that matters)."""
    return tuple(union.get_basic_maps())


def parameters_of(space: isl.Space) -> tuple[str, ...]:
    """The names of the parameters of a space, in order."""
    count = space.dim(isl.dim_type.param)
    names = (space.get_dim_name(isl.dim_type.param, position) for position in range(count))
    return tuple(name for name in names if name is not None)
