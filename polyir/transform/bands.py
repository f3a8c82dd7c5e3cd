"""Bands as lists of loops that can be edited, and where transformations of bands start."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from polyir.base.diagnostics import LegalityError
from polyir.dialects.dependence import Dependences
from polyir.dialects.loop_attributes import LoopAttributes
from polyir.proofs.bands import active_at, merge_below
from polyir.transform.walk import has_permutable_band, with_permutable_bands
from polyir.tree import BandMember, Schedule, ScheduleNode
from polyir.tree.addresses import Directory, LoopAddress, LoopPosition, node_at
from polyir.tree.names import describe_band

Degrees = int | Literal["all"]
"""How many loops of a band are to run in parallel: a number, or all that can."""


def degrees_of_band(members: int, wanted: Degrees) -> int:
    """As many degrees as are wanted, or as a band of so many members has: one less."""
    return members - 1 if wanted == "all" else min(wanted, members - 1)


def with_attributes_at(
    schedule: Schedule, place: LoopPosition, attributes: LoopAttributes
) -> Schedule:
    """The tree with these attributes of one loop."""
    band = node_at(schedule, place.path)
    loops = list(band.loop_attributes)
    loops[place.member] = attributes
    return band.with_loop_attributes(loops).schedule


def replace_band(
    band: ScheduleNode, members: Sequence[BandMember], permutable: bool = False
) -> ScheduleNode:
    """A band of `members` in the place of `band`.

    AST options other than the loop kinds must not be there (`require_free`).
    """
    return band.delete().insert_band(members, permutable)


def split_at(band: ScheduleNode, member: int) -> ScheduleNode:
    """The band of the members from `member` on, after those before it were split off."""
    return band if member == 0 else band.split(member).child(0)


def single_out(band: ScheduleNode, member: int) -> ScheduleNode:
    """The band of the one given member, after `band` was split around it."""
    band = split_at(band, member)
    return band.split(1) if len(band.members) > 1 else band


def require_free(band: ScheduleNode, what: str) -> None:
    """Raise `LegalityError` if AST options at or below `band` name the loops around them.

    They say what they do of those loops by position, and would say something else afterwards.
    """
    if band.is_subtree_anchored:
        raise LegalityError(f"{what} is not possible: {anchored(band)}", name="anchored-loops")


def anchored(band: ScheduleNode) -> str:
    """Why a band cannot be changed at or below which nodes name loops by position, in words."""
    return f"{describe_band(band)} contains AST options, which refer to enclosing loops by position"


def too_few_degrees(name: str, degrees: int, wanted: int) -> str:
    """That a band allows fewer degrees of parallelism than were asked for, in words."""
    return f"{name} allows {degrees} degree{'s' * (degrees != 1)} of parallelism, not {wanted}"


def start_at(
    schedule: Schedule, dependences: Dependences, loop: LoopAddress | None, what: str
) -> ScheduleNode:
    """The node from which on bands are to be transformed by `what`.

    Without an address that is the root; with one, the band of that loop, without the loops of
    the band that are around it. In a tree that nobody has scheduled yet, bands are merged first:
    all, or those from the loop on.

    Raises `OptionError` for an address of no loop, and `LegalityError` where AST options keep the
    band from being split.
    """
    if loop is None:
        return with_permutable_bands(schedule, dependences).root
    node = band_from(schedule, loop, what)
    if not has_permutable_band(schedule):
        node = merge_below(node, active_at(node, dependences))
    return node


def band_from(schedule: Schedule, loop: LoopAddress, what: str) -> ScheduleNode:
    """The band of a loop, split so that the loop is its first member; see `start_at`."""
    found = Directory(schedule).loop(loop)
    if found.member > 0:
        require_free(found.band, what)
    return split_at(found.band, found.member)


def listed(items: Iterable[object]) -> str:
    """Items for a message: `S0.0, S0.1`."""
    return ", ".join(map(str, items))
