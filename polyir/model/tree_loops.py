"""The loops of a schedule tree: the leaves that they end in, the schedules there, the steps."""

from __future__ import annotations

from collections.abc import Iterator

import islpy as isl

from polyir.isl_lists import maps_of
from polyir.isl_trees import node_type


def leaves(node: isl.ScheduleNode) -> Iterator[isl.ScheduleNode]:
    """The leaves from `node` down, in order."""
    if node_type(node) is isl.schedule_node_type.leaf:
        yield node
    for position in range(node.n_children()):
        yield from leaves(node.get_child(position))


def schedules_below(node: isl.ScheduleNode) -> Iterator[isl.Map]:
    """For each leaf below `node`, each statement there: `{ S[i] -> [all members around] }`."""
    for leaf in leaves(node):
        members = leaf.get_prefix_schedule_union_map().intersect_domain(leaf.get_domain())
        yield from maps_of(members)


def member_steps(band: isl.ScheduleNode) -> tuple[int, ...]:
    """The step of each member: the largest s such that its values differ by multiples of s.

    It is read from the values that the member takes on all instances; 1 where there is no
    larger one, or one value only.
    """
    schedule = band.band_get_partial_schedule().intersect_domain(band.get_domain())
    values = isl.UnionMap.from_multi_union_pw_aff(schedule).range()
    if values.is_empty():
        return (1,) * band.band_n_member()
    all_values = isl.Set.from_union_set(values)
    return tuple(_step(all_values, member) for member in range(band.band_n_member()))


def _step(values: isl.Set, member: int) -> int:
    """The step of one dimension, whatever the others are.

    Where two dimensions depend on each other, isl gives each the step for a value of the other.
    """
    if max(1, values.get_stride(member).to_python()) == 1:
        return 1
    dimension = isl.dim_type.set
    count = values.dim(dimension)
    alone = values.project_out(dimension, member + 1, count - member - 1)
    alone = alone.project_out(dimension, 0, member)
    return max(1, alone.get_stride(0).to_python())


def loop_steps(band: isl.ScheduleNode) -> tuple[int, ...]:
    """The step of each member's loop: as `member_steps` where all loops around it have one value.

    [i], [j] for i + j even    =>    1, 2
    """
    outer = band.get_prefix_schedule_union_map().intersect_domain(band.get_domain())
    dates = outer.flat_range_product(band.band_get_partial_schedule_union_map()).range()
    if dates.is_empty():
        return (1,) * band.band_n_member()
    values = isl.Set.from_union_set(dates)
    steps: list[int] = []
    for depth in range(band.get_schedule_depth(), values.dim(isl.dim_type.set)):
        inner = values.dim(isl.dim_type.set) - depth - 1
        here = values.project_out(isl.dim_type.set, depth + 1, inner)
        steps.append(max(1, here.get_stride(depth).to_python()))
    return tuple(steps)
