"""Parts of a schedule tree that one block of a GPU runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import groupby
from typing import cast

import islpy as isl

from polyir.dialects.mark_attributes import KernelAttr, OneBlockAttr
from polyir.isl_trees import TreeNode, build_tree, describe_tree
from polyir.model.gpu import is_one_block


def has_one_block(node: isl.ScheduleNode) -> bool:
    """Whether there is a mark `#poly.one_block` from `node` down."""
    return not node.every_descendant(lambda inner: not is_one_block(inner))


def join_blocks(schedule: isl.Schedule) -> isl.Schedule:
    """The tree with fewer parts `#poly.one_block`: neighbours are one of them.

    Statements beside such a part that are in no loop of their own join it, so that there is one
    launch for all:

        sequence                            mark #poly.one_block
          filter S                            sequence
          filter T                     =>       filter S
            mark #poly.one_block                filter T
              ...                                 ...
    """
    if not has_one_block(schedule.get_root()):
        return schedule
    return build_tree(_joined(describe_tree(schedule)))


def _joined(tree: TreeNode) -> TreeNode:
    if isinstance(tree.content, KernelAttr | OneBlockAttr):
        return tree
    tree = replace(tree, children=tuple(map(_joined, tree.children)))
    if tree.kind != "sequence":
        return tree
    parts: list[TreeNode] = []
    for is_small, run in groupby(tree.children, _is_small):
        filters = tuple(run)
        if is_small and len(filters) > 1 and any(map(_is_marked, filters)):
            parts.append(_one_part(filters))
        else:
            parts += filters
    return parts[0].children[0] if len(parts) == 1 else replace(tree, children=tuple(parts))


def _one_part(filters: Sequence[TreeNode]) -> TreeNode:
    """The filter of a part that runs what several filters do."""
    instances = reduce(isl.UnionSet.union, (cast(isl.UnionSet, each.content) for each in filters))
    unmarked = tuple(
        replace(each, children=each.children[0].children) if _is_marked(each) else each
        for each in filters
    )
    mark = TreeNode("mark", OneBlockAttr(), (TreeNode("sequence", None, unmarked),))
    return TreeNode("filter", instances, (mark,))


def _is_marked(filter: TreeNode) -> bool:
    return bool(filter.children) and isinstance(filter.children[0].content, OneBlockAttr)


def _is_small(filter: TreeNode) -> bool:
    """Whether one block runs what a filter lets pass, or it is in no loop."""
    return _is_marked(filter) or not _has_loops(filter)


def _has_loops(tree: TreeNode) -> bool:
    return tree.kind == "band" or any(map(_has_loops, tree.children))
