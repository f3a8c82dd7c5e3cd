"""isl's AST of a scop's schedule, and what polyir asks of isl's AST builder.

Verdoolaege, Guelton, Grosser, Cohen: Schedule Trees (IMPACT 2014) and Grosser, Verdoolaege,
Cohen: Polyhedral AST generation is more than scanning polyhedra (TOPLAS 2015).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import islpy as isl

from polyir.isl_lists import parameters_of
from polyir.model.scop import Scop
from polyir.model.tree import node_type

PARALLEL_MARK = "parallel"
"""The mark above a band whose first member's loops may run in parallel."""


@dataclass(frozen=True)
class ScopAst:
    """isl's AST, with the names of its loop iterators by schedule depth."""

    root: isl.AstNode
    iterators: tuple[str, ...]

    def depth_of(self, iterator: str) -> int:
        """The schedule depth of the loop with the given iterator."""
        return self.iterators.index(iterator)


def build_ast(scop: Scop) -> ScopAst:
    """Generate isl's AST for the schedule tree in force, under the scop's context."""
    schedule = scop.schedule.map_schedule_node_bottom_up(_note_depth)
    prefix = _unused_prefix(parameters_of(scop.context.get_space()))
    iterators = tuple(f"{prefix}{depth}" for depth in range(_tree_depth(schedule.get_root())))
    names = isl.IdList.alloc(isl.DEFAULT_CONTEXT, len(iterators))
    for name in iterators:
        names = names.add(isl.Id(name))
    build = isl.AstBuild.from_context(scop.context).set_iterators(names)
    with _ast_options():
        return ScopAst(build.node_from_schedule(schedule), iterators)


def parallel_depth(mark: isl.AstNode) -> int | None:
    """The schedule depth of the loops that a mark node makes parallel, if it makes any."""
    name = mark.mark_get_id()
    depth = name.user if name.name == PARALLEL_MARK else None
    return depth if isinstance(depth, int) else None


def _note_depth(node: isl.ScheduleNode) -> isl.ScheduleNode:
    """Give the mark `node`'s identifier the schedule depth as user object.

    isl's AST has no node for a loop that runs once; without the depth, the mark of such a loop
    would seem to stand above the next loop further in.
    """
    if node_type(node) is not isl.schedule_node_type.mark:
        return node
    mark = isl.Id(node.mark_get_id().get_name(), node.get_schedule_depth())
    return node.delete().insert_mark(mark)


def _tree_depth(node: isl.ScheduleNode) -> int:
    """The greatest schedule depth below `node`."""
    children = [_tree_depth(node.get_child(n)) for n in range(node.n_children())]
    return max(children, default=node.get_schedule_depth())


def _unused_prefix(taken: tuple[str, ...]) -> str:
    """A name that no name in `taken` begins with."""
    prefix = "loop"
    while any(name.startswith(prefix) for name in taken):
        prefix += "_"
    return prefix


@contextmanager
def _ast_options() -> Iterator[None]:
    """isl's AST options, which belong to its context, set for the time of one generation."""
    context = isl.DEFAULT_CONTEXT
    before = context.get_ast_build_detect_min_max()
    context.set_ast_build_detect_min_max(1)
    try:
        yield
    finally:
        context.set_ast_build_detect_min_max(before)
