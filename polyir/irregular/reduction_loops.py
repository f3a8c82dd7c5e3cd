"""Loops whose iterations only update elements, `X[f] = X[f] op e`: they may run in any order."""

from __future__ import annotations

from collections.abc import Collection

from xdsl.ir import SSAValue

from polyir.base.diagnostics import location_of
from polyir.irregular.loop_parts import IrregularLoopError
from polyir.irregular.slices import is_made_in
from polyir.loops.loop_forms import SequentialLoop
from polyir.model.memory_accesses import ElementStore, MemoryAccess, access_of
from polyir.model.raising.effects import loads_in, may_overlap, stores_in
from polyir.model.updates import Chain, chain_to


def updates_in(loop: SequentialLoop, others: Collection[SSAValue] = ()) -> list[Chain]:
    """The updates of a loop that carries nothing else, besides those of `others`.

    Each element is updated by one operation only, and read for nothing else. Raises `PolyirError`
    with a place for other loops.
    """
    if loop.results:
        raise IrregularLoopError("its iterations carry values in iter_args", location_of(loop))
    stores = [
        store
        for store in stores_in(loop)
        if not (is_made_in(store.memref, loop) or any(store.memref is each for each in others))
    ]
    chains = [_update_of(op) for op in stores]
    loads = {chain.load for chain in chains}
    updates = tuple(zip(stores, chains, strict=True))
    for store, chain in updates:
        for other, known in updates:
            if known.combiner is not chain.combiner and may_overlap(store.memref, other.memref):
                name = store.memref.name_hint or "memory"
                message = f"'{name}' is updated by several operations"
                raise IrregularLoopError(message, location_of(store.op))
    for load in loads_in(loop):
        if load.op not in loads and any(may_overlap(load.memref, each.memref) for each in stores):
            name = load.memref.name_hint or "memory"
            raise IrregularLoopError(
                f"'{name}' is not only updated, but read", location_of(load.op)
            )
    return chains


def _update_of(store: MemoryAccess) -> Chain:
    """The update that ends with a store; raises if there is none."""
    if isinstance(store.op, ElementStore):
        loads = []
        op = store.op.prev_op
        while op is not None:
            load = access_of(op)
            if load is not None and load == store._replace(op=op, is_write=False):
                loads.append(op)
            if any(may_overlap(each.memref, store.memref) for each in stores_in(op)):
                break
            op = op.prev_op
        chain = chain_to(store.op, loads)
        if chain is not None:
            return chain
    raise IrregularLoopError(
        "this is not an update of an element by one operation", location_of(store.op)
    )
