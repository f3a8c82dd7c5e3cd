"""Bands as lists of loops that can be edited, and where transformations of bands start."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import islpy as isl

from polyir.base.diagnostics import LegalityError
from polyir.dialects.dependence import Dependences
from polyir.dialects.loop_attributes import LoopAttributes
from polyir.isl_trees import band_schedule, with_member_objects
from polyir.model.bands import active_at, merge_below
from polyir.model.tree import attributes_of_members
from polyir.transform.address import Directory, LoopAddress, LoopPosition, node_at
from polyir.transform.walk import (
    coincident_flags,
    describe_band,
    has_permutable_band,
    with_permutable_bands,
)

Degrees = int | Literal["all"]
"""How many loops of a band are to run in parallel: a number, or all that can."""


def degrees_of_band(members: int, wanted: Degrees) -> int:
    """As many degrees as are wanted, or as a band of so many members has: one less."""
    return members - 1 if wanted == "all" else min(wanted, members - 1)


@dataclass(frozen=True)
class LoopMember:
    """A member of a band: its values, what is known of it, and how its loop is generated."""

    function: isl.UnionPwAff
    is_coincident: bool = False
    kind: isl.ast_loop_type = isl.ast_loop_type.default
    attributes: LoopAttributes = ()

    def with_function(self, function: isl.UnionPwAff) -> LoopMember:
        """The same loop over other values."""
        return replace(self, function=function)


def loop_members(band: isl.ScheduleNode) -> tuple[LoopMember, ...]:
    """The members of a band node, outermost first."""
    return tuple(
        map(
            LoopMember,
            functions_of(band),
            coincident_flags(band),
            loop_kinds(band),
            attributes_of_members(band),
        )
    )


def functions_of(band: isl.ScheduleNode) -> tuple[isl.UnionPwAff, ...]:
    """The values of the members of a band node, outermost first."""
    members = band.band_get_partial_schedule()
    return tuple(members.get_at(position) for position in range(band.band_n_member()))


def loop_kinds(band: isl.ScheduleNode) -> tuple[isl.ast_loop_type, ...]:
    """The AST loop kind of each member of a band node."""
    return tuple(
        isl.ast_loop_type(band.band_member_get_ast_loop_type(member))
        for member in range(band.band_n_member())
    )


def insert_band(
    node: isl.ScheduleNode, members: Sequence[LoopMember], permutable: bool = False
) -> isl.ScheduleNode:
    """The band of at least one member right above `node`, which is returned."""
    schedule = band_schedule(
        [member.function for member in members], [member.attributes or None for member in members]
    )
    band = node.insert_partial_schedule(schedule).band_set_permutable(int(permutable))
    for position, member in enumerate(members):
        band = band.band_member_set_coincident(position, int(member.is_coincident))
        band = band.band_member_set_ast_loop_type(position, member.kind)
    return band


def with_attributes(band: isl.ScheduleNode, loops: Sequence[LoopAttributes]) -> isl.ScheduleNode:
    """`band` with these attributes of its members; all else stays."""
    if tuple(loops) == attributes_of_members(band):
        return band
    return with_member_objects(band, [attributes or None for attributes in loops])


def with_attributes_at(
    schedule: isl.Schedule, place: LoopPosition, attributes: LoopAttributes
) -> isl.Schedule:
    """The tree with these attributes of one loop."""
    band = node_at(schedule, place.path)
    loops = list(attributes_of_members(band))
    loops[place.member] = attributes
    return with_attributes(band, loops).get_schedule()


def replace_band(
    band: isl.ScheduleNode, members: Sequence[LoopMember], permutable: bool = False
) -> isl.ScheduleNode:
    """A band of `members` in the place of `band`.

    AST options other than the loop kinds must not be there (`require_free`).
    """
    return insert_band(band.delete(), members, permutable)


def split_at(band: isl.ScheduleNode, member: int) -> isl.ScheduleNode:
    """The band of the members from `member` on, after those before it were split off."""
    return band if member == 0 else band.band_split(member).child(0)


def single_out(band: isl.ScheduleNode, member: int) -> isl.ScheduleNode:
    """The band of the one given member, after `band` was split around it."""
    band = split_at(band, member)
    return band.band_split(1) if band.band_n_member() > 1 else band


def require_free(band: isl.ScheduleNode, what: str) -> None:
    """Raise `LegalityError` if AST options at or below `band` name the loops around them.

    They say what they do of those loops by position, and would say something else afterwards.
    """
    if band.is_subtree_anchored():
        raise LegalityError(f"{what} is not possible: {anchored(band)}")


def anchored(band: isl.ScheduleNode) -> str:
    """Why a band cannot be changed at or below which nodes name loops by position, in words."""
    return f"{describe_band(band)} contains AST options, which refer to enclosing loops by position"


def too_few_degrees(name: str, degrees: int, wanted: int) -> str:
    """That a band allows fewer degrees of parallelism than were asked for, in words."""
    return f"{name} allows {degrees} degree{'s' * (degrees != 1)} of parallelism, not {wanted}"


def start_at(
    schedule: isl.Schedule, dependences: Dependences, loop: LoopAddress | None, what: str
) -> isl.ScheduleNode:
    """The node from which on bands are to be transformed by `what`.

    Without an address that is the root; with one, the band of that loop, without the loops of
    the band that are around it. In a tree that nobody has scheduled yet, bands are merged first:
    all, or those from the loop on.

    Raises `OptionError` for an address of no loop, and `LegalityError` where AST options keep the
    band from being split.
    """
    if loop is None:
        return with_permutable_bands(schedule, dependences).get_root()
    node = band_from(schedule, loop, what)
    if not has_permutable_band(schedule):
        node = merge_below(node, active_at(node, dependences))
    return node


def band_from(schedule: isl.Schedule, loop: LoopAddress, what: str) -> isl.ScheduleNode:
    """The band of a loop, split so that the loop is its first member; see `start_at`."""
    found = Directory(schedule).loop(loop)
    if found.member > 0:
        require_free(found.band, what)
    return split_at(found.band, found.member)


def listed(items: Iterable[object]) -> str:
    """Items for a message: `S0.0, S0.1`."""
    return ", ".join(map(str, items))
