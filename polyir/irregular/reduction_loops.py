"""Loops whose iterations only update elements, `X[f] = X[f] op e`: they may run in any order."""

from __future__ import annotations

from collections.abc import Collection

from xdsl.dialects import affine, memref
from xdsl.ir import Operation, SSAValue

from polyir.base.diagnostics import PolyirError, location_of
from polyir.irregular.slices import ElementAccess, is_made_in
from polyir.loops.loop_forms import SequentialLoop
from polyir.model.raising.effects import LOADS, STORES, may_overlap, stores_in
from polyir.model.updates import Chain, chain_to


def updates_in(loop: SequentialLoop, others: Collection[SSAValue] = ()) -> list[Chain]:
    """The updates of a loop that carries nothing else, besides those of `others`.

    Each element is updated by one operation only, and read for nothing else. Raises `PolyirError`
    with a place for other loops.
    """
    if loop.results:
        raise PolyirError("its iterations carry values in iter_args", location_of(loop))
    stores = [
        op
        for op in stores_in(loop)
        if not (is_made_in(op.memref, loop) or any(op.memref is memory for memory in others))
    ]
    chains = [_update_of(op) for op in stores]
    loads = {chain.load for chain in chains}
    updates = tuple(zip(stores, chains, strict=True))
    for store, chain in updates:
        for other, known in updates:
            if known.combiner is not chain.combiner and may_overlap(store.memref, other.memref):
                name = store.memref.name_hint or "memory"
                raise PolyirError(f"'{name}' is updated by several operations", location_of(store))
    for op in loop.walk():
        if isinstance(op, LOADS) and op not in loads:
            for store in stores:
                if may_overlap(op.memref, store.memref):
                    name = op.memref.name_hint or "memory"
                    raise PolyirError(f"'{name}' is not only updated, but read", location_of(op))
    return chains


def store_of(chain: Chain) -> affine.StoreOp | memref.StoreOp:
    """The store that an update ends with."""
    (use,) = chain.steps[-1].results[0].uses
    store = use.operation
    assert isinstance(store, affine.StoreOp | memref.StoreOp)
    return store


def _update_of(store: Operation) -> Chain:
    """The update that ends with a store; raises if there is none."""
    if isinstance(store, affine.StoreOp | memref.StoreOp):
        loads = []
        op = store.prev_op
        while op is not None:
            if isinstance(op, ElementAccess) and _is_same_element(op, store):
                loads.append(op)
            if any(may_overlap(each.memref, store.memref) for each in stores_in(op)):
                break
            op = op.prev_op
        chain = chain_to(store.value, store, loads)
        if chain is not None:
            return chain
    raise PolyirError("this is no update of an element by one operation", location_of(store))


def _is_same_element(load: ElementAccess, store: affine.StoreOp | memref.StoreOp) -> bool:
    if isinstance(load, STORES) or load.memref is not store.memref:
        return False
    if tuple(load.indices) != tuple(store.indices):
        return False
    if isinstance(load, affine.LoadOp) and isinstance(store, affine.StoreOp):
        return load.map == store.map
    return isinstance(load, memref.LoadOp) and isinstance(store, memref.StoreOp)
