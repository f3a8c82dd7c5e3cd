"""Maps for which isl has no single call."""

from __future__ import annotations

import islpy as isl


def moved_along(space: isl.Space, position: int, step: int) -> isl.Map:
    """`{ S[..., x, ...] -> S[..., x + step, ...] }`: a step along one dimension of a set space."""
    values = isl.MultiAff.identity(space.map_from_set())
    moved = values.get_at(position).add_constant_val(isl.Val(step))
    return isl.Map.from_multi_aff(values.set_at(position, moved))
