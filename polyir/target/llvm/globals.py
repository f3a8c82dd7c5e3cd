"""Globals of a module as variables of the llvm dialect."""

from __future__ import annotations

from typing import Final

from xdsl.dialects import llvm, memref
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    Float32Type,
    Float64Type,
    IntAttr,
    IntegerType,
    TensorType,
    i1,
)
from xdsl.ir import Attribute, Block, Region
from xdsl.rewriter import Rewriter

from polyir.target.c.names import symbol_name
from polyir.target.llvm.types import element_and_extents, refuse, stored_type

ARRAY_ALIGNMENT: Final = 64
"""Bytes: a cache line, and the widest vector."""


def convert_global(op: memref.GlobalOp) -> None:
    """A global array, flat; without an initial value it starts as zeros, as in C."""
    element, extents = element_and_extents(op.type, op)
    stored = stored_type(element, op)
    count = 1
    for extent in extents:
        if extent is None:
            raise refuse(op, "the LLVM target wants globals of a static size")
        count *= extent
    type = llvm.LLVMArrayType(IntAttr(count), stored)
    initial = op.initial_value
    value = None
    if isinstance(initial, DenseIntOrFPElementsAttr):
        value = _flat(initial, stored, count)
    is_private = op.sym_visibility.data == "private"
    result = llvm.GlobalOp(
        type,
        symbol_name(op.sym_name.data),
        "internal" if is_private else "external",
        constant=op.constant is not None,
        value=value,
        alignment=ARRAY_ALIGNMENT,
        body=_zeros(type) if value is None else None,
    )
    Rewriter.replace_op(op, result)


def _zeros(type: llvm.LLVMArrayType) -> Region:
    """The initialiser of a global that starts as zeros."""
    zero = llvm.ZeroOp(result_types=[type])
    return Region(Block([zero, llvm.ReturnOp(zero.res)]))


def _flat(values: DenseIntOrFPElementsAttr, stored: Attribute, count: int) -> Attribute:
    """The same elements, as they are in memory, in one dimension."""
    numbers = values.get_values()
    repeated = count if len(numbers) == 1 else 1
    if isinstance(stored, IntegerType):
        integers = [number for number in numbers if isinstance(number, int)]
        if values.get_element_type() == i1:
            integers = [int(number != 0) for number in integers]
        return DenseIntOrFPElementsAttr.from_list(TensorType(stored, [count]), integers * repeated)
    assert isinstance(stored, Float32Type | Float64Type)
    floats = [number for number in numbers if isinstance(number, float)]
    return DenseIntOrFPElementsAttr.from_list(TensorType(stored, [count]), floats * repeated)
