"""Exact checks of a schedule tree against a scheduling problem, independent of the schedulers."""

from __future__ import annotations

from collections.abc import Iterator

import islpy as isl

from polyir.schedule.problem import SchedulingProblem


def ordered_pairs(problem: SchedulingProblem) -> isl.UnionMap:
    """The dependences between instances that exist in the problem's context."""
    return (
        problem.validity.intersect_params(problem.context)
        .intersect_domain(problem.domain)
        .intersect_range(problem.domain)
    )


def violations(problem: SchedulingProblem, schedule: isl.Schedule) -> isl.UnionMap:
    """The dependences whose source does not come strictly before the target."""
    order = schedule.get_map().intersect_domain(problem.domain)
    return ordered_pairs(problem).subtract(order.lex_lt_union_map(order))


def is_total_order(problem: SchedulingProblem, schedule: isl.Schedule) -> bool:
    """Whether no two instances are scheduled at the same place."""
    domain = problem.domain.intersect_params(problem.context)
    return schedule.get_map().intersect_domain(domain).is_injective()


def bands(schedule: isl.Schedule) -> Iterator[isl.ScheduleNode]:
    """All band nodes, outer before inner."""
    nodes: list[isl.ScheduleNode] = [schedule.get_root()]
    while nodes:
        node = nodes.pop()
        if node.get_type() == isl.schedule_node_type.band:
            yield node
        nodes += [node.child(index) for index in reversed(range(node.n_children()))]


def distances(problem: SchedulingProblem, band: isl.ScheduleNode) -> isl.Set:
    """Target minus source along the members of `band`, over the dependences that reach it."""
    reached = band.get_domain()
    active = (
        ordered_pairs(problem)
        .intersect_domain(reached)
        .intersect_range(reached)
        .eq_at_multi_union_pw_aff(band.get_prefix_schedule_multi_union_pw_aff())
    )
    partial = band.band_get_partial_schedule_union_map()
    deltas = active.apply_domain(partial).apply_range(partial).deltas()
    if deltas.is_empty():
        width = band.band_n_member()
        return isl.Set.empty(isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, width))
    return isl.Set.from_union_set(deltas)


def is_permutable(problem: SchedulingProblem, band: isl.ScheduleNode) -> bool:
    """Whether every member's distance is nowhere negative."""
    found = distances(problem, band)
    return all(
        found.upper_bound_val(isl.dim_type.set, member, -1).is_empty()
        for member in range(band.band_n_member())
    )


def is_coincident(problem: SchedulingProblem, band: isl.ScheduleNode, member: int) -> bool:
    """Whether the member's distance is zero everywhere."""
    found = distances(problem, band)
    return found.is_subset(found.fix_val(isl.dim_type.set, member, 0))
