"""GPU kernels: a schedule tree with marks `#poly.kernel` as host code and the code of one thread.

The code of a kernel is the schedule tree, restricted to the instances of one launch, one block and
one thread, whose numbers are parameters. The host code is the same tree with a statement for each
kernel in the place of what is below its mark. Verdoolaege, Juega, Cohen, Gómez, Tenllado, Catthoor:
Polyhedral Parallel Code Generation for CUDA (TACO 2013), section 4, maps loops in this way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

import islpy as isl

from polyir.diagnostics import PolyirError, location_of
from polyir.dialects.loop_attributes import (
    GpuDimension,
    LoopAttributes,
    MapAttr,
    requires_parallel,
)
from polyir.dialects.mark_attributes import KernelAttr, KernelSizes
from polyir.isl_lists import parameters_of
from polyir.isl_trees import (
    TreeNode,
    build_tree,
    describe_tree,
    mapped_children,
    node_type,
    path_of,
    with_chosen_members,
    with_member_objects,
)
from polyir.model.gpu import (
    AXES,
    ThreadLoop,
    barrier_instances,
    kernel_marks,
    mapped_values,
    sizes_of_kernel,
    thread_loops,
)
from polyir.model.scop import Scop, unique_name
from polyir.model.tree import attributes_of_members, once_each, without_extensions


@dataclass(frozen=True)
class Kernel:
    """One kernel of a scop: what a thread runs, and how many blocks there are.

    `name` is that of its statement in the host code, whose iterators are the loops around the
    mark. In `thread`, `launch` are the parameters with their values, `blocks` and `threads` those
    with the numbers of the block and of the thread, by axis. `grid` are the numbers of blocks, as
    functions of the parameters of the scop and of `launch`.
    """

    name: str
    sizes: KernelSizes
    thread: Scop
    launch: tuple[str, ...]
    blocks: tuple[str, str, str]
    threads: tuple[str, str, str]
    grid: tuple[isl.PwAff, ...]


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
    marks = tuple(kernel_marks(scop.schedule.get_root()))
    inside = reduce(isl.UnionSet.union, (mark.get_domain() for mark in marks))
    left = scop.schedule.get_domain().subtract(inside)
    if not left.is_empty():
        raise PolyirError(f"in no kernel: {left.sample()}", location_of(scop.op))
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
    schedule: isl.Schedule, marks: Sequence[isl.ScheduleNode], names: Sequence[str]
) -> isl.Schedule:
    """The tree with a statement for each launch of a kernel."""
    launches = [
        _launches(mark).set_tuple_name(name) for mark, name in zip(marks, names, strict=True)
    ]
    remaining = iter(launches)

    def changed(node: TreeNode) -> TreeNode:
        if isinstance(node.content, KernelAttr):
            return TreeNode("extension", isl.UnionMap.from_map(once_each(next(remaining))), ())
        return replace(node, children=tuple(map(changed, node.children)))

    with_statements = build_tree(without_extensions(changed(describe_tree(schedule))))
    only = reduce(isl.UnionSet.union, map(isl.UnionSet.from_set, launches))
    return _sequential(with_statements.intersect_domain(only))


def _launches(mark: isl.ScheduleNode) -> isl.Set:
    """`{ [t] }`: the iterations of the loops around a mark in which its kernel is launched.

    They are convex, but for the steps of loops: some launches may run nothing. The iterations that
    run something are often many polyhedra, and each thread knows what it has to run.
    """
    around = mark.get_prefix_schedule_union_map().intersect_domain(mark.get_domain())
    return _hull(isl.Set.from_union_set(around.range()))


def _hull(values: isl.Set) -> isl.Set:
    """A convex set around `values`, with their strides; the values if isl finds no bounded one."""
    hull = isl.Set.from_basic_set(values.simple_hull().remove_divs())
    if not hull.is_bounded():
        return values.coalesce()
    for position in range(values.dim(isl.dim_type.set)):
        info = values.get_stride_info(position)
        stride, offset = info.get_stride(), info.get_offset()
        if stride.gt(isl.Val(1)):
            space = isl.LocalSpace.from_space(offset.get_domain_space())
            value = isl.Aff.var_on_domain(space, isl.dim_type.set, position)
            distance = isl.PwAff.from_aff(value.sub(offset).mod_val(stride))
            hull = hull.intersect(distance.zero_set())
    return hull


def _sequential(schedule: isl.Schedule) -> isl.Schedule:
    """The tree without the attributes of parallel loops: a thread has an order of its own."""

    def visit(node: isl.ScheduleNode) -> isl.ScheduleNode:
        if node_type(node) is isl.schedule_node_type.band:
            loops = [_without_parallel(each) for each in attributes_of_members(node)]
            if tuple(loops) != attributes_of_members(node):
                node = with_member_objects(node, [each or None for each in loops])
        return mapped_children(node, visit)

    return visit(schedule.get_root()).get_schedule()


def _without_parallel(attributes: LoopAttributes) -> LoopAttributes:
    return tuple(each for each in attributes if not requires_parallel((each,)))


# --------------------------------------------------------------------------------- one kernel


def _kernel(scop: Scop, mark: isl.ScheduleNode, name: str, taken: set[str]) -> Kernel:
    sizes = sizes_of_kernel(mark)

    def named(wanted: str) -> str:
        return unique_name(wanted, taken)

    depth = mark.get_schedule_depth()
    launch = tuple(named(f"launch{position}") for position in range(depth))
    blocks = (named("block_x"), named("block_y"), named("block_z"))
    threads = (named("thread_x"), named("thread_y"), named("thread_z"))
    parameters = (*launch, *blocks, *threads)
    domain = mark.get_domain()
    around = mark.get_prefix_schedule_multi_union_pw_aff()
    for position, parameter in enumerate(launch):
        domain = _where_equal(around.get_at(position), parameter, domain)
    context = _with_parameters(scop.context, parameters).intersect(
        _as_parameters(_launches(mark), launch)
    )
    mapped = mapped_values(mark)
    # The blocks along an axis are the same for all numbers along the others.
    all_blocks, known = domain, context
    grid: list[isl.PwAff] = []
    for axis, block in enumerate(blocks):
        numbers = mapped.get(GpuDimension("block", AXES[axis]))
        if numbers is None:
            context = _between(context, block, 1)
            continue
        limit = sizes.grid[axis] if axis < len(sizes.grid) else None
        size, relative = _blocks(numbers, limit, all_blocks, known)
        grid += [_constant(1, known)] * (axis - len(grid)) + [size]
        domain = _where_equal(relative, block, domain)
        context = _less_than(context, block, size)
    barriers, loops = barrier_instances(scop), thread_loops(mark)
    own = domain.subtract(barriers)
    for axis, thread in enumerate(threads):
        count = sizes.threads(axis)
        context = _between(context, thread, count)
        if count > 1:
            own = _of_thread(own, loops.get(AXES[axis], ()), thread, count)
    domain = own.union(domain.intersect(barriers))
    restricted = replace(scop.under(_below(mark, domain)), context=context)
    return Kernel(name, sizes, restricted, launch, blocks, threads, tuple(grid))


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
        distances = isl.UnionMap.from_union_pw_aff(loop.distances)
        parts.append(domain.intersect(distances.intersect_range(values).domain()))
        domain = domain.subtract(loop.values.domain())
    first = isl.Set(f"[{thread}] -> {{ : {thread} = 0 }}")
    return reduce(isl.UnionSet.union, parts, domain.intersect_params(first))


def _below(mark: isl.ScheduleNode, domain: isl.UnionSet) -> isl.Schedule:
    """The tree below the mark of a kernel, for the instances in `domain`, which are of one thread.

    Of loops that have one iteration for given parameters, only the values would be generated. isl
    would take long to find out when that iteration runs anything, so they are omitted: the loops
    around the mark, and those that are mapped to blocks of which each runs one tile.
    """
    sizes = sizes_of_kernel(mark)
    is_single = {
        GpuDimension("block", axis)
        for position, axis in enumerate(AXES)
        if position >= len(sizes.grid)
    }

    def visit(node: isl.ScheduleNode) -> isl.ScheduleNode:
        node = mapped_children(node, visit)
        if node_type(node) is not isl.schedule_node_type.band:
            return node
        loops = attributes_of_members(node)
        kept = [
            position
            for position, attributes in enumerate(loops)
            if not any(isinstance(each, MapAttr) and each.data in is_single for each in attributes)
        ]
        return node if len(kept) == len(loops) else with_chosen_members(node, kept)

    if mark.is_subtree_anchored():
        return _sequential(mark.get_schedule().intersect_domain(domain))
    tree = describe_tree(visit(mark).get_schedule())
    for position in path_of(mark):
        tree = tree.children[position]
    return _sequential(build_tree(TreeNode("domain", domain, tree.children)))


def _blocks(
    numbers: isl.UnionPwAff, limit: int | None, domain: isl.UnionSet, context: isl.Set
) -> tuple[isl.PwAff, isl.UnionPwAff]:
    """The number of blocks along an axis, and the one that runs each instance."""
    reached = isl.UnionMap.from_union_pw_aff(numbers).intersect_domain(domain).range()
    values = _hull(isl.Set.from_union_set(reached)).intersect_params(context)
    least, greatest = _least(values, context), values.dim_max(0).gist(context)
    size = greatest.sub(least).add_constant_val(isl.Val(1))
    relative = numbers.sub(_on(numbers.domain(), least))
    if limit is None:
        return size, relative
    return size.min(_constant(limit, context)), relative.mod_val(isl.Val(limit))


def _least(values: isl.Set, context: isl.Set) -> isl.PwAff:
    """A bound on the numbers of tiles from below: the least one, unless that is complicated."""
    least = values.dim_min(0).coalesce().gist(context)
    if least.n_piece() > 1 and values.is_subset(isl.Set("{ [t] : t >= 0 }")):
        return _constant(0, context)
    return least


# ------------------------------------------------------------------------ parameters and values


def _with_parameters(context: isl.Set, names: Sequence[str]) -> isl.Set:
    space = isl.Space.params_alloc(isl.DEFAULT_CONTEXT, len(names))
    for position, name in enumerate(names):
        space = space.set_dim_name(isl.dim_type.param, position, name)
    return context.align_params(context.get_space().align_params(space))


def _as_parameters(values: isl.Set, names: Sequence[str]) -> isl.Set:
    """`[t] -> { : ... }` for `{ [t] : ... }`, with the dimensions as the named parameters."""
    for name in names:
        first = values.dim(isl.dim_type.param)
        values = values.move_dims(isl.dim_type.param, first, isl.dim_type.set, 0, 1)
        values = values.set_dim_name(isl.dim_type.param, first, name)
    return values.params()


def _where_equal(values: isl.UnionPwAff, parameter: str, domain: isl.UnionSet) -> isl.UnionSet:
    """The part of `domain` where a function has the value of a parameter."""
    wanted = isl.UnionPwAff.param_on_domain_id(values.domain(), _identifier(parameter))
    return domain.intersect(values.sub(wanted).zero_union_set())


def _identifier(parameter: str) -> isl.Id:
    """The identifier of a parameter; one that Python makes would not be the same."""
    return isl.Set(f"[{parameter}] -> {{ : }}").get_space().get_dim_id(isl.dim_type.param, 0)


def _between(context: isl.Set, parameter: str, count: int) -> isl.Set:
    return context.intersect(isl.Set(f"[{parameter}] -> {{ : 0 <= {parameter} < {count} }}"))


def _less_than(context: isl.Set, parameter: str, bound: isl.PwAff) -> isl.Set:
    """The context with `0 <= parameter < bound`, as far as that is simple.

    Where a launch has nothing to do for any block, there may be no bound: nothing follows from it.
    """
    if bound.n_piece() > 1 or not context.is_subset(bound.domain()):
        return context.intersect(isl.Set(f"[{parameter}] -> {{ : 0 <= {parameter} }}"))
    space = context.get_space()
    value = isl.PwAff.from_aff(isl.Aff.param_on_domain_space_id(space, _identifier(parameter)))
    return context.intersect(value.lt_set(bound)).intersect(
        isl.Set(f"[{parameter}] -> {{ : 0 <= {parameter} }}")
    )


def _constant(value: int, context: isl.Set) -> isl.PwAff:
    everywhere = isl.Set.universe(context.get_space())
    return isl.PwAff.val_on_domain(everywhere, isl.Val(value))


def _on(domain: isl.UnionSet, value: isl.PwAff) -> isl.UnionPwAff:
    """A function of parameters as a function of instances."""
    return isl.UnionPwAff.pw_aff_on_domain(domain, value)
