"""Convex sets around sets."""

from __future__ import annotations

import islpy as isl


def convex_with_strides(values: isl.Set) -> isl.Set:
    """A convex set around `values`, but for their strides; the values if it has no bounds."""
    hull = isl.Set.from_basic_set(values.simple_hull().remove_divs())
    if not hull.is_bounded():
        return values.coalesce()
    for position in range(values.dim(isl.dim_type.set)):
        info = values.get_stride_info(position)
        stride, offset = info.get_stride(), info.get_offset()
        if stride.gt(isl.Val(1)):
            space = isl.LocalSpace.from_space(offset.get_domain_space())
            value = isl.Aff.var_on_domain(space, isl.dim_type.set, position)
            distance = isl.PwAff.from_aff(value.sub(offset).mod_val(stride))
            hull = hull.intersect(distance.zero_set())
    return hull
