"""Equivalent schedules with loops that are easier to generate, but harder to read and slower."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import islpy as isl

from polyir.isl_callbacks import mapped_bottom_up
from polyir.isl_trees import node_type
from polyir.model.tree_loops import loop_steps, member_steps


def with_counting_loops(schedule: isl.Schedule) -> isl.Schedule:
    """`schedule` with 0, 1, 2, ... for the values o, o + s, o + 2s, ... of each member.

        band [32 floor(i / 32)]    =>    band [floor(i / 32)]

    Trees with AST options that name loops are returned unchanged.
    """
    return _divided(schedule, member_steps)


def with_loops_of_step_one(schedule: isl.Schedule) -> isl.Schedule:
    """`schedule` with loops over `floor(i / s)` for loops over every s-th i, with any start.

        band [j]    =>    band [floor(j / 2)]        for i + j even, below a loop over i

    Trees with AST options that name loops are returned unchanged.
    """
    return _divided(schedule, loop_steps)


def with_atomic_loops(schedule: isl.Schedule) -> isl.Schedule:
    """`schedule` with atomic loops in place of loops of the default type."""
    return mapped_bottom_up(schedule, _atomic)


def with_separate_loops(schedule: isl.Schedule) -> isl.Schedule:
    """`schedule` with separate loops in place of loops of the default type."""
    return mapped_bottom_up(schedule, _separate)


def with_rolled_loops(schedule: isl.Schedule) -> isl.Schedule:
    """`schedule` without loops to unroll."""
    return mapped_bottom_up(schedule, _rolled)


def _divided(
    schedule: isl.Schedule, steps_of: Callable[[isl.ScheduleNode], tuple[int, ...]]
) -> isl.Schedule:
    """`schedule` with each member divided by its step, unless AST options name loops."""
    if schedule.get_root().is_subtree_anchored():
        return schedule
    return mapped_bottom_up(schedule, partial(_divided_band, steps_of))


def _divided_band(
    steps_of: Callable[[isl.ScheduleNode], tuple[int, ...]], node: isl.ScheduleNode
) -> isl.ScheduleNode:
    """A band with each member divided by its step; other nodes are unchanged."""
    if node_type(node) is not isl.schedule_node_type.band or not node.band_n_member():
        return node
    steps = steps_of(node)
    if all(step == 1 for step in steps):
        return node
    members = node.band_get_partial_schedule()
    divisors = isl.MultiVal.zero(members.get_space())
    for member, step in enumerate(steps):
        divisors = divisors.set_val(member, isl.Val(step))
    # With rounding, for the values of a loop with steps need not be multiples of the step.
    counted = members.scale_down_multi_val(divisors).floor()
    options = node.band_get_ast_build_options()
    return node.delete().insert_partial_schedule(counted).band_set_ast_build_options(options)


def _atomic(node: isl.ScheduleNode) -> isl.ScheduleNode:
    return _with_kind_for(isl.ast_loop_type.default, isl.ast_loop_type.atomic, node)


def _separate(node: isl.ScheduleNode) -> isl.ScheduleNode:
    return _with_kind_for(isl.ast_loop_type.default, isl.ast_loop_type.separate, node)


def _rolled(node: isl.ScheduleNode) -> isl.ScheduleNode:
    return _with_kind_for(isl.ast_loop_type.unroll, isl.ast_loop_type.default, node)


def _with_kind_for(
    old: isl.ast_loop_type, new: isl.ast_loop_type, node: isl.ScheduleNode
) -> isl.ScheduleNode:
    """A band with loops of the type `new` instead of `old`; other nodes are unchanged."""
    if node_type(node) is not isl.schedule_node_type.band:
        return node
    for member in range(node.band_n_member()):
        if isl.ast_loop_type(node.band_member_get_ast_loop_type(member)) is old:
            node = node.band_member_set_ast_loop_type(member, new)
    return node
