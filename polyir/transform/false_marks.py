"""Parallel loops stay marked as long as they are parallel, whatever is done to their tree."""

from __future__ import annotations

from dataclasses import replace

import islpy as isl

from polyir.dialects.dependence import Dependences
from polyir.model.bands import active_at, band_facts, facts_of_band
from polyir.model.outcome import Outcome
from polyir.model.symbolic_tiles import SymbolicTiles, replace_tiles, tiled_loops, tiles_at
from polyir.model.tree import node_type
from polyir.transform.parallel import PARALLEL
from polyir.transform.walk import BAND, MARK, below_marks, map_children, name_list, statements_of


def without_false_marks(outcome: Outcome, dependences: Dependences) -> Outcome:
    """`outcome` without the marks `PARALLEL` whose loop is no longer parallel, or not there.

    Every transformation that may put another loop first in a band hands its result back through
    this. What is taken out is reported as missed.
    """
    unmarked: list[str] = []

    def visit(node: isl.ScheduleNode) -> isl.ScheduleNode:
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
        return map_children(node, visit)

    schedule = visit(outcome.schedule.get_root()).get_schedule()
    return replace(outcome, schedule=schedule, missed=(*outcome.missed, *unmarked))


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
