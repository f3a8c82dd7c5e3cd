"""Copies of the loops around vector loops, inside them: what the copies share is loaded once.

D. Callahan, S. Carr and K. Kennedy, "Improving register allocation for subscripted variables"
(PLDI 1990): unroll-and-jam.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import islpy as isl

from polyir.base.diagnostics import LegalityError
from polyir.dialects.dependence import Dependences
from polyir.dialects.loop_attributes import JamAttr, ParallelAttr, ReductionAttr, VectorAttr
from polyir.model.outcome import Outcome
from polyir.model.statements import Statement
from polyir.model.tree_loops import schedules_below
from polyir.model.updates import update_of
from polyir.sets.boxes import most_values
from polyir.transform.directions import direction_of
from polyir.transform.strip_mine import UnrollJamOptions, unroll_jam
from polyir.tree import Schedule
from polyir.tree.addresses import (
    Directory,
    LoopAddress,
    LoopPosition,
    StatementPart,
    node_at,
)

MOST_SHORT = 128
"""Loops of fewer iterations are in blocks already, or over before the copies gain much."""


def jam_rows(
    schedule: Schedule, dependences: Dependences, statements: Sequence[Statement], copies: int
) -> Outcome:
    """Unroll the loops right around vector loops, and jam so many copies into these.

        band [i]                          band [4 floor(i / 4)]
          band [j]  #poly.reduction<8>      band [j]  #poly.reduction<8>
            S                         =>      band [i]  unrolled
                                                S

    It is done where all that the loop runs is inside vector loops, or in no other loop, where
    copies load an element that only the vector loop moves, as in `y[j] += A[i][j] * x[i]`, and
    where they update different elements, if the vector loop updates one. Blocks are left alone,
    and nests whose dependences do not allow it.
    """
    by_name = {each.name: each for each in statements}
    done: list[str] = []
    tried: set[LoopPosition] = set()
    while True:
        directory = Directory(schedule)
        found = (each for each in _rows(schedule, directory, by_name) if each not in tried)
        row = next(found, None)
        if row is None:
            return Outcome(schedule, tuple(done), proved=True)
        tried.add(row)
        address = LoopAddress.parse(directory.addresses_of(row)[0])
        try:
            outcome = unroll_jam(schedule, dependences, UnrollJamOptions(address, copies))
        except LegalityError:
            continue
        schedule = outcome.schedule
        done += outcome.done


def _rows(
    schedule: Schedule, directory: Directory, statements: Mapping[str, Statement]
) -> Iterator[LoopPosition]:
    """The loops whose copies share something in the vector loops inside."""
    parts = [part for each in directory.parts.values() for part in each]
    places = dict.fromkeys(part.loops[-2] for part in parts if len(part.loops) > 1)
    for place in places:
        inside = [part for part in parts if place in part.loops]
        vectors = [part for part in inside if part.loops[-1] != place]
        if (
            not _has(schedule, place, JamAttr, VectorAttr, ReductionAttr)
            and all(part.loops[-2] == place for part in vectors)
            and all(_is_vector_loop(schedule, part.loops[-1]) for part in vectors)
            and _share(schedule, vectors, statements)
        ):
            yield place


def _has(schedule: Schedule, place: LoopPosition, *kinds: type) -> bool:
    """Whether a loop has an attribute of one of these kinds."""
    attributes = node_at(schedule, place.path).loop_attributes[place.member]
    return any(isinstance(each, kinds) for each in attributes)


def _is_vector_loop(schedule: Schedule, place: LoopPosition) -> bool:
    return _has(schedule, place, VectorAttr, ReductionAttr) and not _has(
        schedule, place, JamAttr, ParallelAttr
    )


def _share(
    schedule: Schedule, parts: Sequence[StatementPart], statements: Mapping[str, Statement]
) -> bool:
    """Whether copies along the last loop but one load an element that only the last one moves.

    Those that update one element along the last loop must update different ones.
    """
    found = False
    for part in parts:
        statement = statements[part.instances.get_tuple_name()]
        (own,) = schedules_below(node_at(schedule, part.path))
        members = len(part.loops)
        row, vector = (direction_of(statement, own, members - each) for each in (2, 1))
        if row is None or vector is None or _is_short(own):
            return False
        update = update_of(statement)
        if update is not None:
            store = statement.accesses.index(update.store)
            if vector.stays(store) and (row.moves[store] is None or row.stays(store)):
                return False
        found |= any(
            row.stays(place) and not vector.stays(place) for place in range(len(row.moves))
        )
    return found


def _is_short(schedule: isl.Map) -> bool:
    """Whether the last loop of a statement has few iterations, as that of a block."""
    dates = schedule.range()
    last = dates.dim(isl.dim_type.set) - 1
    values = isl.Map.from_range(dates).move_dims(isl.dim_type.in_, 0, isl.dim_type.out, 0, last)
    most = most_values(values)
    return most is not None and most <= MOST_SHORT
