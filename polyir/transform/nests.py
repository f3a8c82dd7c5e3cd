"""Where a transformation of bands starts: at the root, or at the loop that the user names."""

from __future__ import annotations

import islpy as isl

from polyir.dialects.dependence import Dependences
from polyir.model.bands import active_at, merge_below
from polyir.transform.address import Address, Directory
from polyir.transform.loop_members import require_free
from polyir.transform.walk import has_permutable_band, with_permutable_bands


def start_at(
    schedule: isl.Schedule, dependences: Dependences, loop: Address | None, what: str
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


def band_from(schedule: isl.Schedule, loop: Address, what: str) -> isl.ScheduleNode:
    """The band of a loop, split so that the loop is its first member; see `start_at`."""
    found = Directory(schedule).loop(loop)
    if found.member == 0:
        return found.band
    require_free(found.band, what)
    return found.band.band_split(found.member).child(0)
