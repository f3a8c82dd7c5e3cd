"""Live ranges: when may instances that reuse memory change their order?

A false dependence (anti or output) keeps the live ranges of two values apart that use one
memory element. It need not be kept as long as the ranges stay apart in the new order, whichever
comes first: Verdoolaege and Cohen, "Live-range reordering" (2016).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import islpy as isl
from xdsl.dialects import memref

from polyir.base.diagnostics import LegalityError
from polyir.dialects.dependence import Dependence, DependenceKind, Dependences, union_of
from polyir.model.analysis import array_accesses, arrays_in_order, compute_dependences
from polyir.model.dataflow import array_flow
from polyir.model.scop import Scop
from polyir.model.statements import Access, AccessKind
from polyir.model.temporaries import is_new_each_time, uses_outside
from polyir.tree import Schedule


@dataclass(frozen=True)
class ArrayOrder:
    """What has to be ordered because of one array, apart from the flow of its values.

    `live_ranges` is that flow, `{ write -> read }`. `forced` holds in any case: a value from
    before the scop is read first, and one that is used after it is written last. `conditional`
    are all further pairs that touch one element, the second one writing it.
    """

    array: str
    live_ranges: isl.UnionMap
    forced: isl.UnionMap
    conditional: isl.UnionMap


def array_orders(scop: Scop, dependences: Dependences) -> tuple[ArrayOrder, ...]:
    """The order that each array asks for; `dependences` are value-based ones.

    The conditional order is memory-based: of three live ranges, the outer two stay apart also
    if the one between them moves away.
    """
    space = scop.context.get_space()
    false_kinds = (DependenceKind.ANTI, DependenceKind.OUTPUT)
    false = compute_dependences(scop, value_based=False, kinds=false_kinds).items
    flow = dependences.of_kind(DependenceKind.FLOW)
    orders = []
    for array in arrays_in_order(scop):
        reuse = [each for each in false if each.array == array]
        ranges = [each for each in flow if each.array == array]
        everything = union_of(reuse, space)
        forced = _forced(scop, array, reuse, ranges)
        orders.append(
            ArrayOrder(array, union_of(ranges, space), forced, everything.subtract(forced))
        )
    return tuple(orders)


def _forced(
    scop: Scop, array: str, reuse: Sequence[Dependence], ranges: Sequence[Dependence]
) -> isl.UnionMap:
    """The part of `reuse` that is no matter of live ranges inside the scop alone."""
    space = scop.context.get_space()
    everything = union_of(reuse, space)
    if any(each.kind is AccessKind.MAY_WRITE for each in _accesses_to(scop, array)):
        # What a may-write leaves in place has a live range that goes through it.
        return everything
    if _is_local(scop, array):
        return isl.UnionMap.empty(space)
    output = union_of([each for each in reuse if each.kind is DependenceKind.OUTPUT], space)
    anti = union_of([each for each in reuse if each.kind is DependenceKind.ANTI], space)
    from_outside = _instances_beyond(scop, array, AccessKind.READ, union_of(ranges, space).range())
    to_outside = _instances_beyond(scop, array, AccessKind.WRITE, output.domain())
    return anti.intersect_domain(from_outside).union(everything.intersect_range(to_outside))


def _instances_beyond(
    scop: Scop, array: str, kind: AccessKind, inside: isl.UnionSet
) -> isl.UnionSet:
    """The instances with an access of `kind` that may be to a value from or for the outside.

    `inside` are instances with such an access to a value from, or overwritten, inside: where
    they access one element only, they are none.
    """
    found = isl.UnionSet.empty(scop.context.get_space())
    for statement in scop.statements:
        accesses = [each for each in statement.accesses if (each.array, each.kind) == (array, kind)]
        for access in accesses:
            instances = isl.UnionSet.from_set(access.relation.domain())
            if len(accesses) == 1 and access.relation.is_single_valued():
                instances = instances.subtract(inside)
            found = found.union(instances)
    return found


def _accesses_to(scop: Scop, array: str) -> list[Access]:
    return [
        access
        for statement in scop.statements
        for access in statement.accesses
        if access.array == array
    ]


def _is_local(scop: Scop, array: str) -> bool:
    """Whether the array is allocated in the function and used by one execution of the scop only."""
    value = scop.arrays[array]
    is_allocated = isinstance(value.owner, memref.AllocOp | memref.AllocaOp)
    if not is_allocated or uses_outside(scop, value):
        return False
    return is_new_each_time(scop, value) or not array_flow(scop, array).is_live_in


def require_same_values(scop: Scop, schedule: Schedule, what: str) -> None:
    """Raise `LegalityError` unless `schedule` computes what the tree in force computes.

    Exact: every read must take its values from the same writes, element by element, and every
    element that may be used after the scop must be written last by the same instance. `what`
    names the change, to start the message with.
    """
    for array in arrays_in_order(scop):
        before = _values(scop, array, scop.schedule)
        after = _values(scop, array, schedule)
        if not before[0].is_equal(after[0]):
            raise LegalityError(f"{what} changes which value of {array} is read", name="live-range")
        if not _is_local(scop, array) and not before[1].is_equal(after[1]):
            raise LegalityError(
                f"{what} changes which value of {array} is left in memory", name="live-range"
            )


def _values(scop: Scop, array: str, schedule: Schedule) -> tuple[isl.UnionMap, isl.UnionMap]:
    """`{ write -> [read -> A[a]] }`, and `{ write -> A[a] }` for the last writes."""
    accesses = array_accesses(scop, array, schedule)
    flow = accesses.last_by_element(
        accesses.exposed, must=accesses.must_writes, may=accesses.may_writes
    )
    rewritten = accesses.last_by_element(
        accesses.must_writes, must=accesses.must_writes, may=accesses.may_writes
    )
    return flow, accesses.writes.subtract(rewritten.range_factor_range())
