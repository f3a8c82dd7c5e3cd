"""What a schedule tree says of GPU kernels: where they are, who runs what.

A mark `#poly.kernel` stands above each kernel; members of bands below it have the attributes
`#poly.map<block x>` and `#poly.map<thread x>`. The block of number b runs the tiles of number b. In
a tile that begins at o, the thread of number t runs the iterations i with `(i - o) mod size = t`,
where `size` is that of the block; without tiles, o is 0. What no member is mapped for is run by the
first thread. Statements with a barrier are run by all threads of a block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Final

import islpy as isl

from polyir.dialects.loop_attributes import GpuDimension, LoopAttributes, MapAttr
from polyir.dialects.mark_attributes import KernelAttr, KernelSizes, OneBlockAttr
from polyir.model.tree_loops import member_steps
from polyir.sets.maps import universe
from polyir.sets.values import isl_value
from polyir.tree import Kind, Schedule, ScheduleNode, asked_once

if TYPE_CHECKING:
    # Which memory a scop accesses depends on its threads.
    from polyir.model.scop import Scop

AXES: Final = ("x", "y", "z")

HOST_PART: Final = "poly.host"
"""The attribute of a `gpu.launch` whose body is to run on the host."""


def has_kernels(schedule: Schedule) -> bool:
    """Whether the tree has a mark `#poly.kernel`."""
    return next(kernel_marks(schedule.root), None) is not None


def is_kernel_mark(node: ScheduleNode) -> bool:
    """Whether a node is the mark of a kernel."""
    is_mark = node.kind is Kind.MARK
    return is_mark and isinstance(node.attribute, KernelAttr)


def is_one_block(node: ScheduleNode) -> bool:
    """Whether a node is a mark that says that one block is to run what is below it."""
    is_mark = node.kind is Kind.MARK
    return is_mark and isinstance(node.attribute, OneBlockAttr)


def sizes_of_kernel(mark: ScheduleNode) -> KernelSizes:
    """The sizes that the mark of a kernel says."""
    attribute = mark.attribute
    assert isinstance(attribute, KernelAttr)
    return attribute.data


def kernel_marks(node: ScheduleNode) -> Iterator[ScheduleNode]:
    """The marks of kernels from `node` down, in order; there is none inside another."""
    return filter(is_kernel_mark, node.walk())


@asked_once
def mapped_values(mark: ScheduleNode) -> Mapping[GpuDimension, isl.UnionPwAff]:
    """The values of the members below a mark that are mapped to each dimension.

    Those of members that are mapped to blocks are numbers of tiles.
    """
    found: dict[GpuDimension, isl.UnionPwAff] = {}
    for band, position, dimension in _mapped_members(mark):
        values = band.members[position].function
        values = values.intersect_domain(band.domain)
        if dimension.level == "block":
            step = isl_value(member_steps(band)[position])
            values = values.scale_down_val(step).floor()
        known = found.get(dimension)
        found[dimension] = values if known is None else known.union_add(values)
    return found


def sizes_of_tiles(mark: ScheduleNode) -> Mapping[str, int]:
    """The sizes of the tiles that blocks run, by axis; 0 if they have several along an axis."""
    found: dict[str, int] = {}
    for band, position, dimension in _mapped_members(mark):
        if dimension.level == "block":
            step = member_steps(band)[position]
            found[dimension.axis] = step if found.get(dimension.axis, step) == step else 0
    return found


def axis_of(attributes: LoopAttributes, level: str) -> str | None:
    """The axis of blocks or of threads that a loop with these attributes is mapped to."""
    for each in attributes:
        if isinstance(each, MapAttr) and each.data.level == level:
            return each.data.axis
    return None


def _mapped_members(
    node: ScheduleNode,
) -> Iterator[tuple[ScheduleNode, int, GpuDimension]]:
    """The members from `node` down that are mapped: their bands, positions and dimensions."""
    bands = (inner for inner in node.walk() if inner.kind is Kind.BAND)
    for band in bands:
        for position, attributes in enumerate(band.loop_attributes):
            for attribute in attributes:
                if isinstance(attribute, MapAttr):
                    yield band, position, attribute.data


@dataclass(frozen=True)
class ThreadLoop:
    """A member that is mapped to threads: its values, and those of the loop over its tiles.

    Without such a loop, `origins` is `None` and `tile`, the size of tiles, is 0. Where a member is
    inside another one of the same axis, the values are their sum.
    """

    values: isl.UnionPwAff
    origins: isl.UnionPwAff | None
    tile: int

    @property
    def distances(self) -> isl.UnionPwAff:
        """How far the values are from the first ones of their tiles."""
        return self.values if self.origins is None else self.values.sub(self.origins)

    def numbers(self, threads: int) -> isl.UnionPwAff:
        """The numbers of the threads that run the instances, of so many."""
        if self.tile % threads == 0:
            return self.values.mod_val(isl_value(threads))
        distances = self.values.mod_val(isl_value(self.tile))
        return distances if self.tile < threads else distances.mod_val(isl_value(threads))


@asked_once
def thread_loops(mark: ScheduleNode) -> Mapping[str, tuple[ThreadLoop, ...]]:
    """The members below a mark that are mapped to threads, by axis; each instance is in one."""
    found: dict[str, tuple[ThreadLoop, ...]] = {}

    def visit(node: ScheduleNode, around: tuple[tuple[isl.UnionPwAff, int], ...]) -> None:
        if node.kind is Kind.BAND:
            members = node.band.partial_schedule
            for position, attributes in enumerate(node.loop_attributes):
                axis = axis_of(attributes, "thread")
                if axis is not None:
                    values = members.get_at(position).intersect_domain(node.domain)
                    found[axis] = _with_loop(found.get(axis, ()), _in_tiles(values, around))
            steps = enumerate(member_steps(node))
            around += tuple((members.get_at(position), step) for position, step in steps)
        for child in node.children():
            visit(child, around)

    visit(mark, ())
    return found


def _with_loop(loops: tuple[ThreadLoop, ...], loop: ThreadLoop) -> tuple[ThreadLoop, ...]:
    apart: list[ThreadLoop] = []
    for other in loops:
        if other.values.domain().is_disjoint(loop.values.domain()):
            apart.append(other)
        else:
            loop = ThreadLoop(loop.values.union_add(other.values), None, 0)
    return (*apart, loop)


def _in_tiles(values: isl.UnionPwAff, around: Sequence[tuple[isl.UnionPwAff, int]]) -> ThreadLoop:
    """The member with `values`, inside members with these values and steps."""
    for outer, step in reversed(around):
        origins = outer.intersect_domain(values.domain())
        size = isl_value(step)
        rounded = values.scale_down_val(size).floor().scale_val(size)
        if step > 1 and values.domain().is_subset(origins.sub(rounded).zero_union_set()):
            return ThreadLoop(values, origins, step)
    return ThreadLoop(values, None, 0)


@asked_once
def numbers_of_threads(mark: ScheduleNode) -> Mapping[str, isl.UnionPwAff]:
    """For each axis with a mapped member, the number of the thread that runs each instance."""
    sizes, loops = sizes_of_kernel(mark), thread_loops(mark)
    domain = mark.domain
    found: dict[str, isl.UnionPwAff] = {}
    for position, axis in enumerate(AXES):
        parts = [loop.numbers(sizes.threads(position)) for loop in loops.get(axis, ())]
        if parts:
            numbers = reduce(isl.UnionPwAff.union_add, parts)
            rest = domain.subtract(numbers.domain())
            found[axis] = numbers.union_add(isl.UnionPwAff.val_on_domain(rest, isl.Val(0)))
    return found


def numbers_of_blocks(mark: ScheduleNode) -> Mapping[str, isl.UnionPwAff]:
    """For each axis with a mapped member, a number for each instance that is run by a block.

    It is equal for two instances of one launch if and only if the same block runs them. Instances
    that no mapped member is above have none.
    """
    mapped, limits = mapped_values(mark), sizes_of_kernel(mark).grid
    found: dict[str, isl.UnionPwAff] = {}
    for position, axis in enumerate(AXES):
        values = mapped.get(GpuDimension("block", axis))
        if values is not None:
            is_limited = position < len(limits)
            found[axis] = values.mod_val(isl_value(limits[position])) if is_limited else values
    return found


def thread_numbers(mark: ScheduleNode) -> isl.UnionMap:
    """`{ S[i] -> [x, y, z] }`: the thread that runs each instance below the mark of a kernel."""
    numbers = numbers_of_threads(mark)
    zero = isl.UnionPwAff.val_on_domain(mark.domain, isl.Val(0))
    axes = (isl.UnionMap.from_union_pw_aff(numbers.get(axis, zero)) for axis in AXES)
    return reduce(isl.UnionMap.flat_range_product, axes)


def barrier_instances(scop: Scop) -> isl.UnionSet:
    """The instances of statements with a barrier, which all threads of a block run."""
    found = isl.UnionSet.empty(scop.context.get_space())
    barriers = barrier_statements(scop)
    for body in scop.bodies:
        if body.name in barriers:
            found = found.union(universe(body.domain.get_space()))
    return found


def barrier_statements(scop: Scop) -> frozenset[str]:
    """The names of the statements with a barrier."""
    # By name: xDSL's gpu dialect takes a while to import, and few scops have kernels.
    return frozenset(
        body.name
        for body in scop.bodies
        if any(op.name == "gpu.barrier" for op in body.op.body.block.ops)
    )
