"""Marking of parallel loops."""

from __future__ import annotations

from typing import Literal

import islpy as isl

from polyir.dialects.dependence import Dependences
from polyir.model.order import (
    Active,
    Member,
    all_active,
    backward,
    below,
    forward,
    members_of,
    still_active,
)
from polyir.model.outcome import Outcome
from polyir.model.tree import node_type
from polyir.transform.walk import describe_band

PARALLEL = "parallel"
"""The mark above a band whose first member is a parallel loop."""

Which = Literal["outermost", "inner", "all"]
"""Which of the parallel loops of a nest: the outermost, the innermost, or each of them."""


def mark_parallel(
    schedule: isl.Schedule, dependences: Dependences, which: Which = "outermost"
) -> Outcome:
    """Mark parallel loops: a mark node `PARALLEL` above a band whose first member is one.

    A member is parallel if it gives equal values to the two ends of every dependence that all
    nodes and members outside it leave active. This is decided exactly, here, whatever the
    coincident flags say; a marked member is flagged. Bands are split so that a marked member
    comes first. A loop that runs once for each iteration of the loops around it is passed over.

        band [t_1, t_2]    =>    band [t_1]
                                   mark "parallel"
                                     band [t_2]

    Each child of a sequence is a nest of its own. Inside a marked loop, `outermost` marks no
    other; around one, `inner` marks no other.
    """
    marker = _Marker(which)
    root = marker.visit(schedule.get_root(), all_active(dependences.ordering))
    return marker.outcome(root.get_schedule())


def carriers(actives: tuple[Active, ...], member: Member) -> tuple[str, ...]:
    """The arrays with active dependences that `member` carries; none if it is parallel."""
    arrays: dict[str, None] = {}
    for active in actives:
        array = active.dependence.array
        if array not in arrays and _separates(active, member):
            arrays[array] = None
    return tuple(arrays)


def _separates(active: Active, member: Member) -> bool:
    return not (forward(active, member).is_empty() and backward(active, member).is_empty())


class _Marker:
    """Marks the loops of one tree and notes what it did."""

    def __init__(self, which: Which) -> None:
        self._which = which
        self._marked: list[str] = []
        self._sequential: list[str] = []

    def visit(self, node: isl.ScheduleNode, actives: tuple[Active, ...]) -> isl.ScheduleNode:
        """The tree from `node` down with its marks, given what is active at `node`."""
        match node_type(node):
            case isl.schedule_node_type.band:
                return self._visit_band(node, actives)
            case isl.schedule_node_type.extension | isl.schedule_node_type.expansion:
                self._sequential.append(
                    f"below the {node_type(node).name} node, whose instances have no dependences"
                )
                return node
            case isl.schedule_node_type.mark if node.mark_get_id().get_name() == PARALLEL:
                self._marked.append(f"{describe_band(node.child(0))} is marked already")
                return node
            case _:
                return self._visit_children(node, actives)

    def _visit_children(
        self, node: isl.ScheduleNode, actives: tuple[Active, ...]
    ) -> isl.ScheduleNode:
        for position, inner in enumerate(below(node, actives)):
            node = self.visit(node.child(position), inner).parent()
        return node

    def _visit_band(self, band: isl.ScheduleNode, actives: tuple[Active, ...]) -> isl.ScheduleNode:
        marked, sequential = len(self._marked), len(self._sequential)
        parallel, reasons = _parallel_members(band, actives)
        chosen = parallel[:1] if self._which == "outermost" else parallel
        if not chosen or self._which != "outermost":
            band = self._visit_children(band, actives)
        if self._which == "inner":
            chosen = parallel[-1:] if len(self._marked) == marked else ()
        name = describe_band(band)
        self._marked[marked:marked] = [f"loop {k + 1} of {name} is parallel" for k in chosen]
        if chosen:
            # What is inside a parallel loop need not be parallel too.
            del self._sequential[sequential:]
        elif len(self._marked) == marked:
            # One line for the whole nest, not one for each band inside.
            self._sequential[sequential:] = [f"no loop of {name} is parallel: {reasons}"]
        return _mark_members(band, chosen)

    def outcome(self, schedule: isl.Schedule) -> Outcome:
        """The result, with what was done and what was not."""
        if self._marked:
            return Outcome(schedule, tuple(self._marked), tuple(self._sequential))
        reasons = self._sequential or ["there is no loop"]
        return Outcome(schedule, (), (f"nothing was marked parallel: {'; '.join(reasons)}",))


def _parallel_members(
    band: isl.ScheduleNode, actives: tuple[Active, ...]
) -> tuple[tuple[int, ...], str]:
    """The positions of the parallel members of a band, and why the others are not."""
    positions: list[int] = []
    reasons: list[str] = []
    for position, member in enumerate(members_of(band)):
        arrays = carriers(actives, member)
        if arrays:
            reasons.append(f"loop {position + 1} carries {', '.join(arrays)}")
        elif _runs_once(band, position):
            reasons.append(f"loop {position + 1} runs once")
        else:
            positions.append(position)
        actives = still_active(actives, member)
    return tuple(positions), ", ".join(reasons)


def _runs_once(band: isl.ScheduleNode, position: int) -> bool:
    """Whether a member has one value only for equal values of all that is outside it."""
    members = band.band_get_partial_schedule()
    outside = band.get_prefix_schedule_multi_union_pw_aff()
    for outer in range(position):
        member = isl.MultiUnionPwAff.from_union_pw_aff(members.get_at(outer))
        outside = outside.flat_range_product(member)
    value = isl.UnionMap.from_union_pw_aff(members.get_at(position))
    dates = isl.UnionMap.from_multi_union_pw_aff(outside).intersect_domain(band.get_domain())
    return dates.reverse().apply_range(value).is_single_valued()


def _mark_members(band: isl.ScheduleNode, positions: tuple[int, ...]) -> isl.ScheduleNode:
    """`band` split and marked so that each of `positions` is the first of a marked band."""
    mark = isl.Id.read_from_str(band.get_ctx(), PARALLEL)
    for position in reversed(positions):
        band = band.band_member_set_coincident(position, 1)
        if position == 0:
            return band.insert_mark(mark)
        band = band.band_split(position).child(0).insert_mark(mark).parent()
    return band
