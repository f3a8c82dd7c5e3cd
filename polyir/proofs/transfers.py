"""Transfers: which arrays a device must be given before a scop, and give back after it.

A scop that runs on a device with memory of its own works on copies of its arrays. Only what it
reads before it writes it must be copied in, and only what it writes and something reads
afterwards must be copied out. A whole array is copied or none of it: one that is copied out must
be copied in, too, unless the scop surely writes all of its elements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import islpy as isl
from xdsl.dialects import memref
from xdsl.ir import Operation, SSAValue

from polyir.base import budgets
from polyir.base.limits import within_operations
from polyir.model.analysis import ArrayAccesses, DataflowError, array_accesses, flow_by_dates
from polyir.model.raising.context import shape_of, within_extent
from polyir.model.raising.effects import ALLOCATIONS, LOADS, STORES
from polyir.model.scop import Scop
from polyir.model.temporaries import is_new_each_time, uses_outside
from polyir.proofs.copies import without_copies
from polyir.sets.lists import sets_of


@dataclass(frozen=True)
class Transfers:
    """The arrays of a scop that are copied to the device before it, and back after it.

    The names are those of `Scop.arrays`, in its order.
    """

    copied_in: tuple[str, ...]
    copied_out: tuple[str, ...]


def transfers(scop: Scop) -> Transfers:
    """What must be copied for a scop that runs on a device with memory of its own.

    Exact where the accesses of the scop and the extents of its arrays are known, else more is
    copied than necessary. Local arrays are on the device. Arrays that are allocated in the
    function may have no contents before the scop, and none that matters after it.
    """
    program = without_copies(scop)
    dates = _dates(program)
    local = {array.sym_name.data for array in scop.op.local_arrays}
    copied_in, copied_out = [], []
    for array, value in scop.arrays.items():
        if array in local:
            continue
        accesses = array_accesses(program, array, program.schedule)
        is_live_in = _is_live_in(accesses, dates)
        is_copied_out = not accesses.writes.is_empty() and _is_used_after(scop, value, is_live_in)
        is_kept = is_copied_out and not _writes_all(scop, array, accesses)
        if (is_live_in or is_kept) and _is_defined_before(scop, value):
            copied_in.append(array)
        if is_copied_out:
            copied_out.append(array)
    return Transfers(tuple(copied_in), tuple(copied_out))


def _dates(scop: Scop) -> isl.UnionMap:
    """The order of a scop, `{ S[i] -> [t] }`: that of the program if it is known.

    Every legal order reads the same elements before it writes them, and that of the program is
    the simplest.
    """
    dependences = scop.dependences
    order = None if dependences is None else dependences.order
    return scop.schedule.map if order is None else order.intersect_domain(scop.domain)


def _is_live_in(accesses: ArrayAccesses, dates: isl.UnionMap) -> bool:
    """Whether the scop may read an element that it has not surely written before."""
    if accesses.exposed.is_empty():
        return False
    if not accesses.exposed.range().is_subset(accesses.must_writes.range()):
        return True
    info = isl.UnionAccessInfo.from_sink(accesses.exposed).set_must_source(accesses.must_writes)
    try:
        flow = within_operations(budgets.TRANSFERS, partial(flow_by_dates, info, dates))
    except DataflowError:
        return True
    return flow is None or not flow.get_must_no_source().is_empty()


def _writes_all(scop: Scop, array: str, accesses: ArrayAccesses) -> bool:
    """Whether the scop surely writes all elements of an array, for all its parameters."""
    for written in sets_of(accesses.must_writes.range()):
        elements = _elements(scop, scop.arrays[array], written.get_space())
        return elements is not None and bool(elements.is_subset(written))
    return False


def _elements(scop: Scop, array: SSAValue, space: isl.Space) -> isl.Set | None:
    """All elements of an array, as a set of `space`; `None` if an extent is not known."""
    elements = isl.Set.universe(space).intersect_params(scop.context)
    for dimension in range(len(shape_of(array))):
        inside = within_extent(scop, array, dimension, elements.get_space())
        if inside is None:
            return None
        elements = elements.intersect(inside)
    return elements


def _is_defined_before(scop: Scop, array: SSAValue) -> bool:
    """Whether an array may have contents when the scop starts."""
    if not is_new_each_time(scop, array):
        # It is not an allocation, or an earlier execution of the scop has written to it.
        return True
    uses = uses_outside(scop, array)
    return _may_be_viewed(uses) or not all(_is_after(use, scop) for use in uses)


def _is_used_after(scop: Scop, array: SSAValue, is_live_in: bool) -> bool:
    """Whether something may read what the scop leaves in an array."""
    if not isinstance(array.owner, ALLOCATIONS):
        return True
    uses = uses_outside(scop, array)
    if not is_new_each_time(scop, array):
        # The scop may be executed again, with the same allocation.
        return bool(uses) or is_live_in
    return _may_be_viewed(uses) or any(_is_after(use, scop) is not False for use in uses)


def _may_be_viewed(uses: Sequence[Operation]) -> bool:
    """Whether an operation may access the array where it is not seen to."""
    return not all(isinstance(use, (*LOADS, *STORES, memref.CopyOp)) for use in uses)


def _is_after(op: Operation, scop: Scop) -> bool | None:
    """Whether `op` comes after the scop, not before it; `None` where that is not known."""
    inside: Operation | None = scop.op
    while inside is not None:
        block = inside.parent_block()
        around = None if block is None else block.find_ancestor_op_in_block(op)
        if around is inside:
            return None
        if around is not None:
            return inside.is_before_in_block(around)
        inside = inside.parent_op()
    return None
