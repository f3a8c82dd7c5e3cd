"""Exact checks of a schedule tree against its constraints, independent of the schedulers."""

from __future__ import annotations

from collections.abc import Iterator

import islpy as isl

from polyir.schedule.constraints import ScheduleConstraints
from polyir.tree import Kind, Schedule, ScheduleNode


def ordered_pairs(constraints: ScheduleConstraints) -> isl.UnionMap:
    """The dependences between instances that exist in the context."""
    return (
        constraints.validity.intersect_params(constraints.context)
        .intersect_domain(constraints.domain)
        .intersect_range(constraints.domain)
    )


def violations(constraints: ScheduleConstraints, schedule: Schedule) -> isl.UnionMap:
    """The dependences whose source does not come strictly before the target."""
    order = schedule.map.intersect_domain(constraints.domain)
    return ordered_pairs(constraints).subtract(order.lex_lt_union_map(order))


def is_total_order(constraints: ScheduleConstraints, schedule: Schedule) -> bool:
    """Whether no two instances are scheduled at the same place."""
    domain = constraints.domain.intersect_params(constraints.context)
    return schedule.map.intersect_domain(domain).is_injective()


def bands(schedule: Schedule) -> Iterator[ScheduleNode]:
    """All band nodes, outer before inner."""
    nodes: list[ScheduleNode] = [schedule.root]
    while nodes:
        node = nodes.pop()
        if node.kind is Kind.BAND:
            yield node
        nodes += [node.child(index) for index in reversed(range(node.n_children))]


def distances(constraints: ScheduleConstraints, band: ScheduleNode) -> isl.Set:
    """Target minus source along the members of `band`, over the dependences that reach it."""
    reached = band.domain
    active = (
        ordered_pairs(constraints)
        .intersect_domain(reached)
        .intersect_range(reached)
        .eq_at_multi_union_pw_aff(band.prefix_functions)
    )
    partial = band.band.partial_schedule_map
    deltas = active.apply_domain(partial).apply_range(partial).deltas()
    if deltas.is_empty():
        width = len(band.members)
        return isl.Set.empty(isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, width))
    return isl.Set.from_union_set(deltas)


def is_permutable(constraints: ScheduleConstraints, band: ScheduleNode) -> bool:
    """Whether every member's distance is nowhere negative."""
    found = distances(constraints, band)
    return all(
        found.upper_bound_val(isl.dim_type.set, member, -1).is_empty()
        for member in range(len(band.members))
    )


def is_coincident(constraints: ScheduleConstraints, band: ScheduleNode, member: int) -> bool:
    """Whether the member's distance is zero everywhere."""
    found = distances(constraints, band)
    return found.is_subset(found.fix_val(isl.dim_type.set, member, 0))
