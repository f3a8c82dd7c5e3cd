"""The steps of loops, as a schedule tree gives them."""

from __future__ import annotations

import islpy as isl


def member_steps(band: isl.ScheduleNode) -> tuple[int, ...]:
    """The step of each member: the largest s such that its values differ by multiples of s.

    It is read from the values that the member takes on all instances; 1 where there is no
    larger one, or one value only.
    """
    schedule = band.band_get_partial_schedule().intersect_domain(band.get_domain())
    values = isl.UnionMap.from_multi_union_pw_aff(schedule).range()
    if values.is_empty():
        return (1,) * band.band_n_member()
    steps = isl.Set.from_union_set(values)
    return tuple(
        max(1, steps.get_stride(member).to_python()) for member in range(band.band_n_member())
    )


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
