"""Arrays as pointers with extents: addresses, sizes in bytes, allocation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import IntAttr, IntegerAttr, i64
from xdsl.ir import Attribute, SSAValue

Extent = SSAValue | int
"""The size of an array in one dimension: known, or a value of type index."""


@dataclass(frozen=True)
class Buffer:
    """A row-major array: a pointer to its first element.

    `strides[d]` is the number of elements from one index of dimension d to the next; `stored`
    is the type of an element in memory.
    """

    pointer: SSAValue
    stored: Attribute
    extents: tuple[Extent, ...]
    strides: tuple[Extent, ...]


def buffer_at(
    pointer: SSAValue, stored: Attribute, extents: Sequence[Extent], builder: Builder
) -> Buffer:
    """The buffer at `pointer`; products of extents are computed where `builder` stands."""
    strides: list[Extent] = []
    stride: Extent = 1
    for extent in reversed(extents):
        strides.insert(0, stride)
        if len(strides) < len(extents):
            stride = multiplied(stride, extent, builder)
    return Buffer(pointer, stored, tuple(extents), tuple(strides))


def multiplied(left: Extent, right: Extent, builder: Builder) -> Extent:
    """The product, computed now if both factors are known."""
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


def element_address(buffer: Buffer, indices: Sequence[SSAValue], builder: Builder) -> SSAValue:
    """The address of an element, one step for each dimension as a C compiler does it.

    So what depends on outer loops only can be hoisted, and LLVM sees the shape of static arrays.
    """
    pointer = buffer.pointer
    for index, stride in zip(indices, buffer.strides, strict=True):
        # The last step stays: it gives llvmlite the type of the element.
        if _is_zero(index) and stride != 1:
            continue
        step, offset = buffer.stored, index
        if isinstance(stride, SSAValue):
            offset = builder.insert(arith.MuliOp(index, stride)).result
        elif stride != 1:
            step = llvm.LLVMArrayType(IntAttr(stride), buffer.stored)
        address = llvm.GEPOp.from_mixed_indices(
            pointer, [as_i64(offset, builder)], step, inbounds=True
        )
        pointer = builder.insert(address).result
    return pointer


def _is_zero(value: SSAValue) -> bool:
    owner = value.owner
    return (
        isinstance(owner, arith.ConstantOp)
        and isinstance(owner.value, IntegerAttr)
        and owner.value.value.data == 0
    )
