"""The blocks of a GPU kernel along each axis: how many there are, and which tiles they run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import islpy as isl

from polyir.sets.hulls import convex_with_strides
from polyir.sets.lists import parameters_of
from polyir.sets.values import isl_value
from polyir.tree import ScheduleNode


@dataclass(frozen=True)
class Blocks:
    """The blocks along an axis, by parameters of a scop: block b runs tile `first` + b first.

    It then runs every `limit`-th tile after that, if there is a limit. `tiles` says what is known
    of the numbers of the tiles that blocks run first.
    """

    count: isl.PwAff
    first: isl.PwAff
    limit: int | None
    tiles: isl.Set

    def run_by(self, numbers: isl.UnionPwAff, tile: str) -> isl.UnionSet:
        """What the block with the first tile `tile` runs, where `numbers` are those of tiles."""
        if self.limit is None:
            return where_equal(numbers, tile)
        own = f"d = {tile} + {self.limit}k and k >= 0"
        return where_among(numbers, isl.UnionSet(f"[{tile}] -> {{ [d] : exists k : {own} }}"))


def blocks_for(
    numbers: isl.UnionPwAff,
    limit: int | None,
    domain: isl.UnionSet,
    context: isl.Set,
    launch: Sequence[str],
) -> Blocks:
    """The blocks for tiles with these numbers, of which instances in `domain` are in some.

    Their number is that of the least interval around the numbers, unless it begins at a place that
    is complicated: then it begins at 0, or at a bound that is one function everywhere, and depends
    on the parameters of the `launch` if possible.
    """
    reached = isl.UnionMap.from_union_pw_aff(numbers).intersect_domain(domain).range()
    # A single tile is an equality that isl must find: a hull without strides would be wider.
    values = isl.Set.from_union_set(reached).detect_equalities()
    hull = isl.Set.from_basic_set(values.simple_hull().remove_divs())
    if hull.is_bounded():
        values = hull
    values = values.intersect_params(context)
    first, last = values.dim_min(0).coalesce().gist(context), values.dim_max(0).gist(context)
    tiles = isl.Set.universe(values.get_space())
    if first.n_piece() > 1 and values.is_subset(isl.Set("{ [t] : t >= 0 }")):
        first = constant(0, context)
        tiles = isl.Set("{ [t] : t >= 0 }")
        if last.n_piece() == 1 and context.is_subset(last.domain()):
            tiles = values.apply(isl.Map("{ [t] -> [u] : 0 <= u <= t }"))
    elif hull.is_bounded():
        tiles = hull
        if first.n_piece() > 1:
            bound = _single_bound(first, values, launch)
            if bound is not None:
                first, tiles = bound, isl.Set.universe(hull.get_space())
    count = last.sub(first).add_constant_val(isl.Val(1))
    # Launches are more than those with a tile (`launches_of`): what is undefined there is 0.
    without = context.subtract(count.domain())
    if not without.is_empty():
        count = count.union_add(isl.PwAff.val_on_domain(without, isl.Val(0)))
    if limit is not None:
        count = count.min(constant(limit, context))
    return Blocks(count, first, limit, tiles)


def _single_bound(least: isl.PwAff, values: isl.Set, launch: Sequence[str]) -> isl.PwAff | None:
    """A function of parameters that no value is below: a piece of the least one."""
    bounds: list[isl.PwAff] = []
    number = isl.PwAff("{ [t] -> [t] }")
    for _, piece in least.get_pieces():
        bound = isl.PwAff.from_aff(piece)
        moved = bound.insert_dims(isl.dim_type.in_, 0, 1)
        if values.is_subset(number.ge_set(moved)):
            bounds.append(bound)
    own = (each for each in bounds if set(launch) & _parameters_in(each))
    return next(own, bounds[0] if bounds else None)


def _parameters_in(function: isl.PwAff) -> set[str | None]:
    kind = isl.dim_type.param
    return {
        function.get_dim_name(kind, position)
        for position in range(function.dim(kind))
        if function.involves_dims(kind, position, 1)
    }


def launches_of(mark: ScheduleNode) -> isl.Set:
    """`{ [t] }`: the iterations of the loops around a mark in which its kernel is launched.

    They are convex, but for the steps of loops: some launches may run nothing. The iterations that
    run something are often many polyhedra, and each thread knows what it has to run.
    """
    around = mark.prefix_schedule.intersect_domain(mark.domain)
    return convex_with_strides(isl.Set.from_union_set(around.range()))


# ------------------------------------------------------------------------ parameters and values


def with_parameters(context: isl.Set, names: Sequence[str]) -> isl.Set:
    """The context with more parameters."""
    space = isl.Space.params_alloc(isl.DEFAULT_CONTEXT, len(names))
    for position, name in enumerate(names):
        space = space.set_dim_name(isl.dim_type.param, position, name)
    return context.align_params(context.get_space().align_params(space))


def as_parameters(values: isl.Set, names: Sequence[str]) -> isl.Set:
    """`[t] -> { : ... }` for `{ [t] : ... }`, with the dimensions as the named parameters."""
    for name in names:
        if name in parameters_of(values.get_space()):
            values = values.project_out(isl.dim_type.param, _position(values, name), 1)
        first = values.dim(isl.dim_type.param)
        values = values.move_dims(isl.dim_type.param, first, isl.dim_type.set, 0, 1)
        values = values.set_dim_name(isl.dim_type.param, first, name)
    return values.params()


def _position(values: isl.Set, name: str) -> int:
    return int(values.find_dim_by_name(isl.dim_type.param, name))


def where_equal(values: isl.UnionPwAff, parameter: str) -> isl.UnionSet:
    """Where a function has the value of a parameter."""
    return values.sub(parameter_on(values.domain(), parameter)).zero_union_set()


def where_among(values: isl.UnionPwAff, wanted: isl.UnionSet) -> isl.UnionSet:
    """Where a function has one of some values."""
    return isl.UnionMap.from_union_pw_aff(values).intersect_range(wanted).domain()


def parameter_on(domain: isl.UnionSet, parameter: str) -> isl.UnionPwAff:
    """The value of a parameter, for each element of `domain`."""
    # An identifier that Python makes would not be the same.
    space = isl.Set(f"[{parameter}] -> {{ : }}").get_space()
    return isl.UnionPwAff.param_on_domain_id(domain, space.get_dim_id(isl.dim_type.param, 0))


def between(context: isl.Set, parameter: str, count: int) -> isl.Set:
    """The context with `0 <= parameter < count`."""
    return context.intersect(isl.Set(f"[{parameter}] -> {{ : 0 <= {parameter} < {count} }}"))


def constant(value: int, context: isl.Set) -> isl.PwAff:
    """A number as a function of parameters."""
    return isl.PwAff.val_on_domain(isl.Set.universe(context.get_space()), isl_value(value))
