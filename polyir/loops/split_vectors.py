"""Copies of vectors as copies of their elements, where addresses need not be aligned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
        %1 = affine.load %A[%i + 1] : memref<?xf64>
        affine.store %0, %B[%j] : memref<64xf64>
        affine.store %1, %B[%j + 1] : memref<64xf64>

    Vectors that are used for more than to be stored stay.
    """
    loads = dict.fromkeys(_loads(array))
    for load in loads:
        stores = [use.operation for use in load.result.uses]
        if all(isinstance(each, affine.VectorStoreOp) for each in stores):
            _split(load, [each for each in stores if isinstance(each, affine.VectorStoreOp)])


def _loads(array: SSAValue) -> Iterator[affine.VectorLoadOp]:
    """The loads of vectors from an array, and of those that are stored in it."""
    for use in array.uses:
        op = use.operation
        if isinstance(op, affine.VectorStoreOp):
            op = op.value.owner
        if isinstance(op, affine.VectorLoadOp):
            yield op


def _split(load: affine.VectorLoadOp, stores: Sequence[affine.VectorStoreOp]) -> None:
    """Load the elements where a vector is loaded, and store them where it is stored."""
    vector = load.result.type
    assert isinstance(vector, VectorType)
    if len(vector.get_shape()) != 1:
        return
    for lane in range(vector.element_count()):
        element = affine.LoadOp(load.memref, load.indices, _moved(load, lane))
        element.location = load.location
        Rewriter.insert_op(element, InsertPoint.before(load))
        for store in stores:
            copy = affine.StoreOp(element.result, store.memref, store.indices, _moved(store, lane))
            copy.location = store.location
            Rewriter.insert_op(copy, InsertPoint.before(store))
    for store in stores:
        Rewriter.erase_op(store)
    Rewriter.erase_op(load)


def _moved(access: _VectorAccess, lane: int) -> AffineMapAttr:
    """The map of a vector's element."""
    map = access.map.data
    *rows, last = map.results
    moved = last + lane if lane else last
    return AffineMapAttr(AffineMap(map.num_dims, map.num_symbols, (*rows, moved)))
