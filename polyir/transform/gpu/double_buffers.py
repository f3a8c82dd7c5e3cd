"""Double buffers: a block copies the next tile while it computes with the one before.

V. Volkov, J. W. Demmel, "Benchmarking GPUs to tune dense linear algebra" (SC 2008), hide the
latency of global memory in this way; with two halves of shared memory that take turns, one barrier
in an iteration is enough.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import islpy as isl

from polyir.dialects.loop_attributes import LoopAttributes, MapAttr, requires_parallel
from polyir.model.dataflow import ArrayFlow
from polyir.model.scop import Scop
from polyir.model.tree_loops import loop_steps
from polyir.sets.maps import moved_along, universe
from polyir.sets.values import isl_value
from polyir.transform.copy_statements import (
    CopyStatement,
    PromotedArray,
    copied_elements,
    copy_node,
    extension_of,
)
from polyir.transform.promote import Kept, LocalCopies, LocalForm, PromoteOptions, Promotion
from polyir.transform.reference_groups import LoopBody, ReferenceGroup
from polyir.tree import Band, BandMember, Extension, Filter, Mark, Node, ScheduleNode, SequenceNode
from polyir.tree.addresses import LoopPosition, TreePath

BUFFERS: Final = 2
"""The copies of a shared array that take turns."""


@dataclass(frozen=True)
class FirstAndLater:
    """The iterations of a place: those without one before them, a `step` away, and the others."""

    first: isl.Set
    later: isl.Set
    step: int

    @classmethod
    def of_place(cls, place: LoopBody, step: int) -> FirstAndLater:
        """The iterations of a place; `step` is that of the innermost loop around it."""
        iterations = isl.Set.from_union_set(place.iterations.range()).coalesce()
        last = iterations.dim(isl.dim_type.set) - 1
        following = iterations.apply(moved_along(iterations.get_space(), last, step))
        first = iterations.subtract(following).coalesce()
        return cls(first, iterations.intersect(following).coalesce(), step)


def iterations_ahead(
    loop: LoopPosition, place: LoopBody, band: ScheduleNode, is_written: bool
) -> FirstAndLater | str:
    """The iterations that can copy what the next one reads, or why they cannot.

    `place` is inside of `loop`, a member of `band`, where the array is written or not. For given
    values of the loops around, only the first iteration may have none before it.
    """
    if any(isinstance(each, MapAttr) for each in band.loop_attributes[loop.member]):
        return "no sequential loop is around it"
    if is_written:
        return "the loop around it writes to the array"
    found = FirstAndLater.of_place(place, loop_steps(band)[loop.member])
    if found.later.is_empty():
        return "the loop around it has a single iteration"
    last = found.first.dim(isl.dim_type.set) - 1
    starts = isl.Map.from_range(found.first)
    starts = starts.move_dims(isl.dim_type.in_, 0, isl.dim_type.out, 0, last)
    if not starts.is_single_valued():
        return f"the iterations of the loop around it are not all {found.step} apart"
    return found


class BufferedCopies(LocalCopies):
    """The local arrays of a loop whose iterations fill them for the iteration after.

    An array has two halves. An iteration uses the one of its parity, and fills the other one:

        band [t]                       mark #poly.local<@A_shared>: A_shared[t mod 2, ...]
          mark #poly.local<@A_shared>    sequence
            sequence                =>     A_in[t] of the first t
              A_in[t]                      band [S[t]: t; A_next[t]: t - 1]
              S[t]                           sequence
                                               A_next[t + 1]
                                               S[t]

    All groups must be of references that only read.
    """

    def __init__(
        self, scop: Scop, place: LoopBody, taken: set[str], iterations: FirstAndLater
    ) -> None:
        super().__init__(scop, place, PromoteOptions(), taken)
        self._iterations = iterations
        self._next: list[CopyStatement] = []

    def add_group(
        self, array: str, group: ReferenceGroup, flow: ArrayFlow, form: LocalForm
    ) -> Kept:
        kept = super().add_group(array, group, flow, form)
        if self._copies and self._copies[-1].local.name == kept.local.name:
            whole = self._copies.pop()
            assert whole.is_copy_in
            self._copies.append(_restricted(whole, self._iterations.first, whole.name))
            name = self._name(f"{array}_next")
            self._next.append(_restricted(whole, self._iterations.later, name))
        return replace(kept, copied=tuple(f"{each}, one iteration ahead" for each in kept.copied))

    def _shape(self, group: ReferenceGroup, padding: int) -> tuple[int, ...]:
        return (BUFFERS, *super()._shape(group, padding))

    def _cell(self, local: PromotedArray, group: ReferenceGroup) -> isl.MultiAff:
        """`{ [t, a] -> L[parity of t, l] }`."""
        cell = super()._cell(local, group)
        last = self._iterations.first.dim(isl.dim_type.set) - 1
        iteration = isl.Aff.var_on_domain(cell.get_domain_space(), isl.dim_type.set, last)
        number = iteration.scale_down_val(isl_value(self._iterations.step)).floor()
        half = isl.MultiAff.from_aff(number.mod_val(isl_value(BUFFERS)))
        return half.flat_range_product(cell).set_tuple_name(isl.dim_type.out, local.name)

    @property
    def path(self) -> TreePath:
        """That of the band whose iterations are those of the place."""
        return super().path[:-1]

    @property
    def additions(self) -> Promotion:
        own = super().additions
        return replace(own, copies=(*own.copies, *self._next))

    def with_marks(self, inside: Node) -> Node:
        """The marks above a sequence of the first copies and the loop, which has the others."""
        assert isinstance(inside, Band)
        own = self._place.iterations.domain().universe()
        both = own
        function = inside.members[0].function
        for copy in self._next:
            both = both.union(universe(copy.domain.get_space()))
            function = function.union_add(isl.UnionPwAff.from_pw_aff(self._iteration_before(copy)))
        (member,) = inside.members
        attributes = _sequential(member.attributes)
        member = BandMember(function, kind=member.kind, attributes=attributes)
        steps = (*map(copy_node, self._next), Filter(inside.children, own))
        loop = replace(inside, children=(SequenceNode(steps),), members=(member,))
        first = map(copy_node, self._copies)
        node: Node = Extension((SequenceNode((*first, Filter((loop,), both))),), self._added())
        for mark in reversed(self._marks):
            node = Mark((node,), mark)
        return node

    def _iteration_before(self, copy: CopyStatement) -> isl.PwAff:
        """`{ C[t, a] -> [t - step] }`: the value of the loop in whose iteration a copy is made."""
        last = copy.iteration_dimensions - 1
        iteration = isl.Aff.var_on_domain(copy.domain.get_space(), isl.dim_type.set, last)
        before = iteration.add_constant_val(isl_value(-self._iterations.step))
        return isl.PwAff.from_aff(before)

    def _added(self) -> isl.UnionMap:
        """`{ [t] -> C[t, a] }`: all copies, for the loops around the one that makes them."""
        relation = self._scop_map()
        for copy in (*self._copies, *self._next):
            depth = copy.iteration_dimensions - 1
            added = extension_of(copy).project_out(isl.dim_type.in_, depth, 1)
            relation = relation.union(isl.UnionMap.from_map(added))
        return relation


def _restricted(copy: CopyStatement, iterations: isl.Set, name: str) -> CopyStatement:
    """The copies of some iterations, as a statement of its own."""
    inside = iterations.add_dims(isl.dim_type.set, copy.local.rank).set_tuple_name(copy.name)
    domain = copied_elements(copy.domain.intersect(inside), name, copy.local)
    cell = copy.cell.set_tuple_id(isl.dim_type.in_, domain.get_tuple_id())
    return replace(copy, name=name, domain=domain, cell=cell)


def _sequential(attributes: LoopAttributes) -> LoopAttributes:
    """The attributes of a loop that need not be true of parallel loops only."""
    return tuple(each for each in attributes if not requires_parallel((each,)))
