"""What the scheduling passes ask of the schedulers, from a scop and its dependences."""

from __future__ import annotations

import islpy as isl

from polyir.diagnostics import LegalityError
from polyir.dialects.dependence import DependenceKind, Dependences, union_of
from polyir.model.analysis import compute_dependences
from polyir.model.bands import annotate_bands
from polyir.model.live_ranges import array_orders, require_same_values
from polyir.model.outcome import Outcome
from polyir.model.scop import Scop
from polyir.schedule.constraints import ConditionalOrder, ScheduleConstraints


def schedule_constraints(
    scop: Scop, dependences: Dependences, *, input_dependences: bool = False
) -> ScheduleConstraints:
    """All ordering dependences as validity, coincidence and proximity.

    With `input_dependences`, reads of one element are to be near too.
    """
    validity = union_of(dependences.ordering, scop.context.get_space())
    proximity = validity
    if input_dependences:
        proximity = validity.union(_reuse_of_reads(scop, dependences))
    return ScheduleConstraints(
        scop.domain, scop.context, validity, proximity, _names(scop), coincidence=validity
    )


def live_range_constraints(
    scop: Scop, dependences: Dependences, *, input_dependences: bool = False
) -> ScheduleConstraints:
    """Flow as validity and proximity, false dependences as far as live ranges need them.

    A loop is parallel only if no memory is reused across its iterations: all is in coincidence.
    """
    if not dependences.value_based:
        dependences = compute_dependences(scop)
    orders = array_orders(scop, dependences)
    flow = union_of(dependences.of_kind(DependenceKind.FLOW), scop.context.get_space())
    validity, coincidence = flow, flow
    for order in orders:
        validity = validity.union(order.forced)
        coincidence = coincidence.union(order.forced).union(order.conditional)
    proximity = flow
    if input_dependences:
        proximity = flow.union(_reuse_of_reads(scop, dependences))
    return ScheduleConstraints(
        scop.domain,
        scop.context,
        validity,
        proximity,
        _names(scop),
        coincidence=coincidence,
        conditional=tuple(
            ConditionalOrder(order.array, order.live_ranges, order.conditional)
            for order in orders
            if not order.conditional.is_empty()
        ),
    )


def reordered_live_ranges(
    scop: Scop, schedule: isl.Schedule, what: str, done: tuple[str, ...] = ()
) -> Outcome:
    """The outcome with a schedule for `live_range_constraints`, and its own false dependences.

    A schedule that does not compute the same values is not taken.
    """
    try:
        require_same_values(scop, schedule, what)
    except LegalityError as error:
        reason = f"the schedule is left as it was: {error.message}"
        return Outcome(scop.schedule, missed=(reason,))
    dependences = compute_dependences(scop, schedule=schedule)
    return Outcome(annotate_bands(schedule, dependences), done, dependences=dependences)


def _names(scop: Scop) -> tuple[str, ...]:
    return tuple(statement.name for statement in scop.statements)


def _reuse_of_reads(scop: Scop, known: Dependences) -> isl.UnionMap:
    """The input dependences: those at hand, or computed."""
    found = known.of_kind(DependenceKind.INPUT)
    if not found:
        found = compute_dependences(scop, kinds=(DependenceKind.INPUT,)).items
    return union_of(found, scop.context.get_space())
