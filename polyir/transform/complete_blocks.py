"""Which blocks of iterations are complete, so that all of their loops run to the end."""

from __future__ import annotations

from itertools import product

import islpy as isl

from polyir.model.tree_loops import leaves, schedules_below
from polyir.sets.lists import basic_sets_of
from polyir.sets.values import isl_value
from polyir.transform.walk import BAND
from polyir.tree import ScheduleNode


def complete_blocks(
    tiles: ScheduleNode, domain: isl.Set, sizes: tuple[int, ...], only_cut: bool
) -> isl.UnionSet | None:
    """The AST option that isolates the iterations in which all of a block runs.

    `{ isolate[[outer loops, tiles] -> [loops in no block]] }`, where `tiles` is the band of the
    loops over blocks of `sizes`, in the reverse order of the loops in a block. `None` for a domain
    with holes, and with `only_cut` unless the loops in no block decide whether all of it runs. In a
    convex domain, a block is complete if its corners are there.
    """
    first, blocks = tiles.schedule_depth, len(sizes)
    schedule = schedule_of_statement(tiles, domain, first)
    if not _is_convex(schedule.domain()):
        return None
    count = schedule.range_tuple_dim()
    full: isl.Set | None = None
    for corner in product(*((0, size - 1) for size in sizes)):
        at = schedule.range()
        for place, offset in enumerate(corner):
            at = _at_distance(at, first + place, count - 1 - place, offset)
        at = at.project_out(isl.dim_type.set, count - blocks, blocks)
        full = at if full is None else full.intersect(at)
    assert full is not None
    inner = count - first - 2 * blocks
    if only_cut and not _depends_on_last(full, inner, schedule.range(), blocks):
        return None
    option = isl.Map.from_domain(full.coalesce())
    option = option.move_dims(isl.dim_type.out, 0, isl.dim_type.in_, first + blocks, inner)
    return isl.UnionSet.from_set(option.wrap().set_tuple_name("isolate"))


def schedule_of_statement(band: ScheduleNode, domain: isl.Set, outer: int) -> isl.Map:
    """`{ S[i] -> [all members] }`, for the one statement below `band`.

    Its instances are those of `domain`, the statement's, if nodes around leave out only whole
    iterations of the `outer` first loops, as for a class of tiles; then nothing that is asked
    about one such iteration depends on the others. If they leave out more, it is those at `band`.
    """
    (found,) = schedules_below(band)
    schedule = _members_around(next(leaves(band)), domain)
    inner = schedule.dim(isl.dim_type.out) - outer
    kept = found.range().project_out(isl.dim_type.set, outer, inner)
    same = schedule.project_out(isl.dim_type.out, outer, inner).intersect_range(kept)
    return schedule if same.domain().is_subset(found.domain()) else found


def _members_around(leaf: ScheduleNode, domain: isl.Set) -> isl.Map:
    """`{ S[i] -> [all members] }`, whatever the filters around `leaf` say."""
    instances = isl.UnionSet.from_set(domain)
    schedule = isl.UnionMap.from_domain(instances)
    bands = (leaf.ancestor(generation) for generation in range(leaf.tree_depth, 0, -1))
    for band in bands:
        if band.kind is BAND:
            schedule = schedule.flat_range_product(band.band.partial_schedule_map)
    return isl.Map.from_union_map(schedule)


def _depends_on_last(full: isl.Set, last: int, dates: isl.Set, blocks: int) -> bool:
    """Whether the `last` dimensions decide which of some dates are in `full`.

    The dimensions of a block, `blocks`, come after them in `dates`. Where no block is complete,
    they decide if they do for any iteration of one.
    """
    kind, first = isl.dim_type.set, full.dim(isl.dim_type.set) - last
    if full.is_empty():
        any_last = dates.project_out(kind, first, last).insert_dims(kind, first, last)
        any_point = dates.project_out(kind, first + last, blocks).add_dims(kind, blocks)
        return not any_last.intersect(any_point).is_subset(dates)
    whole = full.project_out(kind, first, last).add_dims(kind, last)
    return not whole.intersect(dates.project_out(kind, first + last, blocks)).is_subset(full)


def _is_convex(instances: isl.Set) -> bool:
    """Whether a set contains all integer points between any two of its points."""
    return len(basic_sets_of(instances.coalesce())) == 1 and not instances.involves_locals()


def _at_distance(dates: isl.Set, tile: int, point: int, distance: int) -> isl.Set:
    """The dates at which one member is `distance` after another one."""
    equal = isl.Constraint.equality_alloc(isl.LocalSpace.from_space(dates.get_space()))
    equal = equal.set_coefficient_val(isl.dim_type.set, point, 1)
    equal = equal.set_coefficient_val(isl.dim_type.set, tile, -1)
    return dates.add_constraint(equal.set_constant_val(isl_value(-distance)))
