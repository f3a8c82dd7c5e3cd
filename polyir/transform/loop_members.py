"""The loops of a band as a list that can be edited, and what every edited tree goes through."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import islpy as isl

from polyir.diagnostics import LegalityError
from polyir.dialects.dependence import Dependences
from polyir.model.bands import active_at, annotate_bands, band_facts, facts_of_band
from polyir.model.legality import require_legal
from polyir.model.outcome import Outcome
from polyir.model.symbolic_tiles import SymbolicTiles, replace_tiles, tiled_loops, tiles_at
from polyir.model.tree import node_type
from polyir.transform.members import functions_of, loop_kinds, schedule_of, set_loop_kinds
from polyir.transform.parallel import PARALLEL
from polyir.transform.walk import (
    BAND,
    MARK,
    below_marks,
    describe_band,
    map_children,
    name_list,
    statements_of,
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

    A mark `PARALLEL` whose loop is no longer parallel, or no longer there, is taken out, and
    that is told. Raises `LegalityError` if `changed` violates a dependence; `what` names the
    change.
    """
    require_legal(dependences, changed, what)
    unmarked: list[str] = []

    def without_false_marks(node: isl.ScheduleNode) -> isl.ScheduleNode:
        tiles = tiles_at(node)
        if tiles is not None and not _are_parallel(node, tiles, dependences):
            names = name_list(statements_of(node))
            unmarked.append(f"a loop over tiles of {names} is no longer marked parallel")
            node = replace_tiles(node, tiles.sequential())
        while node_type(node) is MARK and not _mark_holds(node, dependences):
            unmarked.append(
                f"a loop around {name_list(statements_of(node))} is no longer marked parallel"
            )
            node = node.delete()
        return map_children(node, without_false_marks)

    tree = without_false_marks(changed.get_root()).get_schedule()
    return Outcome(annotate_bands(tree, dependences), (done,), tuple(unmarked))


def _are_parallel(mark: isl.ScheduleNode, tiles: SymbolicTiles, dependences: Dependences) -> bool:
    """Is the loop over tiles parallel that is called so?"""
    if tiles.parallel is None or tiles.wavefront:
        return True
    loops = tiled_loops(mark)
    facts = band_facts(active_at(mark, dependences), [loop.member for loop in loops])
    return facts.coincident[tiles.parallel]


def _mark_holds(mark: isl.ScheduleNode, dependences: Dependences) -> bool:
    if mark.mark_get_id().get_name() != PARALLEL:
        return True
    band = below_marks(mark)
    if node_type(band) is not BAND or band.band_n_member() == 0:
        return False
    return facts_of_band(band, dependences).parallel[0]


def listed(items: Iterable[object]) -> str:
    """Items for a message: `S0.0, S0.1`."""
    return ", ".join(map(str, items))
