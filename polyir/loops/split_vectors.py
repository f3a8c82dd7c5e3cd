"""Copies of vectors as copies of their elements, where addresses need not be aligned."""

from __future__ import annotations

from xdsl.dialects import affine
from xdsl.dialects.builtin import AffineMapAttr, VectorType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

_VectorAccess = affine.VectorLoadOp | affine.VectorStoreOp


def split_vectors(array: SSAValue) -> None:
    """Copy element by element from and to an array.

        %0 = affine.vector_load %A[%i] : memref<?xf64>, vector<2xf64>
        affine.vector_store %0, %B[%j] : memref<64xf64>, vector<2xf64>

    becomes

        %0 = affine.load %A[%i] : memref<?xf64>
        affine.store %0, %B[%j] : memref<64xf64>
        %1 = affine.load %A[%i + 1] : memref<?xf64>
        affine.store %1, %B[%j + 1] : memref<64xf64>
    """
    for use in tuple(array.uses):
        op = use.operation
        if isinstance(op, affine.VectorLoadOp):
            for stored in tuple(op.result.uses):
                if isinstance(stored.operation, affine.VectorStoreOp):
                    _split(op, stored.operation)
        elif isinstance(op, affine.VectorStoreOp) and isinstance(
            op.value.owner, affine.VectorLoadOp
        ):
            _split(op.value.owner, op)


def _split(load: affine.VectorLoadOp, store: affine.VectorStoreOp) -> None:
    vector = load.result.type
    assert isinstance(vector, VectorType)
    if load.next_op is not store or len(vector.get_shape()) != 1:
        return
    for lane in range(vector.element_count()):
        element = affine.LoadOp(load.memref, load.indices, _moved(load, lane))
        copy = affine.StoreOp(element.result, store.memref, store.indices, _moved(store, lane))
        element.location, copy.location = load.location, store.location
        Rewriter.insert_op([element, copy], InsertPoint.before(store))
    Rewriter.erase_op(store)
    if not load.result.uses:
        Rewriter.erase_op(load)


def _moved(access: _VectorAccess, lane: int) -> AffineMapAttr:
    """The map of a vector's element."""
    map = access.map.data
    *rows, last = map.results
    moved = last + lane if lane else last
    return AffineMapAttr(AffineMap(map.num_dims, map.num_symbols, (*rows, moved)))
