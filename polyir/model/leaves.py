"""The leaves of a schedule tree, and the loops around the statements there."""

from __future__ import annotations

from collections.abc import Iterator

import islpy as isl

from polyir.isl_lists import maps_of
from polyir.isl_trees import node_type


def leaves(node: isl.ScheduleNode) -> Iterator[isl.ScheduleNode]:
    """The leaves from `node` down, in order."""
    if node_type(node) is isl.schedule_node_type.leaf:
        yield node
    for position in range(node.n_children()):
        yield from leaves(node.get_child(position))


def schedules_below(node: isl.ScheduleNode) -> Iterator[isl.Map]:
    """For each leaf below `node`, each statement there: `{ S[i] -> [all members around] }`."""
    for leaf in leaves(node):
        members = leaf.get_prefix_schedule_union_map().intersect_domain(leaf.get_domain())
        yield from maps_of(members)
