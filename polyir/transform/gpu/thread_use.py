"""Which threads of a GPU kernel access which elements of arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import islpy as isl

from polyir.dialects.loop_attributes import GpuDimension, MapAttr
from polyir.dialects.mark_attributes import KernelSizes
from polyir.model.gpu import AXES, mapped_values, sizes_of_kernel, thread_numbers
from polyir.model.tree_loops import schedules_below
from polyir.sets.boxes import box_of_images, sizes_of
from polyir.sets.lists import maps_of
from polyir.sets.maps import moved_along
from polyir.transform.reference_groups import (
    LoopBody,
    PromotedReference,
    ReferenceGroup,
)
from polyir.transform.walk import BAND
from polyir.tree import Kind, ScheduleNode
from polyir.tree.addresses import node_at


@dataclass(frozen=True, eq=False)
class ThreadedKernel:
    """A kernel below `mark`: who runs what.

    `numbers` is `{ S[i] -> [x, y, z] }`, the thread of each instance, and `values` are the members
    that are mapped to threads, by axis.
    """

    mark: ScheduleNode
    sizes: KernelSizes
    numbers: isl.UnionMap
    values: Mapping[str, isl.UnionPwAff]

    @classmethod
    def below(cls, mark: ScheduleNode) -> ThreadedKernel:
        """The kernel of a mark."""
        mapped = mapped_values(mark)
        values = {
            axis: mapped[dimension]
            for axis in AXES
            if (dimension := GpuDimension("thread", axis)) in mapped
        }
        return cls(mark, sizes_of_kernel(mark), thread_numbers(mark).coalesce(), values)

    @property
    def axes(self) -> list[str]:
        """The axes with several threads."""
        return [axis for number, axis in enumerate(AXES) if self.sizes.threads(number) > 1]

    def threads(self, axis: str) -> int:
        """The number of threads along an axis."""
        return self.sizes.threads(AXES.index(axis))

    @cached_property
    def neighbours(self) -> isl.UnionMap:
        """`{ S[i] -> S[i'] }`: what the next iteration of the loop that is mapped to x runs."""
        found = isl.UnionMap.empty(self.mark.domain.get_space())

        def visit(node: ScheduleNode, depth: int | None) -> None:
            nonlocal found
            if node.kind is BAND:
                for position, attributes in enumerate(node.loop_attributes):
                    if MapAttr(GpuDimension("thread", "x")) in attributes:
                        depth = node.schedule_depth + position
            if node.n_children == 0 and depth is not None:
                around = node.prefix_schedule.intersect_domain(node.domain)
                for dates in maps_of(around):
                    moved = dates.apply_range(moved_along(dates.range().get_space(), depth, 1))
                    found = found.union(isl.UnionMap.from_map(moved.apply_range(dates.reverse())))
            for child in node.children():
                visit(child, depth)

        visit(self.mark.child(0), None)
        return found

    def is_coalesced(self, reference: PromotedReference) -> bool:
        """Whether neighbouring threads access the same element, or neighbours in a row."""
        relation = isl.UnionMap.from_map(reference.relation)
        moved = relation.reverse().apply_range(self.neighbours).apply_range(relation)
        if moved.is_empty():
            return True
        deltas = isl.Set.from_union_set(moved.deltas())
        row = isl.Set.universe(deltas.get_space())
        last = deltas.dim(isl.dim_type.set) - 1
        for position in range(last):
            row = row.fix_val(isl.dim_type.set, position, isl.Val(0))
        if last >= 0:
            row = row.lower_bound_val(isl.dim_type.set, last, isl.Val(-1))
            row = row.upper_bound_val(isl.dim_type.set, last, isl.Val(1))
        return bool(deltas.is_subset(row))


@dataclass(frozen=True, eq=False)
class ElementUse:
    """How the threads of a kernel use the elements of a group in an iteration of a place.

    `touched` is `{ S[i] -> [t, a] }`: the iteration, and the element.
    """

    kernel: ThreadedKernel
    touched: isl.UnionMap

    @classmethod
    def of_group(cls, kernel: ThreadedKernel, place: LoopBody, group: ReferenceGroup) -> ElementUse:
        """The use of a group at a place."""
        touched = isl.UnionMap.empty(place.iterations.get_space())
        for reference in group.references:
            elements = reference.relation.reset_tuple_id(isl.dim_type.out)
            found = place.iterations.flat_range_product(isl.UnionMap.from_map(elements))
            touched = touched.union(found)
        return cls(kernel, touched.coalesce())

    @cached_property
    def is_of_one_thread(self) -> bool:
        """Whether each element is accessed by a single thread."""
        return bool(self.touched.reverse().apply_range(self.kernel.numbers).is_single_valued())

    def value(self, function: isl.UnionPwAff) -> isl.PwAff | None:
        """`{ [t, a] -> [p] }`: the value of a function of instances, if an element has only one.

        It is right for the elements that are accessed.
        """
        values = isl.UnionMap.from_union_pw_aff(function)
        if not self.touched.domain().is_subset(values.domain()):
            return None
        found = isl.Map.from_union_map(self.touched.reverse().apply_range(values))
        hull = isl.Map.from_basic_map(found.affine_hull())
        if hull.is_single_valued():
            found = hull
        if not found.is_single_valued():
            return None
        return isl.PwMultiAff.from_map(found).get_at(0)

    def is_carried_by(self, band: ScheduleNode, position: int) -> bool:
        """Whether several iterations of a member of a band access one element."""
        member = isl.UnionMap.from_union_pw_aff(band.members[position].function)
        return not self.touched.reverse().apply_range(member).is_single_valued()

    def is_as_good_inside(self, place: LoopBody) -> bool:
        """Whether all accesses to an element at a place are in one iteration of the next loop."""
        node = node_at(place.schedule, place.path)
        statements = self.touched.domain()
        while node.kind is not BAND:
            children = node.children()
            inside = [each for each in children if _is_reached(each, statements)]
            if len(inside) != 1:
                return False
            (node,) = inside
        return not self.is_carried_by(node, 0)

    def is_repeated(self, node: ScheduleNode) -> bool:
        """Whether several iterations of a loop from `node` down access one element."""
        if node.domain.is_disjoint(self.touched.domain()):
            return False
        if node.kind is BAND and any(
            self.is_carried_by(node, position) for position in range(len(node.members))
        ):
            return True
        return any(self.is_repeated(node.child(position)) for position in range(node.n_children))

    def strides(self, sizes: Sequence[int]) -> tuple[int, ...]:
        """How far the elements that one thread accesses are apart in each dimension.

        `sizes` are those of the box around what all threads access; they are the strides where a
        thread accesses one element only.
        """
        rank = len(sizes)
        by_thread = self.touched.flat_range_product(self.kernel.numbers)
        found = isl.Set.from_union_set(by_thread.range())
        threads = len(AXES)
        loops = found.dim(isl.dim_type.set) - rank - threads
        # { [t, a, thread] } as { [t, thread] -> [a] }.
        elements = isl.Map.from_range(found)
        for _ in range(threads):
            last = loops + rank
            elements = elements.move_dims(isl.dim_type.in_, 0, isl.dim_type.out, last, 1)
        elements = elements.move_dims(isl.dim_type.in_, 0, isl.dim_type.out, 0, loops)
        return tuple(
            _step_or(elements.project_out(isl.dim_type.out, p + 1, rank - p - 1), p, size)
            for p, size in enumerate(sizes)
        )


def _is_reached(node: ScheduleNode, instances: isl.UnionSet) -> bool:
    if node.kind is Kind.FILTER:
        instances = instances.intersect(node.filter)
    return not node.domain.is_disjoint(instances)


def _step_or(elements: isl.Map, position: int, single: int) -> int:
    """How far values of the last dimension are apart; `single` where there is one only."""
    if elements.project_out(isl.dim_type.out, 0, position).is_single_valued():
        return single
    return int(elements.get_range_stride_info(position).get_stride().to_python())


def accesses_at_most(place: LoopBody, group: ReferenceGroup) -> int | None:
    """How many accesses an iteration of a place makes to a group; `None` if there is no bound."""
    node = node_at(place.schedule, place.path)
    depth = node.schedule_depth
    counts: dict[str, int | None] = {}
    for dates in schedules_below(node):
        inside = isl.Map.from_range(dates.range())
        inside = inside.move_dims(isl.dim_type.in_, 0, isl.dim_type.out, 0, depth)
        box = box_of_images(inside)
        name = dates.get_tuple_name(isl.dim_type.in_)
        known = counts.get(name, 0)
        counts[name] = None if box is None or known is None else known + prod(sizes_of(box))
    total = 0
    for reference in group.references:
        count = counts[reference.statement]
        if count is None:
            return None
        total += count
    return total
