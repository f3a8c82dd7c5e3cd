"""The members of a band as a list: taking a band apart and making one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Literal

import islpy as isl

from polyir.transform.walk import coincident_flags, set_coincident

Degrees = int | Literal["all"]
"""How many loops of a band are to run in parallel: a number, or all that can."""


def degrees_of_band(members: int, wanted: Degrees) -> int:
    """As many degrees as are wanted, or as a band of so many members has: one less."""
    return members - 1 if wanted == "all" else min(wanted, members - 1)


def functions_of(band: isl.ScheduleNode) -> tuple[isl.UnionPwAff, ...]:
    """The members of a band node, outermost first."""
    members = band.band_get_partial_schedule()
    return tuple(members.get_at(position) for position in range(band.band_n_member()))


def schedule_of(functions: Sequence[isl.UnionPwAff]) -> isl.MultiUnionPwAff:
    """The partial schedule with the given members, of which there is at least one."""
    members = map(isl.MultiUnionPwAff.from_union_pw_aff, functions)
    return reduce(isl.MultiUnionPwAff.flat_range_product, members)


def loop_kinds(band: isl.ScheduleNode) -> tuple[isl.ast_loop_type, ...]:
    """The AST loop kind of each member of a band node."""
    return tuple(
        isl.ast_loop_type(band.band_member_get_ast_loop_type(member))
        for member in range(band.band_n_member())
    )


def set_loop_kinds(band: isl.ScheduleNode, kinds: Sequence[isl.ast_loop_type]) -> isl.ScheduleNode:
    """The band node with these AST loop kinds, one a member."""
    for member, kind in enumerate(kinds):
        band = band.band_member_set_ast_loop_type(member, kind)
    return band


def in_order(band: isl.ScheduleNode, order: Sequence[int]) -> isl.ScheduleNode:
    """`band` with its members, their flags and loop kinds in another order."""
    functions, flags, kinds = functions_of(band), coincident_flags(band), loop_kinds(band)
    permutable = band.band_get_permutable()
    band = band.delete().insert_partial_schedule(schedule_of([functions[n] for n in order]))
    band = set_coincident(band.band_set_permutable(int(permutable)), tuple(flags[n] for n in order))
    return set_loop_kinds(band, [kinds[n] for n in order])
