"""The input of the schedulers: relations from a scop and its dependences."""

from __future__ import annotations

import islpy as isl

from polyir.dialects.dependence import DependenceKind, Dependences, union_of
from polyir.model.analysis import compute_dependences
from polyir.model.live_ranges import array_orders
from polyir.model.scop import Scop
from polyir.schedule.constraints import ConditionalOrder, ScheduleConstraints


def schedule_constraints(
    scop: Scop, dependences: Dependences, *, input_dependences: bool = False
) -> ScheduleConstraints:
    """All strict dependences as validity; with reductions, as coincidence and proximity.

    With `input_dependences`, two reads of the same element are a proximity too.
    """
    validity = union_of(dependences.strict, scop.context.get_space())
    coincidence = validity
    if dependences.reductions:
        # A loop without them is parallel as it is; one with them needs partial results.
        coincidence = union_of(dependences.ordering, scop.context.get_space())
    proximity = coincidence
    if input_dependences:
        proximity = proximity.union(_reuse_of_reads(scop, dependences))
    return ScheduleConstraints(
        scop.domain, scop.context, validity, proximity, _names(scop), coincidence=coincidence
    )


def live_range_constraints(
    scop: Scop, dependences: Dependences, *, input_dependences: bool = False
) -> ScheduleConstraints:
    """Flow as validity and proximity, and the false dependences that live ranges need.

    Coincidence contains all of them: a loop is parallel only if no memory is reused across its
    iterations.
    """
    if not dependences.value_based or dependences.reductions:
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


def _names(scop: Scop) -> tuple[str, ...]:
    return tuple(statement.name for statement in scop.statements)


def _reuse_of_reads(scop: Scop, known: Dependences) -> isl.UnionMap:
    """The input dependences among `known`; they are computed if there are none."""
    found = known.of_kind(DependenceKind.INPUT)
    if not found:
        found = compute_dependences(scop, kinds=(DependenceKind.INPUT,)).items
    return union_of(found, scop.context.get_space())
