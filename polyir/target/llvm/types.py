"""The LLVM types of MLIR's types, and the error for what has none."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    MemRefType,
    NoneAttr,
    Signedness,
    VectorType,
    i8,
    i64,
)
from xdsl.ir import Attribute, Operation
from xdsl.ir.affine import AffineMap

from polyir.diagnostics import PolyirError, location_of


class LlvmTargetError(PolyirError):
    """The module holds something that the LLVM target has no LLVM for."""


def refuse(op: Operation | None, message: str) -> LlvmTargetError:
    """The error that `message` makes at the location of `op`."""
    return LlvmTargetError(message, location_of(op))


def stored_type(attribute: Attribute, op: Operation | None = None) -> Attribute:
    """The type in memory, and at the border of a function, of a scalar of type `attribute`.

    It is C's: `i1` is a byte, `index` has 64 bits. Raises `LlvmTargetError`, at `op`, for types
    that cannot be there: half floats, odd widths, vectors of several dimensions.
    """
    match attribute:
        case IndexType():
            return i64
        case IntegerType(width=width, signedness=signedness):
            if signedness.data is Signedness.SIGNLESS and width.data in (1, 8, 16, 32, 64):
                return i8 if width.data == 1 else attribute
        case Float32Type() | Float64Type():
            return attribute
        case _:
            pass
    raise refuse(op, f"the LLVM target has no type for values of type {attribute} in memory")


def byte_size(stored: Attribute) -> int:
    """How many bytes a stored scalar takes."""
    match stored:
        case IntegerType(width=width):
            return int(width.data) // 8
        case Float32Type():
            return 4
        case Float64Type():
            return 8
        case _:
            raise AssertionError(f"{stored} is not a stored type")


def element_and_extents(
    type: Attribute, op: Operation | None = None
) -> tuple[Attribute, tuple[int | None, ...]]:
    """The element type and the extents of a memref type; an extent is `None` where dynamic.

    Raises `LlvmTargetError` for a layout other than the row-major one.
    """
    if not isinstance(type, MemRefType):
        raise refuse(op, f"the LLVM target has no arrays of type {type}")
    row_major = AffineMapAttr(AffineMap.identity(type.get_num_dims()))
    if not isinstance(type.layout, NoneAttr) and type.layout != row_major:
        raise refuse(op, f"the LLVM target has no arrays with the layout of {type}")
    extents = tuple(None if extent == DYNAMIC_INDEX else extent for extent in type.get_shape())
    return type.element_type, extents


def is_vector(type: Attribute) -> bool:
    """Whether values of the type are vectors."""
    return isinstance(type, VectorType)
