"""The LLVM types of MLIR's types: scalars in memory, and the index type as i64.

Arithmetic on indices is marked as not overflowing, as in the C target: LLVM can then count the
iterations of loops and widen what depends on them.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from xdsl.builder import Builder
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    VectorType,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.dialects.affine_extra import ArithIndexCastUIOp, IndexCastSOp, IndexCastUOp
from polyir.dialects.shaped_operations import ShapedIndexCastOp, conversion
from polyir.target.abi import Scalar, scalar_type

_STORED: Final = MappingProxyType[Scalar, Attribute](
    {
        Scalar.BOOL: i8,
        Scalar.INT8: i8,
        Scalar.INT16: i16,
        Scalar.INT32: i32,
        Scalar.INT64: i64,
        Scalar.FLOAT: f32,
        Scalar.DOUBLE: f64,
    }
)


def stored_type(scalar: Scalar) -> Attribute:
    """The type of a scalar in memory and in the interface of functions: `i1` is a byte."""
    return _STORED[scalar]


def stored_type_of(attribute: Attribute, op: Operation | None = None) -> Attribute:
    """`stored_type` of a type of MLIR.

    Raises `TargetError`, at `op`, for types that cannot be there: half floats, odd widths, vectors.
    """
    return stored_type(scalar_type(attribute, op))


def byte_size(scalar: Scalar) -> int:
    """How many bytes a stored scalar takes."""
    return max(scalar.width, 8) // 8


def is_vector(type: Attribute) -> bool:
    """Whether values of the type are vectors."""
    return isinstance(type, VectorType)


def element_type(type: Attribute) -> Attribute:
    """The type of an element of a vector, or the type itself."""
    return type.element_type if isinstance(type, VectorType) else type


def with_element(type: Attribute, element: Attribute) -> Attribute:
    """The type with another type of elements; `element` for a type that is not a vector."""
    return VectorType(element, type.shape) if isinstance(type, VectorType) else element


# ------------------------------------------------------------------------------------ index

_SIGNED_CASTS = (arith.IndexCastOp, IndexCastSOp, ShapedIndexCastOp)
_UNSIGNED_CASTS = (ArithIndexCastUIOp, IndexCastUOp)
_NO_OVERFLOW = arith.IntegerOverflowAttr([arith.IntegerOverflowFlag.NSW])


def convert_index_to_i64(module: ModuleOp) -> None:
    """Give every value of type index in `module` the type i64, and resolve index casts.

    Memrefs and structured control flow must have been lowered.
    """
    for op in tuple(module.walk()):
        if isinstance(op, func.FuncOp):
            op.function_type = FunctionType.from_lists(
                [_converted(type) for type in op.function_type.inputs.data],
                [_converted(type) for type in op.function_type.outputs.data],
            )
        if isinstance(op, arith.AddiOp | arith.SubiOp | arith.MuliOp) and isinstance(
            element_type(op.result.type), IndexType
        ):
            op.overflow_flags = _NO_OVERFLOW
        if isinstance(op, arith.ConstantOp) and isinstance(op.result.type, IndexType):
            assert isinstance(op.value, IntegerAttr)
            op.value = IntegerAttr(op.value.value.data, i64)
        elif isinstance(op, arith.ConstantOp) and isinstance(
            element_type(op.result.type), IndexType
        ):
            op.value = _converted_elements(op.value)
        values: list[SSAValue] = list(op.results)
        for region in op.regions:
            for block in region.blocks:
                values += block.args
        for value in values:
            converted = _converted(value.type)
            if converted != value.type:
                Rewriter.replace_value_with_new_type(value, converted)
    # Only now are the types on both sides of every cast known.
    for op in tuple(module.walk()):
        if isinstance(op, _SIGNED_CASTS):
            _resolve(op, is_signed=True)
        elif isinstance(op, _UNSIGNED_CASTS):
            _resolve(op, is_signed=False)


def _converted(type: Attribute) -> Attribute:
    return with_element(type, i64) if isinstance(element_type(type), IndexType) else type


def _converted_elements(value: Attribute) -> DenseIntOrFPElementsAttr:
    """A vector of constants of type index, as one of i64."""
    assert isinstance(value, DenseIntOrFPElementsAttr)
    type = with_element(value.type, i64)
    assert isinstance(type, VectorType)
    numbers = [number for number in value.get_values() if isinstance(number, int)]
    return DenseIntOrFPElementsAttr.from_list(type, numbers)


def _resolve(op: Operation, is_signed: bool) -> None:
    """Replace a cast by an extension, a truncation or nothing."""
    (value,), (result,) = op.operands, op.results
    old, new = element_type(value.type), element_type(result.type)
    assert isinstance(old, IntegerType)
    assert isinstance(new, IntegerType)
    source, target = old.width.data, new.width.data
    builder = Builder(InsertPoint.before(op))
    if source < target:
        extension = arith.ExtSIOp if is_signed else arith.ExtUIOp
        value = builder.insert(conversion(extension, value, result.type)).results[0]
    elif source > target:
        value = builder.insert(conversion(arith.TruncIOp, value, result.type)).results[0]
    result.replace_all_uses_with(value)
    Rewriter.erase_op(op)
