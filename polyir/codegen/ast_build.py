"""isl's AST of a scop's schedule, and what polyir asks of isl's AST builder.

Verdoolaege, Guelton, Grosser, Cohen: Schedule Trees (IMPACT 2014) and Grosser, Verdoolaege,
Cohen: Polyhedral AST generation is more than scanning polyhedra (TOPLAS 2015).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import islpy as isl

from polyir.codegen.ast_expressions import (
    Operator,
    arguments_of,
    has_operator,
    identifiers_of,
    operator_of,
)
from polyir.codegen.band_members import iterates_over_tiles, member_functions
from polyir.codegen.simpler_loops import (
    with_atomic_loops,
    with_counting_loops,
    with_loops_of_step_one,
    with_rolled_loops,
    with_separate_loops,
)
from polyir.codegen.symbolic_tiles import Box, ExpandedTiles, expand_tiles
from polyir.diagnostics import PolyirError, location_of
from polyir.isl_callbacks import Callbacks, mapped_bottom_up
from polyir.isl_lists import parameters_of, sets_of
from polyir.limits import attempted, first_within_bound, rehearsed
from polyir.model.scop import Scop
from polyir.model.tree import node_type

# Members whose names are Python's own words are missing from islpy's stub.
FOR_NODE, IF_NODE = isl.ast_node_type["for_"], isl.ast_node_type["if_"]

PARALLEL_MARK = "parallel"
"""The mark above a band whose first member's loops may run in parallel."""


@dataclass(frozen=True)
class BoxExpressions:
    """The least and the greatest value of each loop of a band, as expressions of parameters."""

    lower: tuple[isl.AstExpr, ...]
    upper: tuple[isl.AstExpr, ...]


@dataclass(frozen=True)
class ScopAst:
    """isl's AST, with the names of its loop iterators by schedule depth, and the tree behind it.

    `boxes` are the rectangular hulls of the tree's tiles of symbolic sizes, where they have one.
    """

    root: isl.AstNode
    iterators: tuple[str, ...]
    expanded: ExpandedTiles
    boxes: tuple[BoxExpressions | None, ...]

    @property
    def origins(self) -> frozenset[str]:
        """The iterators of the loops over the first points of tiles."""
        return frozenset(
            self.iterators[band.depth + position]
            for band in self.expanded.bands
            for position in range(len(band.tiles.sizes))
        )

    def depth_of(self, iterator: str) -> int:
        """The schedule depth of the loop with the given iterator."""
        return self.iterators.index(iterator)


def build_ast(scop: Scop) -> ScopAst:
    """Generate isl's AST for the schedule tree in force, under the scop's context.

    Loops over tiles whose kind the tree leaves open are atomic: isl would split such a loop
    where the ranges of its statements differ, and repeat the loops within the tiles in each
    part, which is much code for a test that is cheap there. Only where the whole range of a
    loop is not affine in the loops around it, isl's default is taken.

    Where that takes more isl operations than a step may, loops with steps count: isl works far
    less on `floor(i / 32)` than on `32 floor(i / 32)`. If that is too much still, all loops are
    atomic, with guards inside. Where isl does not see how often a loop to be unrolled runs,
    loops stay as they are.

    Raises `PolyirError` if the tree executes infinitely many instances, or if isl makes no loops
    that execute every instance once.
    """
    try:
        expanded = expand_tiles(scop.schedule, scop.context)
    except isl.Error as error:
        raise _failure(scop, str(error)) from error
    schedule = mapped_bottom_up(expanded.schedule, _with_depth)
    try:
        return _most_pleasant_ast(scop, schedule, expanded)
    except _CannotUnrollError:
        return _most_pleasant_ast(scop, with_rolled_loops(schedule), expanded)


def _most_pleasant_ast(scop: Scop, schedule: isl.Schedule, expanded: ExpandedTiles) -> ScopAst:
    atomic = mapped_bottom_up(schedule, _with_atomic_tiles)
    # Loops over first points of tiles have their own steps.
    counting = atomic if expanded.bands else with_counting_loops(atomic)
    ast = first_within_bound(
        lambda: _generate(scop, atomic, expanded),
        lambda: _generate(scop, counting, expanded),
        lambda: _generate(scop, with_atomic_loops(counting), expanded),
    )
    if not _has_piecewise_bounds(ast):
        return ast
    return first_within_bound(lambda: _generate(scop, schedule, expanded), lambda: ast)


def _generate(scop: Scop, schedule: isl.Schedule, expanded: ExpandedTiles) -> ScopAst:
    """The AST of `schedule`, in the first of several ways in which isl makes no wrong one.

    isl has been seen to lose instances of strided statements. Each of its user nodes knows which
    ones it executes, so that this is noticed, unless telling would take isl too long.
    """
    for known, tree in _ways(scop, schedule, expanded):
        context = known
        for size in expanded.sizes:
            context = context.intersect(isl.Set(f"[{size}] -> {{ : {size} >= 1 }}"))
        ast, executed = _generate_under(context, scop, tree, expanded)
        if not _executes_just_its_domain(tree):
            return ast
        wanted = tree.get_domain().intersect_params(context)
        check = partial(_is_partition, executed, wanted)
        verdict = attempted(check, CHECK_OPERATIONS, CHECK_OPERATIONS)
        if verdict is not False:
            return ast
    raise _failure(scop, "isl's would not execute every instance once")


def _ways(
    scop: Scop, schedule: isl.Schedule, expanded: ExpandedTiles
) -> Iterator[tuple[isl.Set, isl.Schedule]]:
    """Contexts and trees of the same meaning as `schedule`, the usual one first.

    What isl makes depends on what it knows of the parameters, on constraints that say nothing
    new, on whether loops may be in pieces, and on their steps.
    """
    yield scop.context, schedule
    nothing_known = isl.Set.universe(scop.context.get_space())
    yield nothing_known, schedule
    domain = isl.UnionSet.empty(schedule.get_domain().get_space())
    for instances in sets_of(schedule.get_domain()):
        domain = domain.union(isl.UnionSet.from_set(instances.remove_redundancies()))
    yield nothing_known, schedule.intersect_domain(domain)
    yield nothing_known, with_separate_loops(schedule)
    # Loops over first points of tiles have their own steps.
    if not expanded.bands:
        yield nothing_known, with_loops_of_step_one(schedule)


CHECK_OPERATIONS = 100_000
"""What it may take to see that every instance is executed once: diamonds, for one, take more."""


def _executes_just_its_domain(schedule: isl.Schedule) -> bool:
    """Whether no node of the tree adds instances or leaves some out."""
    others = ("context", "guard", "extension", "expansion")
    kinds = {isl.schedule_node_type[kind] for kind in others}
    return bool(schedule.get_root().every_descendant(lambda node: node_type(node) not in kinds))


def _is_partition(parts: Sequence[isl.UnionSet], whole: isl.UnionSet) -> bool:
    """Whether every element of `whole` is in just one of `parts`."""
    union = isl.UnionSet.empty(whole.get_space())
    for part in parts:
        if not union.is_disjoint(part):
            return False
        union = union.union(part)
    return whole.is_subset(union)


def _generate_under(
    context: isl.Set, scop: Scop, schedule: isl.Schedule, expanded: ExpandedTiles
) -> tuple[ScopAst, list[isl.UnionSet]]:
    """The AST for parameters in `context`, and the instances that each user node executes."""
    prefix = _unused_prefix(parameters_of(scop.context.get_space()))
    # Instances that the tree does not order get further loops, one an iterator at most.
    dimensions = [instances.dim(isl.dim_type.set) for instances in sets_of(schedule.get_domain())]
    depth = _tree_depth(schedule.get_root()) + max(dimensions, default=0)
    iterators = tuple(f"{prefix}{position}" for position in range(depth))
    names = isl.IdList.alloc(isl.DEFAULT_CONTEXT, len(iterators))
    for name in iterators:
        names = names.add(isl.Id(name))
    executed: list[isl.UnionSet] = []

    def note(node: isl.AstNode, build: isl.AstBuild) -> isl.AstNode:
        executed.append(build.get_schedule().domain())
        return node

    def generate() -> ScopAst:
        with Callbacks() as callbacks, _ast_options():
            build = isl.AstBuild.from_context(context).set_iterators(names)
            boxes = tuple(_box_expressions(band.box, build) for band in expanded.bands)
            build, _note = build.set_at_each_domain(callbacks.guarded(note))
            return ScopAst(build.node_from_schedule(schedule), iterators, expanded, boxes)

    try:
        # isl has been seen to crash where it detects strides beyond the bound.
        ast = rehearsed(generate)
    except isl.Error as error:
        raise _failure(scop, str(error)) from error
    if any(operator_of(loop.for_get_cond()) is None for loop in _loops(ast)):
        raise _failure(scop, "a loop would never end")
    return ast, executed


def _box_expressions(box: Box | None, build: isl.AstBuild) -> BoxExpressions | None:
    if box is None:
        return None
    return BoxExpressions(
        tuple(map(build.expr_from_pw_aff, box.lower)), tuple(map(build.expr_from_pw_aff, box.upper))
    )


class _CannotUnrollError(PolyirError):
    """isl finds no bound of a loop to be unrolled that is a constant before its last value."""


def _failure(scop: Scop, reason: str) -> PolyirError:
    # isl forgets its message where it calls back before it gives up.
    lost = "<no message>" in reason
    kind = _CannotUnrollError if lost or "for unrolling" in reason else PolyirError
    return kind(f"the schedule tree has no loops: {reason}", location_of(scop.op))


def _loops(ast: ScopAst) -> tuple[isl.AstNode, ...]:
    """The `for` nodes that become loops."""
    loops: list[isl.AstNode] = []

    def visit(node: isl.AstNode) -> bool:
        if isl.ast_node_type(node.get_type()) is FOR_NODE and not node.for_is_degenerate():
            # islpy's `node` is void after the call.
            loops.append(node.copy())
        return True

    ast.root.foreach_descendant_top_down(visit)
    return tuple(loops)


def _has_piecewise_bounds(ast: ScopAst) -> bool:
    """Whether a loop's lower bound is no maximum, or its upper bound no minimum.

    Bounds in the parameters alone do not count: they can be computed in front of all loops; nor
    do loops over tiles of symbolic sizes, whose bounds are computed anyway.
    """
    origins = ast.origins
    for loop in _loops(ast):
        if loop.for_get_iterator().get_id().get_name() in origins:
            continue
        lower, upper = loop.for_get_init(), arguments_of(loop.for_get_cond())[1]
        for bound, unwanted in ((lower, Operator.min), (upper, Operator.max)):
            pieces = (unwanted, Operator.select, Operator.cond)
            used = identifiers_of(bound)
            if any(name in used for name in ast.iterators) and has_operator(bound, pieces):
                return True
    return False


def parallel_depth(mark: isl.AstNode) -> int | None:
    """The schedule depth of the loops that a mark node makes parallel, if it makes any."""
    name = mark.mark_get_id()
    depth = name.user if name.name == PARALLEL_MARK else None
    return depth if isinstance(depth, int) else None


def _with_depth(node: isl.ScheduleNode) -> isl.ScheduleNode:
    """A mark with the schedule depth as user object of its identifier; other nodes as they are.

    isl's AST has no node for a loop that runs once; without the depth, the mark of such a loop
    would seem to stand above the next loop further in.
    """
    if node_type(node) is not isl.schedule_node_type.mark:
        return node
    noted = isl.Id(node.mark_get_id().get_name(), node.get_schedule_depth())
    return node.delete().insert_mark(noted)


def _with_atomic_tiles(node: isl.ScheduleNode) -> isl.ScheduleNode:
    """A band with its loops over tiles atomic unless it says otherwise; other nodes as they are."""
    if node_type(node) is not isl.schedule_node_type.band:
        return node
    for member in range(node.band_n_member()):
        kind = isl.ast_loop_type(node.band_member_get_ast_loop_type(member))
        functions = member_functions(node, member)
        if kind is isl.ast_loop_type.default and all(map(iterates_over_tiles, functions)):
            node = node.band_member_set_ast_loop_type(member, isl.ast_loop_type.atomic)
    return node


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
