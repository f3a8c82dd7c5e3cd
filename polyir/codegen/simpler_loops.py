"""Equivalent schedules with loops that are easier to generate, but harder to read and slower."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from polyir.codegen.thread_strides import strided_members
from polyir.model.tree_loops import isolates_iterations, loop_steps
from polyir.sets.values import isl_value
from polyir.tree import Kind, Schedule, ScheduleNode, mapped_bottom_up


def with_loops_of_step_one(schedule: Schedule) -> Schedule:
    """`schedule` with loops over `floor(i / s)` for loops over every s-th i, with any start.

        band [j]    =>    band [floor(j / 2)]        for i + j even, below a loop over i

    Trees with AST options that name loops are returned unchanged.
    """
    # isl forgets that a band is anchored when other parts of the tree change.
    if not schedule.root.every(_names_no_loops):
        return schedule
    return mapped_bottom_up(schedule, _of_step_one)


def _names_no_loops(node: ScheduleNode) -> bool:
    return node.kind is not Kind.BAND or not isolates_iterations(node)


def with_atomic_loops(schedule: Schedule) -> Schedule:
    """`schedule` with atomic loops in place of loops of the default type."""
    return mapped_bottom_up(schedule, _atomic)


def with_separate_loops(schedule: Schedule) -> Schedule:
    """`schedule` with separate loops in place of loops of the default type."""
    return mapped_bottom_up(schedule, _separate)


def with_rolled_loops(schedule: Schedule) -> Schedule:
    """`schedule` without loops to unroll."""
    return mapped_bottom_up(schedule, _rolled)


def divided_members(band: ScheduleNode, divisors: Sequence[int]) -> ScheduleNode:
    """`band` with each member divided by its divisor and rounded down."""
    members = (
        member.with_function(member.function.scale_down_val(isl_value(divisor)).floor())
        for member, divisor in zip(band.members, divisors, strict=True)
    )
    return band.changed(members=tuple(members))


def _of_step_one(node: ScheduleNode) -> ScheduleNode:
    if node.kind is not Kind.BAND or not len(node.members):
        return node
    kept = strided_members(node)
    steps = [1 if member in kept else step for member, step in enumerate(loop_steps(node))]
    return node if all(step == 1 for step in steps) else divided_members(node, steps)


def _atomic(node: ScheduleNode) -> ScheduleNode:
    return _with_kind_for(isl.ast_loop_type.default, isl.ast_loop_type.atomic, node)


def _separate(node: ScheduleNode) -> ScheduleNode:
    return _with_kind_for(isl.ast_loop_type.default, isl.ast_loop_type.separate, node)


def _rolled(node: ScheduleNode) -> ScheduleNode:
    return _with_kind_for(isl.ast_loop_type.unroll, isl.ast_loop_type.default, node)


def _with_kind_for(
    old: isl.ast_loop_type, new: isl.ast_loop_type, node: ScheduleNode
) -> ScheduleNode:
    """A band with loops of the type `new` instead of `old`; other nodes are unchanged."""
    if node.kind is not Kind.BAND:
        return node
    for member in range(len(node.members)):
        if node.members[member].kind is old:
            node = node.with_member(member, kind=new)
    return node
