"""Loop interchange."""

from __future__ import annotations

from dataclasses import dataclass

from polyir.base.diagnostics import OptionError
from polyir.dialects.dependence import Dependences
from polyir.model.outcome import Outcome
from polyir.transform.bands import listed, replace_band, require_free
from polyir.transform.loop_attributes import settled
from polyir.transform.walk import BAND, MARK
from polyir.tree import Schedule, ScheduleNode
from polyir.tree.addresses import Directory, Loop, LoopAddress
from polyir.tree.names import name_list, statements_of


@dataclass(frozen=True)
class InterchangeOptions:
    """The two loops that change places; raises `OptionError` if there are not two."""

    loops: tuple[LoopAddress, ...]

    def __post_init__(self) -> None:
        if len(dict.fromkeys(self.loops)) != 2 or len(self.loops) != 2:
            raise OptionError(
                f"interchange needs two loops, as in loops=S0.0,S0.1: loops={listed(self.loops)}"
            )


def interchange(
    schedule: Schedule, dependences: Dependences, options: InterchangeOptions
) -> Outcome:
    """Let two loops of a perfect nest change places; the loops between them stay.

        band [i]                      band [k]
          band [j]          =>          band [j]
            band [k]                      band [i]

    The loops may be members of one band or of different ones, with nothing but bands and marks
    between them. All flags of the result are exact.

    Raises `OptionError` for addresses of no loop and for loops that are no such nest,
    `LegalityError` if a dependence is violated.
    """
    outer, inner = nested_loops(Directory(schedule), *options.loops)
    require_free(outer.band, "interchange")
    _require_perfect(outer, inner)
    changed = _exchange(outer, inner).schedule
    what = f"interchanging {listed(options.loops)}"
    done = f"interchanged {listed(options.loops)}"
    return settled(schedule, changed, dependences, what, [done])


def nested_loops(
    directory: Directory, first: LoopAddress, second: LoopAddress
) -> tuple[Loop, Loop]:
    """Two loops, the outer one first; raises `OptionError` if none is around the other."""
    loops = directory.loop(first), directory.loop(second)
    if loops[0].place.is_around(loops[1].place):
        return loops
    if loops[1].place.is_around(loops[0].place):
        return loops[1], loops[0]
    if loops[0].place == loops[1].place:
        raise OptionError(f"{first} and {second} are the same loop")
    raise OptionError(f"{first} and {second} are not nested")


def _require_perfect(outer: Loop, inner: Loop) -> None:
    """Raise `OptionError` if there is more than bands and marks between the two loops."""
    node = inner.band
    while len(outer.place.path) < node.tree_depth:
        node = node.parent()
        if node.kind not in (BAND, MARK):
            inside, around = name_list(statements_of(inner.band)), name_list(statements_of(node))
            raise OptionError(
                f"{outer} and {inner} are not perfectly nested: {outer} contains {around}, but "
                f"{inner} contains only {inside} (see distribute)",
                name="not-perfectly-nested",
            )


def _exchange(outer: Loop, inner: Loop) -> ScheduleNode:
    outer_members, inner_members = list(outer.band.members), list(inner.band.members)
    moved_in, moved_out = outer_members[outer.member], inner_members[inner.member]
    if outer.place.path == inner.place.path:
        outer_members[outer.member], outer_members[inner.member] = moved_out, moved_in
        return replace_band(outer.band, outer_members)
    inner_members[inner.member], outer_members[outer.member] = moved_in, moved_out
    node = replace_band(inner.band, inner_members)
    node = node.ancestor(len(inner.place.path) - len(outer.place.path))
    return replace_band(node, outer_members)
