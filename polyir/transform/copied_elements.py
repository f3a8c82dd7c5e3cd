"""What is copied to and from the local array of a group of references.

S. Verdoolaege, J. C. Juega, A. Cohen, J. I. Gómez, C. Tenllado, F. Catthoor, "Polyhedral parallel
code generation for CUDA" (TACO 2013), section 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Literal

import islpy as isl

from polyir.base import budgets
from polyir.base.limits import within_operations
from polyir.model.dataflow import ArrayFlow
from polyir.model.raising.context import is_certain, within_extent
from polyir.model.scop import Scop
from polyir.model.statements import AccessKind
from polyir.model.temporaries import why_no_temporary
from polyir.sets.boxes import box_of_images, images_in, interval
from polyir.sets.hulls import simplified
from polyir.sets.lists import maps_of
from polyir.sets.maps import coordinate
from polyir.transform.reference_groups import (
    LoopBody,
    NotPromotableError,
    ReferenceGroup,
)

Footprint = Literal["box", "exact"]

MOST_PIECES = 4
"""The polyhedra in which needed elements may be. Where they are more, copying all that is read
takes simpler loops, and is done if it is fewer polyhedra."""


NOT_THERE = "an access is conditional, and what it accesses may not be there"


@dataclass(frozen=True)
class CopiedElements:
    """The elements of an array that each iteration of a place copies, for a group of references.

    `flow` is that of the array.
    """

    scop: Scop
    place: LoopBody
    array: str
    group: ReferenceGroup
    flow: ArrayFlow

    def copied_in(self, footprint: Footprint) -> isl.Map:
        """`{ [t] -> A[a] }`: what an iteration reads and has surely not written before, or more.

        What is copied out and may not have been written is copied in, too. For the footprint
        `box`, it is a rectangle. If what is needed is complicated, all that the iteration reads is
        copied. Of a temporary, nothing else is: elsewhere, what nothing reads is not copied out.

        Raises `NotPromotableError` for what may be beyond the end of the array: elements that are
        only accessed under a condition that is not part of a domain.
        """
        elements = self._copied_in(footprint)
        there = surely_there(self.scop, self.array)
        if there is None or elements.range().is_subset(there):
            return elements
        if footprint == "box" and (exact := self._copied_in("exact")).range().is_subset(there):
            return exact
        raise NotPromotableError(NOT_THERE)

    def _copied_in(self, footprint: Footprint) -> isl.Map:
        if self._is_temporary:
            return simplified(self._with_uncertain(self._needed()))
        found = within_operations(budgets.NEEDED_ELEMENTS, self._needed)
        needed = self._with_uncertain(self._read() if found is None else found)
        if needed.is_empty():
            return needed
        if footprint == "box":
            return simplified(self._boxed(needed))
        needed = simplified(needed)
        if needed.n_basic_map() > MOST_PIECES:
            read = simplified(self._with_uncertain(self._read()))
            return read if read.n_basic_map() < needed.n_basic_map() else needed
        return needed

    def copied_out(self) -> isl.Map:
        """`{ [t] -> A[a] }`: what an iteration writes and something else may read, or more.

        If that is complicated, all that the iteration writes is copied.
        """
        return simplified(self._live())

    def _with_uncertain(self, needed: isl.Map) -> isl.Map:
        """What is needed, and what is copied out and may not have been written."""
        uncertain = [e.footprint for e in self.group.references if e.kind is AccessKind.MAY_WRITE]
        live = self._live() if uncertain else needed
        return reduce(isl.Map.union, (each.intersect(live) for each in uncertain), needed)

    def _read(self) -> isl.Map:
        """`{ [t] -> A[a] }`: what an iteration reads."""
        found = isl.Map.empty(self.group.footprint.get_space())
        reads = (e.footprint for e in self.group.references if e.kind is AccessKind.READ)
        return reduce(isl.Map.union, reads, found)

    def _needed(self) -> isl.Map:
        """`{ [t] -> A[a] }`: what an iteration reads and has surely not written before."""
        found = isl.Map.empty(self.group.footprint.get_space())
        same = self.place.same_iteration
        for read in self.flow.reads:
            for reference in self.group.references:
                if reference.kind is AccessKind.READ and _is_part(
                    reference.relation, read.access.relation
                ):
                    outside = self._scop_map()
                    for sources in read.sources:
                        outside = outside.union(isl.UnionMap.from_map(sources))
                    outside = outside.subtract(same)
                    instances = outside.range().union(read.unwritten.domain())
                    reading = isl.UnionMap.from_map(reference.relation).intersect_domain(instances)
                    found = found.union(self._by_iteration(reading, found))
        return found

    def _live(self) -> isl.Map:
        """`{ [t] -> A[a] }`: what an iteration writes and something else may read, or more."""
        if self._is_temporary:
            return self._read_elsewhere()
        writing = (e.footprint for e in self.group.references if e.kind is not AccessKind.READ)
        nothing = isl.Map.empty(self.group.footprint.get_space())
        written = reduce(isl.Map.union, writing, nothing)
        live = within_operations(budgets.NEEDED_ELEMENTS, lambda: self._live_of(written))
        return written if live is None else live

    def _live_of(self, written: isl.Map) -> isl.Map:
        """The part of `written` that something else may read, in the scop or after it.

        It is all of it where the part would take more loops.
        """
        remaining = self._by_iteration(self.flow.writes_that_remain, written)
        live = self._read_elsewhere().union(remaining).intersect(written).coalesce()
        is_simple = live.n_basic_map() <= written.coalesce().n_basic_map()
        return live if is_simple and not written.is_subset(live) else written

    def _read_elsewhere(self) -> isl.Map:
        """`{ [t] -> A[a] }`: what an iteration writes and something else in the scop may read."""
        writing = [e for e in self.group.references if e.kind is not AccessKind.READ]
        found = isl.Map.empty(self.group.footprint.get_space())
        outside = self._scop_map()
        for read in self.flow.reads:
            for sources in read.sources:
                outside = outside.union(isl.UnionMap.from_map(sources))
        read_elsewhere = outside.subtract(self.place.same_iteration).domain()
        for reference in writing:
            written = isl.UnionMap.from_map(reference.relation).intersect_domain(read_elsewhere)
            found = found.union(self._by_iteration(written, found))
        return found

    @property
    def _is_temporary(self) -> bool:
        return why_no_temporary(self.scop, self.array, is_any_subscript=True) is None

    def _scop_map(self) -> isl.UnionMap:
        return isl.UnionMap.empty(self.scop.context.get_space())

    def _by_iteration(self, relation: isl.UnionMap, empty: isl.Map) -> isl.Map:
        """`{ [t] -> A[a] }` for `{ S[i] -> A[a] }`."""
        elements = self.place.iterations.reverse().apply_range(relation)
        parts = maps_of(elements)
        return reduce(isl.Map.union, parts, isl.Map.empty(empty.get_space()))

    def _boxed(self, needed: isl.Map) -> isl.Map:
        """The box around what is needed, without what nothing ever accesses.

        Between the least and the greatest subscript in each dimension, all elements are there. If
        there is none, it is what is needed.
        """
        box = box_of_images(needed)
        if not box:
            return needed
        accessed = reduce(
            isl.Set.union,
            (
                access.relation.intersect_params(self.scop.context).range()
                for body in self.scop.bodies
                for access in body.accesses
                if access.array == self.array
            ),
        )
        accessed = accessed.reset_tuple_id()
        sides = [coordinate(accessed, n) for n in range(accessed.dim(isl.dim_type.set))]
        if not all(side.dim_is_bounded(isl.dim_type.set, 0) for side in sides):
            return needed
        inside = reduce(isl.Set.flat_product, map(interval, sides)).set_tuple_name(self.array)
        elements = images_in(box).set_tuple_name(isl.dim_type.out, self.array)
        elements = elements.intersect_range(inside)
        # Copying where it is not needed does no harm, and takes simpler loops.
        needing = needed.domain().coalesce()
        if needing.n_basic_set() > 1:
            needing = isl.Set.from_union_set(self.place.iterations.range()).coalesce()
        return elements.intersect_domain(needing)


def surely_there(scop: Scop, array: str) -> isl.Set | None:
    """The elements from the least to the greatest that are surely accessed or known to exist.

    `None` if all accesses are certain: then what is copied is between accessed elements.
    """
    accesses = [
        (is_certain(access, statement.op), access)
        for statement in scop.statements
        for access in statement.accesses
        if access.array == array
    ]
    if all(certain for certain, _ in accesses):
        return None
    nothing = isl.Set.empty(accesses[0][1].relation.get_space().range())
    parts = (access.relation.range() for certain, access in accesses if certain)
    touched = reduce(isl.Set.union, parts, nothing)
    sides = []
    for dimension in range(touched.dim(isl.dim_type.set)):
        side = coordinate(touched.reset_tuple_id(), dimension)
        inside = within_extent(scop, scop.arrays[array], dimension, side.get_space(), 0)
        sides.append(interval(side) if inside is None else inside)
    return reduce(isl.Set.flat_product, sides).set_tuple_name(array) if sides else None


def _is_part(relation: isl.Map, whole: isl.Map) -> bool:
    return bool(
        relation.get_space().has_equal_tuples(whole.get_space()) and relation.is_subset(whole)
    )
