"""What successive iterations of a loop find in the cache: the same elements, or neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

import islpy as isl

from polyir.model.statements import Access, Statement
from polyir.model.tree_loops import schedules_below
from polyir.sets.maps import coordinate
from polyir.sets.values import isl_value
from polyir.tree import ScheduleNode
from polyir.tree.order import MOST_REMEMBERED


class Locality(Enum):
    """How the element that an access touches moves from one iteration to the next."""

    TEMPORAL = "temporal"
    """It stays."""
    SPATIAL = "spatial"
    """It moves along the last subscript only, by a small stride."""
    NONE = "none"
    """It moves further, or it is not known."""


@dataclass(frozen=True)
class LoopLocality:
    """What one loop does for the accesses of the statements for which it is a loop.

    `statements` is how many these are; the other fields count their accesses.
    """

    statements: int = 0
    spatial: int = 0
    temporal: int = 0
    other: int = 0

    @property
    def score(self) -> int:
        """Formula (2) of Zinenko et al., "Unified Polyhedral Modeling" (section 2.3).

            L = nS * sum_i (2 s_i + 4 l_i - 16 o_i) + 8 v

        where v is 1 if no access goes without locality.
        """
        locality = 2 * self.spatial + 4 * self.temporal - 16 * self.other
        return self.statements * locality + (8 if self.other == 0 else 0)

    def with_statement(self, localities: tuple[Locality, ...]) -> LoopLocality:
        """The same with one more statement, and the localities of its accesses."""
        return LoopLocality(
            self.statements + 1,
            self.spatial + localities.count(Locality.SPATIAL),
            self.temporal + localities.count(Locality.TEMPORAL),
            self.other + localities.count(Locality.NONE),
        )


def localities_of_band(
    band: ScheduleNode, statements: Mapping[str, Statement], max_stride: int
) -> tuple[LoopLocality, ...]:
    """For each member of a band what it would give as innermost loop.

    A member is a loop of a statement if it has several values where all other members around
    the statement, above, in and below the band, have one value each. So the tile loops of a
    tiled statement are none: the point loops leave them nothing.
    """
    first = band.schedule_depth
    found = [LoopLocality()] * len(band.members)
    for schedule in schedules_below(band):
        statement = statements[schedule.get_tuple_name(isl.dim_type.in_)]
        for member in range(len(found)):
            step = next_iteration(schedule, first + member)
            if not step.is_empty():
                localities = _along(statement, step, max_stride)
                found[member] = found[member].with_statement(localities)
    return tuple(found)


def innermost_score(
    node: ScheduleNode, statements: Mapping[str, Statement], max_stride: int
) -> int:
    """The sum of the scores that the innermost loop of each statement below `node` has for it."""
    return sum(each.score for each in innermost_localities(node, statements, max_stride))


def innermost_localities(
    node: ScheduleNode, statements: Mapping[str, Statement], max_stride: int
) -> tuple[LoopLocality, ...]:
    """What the innermost loop of each statement below `node` that has one does for it."""
    found: list[LoopLocality] = []
    for schedule in schedules_below(node):
        statement = statements[schedule.get_tuple_name(isl.dim_type.in_)]
        step = innermost_step(schedule)
        if step is not None:
            found.append(LoopLocality().with_statement(_along(statement, step, max_stride)))
    return tuple(found)


def innermost_step(schedule: isl.Map) -> isl.Map | None:
    """`{ S[i] -> S[i'] }`: the next iteration of the innermost loop of a statement, if any."""
    for member in reversed(range(schedule.dim(isl.dim_type.out))):
        step = next_iteration(schedule, member)
        if not step.is_empty():
            return step
    return None


def _along(statement: Statement, step: isl.Map, max_stride: int) -> tuple[Locality, ...]:
    return tuple(locality_along(access, step, max_stride) for access in statement.accesses)


def locality_along(access: Access, step: isl.Map, max_stride: int) -> Locality:
    """The locality of an access along `step`, `{ S[i] -> S[next iteration of the loop] }`."""
    moves = _moves(access, step)
    rank = moves.dim(isl.dim_type.set)
    for position in range(rank - 1):
        if not _is_within(moves, position, 0):
            return Locality.NONE
    if rank == 0 or _is_within(moves, rank - 1, 0):
        return Locality.TEMPORAL
    return Locality.SPATIAL if _is_within(moves, rank - 1, max_stride) else Locality.NONE


def moved_subscripts(access: Access, step: isl.Map) -> tuple[int, ...]:
    """The subscripts that change along `step`, `{ S[i] -> S[next iteration of the loop] }`."""
    moves = _moves(access, step)
    rank = moves.dim(isl.dim_type.set)
    return tuple(each for each in range(rank) if not _is_within(moves, each, 0))


def _moves(access: Access, step: isl.Map) -> isl.Set:
    """How the subscripts of an access change along `step`, for all parameters."""
    moves = step.apply_domain(access.relation).apply_range(access.relation).deltas()
    return moves.project_out(isl.dim_type.param, 0, moves.dim(isl.dim_type.param))


def _is_within(moves: isl.Set, position: int, bound: int) -> bool:
    """Whether a coordinate is between `-bound` and `bound`."""
    low = moves.lower_bound_val(isl.dim_type.set, position, isl_value(-bound))
    return moves.is_subset(low.upper_bound_val(isl.dim_type.set, position, isl_value(bound)))


# Transformations ask the same of all members of a band, and of bands in several places.
@lru_cache(MOST_REMEMBERED)
def next_iteration(schedule: isl.Map, position: int) -> isl.Map:
    """`{ S[i] -> S[i'] }`: the next iteration of one member, with equal values of all others.

    "Next" is at the smallest distance that there is.
    """
    others = schedule.project_out(isl.dim_type.out, position, 1)
    member = coordinate(schedule, position)
    later = others.apply_range(others.reverse()).intersect(member.lex_lt_map(member))
    if later.is_empty():
        return later
    distances = later.apply_domain(member).apply_range(member).deltas()
    nearest = distances.dim_min_val(0).to_python()
    following = isl.Map(f"{{ [x] -> [x + {nearest}] }}")
    return later.intersect(member.apply_range(following).apply_range(member.reverse()))
