"""The loops of a band as a list that can be edited, and what every edited tree goes through."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import islpy as isl

from polyir.diagnostics import LegalityError
from polyir.dialects.dependence import Dependences
from polyir.model.bands import annotate_bands
from polyir.model.legality import require_legal
from polyir.model.outcome import Outcome
from polyir.transform.false_marks import without_false_marks
from polyir.transform.members import functions_of, loop_kinds, schedule_of, set_loop_kinds
from polyir.transform.walk import (
    describe_band,
)


@dataclass(frozen=True)
class LoopMember:
    """A member of a band: its function of the instances, and how its loop is generated."""

    function: isl.UnionPwAff
    kind: isl.ast_loop_type = isl.ast_loop_type.default

    def with_function(self, function: isl.UnionPwAff) -> LoopMember:
        """A loop over other values, generated in the same way."""
        return replace(self, function=function)


def loop_members(band: isl.ScheduleNode) -> tuple[LoopMember, ...]:
    """The members of a band, outermost first."""
    return tuple(map(LoopMember, functions_of(band), loop_kinds(band)))


def replace_members(band: isl.ScheduleNode, members: Sequence[LoopMember]) -> isl.ScheduleNode:
    """A band with `members` in the place of `band`; its flags promise nothing.

    AST options other than the loop kinds must not be there (`require_free`).
    """
    schedule = schedule_of([member.function for member in members])
    band = band.delete().insert_partial_schedule(schedule)
    return set_loop_kinds(band, [member.kind for member in members])


def single_out(band: isl.ScheduleNode, member: int) -> isl.ScheduleNode:
    """The band of the one given member, after `band` was split around it."""
    if member > 0:
        band = band.band_split(member).child(0)
    return band.band_split(1) if band.band_n_member() > 1 else band


def require_free(band: isl.ScheduleNode, what: str) -> None:
    """Raise `LegalityError` if AST options at or below `band` name the loops around them.

    They say what they do of those loops by position, and would say something else afterwards.
    """
    if band.is_subtree_anchored():
        raise LegalityError(
            f"{what} cannot be done: AST options at or below {describe_band(band)} name loops "
            "around it"
        )


def settled(
    original: isl.Schedule, changed: isl.Schedule, dependences: Dependences, what: str, done: str
) -> Outcome:
    """What a transformation hands back: the tree checked, all its flags exact.

    Raises `LegalityError` if `changed` violates a dependence; `what` names the change.
    """
    require_legal(dependences, changed, what)
    return without_false_marks(Outcome(annotate_bands(changed, dependences), (done,)), dependences)


def listed(items: Iterable[object]) -> str:
    """Items for a message: `S0.0, S0.1`."""
    return ", ".join(map(str, items))
