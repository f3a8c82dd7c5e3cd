"""Loops along which all statements that run in turn in a band have vectors."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import prod

import islpy as isl

from polyir.dialects.dependence import Dependences
from polyir.dialects.loop_attributes import MOST_COPIES
from polyir.model.statements import AccessKind, Statement
from polyir.model.tree_loops import schedules_below
from polyir.model.updates import update_of
from polyir.proofs.bands import active_at, band_facts
from polyir.sets.boxes import most_values, shape_of
from polyir.sets.maps import coordinate
from polyir.transform.directions import direction_of, loop_of_updates
from polyir.transform.tile import runs_over_tiles
from polyir.tree import Kind, ScheduleNode
from polyir.tree.order import Active, separates, still_active

Statements = Mapping[str, Statement]
"""The statements of a scop, by their names."""


def runs_statements_in_turn(band: ScheduleNode) -> bool:
    """Whether there is nothing below `band` but a sequence of statements."""
    sequence = band.child(0)
    return (
        sequence.kind is Kind.SEQUENCE
        and not runs_over_tiles(band)
        and all(
            sequence.child(position).child(0).kind is Kind.LEAF
            for position in range(sequence.n_children)
        )
    )


def are_parallel(band: ScheduleNode, inner: Sequence[int], dependences: Dependences) -> bool:
    """Whether these members of `band` are parallel inside all others."""
    members = band.band.functions_by_statement
    actives = _inside_others(band, inner, dependences)
    return all(band_facts(actives, [members[place] for place in inner]).coincident)


def parallel_vector_loop(
    band: ScheduleNode, dependences: Dependences, statements: Statements
) -> int | None:
    """A member along which all of the statements that run in turn could have vectors.

    It is parallel inside all others, and along it, all statements access elements that are
    successive, or the same. `None` if there is none.
    """
    return _vector_loop(_places(band), band, dependences, statements)


def vector_loop_around_windows(
    band: ScheduleNode, dependences: Dependences, statements: Statements, width: int
) -> int | None:
    """As `parallel_vector_loop`, where the loops below the band are to be straight-line code.

    They have few iterations, which are the same for all values of the parameters and of the loops
    around, as those of a filter, and the vector loop has `width` or more.
    """
    if band.is_subtree_anchored or runs_over_tiles(band):
        return None
    first, count = band.schedule_depth, len(band.members)
    copies = 0
    around: isl.Set | None = None
    for schedule in schedules_below(band):
        iterations = schedule.range().reset_tuple_id()
        inside = iterations.dim(isl.dim_type.set) - first - count
        outer = iterations.project_out(isl.dim_type.set, first + count, inside)
        window = iterations.project_out(isl.dim_type.set, 0, first + count).project_out_all_params()
        # Statements that only some iterations run would be under conditions.
        is_same = around is None or outer.is_equal(around)
        is_window = window.coalesce().is_box() and iterations.is_equal(outer.flat_product(window))
        if not is_same or not is_window:
            return None
        copies, around = copies + prod(shape_of(window)), outer
    if around is None or copies > MOST_COPIES:
        return None
    places = [
        place
        for place in _innermost_first(band)
        if (most := _iterations(around, first + place)) is None or most >= width
    ]
    return _vector_loop(places, band, dependences, statements)


def _iterations(values: isl.Set, place: int) -> int | None:
    """How often a loop runs at most in an iteration of those around; `None` without a bound."""
    inner = isl.Map.from_range(values).move_dims(isl.dim_type.in_, 0, isl.dim_type.out, 0, place)
    return most_values(coordinate(inner, 0))


def _vector_loop(
    places: Sequence[int], band: ScheduleNode, dependences: Dependences, statements: Statements
) -> int | None:
    """The first of some members along which all statements below could have vectors."""
    first = band.schedule_depth
    for place in places:
        if all(
            _has_vectors(schedule, first + place, statements) for schedule in schedules_below(band)
        ) and are_parallel(band, (place,), dependences):
            return place
    return None


def vector_loop_with_updates(
    band: ScheduleNode, dependences: Dependences, statements: Statements
) -> int | None:
    """A member along which some of the statements that run in turn update one element each.

    These could have vectors of partial results. For all others, it is as `parallel_vector_loop`
    says. `None` if there is none.
    """
    first = band.schedule_depth
    for place in _places(band):
        updating: dict[str, str] = {}
        others: list[isl.Map] = []
        for schedule in schedules_below(band):
            array = _updated_along(schedule, first + place, statements)
            if array is None:
                others.append(schedule)
            else:
                updating[schedule.get_tuple_name(isl.dim_type.in_)] = array
        if (
            updating
            and all(_has_vectors(each, first + place, statements) for each in others)
            and _carries_only(band, place, updating, dependences)
        ):
            return place
    return None


def _places(band: ScheduleNode) -> Sequence[int]:
    """As `_innermost_first`; none without statements in turn."""
    if band.is_subtree_anchored or not runs_statements_in_turn(band):
        return ()
    return _innermost_first(band)


def _innermost_first(band: ScheduleNode) -> Sequence[int]:
    """The members that may be innermost, the last one first."""
    count = len(band.members)
    return range(count)[::-1] if band.permutable else (count - 1,)


def _has_vectors(schedule: isl.Map, member: int, statements: Statements) -> bool:
    """Whether a statement's stores along a member are successive, and its loads are cheap."""
    statement = statements[schedule.get_tuple_name(isl.dim_type.in_)]
    direction = direction_of(statement, schedule, member)
    return direction is not None and all(
        direction.is_successive(place)
        or (access.kind is AccessKind.READ and direction.stays(place))
        for place, access in enumerate(statement.accesses)
    )


def _updated_along(schedule: isl.Map, member: int, statements: Statements) -> str | None:
    """The array of which a statement updates one element along a member, from successive ones."""
    statement = statements[schedule.get_tuple_name(isl.dim_type.in_)]
    direction = direction_of(statement, schedule, member)
    if direction is None or loop_of_updates(statement, {member: direction}) is None:
        return None
    update = update_of(statement)
    return None if update is None else update.array


def _carries_only(
    band: ScheduleNode, place: int, updating: Mapping[str, str], dependences: Dependences
) -> bool:
    """Whether a member, inside all others, carries only updates of a statement's array."""
    member = band.band.functions_by_statement[place]
    actives = _inside_others(band, (place,), dependences)
    carried = (each.dependence for each in actives if separates(each, member))
    return all(
        each.source == each.target and updating.get(each.source) == each.array for each in carried
    )


def _inside_others(
    band: ScheduleNode, inner: Collection[int], dependences: Dependences
) -> tuple[Active, ...]:
    """The pairs that are left to some members of `band` if they are inside all others."""
    actives: tuple[Active, ...] = active_at(band, dependences)
    for place, member in enumerate(band.band.functions_by_statement):
        if place not in inner:
            actives = still_active(actives, member)
    return actives
