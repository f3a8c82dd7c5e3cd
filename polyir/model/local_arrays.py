"""Local arrays: which accesses go to memory that an iteration has of its own.

A mark `#poly.local<@L "{ [S[i] -> A[a]] -> L[l] }">` in the schedule tree says that each
iteration t of the loops around it has an array L, and that S[i] accesses L[l] in it where its
body says A[a]. So the memory that S[i] accesses is `L[t, l]`: a cell of the copy of its own
iteration. In a GPU kernel, each thread has its own, too, `L[t, thread, l]`, unless the array is in
the memory that the threads of a block share. Marks may be inside each other: what an outer one
sends to its array, an inner one may send on. Where a loop was split, an array may have several
marks in different parts: it is allocated at each of them, so its memory there is `L[mark, t, l]`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial

import islpy as isl

from polyir.dialects.mark_attributes import KernelAttr, LocalAccesses, LocalAttr
from polyir.dialects.scop import ScopOp
from polyir.model.gpu import thread_numbers
from polyir.model.statements import Access, Statement
from polyir.model.tree_loops import iterations_at
from polyir.sets.lists import maps_by_statement, maps_of
from polyir.tree import Kind, Schedule, ScheduleNode, asked_once


@dataclass(frozen=True)
class LocalMark:
    """A mark `#poly.local` at a node of a schedule tree; `iterations` is `{ S[i] -> [t] }`.

    `copies` is `{ S[i] -> [t, thread] }` where threads have copies of their own, else as
    `iterations`. It starts with the number of the mark if its array has several.
    """

    local: LocalAccesses
    iterations: isl.UnionMap
    copies: isl.UnionMap
    node: ScheduleNode

    @property
    def array(self) -> str:
        """The name of the local array."""
        return self.local.array

    def of_statement(self, name: str) -> isl.Map | None:
        """`{ S[i] -> [t] }` for one statement; `None` if it is not below the mark."""
        return self._iterations.get(name)

    def copies_of_statement(self, name: str) -> isl.Map | None:
        """`copies` of one statement; `None` if it is not below the mark."""
        return self._copies.get(name)

    @cached_property
    def _iterations(self) -> dict[str, isl.Map]:
        return maps_by_statement(self.iterations)

    @cached_property
    def _copies(self) -> dict[str, isl.Map]:
        return maps_by_statement(self.copies)

    @cached_property
    def _parts(self) -> tuple[isl.Map, ...]:
        return maps_of(isl.UnionMap.from_union_pw_multi_aff(self.local.accesses))

    def sent(self, relation: isl.Map) -> isl.Map | None:
        """`{ [S[i] -> A[a]] -> L[l] }` for an access that goes to the local array; else `None`."""
        for part in self._parts:
            accesses = part.get_space().domain()
            if not accesses.is_wrapping():
                continue
            if accesses.unwrap().has_equal_tuples(relation.get_space()):
                # By chance, other references may touch the same elements in some instances.
                accesses_of_all = relation.wrap()
                if accesses_of_all.is_empty() or not accesses_of_all.is_subset(part.domain()):
                    return None
                return part.intersect_domain(accesses_of_all)
        return None


def dimensions_of_data(relation: isl.Map) -> tuple[int, ...]:
    """The subscripts of an access that are not functions of the iterators."""
    count = relation.dim(isl.dim_type.out)
    return tuple(n for n in range(count) if not only_subscript(relation, n).is_single_valued())


def only_subscript(relation: isl.Map, position: int) -> isl.Map:
    """`{ S[i] -> [a] }` for one subscript of an access."""
    after = relation.dim(isl.dim_type.out) - position - 1
    relation = relation.project_out(isl.dim_type.out, position + 1, after)
    return relation.project_out(isl.dim_type.out, 0, position)


def local_marks(schedule: Schedule, shared: frozenset[str] | None = None) -> tuple[LocalMark, ...]:
    """The marks of local arrays in a tree, outer ones first.

    Of arrays that are not `shared`, each thread of a GPU kernel has copies of its own. Without
    `shared`, nobody is to ask for the copies of threads.
    """
    return _local_marks(schedule.root, shared)


@asked_once
def _local_marks(root: ScheduleNode, shared: frozenset[str] | None) -> tuple[LocalMark, ...]:
    def visit(node: ScheduleNode, kernel: Callable[[], isl.UnionMap] | None) -> Iterator[LocalMark]:
        if node.kind is Kind.MARK:
            attribute = node.attribute
            if isinstance(attribute, KernelAttr) and shared is not None:
                kernel = cache(partial(thread_numbers, node))
            if isinstance(attribute, LocalAttr):
                around = iterations_at(node)
                copies = around
                if kernel is not None and shared is not None and attribute.data.array not in shared:
                    copies = around.flat_range_product(kernel())
                yield LocalMark(attribute.data, around, copies, node)
        for child in node.children():
            yield from visit(child, kernel)

    marks = tuple(visit(root, None))
    counts = Counter(mark.array for mark in marks)
    return tuple(
        mark if counts[mark.array] == 1 else replace(mark, copies=_numbered(number, mark.copies))
        for number, mark in enumerate(marks)
    )


def _numbered(number: int, copies: isl.UnionMap) -> isl.UnionMap:
    """`{ S[i] -> [number, t] }`."""
    numbers = isl.UnionMap.from_domain_and_range(copies.domain(), isl.UnionSet(f"{{ [{number}] }}"))
    return numbers.flat_range_product(copies)


def shared_arrays(scop: ScopOp) -> frozenset[str]:
    """The local arrays of a scop that the threads of a block of a GPU kernel share."""
    return frozenset(
        array.sym_name.data for array in scop.local_arrays if array.space.data == "workgroup"
    )


@dataclass(frozen=True)
class Destination:
    """Where the instances of `cells` access memory: `{ S[i] -> X[x] }`.

    Below `mark`, X is its local array; without one, X is an array of the scop.
    """

    array: str
    cells: isl.Map
    mark: LocalMark | None = None

    @property
    def memory(self) -> isl.Map:
        """`{ S[i] -> X[t, x] }`: the cells, each iteration and thread with its own."""
        if self.mark is None:
            return self.cells
        name = self.cells.get_tuple_name(isl.dim_type.in_)
        around = self.mark.copies_of_statement(name)
        assert around is not None
        cells = around.flat_range_product(self.cells.reset_tuple_id(isl.dim_type.out))
        return cells.set_tuple_name(isl.dim_type.out, self.array)


def destinations(access: Access, marks: Sequence[LocalMark], context: isl.Set) -> list[Destination]:
    """Where an access goes that a body says; several parts where its instances differ.

    With `marks`, only for parameters in `context`: marks say nothing of others.
    """
    relation = access.relation.intersect_params(context) if marks else access.relation
    parts = [Destination(access.array, relation)]
    for mark in marks:
        around = mark.of_statement(access.relation.get_tuple_name(isl.dim_type.in_))
        if around is not None:
            parts = [each for part in parts for each in _below_mark(part, mark, around)]
    return parts


def _below_mark(part: Destination, mark: LocalMark, around: isl.Map) -> list[Destination]:
    """Where a part of an access goes: what stays, then what goes to the array of the mark."""
    inside = part.cells.intersect_domain(around.domain())
    if part.array == mark.array:
        # A copy statement, whose body names the local array.
        sent, kept = inside, part.cells.subtract(inside)
    else:
        relation = mark.sent(inside)
        if relation is None:
            return [part]
        sent, kept = (
            relation.domain_factor_domain(),
            part.cells.subtract(relation.domain().unwrap()),
        )
    if sent.is_empty():
        # Another mark of the same array is for the instances.
        return [part]
    result = [Destination(mark.array, sent, mark)]
    return result if kept.is_empty() else [replace(part, cells=kept), *result]


def with_local_accesses(
    statements: Sequence[Statement],
    schedule: Schedule,
    shared: frozenset[str],
    context: isl.Set,
) -> tuple[Statement, ...]:
    """The statements with the memory that they access under `schedule`.

    `shared` are the local arrays that the threads of a block share.
    """
    marks = local_marks(schedule, shared)
    if not marks:
        return tuple(statements)

    def accesses_of(access: Access) -> list[Access]:
        return [
            replace(
                access,
                array=part.array,
                relation=part.memory,
                symbolic=None if part.mark is not None else access.symbolic,
            )
            for part in destinations(access, marks, context)
        ]

    return tuple(
        replace(each, accesses=tuple(part for a in each.accesses for part in accesses_of(a)))
        for each in statements
    )
