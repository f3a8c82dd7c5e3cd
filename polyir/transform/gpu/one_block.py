"""Parts of a schedule tree that one block of a GPU runs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import groupby
from typing import cast

import islpy as isl

from polyir.dialects.mark_attributes import KernelAttr, OneBlockAttr
from polyir.model.gpu import is_one_block
from polyir.tree import Band, Filter, Mark, Node, Schedule, ScheduleNode, SequenceNode
from polyir.tree.nodes import attribute_of


def has_one_block(node: ScheduleNode) -> bool:
    """Whether there is a mark `#poly.one_block` from `node` down."""
    return any(map(is_one_block, node.walk()))


def join_blocks(schedule: Schedule) -> Schedule:
    """The tree with fewer parts `#poly.one_block`: neighbours are one of them.

    Statements beside such a part that are in no loop of their own join it, so that there is one
    launch for all:

        sequence                            mark #poly.one_block
          filter S                            sequence
          filter T                     =>       filter S
            mark #poly.one_block                filter T
              ...                                 ...
    """
    if not has_one_block(schedule.root):
        return schedule
    return Schedule(schedule.tree.with_children(map(_joined, schedule.tree.children)))


def _joined(tree: Node) -> Node:
    if isinstance(attribute_of(tree), KernelAttr | OneBlockAttr):
        return tree
    tree = tree.with_children(map(_joined, tree.children))
    if not isinstance(tree, SequenceNode):
        return tree
    parts: list[Filter] = []
    children = cast(tuple[Filter, ...], tree.children)
    for is_small, run in groupby(children, _is_small):
        filters = tuple(run)
        if is_small and len(filters) > 1 and any(map(_is_marked, filters)):
            parts.append(_one_part(filters))
        else:
            parts += filters
    return parts[0].children[0] if len(parts) == 1 else tree.with_children(parts)


def _one_part(filters: Sequence[Filter]) -> Filter:
    """The filter of a part that runs what several filters do."""
    instances = reduce(isl.UnionSet.union, (each.instances for each in filters))
    unmarked = [
        each.with_children(each.children[0].children) if _is_marked(each) else each
        for each in filters
    ]
    return Filter((Mark((SequenceNode(tuple(unmarked)),), OneBlockAttr()),), instances)


def _is_marked(filter: Filter) -> bool:
    return isinstance(attribute_of(filter.children[0]), OneBlockAttr)


def _is_small(filter: Filter) -> bool:
    """Whether one block runs what a filter lets pass, or it is in no loop."""
    return _is_marked(filter) or not any(isinstance(node, Band) for node in filter.walk())
