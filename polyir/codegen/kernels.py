"""GPU kernels: a schedule tree with marks `#poly.kernel` as host code and the code of one thread.

The code of a kernel is the schedule tree, restricted to the instances of one launch, one block and
one thread, whose numbers are parameters. The host code is the same tree with a statement for each
kernel in the place of what is below its mark. Verdoolaege, Juega, Cohen, Gómez, Tenllado, Catthoor:
Polyhedral Parallel Code Generation for CUDA (TACO 2013), section 4, maps loops in this way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import islpy as isl

from polyir.base.diagnostics import PolyirError, location_of
from polyir.codegen.ast import AstName, AstNumber, AstOperation, Operator
from polyir.codegen.counted_loops import Count, CountedBelow
from polyir.codegen.kernel_blocks import (
    Blocks,
    as_parameters,
    between,
    blocks_for,
    constant,
    launches_of,
    parameter_on,
    where_among,
    where_equal,
    with_parameters,
)
from polyir.codegen.thread_strides import BlockTree, Stride, StridesBelow, linear_functions
from polyir.dialects.loop_attributes import (
    GpuDimension,
    LoopAttributes,
    requires_parallel,
)
from polyir.dialects.mark_attributes import KernelAttr, KernelSizes
from polyir.model.gpu import (
    AXES,
    ThreadLoop,
    axis_of,
    barrier_instances,
    barrier_statements,
    kernel_marks,
    mapped_values,
    sizes_of_kernel,
    sizes_of_tiles,
    thread_loops,
)
from polyir.model.scop import Scop, unique_name
from polyir.model.tree_loops import member_steps
from polyir.sets.lists import parameters_of
from polyir.sets.values import isl_value
from polyir.tree import (
    LEAF,
    Band,
    Domain,
    Extension,
    Kind,
    Mark,
    Node,
    Schedule,
    ScheduleNode,
    mapped_children,
)
from polyir.tree.added import finished, once_each
from polyir.tree.nodes import attribute_of


@dataclass(frozen=True)
class Kernel:
    """One kernel of a scop: what a thread runs, and how many blocks there are.

    `name` is that of its statement in the host code, whose iterators are the loops around the mark.
    In `thread`, `launch` are the parameters with their values, `tiles` and `threads` those with the
    numbers of the first tile of the block and of the thread, by axis; `context` is what a launch
    says of parameters. `points` are the values of the outermost loops of a thread in whole tiles,
    if they are all in tiles; `block` is what all threads of a block run, unless strides of threads
    begin at values of loops. `grid` are the blocks along the first axes, as functions of the
    parameters of the scop and of `launch`.
    """

    name: str
    sizes: KernelSizes
    context: isl.Set
    thread: Scop
    points: isl.Set | None
    block: BlockTree | None
    launch: tuple[str, ...]
    tiles: tuple[str, str, str]
    threads: tuple[str, str, str]
    grid: tuple[Blocks, ...]


@dataclass(frozen=True)
class HostAndKernels:
    """The host code of a scop, in which the kernels are statements, and the kernels."""

    host: Scop
    kernels: tuple[Kernel, ...]


def host_and_kernels(scop: Scop) -> HostAndKernels:
    """Split a scop at the marks of its kernels.

    Raises `PolyirError` if a statement is in no kernel.
    """
    taken = {*parameters_of(scop.context.get_space()), *(body.name for body in scop.bodies)}
    marks = tuple(kernel_marks(scop.schedule.root))
    inside = reduce(isl.UnionSet.union, (mark.domain for mark in marks))
    left = scop.schedule.domain.subtract(inside)
    if not left.is_empty():
        raise PolyirError(f"in no kernel: {left.sample()}", location_of(scop.op), name="gpu-fault")
    names: list[str] = []
    for number in range(len(marks)):
        names.append(unique_name(f"kernel{number}", taken))
        taken.add(names[-1])
    kernels = tuple(
        _kernel(scop, mark, name, taken) for mark, name in zip(marks, names, strict=True)
    )
    return HostAndKernels(scop.under(_host_schedule(scop.schedule, marks, names)), kernels)


# ------------------------------------------------------------------------------- the host code


def _host_schedule(
    schedule: Schedule, marks: Sequence[ScheduleNode], names: Sequence[str]
) -> Schedule:
    """The tree with a statement for each launch of a kernel."""
    launches = [
        launches_of(mark).set_tuple_name(name) for mark, name in zip(marks, names, strict=True)
    ]
    remaining = iter(launches)

    def changed(node: Node) -> Node:
        if isinstance(attribute_of(node), KernelAttr):
            return Extension((LEAF,), isl.UnionMap.from_map(once_each(next(remaining))))
        return node.with_children(map(changed, node.children))

    with_statements = finished(changed(schedule.tree))
    only = reduce(isl.UnionSet.union, map(isl.UnionSet.from_set, launches))
    return _sequential(with_statements.within(only))


def _sequential(schedule: Schedule) -> Schedule:
    """The tree without the attributes of parallel loops: a thread has an order of its own."""

    def visit(node: ScheduleNode) -> ScheduleNode:
        if node.kind is Kind.BAND:
            loops = [_without_parallel(each) for each in node.loop_attributes]
            if tuple(loops) != node.loop_attributes:
                node = node.with_loop_attributes(loops)
        return mapped_children(node, visit)

    return visit(schedule.root).schedule


def _without_parallel(attributes: LoopAttributes) -> LoopAttributes:
    return tuple(each for each in attributes if not requires_parallel((each,)))


# --------------------------------------------------------------------------------- one kernel


def _kernel(scop: Scop, mark: ScheduleNode, name: str, taken: set[str]) -> Kernel:
    sizes = sizes_of_kernel(mark)

    def named(wanted: str) -> str:
        return unique_name(wanted, taken)

    depth = mark.schedule_depth
    launch = tuple(named(f"launch{position}") for position in range(depth))
    tiles = (named("tile_x"), named("tile_y"), named("tile_z"))
    threads = (named("thread_x"), named("thread_y"), named("thread_z"))
    parameters = (*launch, *tiles, *threads)
    domain = mark.domain
    around = mark.prefix_functions
    for position, parameter in enumerate(launch):
        domain = domain.intersect(where_equal(around.get_at(position), parameter))
    context = with_parameters(scop.context, parameters).intersect(
        as_parameters(launches_of(mark), launch)
    )
    mapped, tile_sizes = mapped_values(mark), sizes_of_tiles(mark)
    # The blocks along an axis are the same for all numbers along the others.
    all_blocks, known = domain, context
    grid: list[Blocks] = []
    single: dict[str, tuple[isl.UnionPwAff, int]] = {}
    for axis, tile in enumerate(tiles):
        numbers = mapped.get(GpuDimension("block", AXES[axis]))
        if numbers is None:
            context = between(context, tile, 1)
            continue
        limit = sizes.grid[axis] if axis < len(sizes.grid) else None
        found = blocks_for(numbers, limit, all_blocks, known, launch)
        one = Blocks(constant(1, known), constant(0, known), None, isl.Set("{ [0] }"))
        grid += [one] * (axis - len(grid)) + [found]
        domain = domain.intersect(found.run_by(numbers, tile))
        context = context.intersect(as_parameters(found.tiles, [tile]))
        if limit is None:
            single[tile] = numbers, tile_sizes[AXES[axis]]
    barriers, loops, of_block = barrier_instances(scop), thread_loops(mark), domain
    own = domain.subtract(barriers)
    for axis, thread in enumerate(threads):
        count = sizes.threads(axis)
        context = between(context, thread, count)
        if count > 1:
            along = [_from_tiles(loop, single) for loop in loops.get(AXES[axis], ())]
            own = _of_thread(own, along, thread, count)
    domain = own.union(domain.intersect(barriers))
    of_thread = _below(mark, domain, tiles)
    restricted = replace(scop.under(_sequential(of_thread)), context=context)
    counts = {thread: sizes.threads(axis) for axis, thread in enumerate(threads)}
    points = _points(of_thread, single, counts)
    marked = _with_marks_of_strides(mark, threads, single)
    block = None
    if marked is not None:
        several = {axis: name for axis, name in enumerate(threads) if counts[name] > 1}
        block = BlockTree(
            _sequential(_below(marked, of_block, tiles)), several, barrier_statements(scop)
        )
    return Kernel(
        name, sizes, known, restricted, points, block, launch, tiles, threads, tuple(grid)
    )


def _with_marks_of_strides(
    mark: ScheduleNode, threads: Sequence[str], tiles: _Tiles
) -> ScheduleNode | None:
    """The kernel with marks `StridesBelow`; `None` where a stride begins at a loop around.

    `None`, too, if loops that are mapped to threads are unrolled: those of a block have many more
    iterations than those of a thread.
    """
    sizes, loops = sizes_of_kernel(mark), thread_loops(mark)
    is_known = not mark.is_subtree_anchored and not any(map(_unrolls_threads, mark.walk()))

    def stride(
        function: isl.UnionPwAff, domain: isl.UnionSet, axis: int
    ) -> tuple[int, Stride] | None:
        nonlocal is_known
        count = sizes.threads(axis)
        if count == 1:
            return None
        for loop in loops[AXES[axis]]:
            if not domain.is_subset(loop.values.sub(function).zero_union_set()):
                continue
            functions = linear_functions(function)
            if loop.tile % count == 0:
                return axis, Stride(threads[axis], count, None, functions)
            tile = _tile_of(loop, tiles)
            if tile is not None:
                origin = AstOperation(Operator.MUL, (AstNumber(loop.tile), AstName(tile)))
                return axis, Stride(threads[axis], count, origin, functions)
        is_known = False
        return None

    def visit(node: ScheduleNode) -> ScheduleNode:
        node = mapped_children(node, visit)
        if node.kind is not Kind.BAND:
            return node
        domain = node.domain
        axes = [axis_of(attributes, "thread") for attributes in node.loop_attributes]
        strides = tuple(
            None if axis is None else stride(function, domain, AXES.index(axis))
            for function, axis in zip(node.functions, axes, strict=True)
        )
        return node.insert_mark(StridesBelow(0, strides)) if any(strides) else node

    result = visit(mark) if is_known else mark
    return result if is_known else None


def _unrolls_threads(node: ScheduleNode) -> bool:
    """Whether a loop of a band that is mapped to threads is unrolled."""
    return node.kind is Kind.BAND and any(
        member.kind == isl.ast_loop_type.unroll and axis_of(attributes, "thread") is not None
        for member, attributes in zip(node.members, node.loop_attributes, strict=True)
    )


def _points(
    schedule: Schedule,
    tiles: _Tiles,
    threads: Mapping[str, int],
) -> isl.Set | None:
    """`{ [v] }`: the values that the outermost loops of a thread have in a whole tile.

    `None` unless they are all loops over the points of a tile. `threads` are the parameters for
    the numbers of the thread, with the numbers of threads, by axis.
    """
    if schedule.root.is_subtree_anchored:
        return None
    domain = schedule.domain
    node, values = schedule.root.child(0), isl.Set("{ [] }")
    while node.kind is Kind.BAND:
        members = zip(node.functions, node.loop_attributes, strict=True)
        for function, attributes in members:
            along = _window(function.intersect_domain(domain), attributes, tiles, threads)
            if along is None:
                return None
            values = values.flat_product(along)
        node = node.child(0)
    return values if values.dim(isl.dim_type.set) > 1 else None


def _window(
    function: isl.UnionPwAff,
    attributes: LoopAttributes,
    tiles: _Tiles,
    threads: Mapping[str, int],
) -> isl.Set | None:
    """`{ [v] }`: the values of a loop over points of a tile that a thread runs."""
    for tile, (numbers, size) in tiles.items():
        if not size:
            continue
        wanted = function.scale_down_val(isl_value(size)).floor()
        if not function.domain().is_subset(wanted.sub(numbers).zero_union_set()):
            continue
        axis = axis_of(attributes, "thread")
        if axis is None:
            return isl.Set(f"[{tile}] -> {{ [v] : 0 <= v - {size}{tile} < {size} }}")
        thread, count = tuple(threads.items())[AXES.index(axis)]
        own = f"v = {size}{tile} + {thread} + {count}k and k >= 0"
        return isl.Set(
            f"[{tile}, {thread}] -> {{ [v] : exists k : {own} and v < {size}{tile} + {size} }}"
        )
    return None


_Tiles = Mapping[str, tuple[isl.UnionPwAff, int]]
"""The numbers of the tiles of which a block runs one, and their size, by their parameters."""


def _tile_of(loop: ThreadLoop, tiles: _Tiles) -> str | None:
    """The parameter that is the number of the tile that a loop is in."""
    if loop.origins is None:
        return None
    domain = loop.values.domain()
    for tile, (numbers, _) in tiles.items():
        first = numbers.intersect_domain(domain).scale_val(isl_value(loop.tile))
        if domain.is_subset(first.sub(loop.origins).zero_union_set()):
            return tile
    return None


def _from_tiles(loop: ThreadLoop, tiles: _Tiles) -> ThreadLoop:
    """The loop with first points of tiles by the parameter that is the number of its tile."""
    tile = _tile_of(loop, tiles)
    if tile is None:
        return loop
    own = parameter_on(loop.values.domain(), tile).scale_val(isl_value(loop.tile))
    return replace(loop, origins=own)


def _of_thread(
    domain: isl.UnionSet, loops: Sequence[ThreadLoop], thread: str, count: int
) -> isl.UnionSet:
    """The instances that a thread runs, of `count` along an axis: `numbers_of_threads` in isl sets.

    In a tile from o on, they are the values o + thread + k count for k >= 0. The bound on k follows
    from the others, but isl does not see that, and would look for the first value itself.
    """
    parts: list[isl.UnionSet] = []
    for loop in loops:
        reached = f"0 <= k and d = {thread} + {count}k"
        if not loop.tile:
            reached = f"d = {thread} + {count}k"
        elif loop.tile <= count:
            reached = f"d = {thread}"
        values = isl.UnionSet(f"[{thread}] -> {{ [d] : exists k : {reached} }}")
        parts.append(domain.intersect(where_among(loop.distances, values)))
        domain = domain.subtract(loop.values.domain())
    first = isl.Set(f"[{thread}] -> {{ : {thread} = 0 }}")
    return reduce(isl.UnionSet.union, parts, domain.intersect_params(first))


def _below(mark: ScheduleNode, domain: isl.UnionSet, tiles: Sequence[str]) -> Schedule:
    """The tree below the mark of a kernel, for the instances in `domain`, which are of one thread.

    Of loops that have one iteration for given parameters, only the values would be generated. isl
    would take long to find out when that iteration runs anything, so they are omitted: the loops
    around the mark, and those that are mapped to blocks of which each runs one tile. If a block
    runs several, they are counted; `tiles` are the numbers of the first ones, by axis:

        band [32 floor(i/32)]    =>    mark CountedBelow(0, [Count(32 limit, 32 tile)])
                                         band [floor((floor(i/32) - tile)/limit)]
    """
    grid = sizes_of_kernel(mark).grid

    def visit(node: ScheduleNode) -> ScheduleNode:
        node = mapped_children(node, visit)
        if node.kind is not Kind.BAND:
            return node
        functions: dict[int, isl.UnionPwAff] = {}
        counts: list[Count | None] = []
        members = zip(node.functions, member_steps(node), node.loop_attributes, strict=True)
        for position, (function, step, attributes) in enumerate(members):
            name = axis_of(attributes, "block")
            axis = len(grid) if name is None else AXES.index(name)
            if name is None:
                functions[position] = function
                counts.append(None)
            elif axis < len(grid):
                numbers = function.scale_down_val(isl_value(step)).floor()
                distance = numbers.sub(parameter_on(numbers.domain(), tiles[axis]))
                functions[position] = distance.scale_down_val(isl_value(grid[axis])).floor()
                offset = AstOperation(Operator.MUL, (AstNumber(step), AstName(tiles[axis])))
                counts.append(Count(step * grid[axis], offset))
        if any(counts) or len(functions) < len(node.members):
            node = node.with_members(functions)
        return node.insert_mark(CountedBelow(0, tuple(counts))) if any(counts) else node

    if mark.is_subtree_anchored:
        return mark.schedule.within(domain)
    return Schedule(Domain((_with_depths(visit(mark).node.children[0], 0),), domain))


def _with_depths(tree: Node, depth: int) -> Node:
    """The tree with marks `CountedBelow` and `StridesBelow` that know the depth of their bands."""
    inner = depth
    match tree:
        case Band():
            inner += len(tree.members)
        case Mark(attribute=CountedBelow() | StridesBelow() as below):
            tree = replace(tree, attribute=replace(below, depth=depth))
    return tree.with_children(_with_depths(child, inner) for child in tree.children)
