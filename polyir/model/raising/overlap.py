"""Whether a store may write the element that a load has read."""

from __future__ import annotations

from collections.abc import Iterator

import islpy as isl
from xdsl.ir import Operation

from polyir.model.affine import IndexReader, NotAffineError
from polyir.model.memory_accesses import MemoryAccess
from polyir.model.raising.control import LOOPS, bounds_of, iterators_of


def may_write_element(store: MemoryAccess, load: MemoryAccess, reader: IndexReader) -> bool:
    """Whether some execution of `store` may write the element that `load` reads.

    Only executions of `store` with the current values of the iterators around `load` are
    considered: `store` is in the same loops as `load`, and possibly in more. `reader` reads
    iterators as isl parameters, so the test is whether

        { : bounds of the loops around the store, subscripts equal }

    is empty. Conditions around the store are ignored.
    """
    if store.memref is not load.memref:
        return False
    if store.extents or load.extents:
        return True
    try:
        meeting = isl.Set.universe(reader.space)
        for left, right in zip(store.read(reader), load.read(reader), strict=True):
            meeting = meeting.intersect(left.eq_set(right))
        for loop in _loops_around(store.op, reader):
            meeting = meeting.intersect(loop)
    except NotAffineError:
        return True
    return not meeting.is_empty()


def _loops_around(op: Operation, reader: IndexReader) -> Iterator[isl.Set]:
    """Where the loops around `op` execute it; loops that are not affine are ignored."""
    parent = op.parent_op()
    while parent is not None:
        if isinstance(parent, LOOPS):
            try:
                bounds = bounds_of(parent, reader)
            except NotAffineError:
                bounds = ()
            for iterator, bound in zip(iterators_of(parent), bounds, strict=False):
                yield bound.restrict(reader.read(iterator))
        parent = parent.parent_op()
