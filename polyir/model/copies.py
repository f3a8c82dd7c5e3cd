"""Copies: does a scop with local arrays compute what it computes without them?

The instances that extension nodes add must copy: load an element of an array, and store it in a
local array, or the other way round; or they are barriers, which change nothing here. Without them,
and with the marks `#poly.local` left out, the tree runs the program that its statements say. That
order is checked like any other (`polyir.model.legality`). What is checked here, exactly and from
nothing but the tree and the bodies, is that the copies do not change what is read:

Every access *stands for* an element of an array, the one that the body says, wherever the element
is kept. A read of a cell that stands for the element e is right if the last write of that cell
stands for e too, and no write for e went to another cell since. By induction over the order of
execution, every read then finds the value that it finds without copies; and so does a read of
every element, where it belongs, after the scop.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import islpy as isl
from xdsl.dialects import affine
from xdsl.dialects.builtin import VectorType

from polyir.diagnostics import LegalityError
from polyir.dialects.mark_attributes import LocalAttr
from polyir.dialects.scop import LocalArrayOp, StmtOp
from polyir.isl_lists import maps_of
from polyir.isl_maps import moved_along
from polyir.isl_trees import mark_object, node_type
from polyir.model.analysis import compute_dependences, flow_by_dates
from polyir.model.gpu import barrier_statements
from polyir.model.legality import example_of, require_legal
from polyir.model.local_arrays import (
    Destination,
    LocalMark,
    destinations,
    local_marks,
    shared_arrays,
)
from polyir.model.scop import Scop
from polyir.model.statements import Access, AccessKind, Statement
from polyir.model.temporaries import why_no_temporary
from polyir.model.tree import added_statements


def without_copies(scop: Scop, keeps_marks: bool = False) -> Scop:
    """The scop without the statements that extension nodes add, and without local arrays.

    The tree has no marks, or with `keeps_marks`, all but those of local arrays.
    """
    added = added_statements(scop.schedule)
    bodies = tuple(body for body in scop.bodies if body.name not in added)
    instances = isl.UnionSet.empty(scop.context.get_space())
    for body in bodies:
        instances = instances.union(isl.UnionSet.from_set(body.domain))
    root = scop.schedule.intersect_domain(instances).get_root()
    schedule = _without_marks(root, keeps_marks).get_schedule()
    return Scop(scop.op, scop.context, bodies, scop.arrays, schedule)


def _without_marks(node: isl.ScheduleNode, keeps_others: bool) -> isl.ScheduleNode:
    """The tree from `node` down without marks, or without those of local arrays alone."""
    while node_type(node) is isl.schedule_node_type.mark:
        if keeps_others and not isinstance(mark_object(node), LocalAttr):
            break
        node = node.delete()
    for position in range(node.n_children()):
        node = _without_marks(node.child(position), keeps_others).parent()
    return node


def require_same_program(scop: Scop) -> None:
    """Raise `LegalityError` if a scop with copies does not compute what its statements say.

    Nothing is believed but the statements and the original order: the dependences are computed
    from these, the tree without copies is checked against them, and then the copies are.
    """
    known = scop.dependences
    if known is not None and known.order is not None:
        base = without_copies(scop)
        order = isl.MultiUnionPwAff.from_union_map(known.order.intersect_domain(base.domain))
        original = isl.Schedule.from_domain(base.domain).insert_partial_schedule(order)
        dependences = compute_dependences(base, schedule=original, is_bounded=False)
        require_legal(dependences, base.schedule, "the schedule without its copies")
    require_right_copies(scop)


def require_right_copies(scop: Scop) -> None:
    """Raise `LegalityError` if a read finds another value than it would without copies.

    The contents that arrays have after the scop count as read, but for those of temporaries.
    """
    marks = local_marks(scop.schedule, shared_arrays(scop.op))
    added = added_statements(scop.schedule) - barrier_statements(scop)
    for body in scop.bodies:
        if body.name in added:
            _require_copy(body.op)
    if not marks and not added:
        return
    events = tuple(_events(scop, marks, added))
    for array in dict.fromkeys(event.array for event in events):
        own = [event for event in events if event.array == array]
        if any(event.is_copy or event.memory != array for event in own):
            _ArrayCheck(scop, own, why_no_temporary(scop, array) is not None).run()


def _require_copy(statement: StmtOp) -> None:
    match tuple(statement.body.block.ops):
        case (
            affine.LoadOp(result=loaded, memref=source)
            | affine.VectorLoadOp(result=loaded, memref=source),
            affine.StoreOp(value=stored, memref=target)
            | affine.VectorStoreOp(value=stored, memref=target),
        ) if loaded is stored and source is not target:
            return
        case _:
            raise LegalityError(
                f"@{statement.sym_name.data} is added by an extension node, so it must copy: load "
                "an element of one array and store it in another"
            )


@dataclass(frozen=True)
class _Event:
    """One access of a statement, as if it were a statement of its own.

    `elements` is `{ E[i] -> A[a] }`, what the access stands for, and `cells` is `{ E[i] -> X[x] }`,
    where that is. The tuple E is `name`; the instances are those of `statement`.
    """

    name: str
    statement: str
    access: int
    is_write: bool
    is_certain: bool
    is_copy: bool
    elements: isl.Map
    cells: isl.Map

    @property
    def array(self) -> str:
        """The array of the elements."""
        name: str = self.elements.get_tuple_name(isl.dim_type.out)
        return name

    @property
    def memory(self) -> str:
        """The array of the cells."""
        name: str = self.cells.get_tuple_name(isl.dim_type.out)
        return name


def _events(scop: Scop, marks: Sequence[LocalMark], added: frozenset[str]) -> Iterator[_Event]:
    """All accesses of a scop, in the order of the bodies."""
    local = {array.sym_name.data: array for array in scop.op.local_arrays}
    for body in scop.bodies:
        outside = [access for access in body.accesses if access.array not in local]
        if body.name in added and len(outside) != 1:
            raise LegalityError(f"@{body.name} must copy between a local array and another array")
        for number, access in enumerate(body.accesses):
            # What a copy does to a local array is done to the element that it copies.
            is_copy = body.name in added
            pairs: Sequence[tuple[Access, Access]] = [(access, access)]
            if is_copy:
                _require_known(body, access)
                pairs = _lanes(access, outside[0])
            parts = (
                (lane, element, part)
                for lane, (own, element) in enumerate(pairs)
                for part in destinations(own, marks)
            )
            for lane, element, part in parts:
                if part.array in local:
                    _require_cell(body, part, local[part.array], scop.context)
                cells = part.memory.intersect_params(scop.context)
                name = f"{body.name}_access_{number}_{lane}_{part.array}"
                yield _Event(
                    name,
                    body.name,
                    number,
                    access.kind is not AccessKind.READ,
                    access.kind is AccessKind.WRITE,
                    is_copy,
                    _renamed(element.relation.intersect_domain(cells.domain()), name),
                    _renamed(cells, name),
                )


def _require_known(body: Statement, access: Access) -> None:
    """Raise `LegalityError` unless it is known which element, or part of a row, a copy accesses."""
    is_row = True
    match access.operation:
        case affine.VectorLoadOp(result=vector) | affine.VectorStoreOp(value=vector):
            assert isinstance(vector.type, VectorType)
            is_row = len(vector.type.get_shape()) == 1
    if not (access.certain and is_row):
        raise LegalityError(
            f"@{body.name} must copy an element at affine subscripts, or a vector of a row, from "
            f"or to {access.array}"
        )


def _lanes(access: Access, element: Access) -> Sequence[tuple[Access, Access]]:
    """An access, with the one that says its elements: a pair for each element of a vector."""
    match access.operation:
        case affine.VectorLoadOp(result=vector) | affine.VectorStoreOp(value=vector):
            assert isinstance(vector.type, VectorType)
            width = vector.type.element_count()
            return [*zip(_of_lanes(access, width), _of_lanes(element, width), strict=True)]
    return [(access, element)]


def _of_lanes(access: Access, width: int) -> Iterator[Access]:
    """The accesses to the elements of a row."""
    first = access.relation.lexmin()
    space, last = first.get_space().range(), first.dim(isl.dim_type.out) - 1
    for lane in range(width):
        yield replace(access, relation=first.apply_range(moved_along(space, last, lane)))


def _require_cell(
    body: Statement, part: Destination, array: LocalArrayOp, context: isl.Set
) -> None:
    """Raise `LegalityError` for an access to a local array outside of its mark or extents."""
    if part.mark is None:
        raise LegalityError(
            f"@{body.name} accesses the local array @{part.array} outside of its mark: "
            f"{example_of(part.cells).source}"
        )
    inside = isl.Set.universe(part.cells.get_space().range())
    for position, extent in enumerate(array.memory.type.get_shape()):
        inside = inside.lower_bound_val(isl.dim_type.set, position, isl.Val(0))
        inside = inside.upper_bound_val(isl.dim_type.set, position, isl.Val(extent - 1))
    beyond = part.cells.intersect_params(context).subtract_range(inside)
    if not beyond.is_empty():
        example = example_of(beyond)
        raise LegalityError(
            f"@{body.name} accesses the local array @{part.array} outside of its extents: "
            f"{example.source} accesses {example.target}"
        )


def _renamed(relation: isl.Map, name: str) -> isl.Map:
    return relation.set_tuple_name(isl.dim_type.in_, name)


_END = "end of the scop"


class _ArrayCheck:
    """Checks all reads of the elements of one array."""

    def __init__(self, scop: Scop, events: Sequence[_Event], is_live_out: bool) -> None:
        self._array = events[0].array
        self._events = [*events, *([_final_read(events)] if is_live_out else [])]
        self._dates = _dates(scop, self._events)
        self._statements = {event.name: event.statement for event in self._events}
        self._space = scop.context.get_space()

    def run(self) -> None:
        """Raise `LegalityError` for a read that finds another value than without copies."""
        reads = [event for event in self._events if not event.is_write]
        writes = [event for event in self._events if event.is_write]
        flow, unwritten = self._last_writes(reads, writes)
        uninitialised = self._union(e.cells for e in reads if e.memory != self._array)
        self._refuse(
            unwritten.intersect(uninitialised),
            "{0} reads a cell of a local array that nothing has written: {1}",
        )
        elements = self._union(event.elements for event in self._events)
        cells = self._union(event.cells for event in self._events)
        same_element = elements.apply_range(elements.reverse())
        self._refuse(
            flow.subtract(same_element),
            f"{{1}} reads, for an element of {self._array}, what {{0}} wrote for another one",
        )
        fresh = self._union(event.elements for event in writes if not event.is_copy).domain()
        elsewhere = same_element.subtract(cells.apply_range(cells.reverse()))
        elsewhere = elsewhere.intersect_domain(fresh)
        elsewhere = elsewhere.intersect_range(self._union(e.cells for e in reads).domain())
        before = self._dates.lex_lt_union_map(self._dates)
        elsewhere = elsewhere.intersect(before)
        stale = elsewhere.intersect_range(unwritten.domain())
        after_source = flow.reverse().range_product(elsewhere.reverse())
        after_source = after_source.intersect_range(before.wrap())
        stale = stale.union(after_source.range_factor_range().reverse())
        self._refuse(
            stale,
            f"{{1}} reads an element of {self._array} where {{0}}, which wrote it last, "
            "has not written",
        )

    def _last_writes(
        self, reads: Sequence[_Event], writes: Sequence[_Event]
    ) -> tuple[isl.UnionMap, isl.UnionMap]:
        """`{ W -> R }`: the last writes of the cells that are read; and reads without any."""
        info = isl.UnionAccessInfo.from_sink(self._union(each.cells for each in reads))
        info = info.set_must_source(self._union(e.cells for e in writes if e.is_certain))
        info = info.set_may_source(self._union(e.cells for e in writes if not e.is_certain))
        flow = flow_by_dates(info, self._dates)
        return flow.get_may_dependence(), flow.get_may_no_source()

    def _union(self, relations: Iterable[isl.Map]) -> isl.UnionMap:
        parts = map(isl.UnionMap.from_map, relations)
        return reduce(isl.UnionMap.union, parts, isl.UnionMap.empty(self._space))

    def _refuse(self, pairs: isl.UnionMap, message: str) -> None:
        """Raise `LegalityError` with an example if there is a pair."""
        for part in maps_of(pairs):
            if not part.is_empty():
                names = [part.get_tuple_name(kind) for kind in (isl.dim_type.in_, isl.dim_type.out)]
                source, target = (self._statements.get(name, name) for name in names)
                part = part.set_tuple_name(isl.dim_type.in_, source)
                example = example_of(part.set_tuple_name(isl.dim_type.out, target))
                where = f" ({example.parameters})" if example.parameters else ""
                raise LegalityError(message.format(example.source, example.target) + where)


def _final_read(events: Sequence[_Event]) -> _Event:
    """A read of all elements after the scop, in the memory where they belong."""
    elements = reduce(isl.Set.union, (event.elements.range() for event in events))
    identity = _renamed(elements.identity(), _END)
    return _Event(_END, _END, 0, False, True, False, identity, identity)


def _dates(scop: Scop, events: Sequence[_Event]) -> isl.UnionMap:
    """`{ E[i] -> [0, date of the instance, number of the access] }`; the end is after all."""
    parts = maps_of(scop.schedule.get_map())
    dates = {part.get_tuple_name(isl.dim_type.in_): part for part in parts}
    width = max((part.dim(isl.dim_type.out) for part in parts), default=0)
    found = isl.UnionMap.empty(scop.context.get_space())
    for event in events:
        date = _with_entry(isl.Map.from_domain(event.cells.domain()), event.statement == _END)
        if event.statement != _END:
            date = date.flat_range_product(_renamed(dates[event.statement], event.name))
        while date.dim(isl.dim_type.out) <= width:
            date = _with_entry(date, 0)
        found = found.union(isl.UnionMap.from_map(_with_entry(date, event.access)))
    return found


def _with_entry(date: isl.Map, entry: int) -> isl.Map:
    """Dates with one more entry, a constant."""
    position = date.dim(isl.dim_type.out)
    date = date.add_dims(isl.dim_type.out, 1)
    return date.fix_val(isl.dim_type.out, position, isl.Val(int(entry)))
