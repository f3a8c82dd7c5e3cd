"""Copies that are right because every iteration makes its own: a proof without dataflow analysis.

All that is below a mark `#poly.local` in one iteration of the loops around it runs at once:
nothing else is executed between. So if an iteration

- keeps each element in one cell, and no other element there,
- copies in first what it reads and has not written, and copies out last what it has written,
- and accesses elements that it writes in its local array in no other place,

then every access finds the value that it finds without local arrays, and the elements have their
values in the array itself whenever no iteration is executed that has written them. These are
statements about single iterations. For tiles in time, isl shows them in no time, where the exact
question (`polyir.proofs.copies`) takes hours.

An iteration need not copy out what it has written if no value ever gets from one iteration to
another: nothing is copied in, and all accesses are local. Then only the contents after the scop
count, and it is enough that a later iteration copies the element out: of the iterations that write
an element, the last one does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import islpy as isl

from polyir.model.local_arrays import LocalMark
from polyir.model.scop import Scop
from polyir.proofs.copy_events import Event
from polyir.sets.hulls import simplified
from polyir.sets.lists import sets_of, union_map
from polyir.tree import Kind
from polyir.tree.order import ordered_below, ordered_pairs
from polyir.tree.symbolic_tiles import marks_of_tiles


def are_right_in_iterations(scop: Scop, events: Sequence[Event], is_live_out: bool = True) -> bool:
    """Whether the copies of one array are shown to be right; if not, they may still be.

    `events` are all accesses to its elements. If it `is_live_out`, something may read it after the
    scop.
    """
    marks = {id(event.mark): event.mark for event in events if event.mark is not None}.values()
    arrays = [mark.array for mark in marks]
    has_symbolic_tiles = next(marks_of_tiles(scop.schedule.root), None) is not None
    if len(set(arrays)) < len(arrays) or has_symbolic_tiles:
        # An array has several marks, or an iteration may be spread over several tiles.
        return False
    parts = [_Iterations(scop, mark, events) for mark in marks]
    if not all(part.are_right for part in parts):
        return False
    if all(part.writes_are_copied for part in parts):
        return True
    return _nothing_is_passed_on(parts, events) and (
        not is_live_out or _last_writes_are_copied(scop, parts)
    )


def _nothing_is_passed_on(parts: Sequence[_Iterations], events: Sequence[Event]) -> bool:
    """Whether each iteration reads only what it has written."""
    copies = {event.statement for part in parts for event in part.emptying}
    is_local = all(event.mark is not None or event.statement in copies for event in events)
    return is_local and not any(part.filling for part in parts)


def _last_writes_are_copied(scop: Scop, parts: Sequence[_Iterations]) -> bool:
    """Whether each write that its iteration does not copy out has a later copy of the element."""
    copies = [event for part in parts for event in part.emptying]
    later = isl.UnionMap.empty(scop.context.get_space())
    missing = union_map(
        (write for part in parts for write in part.writes_not_copied), later.get_space()
    )
    for copy in copies:
        name = copy.statement
        elements = copy.elements.set_tuple_name(isl.dim_type.in_, name).reverse()
        later = later.union(missing.apply_range(isl.UnionMap.from_map(elements)))
    return bool(missing.domain().is_subset(ordered_pairs(scop.schedule, later).domain()))


@dataclass(frozen=True)
class _Iterations:
    """The iterations around one mark; `events` are all accesses to elements of an array."""

    scop: Scop
    mark: LocalMark
    events: Sequence[Event]

    @property
    def are_right(self) -> bool:
        """Whether the copies of each iteration are shown to be right."""
        if not all(event.elements.is_single_valued() for event in self._local):
            return False
        return (
            self._copies_are_outermost
            and self._has_one_cell_each
            and self._is_only_access
            and self._reads_are_filled
        )

    # The events of the local array, and the others in the same iterations

    @cached_property
    def _local(self) -> list[Event]:
        return [event for event in self.events if event.mark is self.mark]

    @property
    def _bodies(self) -> list[Event]:
        return [event for event in self._local if not event.is_copy]

    @property
    def filling(self) -> list[Event]:
        """The copies in: they write the local array."""
        return [event for event in self._local if event.is_copy and event.is_write]

    @property
    def emptying(self) -> list[Event]:
        """The copies out: they read the local array."""
        return [event for event in self._local if event.is_copy and not event.is_write]

    @cached_property
    def _others(self) -> list[Event]:
        """The other events in the iterations, but for the other sides of the copies."""
        copies = {event.statement for event in self._local if event.is_copy}
        return [
            event
            for event in self.events
            if event.mark is not self.mark
            and event.statement not in copies
            and self.mark.of_statement(event.statement) is not None
        ]

    def _at(self, event: Event) -> isl.Map:
        """`{ E[i] -> [t, a] }`: the iteration, and the element."""
        around = self.mark.of_statement(event.statement)
        assert around is not None
        around = around.set_tuple_name(isl.dim_type.in_, event.name)
        elements = event.elements.intersect_domain(event.cells.domain())
        return around.flat_range_product(elements.reset_tuple_id(isl.dim_type.out))

    def _touched(self, events: Iterable[Event]) -> isl.Set:
        """`{ [t, a] }`: the elements that some events access, by iteration."""
        ranges = [self._at(event).range() for event in events]
        empty = isl.Set.empty(self._at(self._local[0]).get_space().range())
        return simplified(reduce(isl.Set.union, ranges, empty))

    # What is shown

    @property
    def _copies_are_outermost(self) -> bool:
        """Whether copies in are the first and copies out the last parts below the mark."""
        filling = {event.statement for event in self.filling}
        emptying = {event.statement for event in self.emptying}
        if not filling | emptying:
            return True
        sides = (e for e in self.events if e.statement in filling | emptying)
        if any(e.mark is not self.mark and e.memory != e.array for e in sides):
            return False
        node = self.mark.node
        while node.kind is Kind.MARK:
            node = node.child(0)
        if node.kind is not Kind.SEQUENCE:
            return False
        # For each part: 0 fills the array, 1 uses it, 2 empties it.
        kinds = {event.statement: 1 for event in self._bodies}
        kinds |= dict.fromkeys(filling, 0) | dict.fromkeys(emptying, 2)
        order: list[int] = []
        for position in range(node.n_children):
            passing = node.child(position).filter
            inside = {each.get_tuple_name() for each in sets_of(passing)}
            found = {kind for name, kind in kinds.items() if name in inside}
            if len(found) > 1:
                return False
            order += found
        return order == sorted(order)

    @property
    def _has_one_cell_each(self) -> bool:
        """Whether an element has one cell in an iteration, and that is for no other element."""
        kept = (self._at(event).reverse().apply_range(event.cells) for event in self._local)
        cells = reduce(isl.Map.union, kept)
        hull = isl.Map.from_basic_map(cells.affine_hull())
        return bool(hull.is_bijective() or simplified(cells).is_bijective())

    @property
    def _is_only_access(self) -> bool:
        """Whether what is written in one place is accessed in no other one in an iteration."""
        written = self._touched(event for event in self._bodies if event.is_write)
        elsewhere = self._touched(e for e in self._others if e.is_write and not e.is_copy)
        used = self._touched([*self._bodies, *self.emptying])
        is_apart = written.is_disjoint(self._touched(self._others))
        return bool(is_apart and elsewhere.is_disjoint(used))

    @property
    def _reads_are_filled(self) -> bool:
        """Whether each cell that is read was filled before in its iteration."""
        filled = self._touched(self.filling)
        certain = [e for e in self._bodies if e.is_write and e.is_certain]
        if not self._touched(self.emptying).is_subset(filled.union(self._touched(certain))):
            return False
        reads = (event for event in self._bodies if not event.is_write)
        return all(self._is_filled(event, filled, certain) for event in reads)

    def _is_filled(self, read: Event, filled: isl.Set, writes: Sequence[Event]) -> bool:
        """Whether an event reads what was copied in, or what one of `writes` wrote before."""
        left = self._at(read).subtract_range(filled)
        for write in writes:
            if write.statement == read.statement and write.access < read.access:
                left = left.subtract(self._at(write).set_tuple_name(isl.dim_type.in_, read.name))
        if left.is_empty():
            return True
        left = left.set_tuple_name(isl.dim_type.in_, read.statement)
        pairs = isl.UnionMap.empty(left.get_space().params())
        for write in writes:
            source = self._at(write).set_tuple_name(isl.dim_type.in_, write.statement)
            pairs = pairs.union(isl.UnionMap.from_map(source.apply_range(left.reverse())))
        before = ordered_below(self.mark.node.child(0), pairs).range()
        return bool(isl.UnionSet.from_set(left.domain()).is_subset(before))

    @property
    def writes_are_copied(self) -> bool:
        """Whether all that is written is copied out."""
        written = self._touched(event for event in self._bodies if event.is_write)
        return bool(written.is_subset(self._touched(self.emptying)))

    @property
    def writes_not_copied(self) -> Iterator[isl.Map]:
        """`{ S[i] -> A[a] }`: the writes of elements that the same iteration does not copy out."""
        copied = self._touched(self.emptying)
        for event in self._bodies:
            if event.is_write:
                left = self._at(event).subtract_range(copied).domain()
                write = event.elements.intersect_domain(left)
                yield write.set_tuple_name(isl.dim_type.in_, event.statement)
