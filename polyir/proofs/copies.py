"""Copies: does a scop with local arrays compute what it computes without them?

The instances that extension nodes add must copy: load an element of an array, and store it in a
local array, or the other way round; or they are barriers, which change nothing here. Without them,
and with the marks `#poly.local` left out, the tree runs the program that its statements say. That
order is checked like any other (`polyir.proofs.legality`). What is checked here, exactly and from
nothing but the tree and the bodies, is that the copies do not change what is read:

Every access *stands for* an element of an array, the one that the body says, wherever the element
is kept. A read of a cell that stands for the element e is right if the last write of that cell
stands for e too, and no write for e went to another cell since. By induction over the order of
execution, every read then finds the value that it finds without copies; and so does a read of
every element, where it belongs, after the scop.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

import islpy as isl
from xdsl.ir.affine import AffineMap

from polyir.base.diagnostics import LegalityError, LocalArrayError, ViolatedPair
from polyir.dialects.dependence import DependenceKind
from polyir.dialects.mark_attributes import LocalAttr
from polyir.dialects.scop import StmtOp
from polyir.model.analysis import compute_dependences, flow_by_dates
from polyir.model.gpu import barrier_statements
from polyir.model.local_arrays import (
    local_marks,
    shared_arrays,
)
from polyir.model.memory_accesses import MemoryAccess, access_of
from polyir.model.scop import Scop
from polyir.model.temporaries import why_no_temporary
from polyir.proofs.copy_events import Event, access_events, renamed
from polyir.proofs.iteration_copies import are_right_in_iterations
from polyir.proofs.legality import require_legal
from polyir.sets.examples import example_of
from polyir.sets.lists import maps_by_statement, maps_of, union_map, union_set
from polyir.sets.values import isl_value
from polyir.tree import Kind, Schedule, ScheduleNode
from polyir.tree.added import added_statements


def without_copies(scop: Scop, keeps_marks: bool = False) -> Scop:
    """The scop without the statements that extension nodes add, and without local arrays.

    The tree has no marks, or with `keeps_marks`, all but those of local arrays.
    """
    added = added_statements(scop.schedule)
    bodies = tuple(body for body in scop.bodies if body.name not in added)
    instances = union_set((body.domain for body in bodies), scop.context.get_space())
    root = scop.schedule.within(instances).root
    schedule = _without_marks(root, keeps_marks).schedule
    return Scop(scop.op, scop.context, bodies, scop.arrays, schedule)


def _without_marks(node: ScheduleNode, keeps_others: bool) -> ScheduleNode:
    """The tree from `node` down without marks, or without those of local arrays alone."""
    while node.kind is Kind.MARK:
        if keeps_others and not isinstance(node.attribute, LocalAttr):
            break
        node = node.delete()
    for position in range(node.n_children):
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
        original = Schedule.from_map(known.order.intersect_domain(base.domain), base.domain)
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
    events = tuple(access_events(scop, marks, added))
    for array in dict.fromkeys(event.array for event in events):
        own = [event for event in events if event.array == array]
        if any(event.is_copy or event.memory != array for event in own):
            is_live_out = why_no_temporary(scop, array, is_any_subscript=True) is not None
            if not are_right_in_iterations(scop, own, is_live_out):
                _ArrayCheck(scop, own, is_live_out).run()


def _require_copy(statement: StmtOp) -> None:
    match [access_of(op) for op in statement.body.block.ops]:
        case [
            MemoryAccess(map=AffineMap(), is_write=False) as load,
            MemoryAccess(map=AffineMap(), is_write=True) as store,
        ] if load.value is store.value and load.memref is not store.memref:
            return
    raise LocalArrayError(
        f"@{statement.sym_name.data} is added by an extension node, so it must copy: load an "
        "element of one array and store it in another"
    )


_END = "end of the scop"


class _ArrayCheck:
    """Checks all reads of the elements of one array."""

    def __init__(self, scop: Scop, events: Sequence[Event], is_live_out: bool) -> None:
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
            is_order=True,
        )

    def _last_writes(
        self, reads: Sequence[Event], writes: Sequence[Event]
    ) -> tuple[isl.UnionMap, isl.UnionMap]:
        """`{ W -> R }`: the last writes of the cells that are read; and reads without any."""
        info = isl.UnionAccessInfo.from_sink(self._union(each.cells for each in reads))
        info = info.set_must_source(self._union(e.cells for e in writes if e.is_certain))
        info = info.set_may_source(self._union(e.cells for e in writes if not e.is_certain))
        flow = flow_by_dates(info, self._dates)
        return flow.get_may_dependence(), flow.get_may_no_source()

    def _union(self, relations: Iterable[isl.Map]) -> isl.UnionMap:
        return union_map(relations, self._space)

    def _refuse(self, pairs: isl.UnionMap, message: str, is_order: bool = False) -> None:
        """Raise `LegalityError` with an example if there is a pair.

        If `is_order`, the value of each pair flows from one to the other without the copies.
        """
        for part in maps_of(pairs):
            if not part.is_empty():
                names = [part.get_tuple_name(kind) for kind in (isl.dim_type.in_, isl.dim_type.out)]
                source, target = (self._statements.get(name, name) for name in names)
                part = part.set_tuple_name(isl.dim_type.in_, source)
                example = example_of(part.set_tuple_name(isl.dim_type.out, target))
                ends = DependenceKind.FLOW.value, self._array, source, target
                raise LegalityError(
                    message.format(example.source, example.target) + example.where,
                    violated=ViolatedPair(ends, str(example)) if is_order else None,
                )


def _final_read(events: Sequence[Event]) -> Event:
    """A read of all elements after the scop, in the memory where they belong."""
    elements = reduce(isl.Set.union, (event.elements.range() for event in events))
    identity = renamed(elements.identity(), _END)
    return Event(_END, _END, 0, False, True, False, identity, identity)


def _dates(scop: Scop, events: Sequence[Event]) -> isl.UnionMap:
    """`{ E[i] -> [0, date of the instance, number of the access] }`; the end is after all."""
    dates = maps_by_statement(scop.schedule.map)
    width = max((part.dim(isl.dim_type.out) for part in dates.values()), default=0)
    found = isl.UnionMap.empty(scop.context.get_space())
    for event in events:
        date = _with_entry(isl.Map.from_domain(event.cells.domain()), event.statement == _END)
        if event.statement != _END:
            date = date.flat_range_product(renamed(dates[event.statement], event.name))
        while date.dim(isl.dim_type.out) <= width:
            date = _with_entry(date, 0)
        found = found.union(isl.UnionMap.from_map(_with_entry(date, event.access)))
    return found


def _with_entry(date: isl.Map, entry: int) -> isl.Map:
    """Dates with one more entry, a constant."""
    position = date.dim(isl.dim_type.out)
    date = date.add_dims(isl.dim_type.out, 1)
    return date.fix_val(isl.dim_type.out, position, isl_value(int(entry)))
