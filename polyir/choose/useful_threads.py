"""Parallel loops that cost more than they save are sequential again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from polyir.choose.best_nests import ScoredSchedule
from polyir.choose.model import Cost
from polyir.choose.thresholds import BETTER
from polyir.dialects.loop_attributes import DynamicAttr, ParallelAttr
from polyir.tree import Band, Filter, Kind, Node, Schedule


def with_useful_threads(schedule: Schedule, estimate: Callable[[Schedule], Cost]) -> Schedule:
    """A schedule without parallel loops in those nests that are faster without.

    Short loops are faster on one thread, and a parallel loop inside a sequential one starts threads
    again and again. The nests are those of the sequence at the root, or all of the tree.
    """
    cost = estimate(schedule)
    if all(each.overhead <= (1 - BETTER) * each.cycles for each in cost.nests or (cost,)):
        return schedule
    alone = Schedule(_sequential(schedule.tree))
    other = estimate(alone)
    scores = tuple(each.score for each in cost.nests)
    # Nests that compilers unroll as a whole are several ones for the model.
    if len(scores) != len(other.nests) or not ScoredSchedule(schedule, scores).nests:
        return schedule if cost.score <= other.score else alone
    pairs = zip(scores, other.nests, strict=True)
    return Schedule(_in_nests(schedule.tree, iter([one > each.score for one, each in pairs])))


_Tree = TypeVar("_Tree", bound=Node)


def _in_nests(node: _Tree, is_slower: Iterator[bool]) -> _Tree:
    """A root with sequential loops in some nests: children of sequences right below it."""
    below = node.children[0]
    if below.kind in (Kind.SEQUENCE, Kind.SET):
        children = [_in_nests(child, is_slower) for child in below.children]
        return node.with_children([below.with_children(children)])
    return _sequential(node) if isinstance(node, Filter) and next(is_slower) else node


def _sequential(node: _Tree) -> _Tree:
    """A node without parallel loops."""
    node = node.with_children(map(_sequential, node.children))
    if not isinstance(node, Band):
        return node
    marks = (ParallelAttr, DynamicAttr)
    members = [
        replace(each, attributes=tuple(a for a in each.attributes if not isinstance(a, marks)))
        for each in node.members
    ]
    return replace(node, members=tuple(members))
