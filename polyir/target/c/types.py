"""The C types of MLIR's scalar types."""

from __future__ import annotations

from enum import Enum
from types import MappingProxyType
from typing import Final

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
)
from xdsl.ir import Attribute, Operation
from xdsl.ir.affine import AffineMap

from polyir.diagnostics import PolyirError, location_of


class CTargetError(PolyirError):
    """The module holds something that the C target has no C for."""


def refuse(op: Operation | None, message: str) -> CTargetError:
    """The error that `message` makes at the location of `op`."""
    return CTargetError(message, location_of(op))


class Scalar(Enum):
    """A C scalar type; the value is its C99 spelling. MLIR's `index` is `INT64`."""

    BOOL = "bool"
    INT8 = "int8_t"
    INT16 = "int16_t"
    INT32 = "int32_t"
    INT64 = "int64_t"
    UINT8 = "uint8_t"
    UINT16 = "uint16_t"
    UINT32 = "uint32_t"
    UINT64 = "uint64_t"
    FLOAT = "float"
    DOUBLE = "double"

    @property
    def is_float(self) -> bool:
        return self in (Scalar.FLOAT, Scalar.DOUBLE)

    @property
    def width(self) -> int:
        """The number of value bits: 1 for `bool`."""
        return _WIDTHS[self]

    @property
    def unsigned(self) -> Scalar:
        """The unsigned type of the same width; `bool` is its own."""
        return _UNSIGNED.get(self, self)

    @property
    def suffix(self) -> str:
        """The type in the name of a helper function: `i32`, `f64`."""
        if self.is_float:
            return f"f{self.width}"
        return f"i{self.width}"


_WIDTHS: Final = MappingProxyType(
    {
        Scalar.BOOL: 1,
        Scalar.INT8: 8,
        Scalar.INT16: 16,
        Scalar.INT32: 32,
        Scalar.INT64: 64,
        Scalar.UINT8: 8,
        Scalar.UINT16: 16,
        Scalar.UINT32: 32,
        Scalar.UINT64: 64,
        Scalar.FLOAT: 32,
        Scalar.DOUBLE: 64,
    }
)

_UNSIGNED: Final = MappingProxyType(
    {
        Scalar.INT8: Scalar.UINT8,
        Scalar.INT16: Scalar.UINT16,
        Scalar.INT32: Scalar.UINT32,
        Scalar.INT64: Scalar.UINT64,
    }
)

_SIGNLESS: Final = MappingProxyType(
    {1: Scalar.BOOL, 8: Scalar.INT8, 16: Scalar.INT16, 32: Scalar.INT32, 64: Scalar.INT64}
)


def scalar_type(attribute: Attribute, op: Operation | None = None) -> Scalar:
    """The C type that holds a value of type `attribute`.

    Signless integers are held in signed types. Raises `CTargetError`, at `op`, for a type that
    has none: half floats, vectors, odd widths.
    """
    match attribute:
        case IndexType():
            return Scalar.INT64
        case IntegerType(width=width, signedness=signedness):
            scalar = _SIGNLESS.get(width.data)
            if scalar is not None and signedness.data is Signedness.SIGNLESS:
                return scalar
        case Float32Type():
            return Scalar.FLOAT
        case Float64Type():
            return Scalar.DOUBLE
        case _:
            pass
    raise refuse(op, f"the C target has no type for values of type {attribute}")


def memref_parts(
    attribute: MemRefType[Attribute], op: Operation | None = None
) -> tuple[Scalar, tuple[int | None, ...]]:
    """The element type and the extents of a memref type; an extent is `None` where dynamic.

    Raises `CTargetError` for a layout other than the row-major one.
    """
    layout = attribute.layout
    row_major = AffineMap.identity(attribute.get_num_dims())
    if not isinstance(layout, NoneAttr) and layout != AffineMapAttr(row_major):
        raise refuse(op, f"the C target has no arrays with the layout of {attribute}")
    extents = tuple(None if n == DYNAMIC_INDEX else n for n in attribute.get_shape())
    return scalar_type(attribute.element_type, op), extents
