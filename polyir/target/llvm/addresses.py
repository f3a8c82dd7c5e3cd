"""Addresses of the elements of arrays, as steps from a pointer, one for each dimension."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.builder import Builder
from xdsl.dialects import arith, llvm, scf
from xdsl.dialects.builtin import IndexType, IntAttr, IntegerAttr, IntegerType, i64
from xdsl.ir import SSAValue
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from polyir.target.abi import Scalar
from polyir.target.llvm.types import stored_type

Extent = SSAValue | int
"""The size of an array in one dimension: a constant, or a value of type index."""


@dataclass(frozen=True)
class Buffer:
    """A row-major array: a pointer to its first element.

    `strides[d]` is the number of elements from one index of dimension d to the next.
    """

    pointer: SSAValue
    element: Scalar
    extents: tuple[Extent, ...]
    strides: tuple[Extent, ...]


def buffer_at(
    pointer: SSAValue, element: Scalar, extents: Sequence[Extent], builder: Builder
) -> Buffer:
    """The buffer at `pointer`; `builder` inserts the products of its extents."""
    strides: list[Extent] = []
    stride: Extent = 1
    for extent in reversed(extents):
        strides.insert(0, stride)
        if len(strides) < len(extents):
            stride = multiplied(stride, extent, builder)
    return Buffer(pointer, element, tuple(extents), tuple(strides))


def multiplied(left: Extent, right: Extent, builder: Builder) -> Extent:
    """The product, a constant if both factors are."""
    if isinstance(left, int) and isinstance(right, int):
        return left * right
    if left == 1:
        return right
    if right == 1:
        return left
    product = arith.MuliOp(index_value(left, builder), index_value(right, builder))
    return builder.insert(product).result


def index_value(extent: Extent, builder: Builder) -> SSAValue:
    """The extent as a value of type index."""
    if isinstance(extent, SSAValue):
        return extent
    return builder.insert(arith.ConstantOp(IntegerAttr.from_index_int_value(extent))).result


def as_i64(extent: Extent, builder: Builder) -> SSAValue:
    """The extent as a value of type i64."""
    if isinstance(extent, int):
        return builder.insert(arith.ConstantOp(IntegerAttr(extent, i64))).result
    return builder.insert(arith.IndexCastOp(extent, i64)).result


def element_address(
    buffer: Buffer, indices: Sequence[SSAValue], builder: Builder, in_bounds: bool = True
) -> SSAValue:
    """The address of an element, with one step for each dimension, as a C compiler computes it.

    So LLVM can hoist the part that depends on outer loops only, and it sees the shape of static
    arrays. `in_bounds` promises that the element exists.
    """
    pointer, stored = buffer.pointer, stored_type(buffer.element)
    for index, stride in zip(indices, buffer.strides, strict=True):
        # The last step stays: it gives llvmlite the type of the element.
        if _is_zero(index) and stride != 1:
            continue
        step, offset = stored, index
        if isinstance(stride, SSAValue):
            offset = builder.insert(arith.MuliOp(index, stride)).result
        elif stride != 1:
            step = llvm.LLVMArrayType(IntAttr(stride), stored)
        address = llvm.GEPOp.from_mixed_indices(
            pointer, [as_i64(offset, builder)], step, inbounds=in_bounds
        )
        pointer = builder.insert(address).result
    return pointer


def carries_integers(builder: Builder) -> bool:
    """Whether operations are inserted into the body of a loop that carries integers.

    LLVM may compute these in any order, and so in vectors.
    """
    loop = builder.insertion_point.block.parent_op()
    return isinstance(loop, scf.ForOp) and any(
        isinstance(result.type, IntegerType | IndexType) for result in loop.results
    )


def with_signed_strides(buffer: Buffer, builder: Builder) -> Buffer:
    """The buffer with strides that are visibly not negative.

    LLVM's vectoriser guesses that a stride that it knows nothing of is 1: it makes vectors for this
    case only, and leaves the loop as it is for all others. It does not guess about a maximum.
    """
    zero = builder.insert(arith.ConstantOp(IntegerAttr.from_index_int_value(0))).result
    strides = tuple(
        builder.insert(arith.MaxSIOp(stride, zero)).result
        if isinstance(stride, SSAValue)
        else stride
        for stride in buffer.strides
    )
    return replace(buffer, strides=strides)


def _is_zero(value: SSAValue) -> bool:
    return const_evaluate_operand(value) == 0
