"""Equivalent schedules with loops that are easier to generate, but harder to read and slower."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from polyir.codegen.thread_strides import strided_members
from polyir.isl_trees import node_type
from polyir.model.tree_loops import isolates_iterations, loop_steps
from polyir.sets.callbacks import mapped_bottom_up
from polyir.sets.values import isl_value


def with_loops_of_step_one(schedule: isl.Schedule) -> isl.Schedule:
    """`schedule` with loops over `floor(i / s)` for loops over every s-th i, with any start.

        band [j]    =>    band [floor(j / 2)]        for i + j even, below a loop over i

    Trees with AST options that name loops are returned unchanged.
    """
    # isl forgets that a band is anchored when other parts of the tree change.
    if not schedule.get_root().every_descendant(_names_no_loops):
        return schedule
    return mapped_bottom_up(schedule, _of_step_one)


def _names_no_loops(node: isl.ScheduleNode) -> bool:
    return node_type(node) is not isl.schedule_node_type.band or not isolates_iterations(node)


def with_atomic_loops(schedule: isl.Schedule) -> isl.Schedule:
    """`schedule` with atomic loops in place of loops of the default type."""
    return mapped_bottom_up(schedule, _atomic)


def with_separate_loops(schedule: isl.Schedule) -> isl.Schedule:
    """`schedule` with separate loops in place of loops of the default type."""
    return mapped_bottom_up(schedule, _separate)


def with_rolled_loops(schedule: isl.Schedule) -> isl.Schedule:
    """`schedule` without loops to unroll."""
    return mapped_bottom_up(schedule, _rolled)


def divided_members(band: isl.ScheduleNode, divisors: Sequence[int]) -> isl.ScheduleNode:
    """`band` with each member divided by its divisor and rounded down."""
    members = band.band_get_partial_schedule()
    values = isl.MultiVal.zero(members.get_space())
    for member, divisor in enumerate(divisors):
        values = values.set_val(member, isl_value(divisor))
    divided = members.scale_down_multi_val(values).floor()
    options = band.band_get_ast_build_options()
    return band.delete().insert_partial_schedule(divided).band_set_ast_build_options(options)


def _of_step_one(node: isl.ScheduleNode) -> isl.ScheduleNode:
    if node_type(node) is not isl.schedule_node_type.band or not node.band_n_member():
        return node
    kept = strided_members(node)
    steps = [1 if member in kept else step for member, step in enumerate(loop_steps(node))]
    return node if all(step == 1 for step in steps) else divided_members(node, steps)


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
