"""The AST of a scop's schedule, and the options of isl's AST builder.

Verdoolaege, Guelton, Grosser, Cohen: Schedule Trees (IMPACT 2014) and Grosser, Verdoolaege,
Cohen: Polyhedral AST generation is more than scanning polyhedra (TOPLAS 2015).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import islpy as isl

from polyir.base import budgets
from polyir.base.budgets import Budget
from polyir.base.checked import not_checked
from polyir.base.diagnostics import PolyirError, location_of
from polyir.base.limits import CrashError, limited, within_operations
from polyir.codegen.approximate_tiles import TILE, with_approximate_tiles, with_loops_over
from polyir.codegen.ast import (
    AstBlock,
    AstExpression,
    AstFor,
    AstNode,
    EndlessLoopError,
    Operator,
    OwnBoundError,
    ast_nodes,
    expression_from_isl,
    generated_instances,
    node_from_isl,
    statements_in,
    uses,
    variables_in,
    without_statements,
)
from polyir.codegen.ast_text import means_its_dates
from polyir.codegen.counted_loops import CountedBelow, with_counting_loops, with_steps
from polyir.codegen.iterator_names import LoopNames, loop_names
from polyir.codegen.local_accesses import local_accesses
from polyir.codegen.simpler_loops import (
    with_atomic_loops,
    with_loops_of_step_one,
    with_rolled_loops,
    with_separate_loops,
)
from polyir.codegen.symbolic_tiles import Box, ExpandedTiles, TilesBelow, expand_tiles
from polyir.codegen.thread_strides import (
    BlockTree,
    NoStrideError,
    StridesBelow,
    of_one_thread,
)
from polyir.codegen.wider_domains import is_wider, with_wider_domains
from polyir.dialects.loop_attributes import LoopAttributes
from polyir.dialects.mark_attributes import LocalAttr, SymbolicTiles
from polyir.model.index_expressions import WideNumberError
from polyir.model.local_arrays import local_marks
from polyir.model.scop import Scop
from polyir.model.tree_loops import iterates_over_tiles, member_functions
from polyir.proofs.generated_code import (
    executes_each_once,
    executes_just_its_domain,
    is_in_order,
)
from polyir.sets.callbacks import Callbacks
from polyir.sets.lists import maps_of, parameters_of, sets_of
from polyir.tree import Kind, Schedule, ScheduleNode, mapped_bottom_up


@dataclass(frozen=True)
class LoopsBelow:
    """The object of a mark above a band: the attributes of its loops, from a schedule depth on."""

    depth: int
    attributes: tuple[LoopAttributes, ...]


@dataclass(frozen=True)
class GeneratedTiles:
    """Loops over the first points of tiles of symbolic sizes, from a schedule depth on.

    `ends` are the least and the greatest value of each loop over points, where tiles need them.
    """

    tiles: SymbolicTiles
    depth: int
    ends: tuple[tuple[AstExpression, AstExpression], ...]


@dataclass(frozen=True)
class ScopAst:
    """The AST of a scop; marks in it are `LoopsBelow`, `TilesBelow` and attributes of marks.

    `iterators` are the names of the loop iterators by schedule depth, `names` gives the names of
    the generated loops, `tiles` has the bands that `TilesBelow` numbers. `unchecked` says which
    checks of it gave up.
    """

    root: AstNode
    iterators: tuple[str, ...]
    names: LoopNames
    tiles: tuple[GeneratedTiles, ...]
    unchecked: tuple[str, ...] = ()

    @property
    def origins(self) -> frozenset[str]:
        """The iterators of the loops over the first points of tiles."""
        return frozenset(
            self.iterators[band.depth + position]
            for band in self.tiles
            for position in range(len(band.tiles.sizes))
        )

    def depth_of(self, iterator: str) -> int:
        """The schedule depth of the loop with the given iterator."""
        return self.iterators.index(iterator)


_Form = Callable[[Scop, Schedule, ExpandedTiles], "ScopAst | None"]
"""A way to generate loops; `None` if isl needs too many operations."""


class IncorrectAstError(PolyirError):
    """isl does not generate an AST that does what the schedule tree says."""

    name = "no-loops"


@dataclass(frozen=True)
class Cheaper:
    """What a thread of a GPU kernel may also run, if its loops are hard to generate.

    `points` are values of the outermost loops that these may all run over, with tests inside;
    `block` is what all threads of the block run.
    """

    points: isl.Set | None
    block: BlockTree | None


def build_ast(
    scop: Scop,
    cheaper: Cheaper | None = None,
    is_usable: Callable[[ScopAst], bool] = lambda ast: True,
) -> ScopAst:
    """Generate the AST for the schedule tree in force, under the scop's context.

    Loops over tiles are atomic if the tree does not give their loop type: by default, isl would
    split such a loop where the ranges of its statements differ, and repeat the point loops in
    each part, which is much code to avoid a cheap test. isl's default is used only if the whole
    range of a loop is not affine in the enclosing loops.

    If isl takes too long, crashes or is wrong, loops are generated from what is `cheaper`; without
    that, or if isl fails again, the outer loops over tiles are generated from the tiles alone
    (`approximate_tiles`). If there are no such loops, or that also takes too long, all loops are
    atomic, with guards inside, and at last over convex sets (`wider_domains`). If isl does not find
    the number of iterations of a loop to unroll, no loop is unrolled. isl numbers the tiles
    (`counted_loops`), and the result has their first points. The result is the first of these that
    `is_usable`.

    Raises `PolyirError` if the tree executes infinitely many instances, `IncorrectAstError` if isl
    does not generate loops that execute each instance once and in order, or none that is usable,
    or exceeds all budgets, and `CrashError` if it crashes.
    """
    location = location_of(scop.op)
    attempts = _attempts(scop, cheaper)
    failure: PolyirError | None = None
    reason = ""
    for number, attempt in enumerate(attempts, 1):
        try:
            ast = limited("code generation", attempt, location)
        except CrashError:
            if number == len(attempts):
                raise
            continue
        except (_IslFailedError, IncorrectAstError) as error:
            failure = failure or error
            continue
        if ast is None:
            reason = budgets.CONVEX_LOOPS.exceeded
            continue
        if is_usable(ast):
            for each in ast.unchecked:
                not_checked("lower-poly", each, scop.op)
            return ast
        reason = "isl generates no loops in which all threads of a block reach each barrier"
    raise failure or IncorrectAstError(reason, location)


def _attempts(scop: Scop, cheaper: Cheaper | None) -> list[Callable[[], ScopAst | None]]:
    """The ways to generate loops, best first."""
    forms: list[_Form] = [_loops_over_tiles, _atomic_loops, _convex_loops]
    found: list[Callable[[], ScopAst | None]] = [partial(_generated, scop, each) for each in forms]
    if cheaper is None:
        return [partial(_generated, scop, _default_loops), *found]
    if cheaper.block is not None:
        found.insert(0, partial(_loops_of_block, scop, cheaper.block))
    if cheaper.points is not None:
        over_points = partial(_loops_over_points, points=cheaper.points)
        found.insert(0, partial(_generated, scop, over_points))
    default = partial(_default_loops, limit=budgets.THREAD_LOOPS)
    return [partial(_generated, scop, default), *found]


def _generated(scop: Scop, form: _Form) -> ScopAst | None:
    """The AST with loops of a form; `None` if isl needs too many operations."""
    try:
        expanded = expand_tiles(scop.schedule, scop.context)
    except isl.Error as error:
        raise _failure(scop, str(error)) from error
    schedule = _with_marks(expanded.schedule.root).schedule
    try:
        return form(scop, schedule, expanded)
    except _CannotUnrollError:
        rolled = with_rolled_loops(schedule)
        if rolled is schedule:
            raise
        return form(scop, rolled, expanded)


def _loops_of_block(scop: Scop, block: BlockTree) -> ScopAst | None:
    """What a thread runs, from the usual loops of its block."""
    ast = _generated(scop.under(block.schedule), _default_loops)
    if ast is None:
        return None
    try:
        return replace(ast, root=of_one_thread(ast.root, block, ast.iterators))
    except NoStrideError:
        return None


def _default_loops(
    scop: Scop, schedule: Schedule, expanded: ExpandedTiles, limit: Budget | None = None
) -> ScopAst | None:
    """The loops of the tree, those over tiles atomic where their ranges are affine."""
    if limit is None:
        limit = budgets.USUAL_LOOPS.scaled(divisor=max(1, _tree_depth(schedule.root)))

    def generated(
        tree: Schedule, is_wanted: Callable[[ScopAst], bool] = lambda ast: True
    ) -> ScopAst | None:
        return _generate(scop, tree, expanded, limit, is_wanted)

    def has_simple_bounds(ast: ScopAst) -> bool:
        return not _has_piecewise_bounds(ast)

    counting = _counting(schedule, expanded)
    ast = generated(mapped_bottom_up(counting, _with_atomic_tiles), has_simple_bounds)
    counts_something = counting is not schedule
    if ast is not None and counts_something and _repetition(ast) > MOST_REPETITION:
        other = generated(mapped_bottom_up(schedule, _with_atomic_tiles), has_simple_bounds)
        if other is not None and _repetition(other) < _repetition(ast):
            ast, counting = other, schedule
    if ast is None or has_simple_bounds(ast):
        return ast
    return generated(counting) or generated(mapped_bottom_up(counting, _with_atomic_tiles))


def _loops_over_points(
    scop: Scop, schedule: Schedule, expanded: ExpandedTiles, points: isl.Set
) -> ScopAst | None:
    """Loops over all of `points`, with tests inside."""
    return _of_tiles(scop, with_loops_over(schedule, points), expanded)


def _loops_over_tiles(scop: Scop, schedule: Schedule, expanded: ExpandedTiles) -> ScopAst | None:
    """Loops with outer loops over tiles that are generated from the tiles alone."""
    if expanded.bands:
        return None
    tree = mapped_bottom_up(_counting(schedule, expanded), _with_atomic_tiles)
    tiled = with_approximate_tiles(tree, scop.context)
    return None if tiled is None else _of_tiles(scop, tiled, expanded)


def _atomic_loops(scop: Scop, schedule: Schedule, expanded: ExpandedTiles) -> ScopAst | None:
    """Atomic loops, with conditions inside."""
    counting = _counting(schedule, expanded, isolated=True)
    tree = mapped_bottom_up(counting, _with_atomic_tiles)
    return _generate(scop, with_atomic_loops(tree), expanded, budgets.ATOMIC_LOOPS)


def _convex_loops(scop: Scop, schedule: Schedule, expanded: ExpandedTiles) -> ScopAst | None:
    """Atomic loops over convex sets around the instances, with conditions inside."""
    counting = _counting(schedule, expanded, isolated=True)
    tree = with_atomic_loops(mapped_bottom_up(counting, _with_atomic_tiles))
    wider = with_wider_domains(tree, scop.context) if executes_just_its_domain(tree) else None
    return _generate(scop, wider or tree, expanded, budgets.CONVEX_LOOPS)


def _counting(schedule: Schedule, expanded: ExpandedTiles, isolated: bool = False) -> Schedule:
    """The tree in which loops over tiles count them; if some iterations are `isolated`, too.

    Around isolated iterations, isl splits the usual loops over numbers otherwise than those over
    first points: of six kernels, one then takes 13 % less time, but four 6 to 15 % more.
    """
    # Loops over first points of tiles have their own steps.
    return schedule if expanded.bands else with_counting_loops(schedule, isolated)


MOST_REPETITION = 4
"""How often a statement may be in the AST, on average, before the AST of loops over first points is
generated, too, and the shorter one taken. Loops over tile numbers are shorter, except for some
diamonds. A round number: the ASTs of most programs are short, and are generated once."""


def _repetition(ast: ScopAst) -> float:
    """How many nodes of the AST execute a statement, on average."""
    statements = statements_in(ast.root)
    return len(statements) / max(1, len(set(statements)))


def _of_tiles(scop: Scop, schedule: Schedule, expanded: ExpandedTiles) -> ScopAst | None:
    try:
        return _generate(scop, schedule, expanded, budgets.TILE_LOOPS)
    except PolyirError:
        # The hull of the tiles of several statements may have no bounds.
        return None


def _generate(
    scop: Scop,
    schedule: Schedule,
    expanded: ExpandedTiles,
    limit: Budget,
    is_wanted: Callable[[ScopAst], bool] = lambda ast: True,
) -> ScopAst | None:
    """The AST of `schedule`, from the first of several equivalent inputs with a correct result.

    `None` if isl's operations exceed `limit` for the AST of an input. An AST that is not
    wanted, and will not be used, is returned without the check.

    isl has been seen to lose instances of strided statements, to order them wrongly, and to make
    wrong expressions. What its user nodes execute is therefore compared with the schedule. The
    result says if a check of that gives up.
    """
    whole = expanded.schedule
    for known, tree in _ways(scop, schedule, expanded):
        context = known
        for size in expanded.sizes:
            context = context.intersect(isl.Set(f"[{size}] -> {{ : {size} >= 1 }}"))
        compute = partial(_generate_under, context, scop, tree, expanded)
        try:
            found = within_operations(limit, compute)
        except OwnBoundError:
            # Seen once: a kernel with strided tiles, whose loop ended at 100 floor(c / 100).
            continue
        if found is None:
            return None
        ast, dates = found
        # isl keeps the tiles that have no instances, and the points of wider domains.
        root = without_statements(ast.root, _has_no_instances) or AstBlock(())
        result = replace(ast, root=with_steps(root, ast.iterators))
        if not is_wanted(result):
            return result
        generated = tuple(generated_instances(root, dates, ast.iterators))
        checks = {
            budgets.AST_PARTITION: partial(executes_each_once, generated, whole, context),
            budgets.AST_ORDER: partial(is_in_order, generated, tree, whole.map),
            budgets.AST_TEXT: partial(means_its_dates, root, dates, ast.iterators, context),
        }
        results = {budget: within_operations(budget, check) for budget, check in checks.items()}
        if False not in results.values():
            gave_up = (budget for budget, is_right in results.items() if is_right is None)
            return replace(result, unchecked=tuple(each.exceeded for each in gave_up))
    reason = "isl generates no loops that execute each instance once and in order"
    raise IncorrectAstError(reason, location_of(scop.op))


def _has_no_instances(name: str) -> bool:
    return name == TILE or is_wider(name)


def _ways(
    scop: Scop, schedule: Schedule, expanded: ExpandedTiles
) -> Iterator[tuple[isl.Set, Schedule]]:
    """Contexts and trees of the same meaning as `schedule`, the usual one first.

    The result of isl depends on the constraints on parameters, on redundant constraints, on
    whether loops may be split, and on their steps.
    """
    yield scop.context, schedule
    nothing_known = isl.Set.universe(scop.context.get_space())
    yield nothing_known, schedule
    domain = isl.UnionSet.empty(schedule.domain.get_space())
    for instances in sets_of(schedule.domain):
        domain = domain.union(isl.UnionSet.from_set(instances.remove_redundancies()))
    yield nothing_known, schedule.within(domain)
    yield nothing_known, with_separate_loops(schedule)
    # Loops over first points of tiles have their own steps.
    if not expanded.bands:
        yield nothing_known, with_loops_of_step_one(schedule)
    yield scop.context, with_atomic_loops(schedule)


def _generate_under(
    context: isl.Set, scop: Scop, schedule: Schedule, expanded: ExpandedTiles
) -> tuple[ScopAst, list[isl.Map]]:
    """The AST for parameters in `context`.

    Also, for each user node, the instances that it executes and their iterators: `{ S[i] -> [c] }`.
    """
    prefix = _unused_prefix(parameters_of(scop.context.get_space()))
    # Instances that the tree does not order get further loops, one an iterator at most.
    dimensions = [instances.dim(isl.dim_type.set) for instances in sets_of(schedule.domain)]
    depth = _tree_depth(schedule.root) + max(dimensions, default=0)
    iterators = tuple(f"{prefix}{position}" for position in range(depth))
    names = isl.IdList.alloc(isl.DEFAULT_CONTEXT, len(iterators))
    for name in iterators:
        names = names.add(isl.Id(name))
    dates: list[isl.Map] = []
    marks = local_marks(scop.schedule)

    def note(node: isl.AstNode, build: isl.AstBuild) -> isl.AstNode:
        (date,) = maps_of(build.get_schedule())
        # isl nests the loops of inner bands in tuples of their own.
        dates.append(date.apply_range(date.range().flatten_map()))
        annotation = len(dates) - 1, local_accesses(scop, marks, build)
        return node.set_annotation(isl.Id("instance", annotation))

    try:
        with Callbacks() as callbacks, _ast_options(whole_iterations=bool(marks)):
            build = isl.AstBuild.from_context(context).set_iterators(names)
            tiles = tuple(
                GeneratedTiles(band.tiles, band.depth, _ends(band.box, build))
                for band in expanded.bands
            )
            build, _note = build.set_at_each_domain(callbacks.guarded(note))
            root = node_from_isl(build.node_from_schedule(schedule.as_isl))
    except isl.Error as error:
        raise _failure(scop, str(error)) from error
    except WideNumberError as error:
        raise IncorrectAstError(error.message, location_of(scop.op)) from error
    except EndlessLoopError as error:
        raise PolyirError(_NO_LOOPS.format(error), location_of(scop.op), name="no-loops") from error
    return ScopAst(root, iterators, loop_names(scop, expanded), tiles), dates


def expression_of(value: isl.PwAff, context: isl.Set) -> AstExpression:
    """A function of parameters, for those in `context`."""
    with _ast_options(whole_iterations=False):
        return expression_from_isl(isl.AstBuild.from_context(context).expr_from_pw_aff(value))


def condition_of(points: isl.Set, context: isl.Set) -> AstExpression:
    """Whether parameters are in a set, for those in `context`."""
    with _ast_options(whole_iterations=False):
        return expression_from_isl(isl.AstBuild.from_context(context).expr_from_set(points))


def _ends(box: Box | None, build: isl.AstBuild) -> tuple[tuple[AstExpression, AstExpression], ...]:
    if box is None:
        return ()
    return tuple(
        (
            expression_from_isl(build.expr_from_pw_aff(lower)),
            expression_from_isl(build.expr_from_pw_aff(upper)),
        )
        for lower, upper in zip(box.lower, box.upper, strict=True)
    )


class _IslFailedError(PolyirError):
    """isl generates no loops."""

    name = "no-loops"


class _CannotUnrollError(_IslFailedError):
    """isl finds no constant bound on the number of iterations of a loop to unroll."""


_NO_LOOPS: Final = "no loops can be generated for the schedule tree: {}"


def _failure(scop: Scop, reason: str) -> PolyirError:
    # isl forgets its message where it calls back before it gives up.
    lost = "<no message>" in reason
    kind = _CannotUnrollError if lost or "for unrolling" in reason else _IslFailedError
    return kind(_NO_LOOPS.format(reason), location_of(scop.op))


def _has_piecewise_bounds(ast: ScopAst) -> bool:
    """Whether the lower bound of a loop is not a maximum, or its upper bound not a minimum.

    Bounds that use only parameters are ignored: they can be computed before all loops. So are
    loops over tiles of symbolic sizes, whose bounds are computed anyway.
    """
    origins, iterators = ast.origins, frozenset(ast.iterators)
    for loop in ast_nodes(ast.root):
        if isinstance(loop, AstFor) and loop.iterator not in origins:
            for bound, unwanted in ((loop.first, Operator.MIN), (loop.bound, Operator.MAX)):
                if variables_in(bound) & iterators and uses(bound, unwanted, Operator.SELECT):
                    return True
    return False


def _with_marks(node: ScheduleNode) -> ScheduleNode:
    """The tree from `node` down with a mark `LoopsBelow` above each band with attributes.

    isl's AST has no node for a loop that runs once, so the mark has the schedule depth: otherwise,
    its attributes would go to the next inner loop. Marks with attributes that code generation
    does not use are omitted.
    """
    kind = node.kind
    if kind is Kind.MARK and not isinstance(node.attribute, _MEANT):
        return _with_marks(node.delete())
    for position in range(node.n_children):
        node = _with_marks(node.child(position)).parent()
    if kind is Kind.BAND:
        attributes = node.loop_attributes
        if any(attributes):
            below = LoopsBelow(node.schedule_depth, attributes)
            return node.insert_mark(below)
    return node


_MEANT = (TilesBelow, CountedBelow, StridesBelow, LocalAttr)


def _with_atomic_tiles(node: ScheduleNode) -> ScheduleNode:
    """A band with atomic tile loops, unless it gives another loop type; other nodes as they are."""
    if node.kind is not Kind.BAND:
        return node
    for member in range(len(node.members)):
        kind = node.members[member].kind
        functions = member_functions(node, member)
        if kind is isl.ast_loop_type.default and all(map(iterates_over_tiles, functions)):
            node = node.with_member(member, kind=isl.ast_loop_type.atomic)
    return node


def _tree_depth(node: ScheduleNode) -> int:
    """The greatest schedule depth below `node`."""
    children = [_tree_depth(node.child(n)) for n in range(node.n_children)]
    return max(children, default=node.schedule_depth)


def _unused_prefix(taken: tuple[str, ...]) -> str:
    """A name that no name in `taken` begins with."""
    prefix = "loop"
    while any(name.startswith(prefix) for name in taken):
        prefix += "_"
    return prefix


@contextmanager
def _ast_options(whole_iterations: bool) -> Iterator[None]:
    """Set isl's AST options, which belong to its context, during one generation.

    Unless `whole_iterations`, isl may generate statements in loops of their own where their order
    in each iteration allows it. A local array must have its whole iteration below its mark.
    """
    context = isl.DEFAULT_CONTEXT
    before = context.get_ast_build_detect_min_max(), context.get_ast_build_group_coscheduled()
    context.set_ast_build_detect_min_max(1)
    context.set_ast_build_group_coscheduled(whole_iterations)
    try:
        yield
    finally:
        context.set_ast_build_detect_min_max(before[0])
        context.set_ast_build_group_coscheduled(before[1])
