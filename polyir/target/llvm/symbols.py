"""Symbols of a module: functions of the C library and the runtime, and global arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from xdsl.dialects import llvm, memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    Float32Type,
    Float64Type,
    IntAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    TensorType,
    i1,
)
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.target.abi import array_type, symbol_name
from polyir.target.errors import unsupported
from polyir.target.llvm.types import stored_type


def enclosing_module(op: Operation) -> ModuleOp:
    """The module that holds `op`."""
    parent = op
    while not isinstance(parent, ModuleOp):
        above = parent.parent_op()
        assert above is not None, "operations of functions are in a module"
        parent = above
    return parent


def declare_function(
    user: Operation,
    name: str,
    inputs: Sequence[Attribute],
    output: Attribute | None = None,
    attributes: Sequence[str] = (),
) -> None:
    """Declare an external function in the module of `user`, if it is not declared there yet.

    `attributes` are the names of LLVM's function attributes.
    """
    module = enclosing_module(user)
    for op in module.body.block.ops:
        if isinstance(op, llvm.FuncOp) and op.sym_name.data == name:
            return
    function = llvm.FuncOp(
        name, llvm.LLVMFunctionType(inputs, output), llvm.LinkageAttr("external")
    )
    if attributes:
        function.passthrough = ArrayAttr(StringAttr(attribute) for attribute in attributes)
    Rewriter.insert_op(function, InsertPoint.at_start(module.body.block))


ARRAY_ALIGNMENT: Final = 64
"""In bytes: the size of a cache line, and of the widest vector."""


def convert_global(op: memref.GlobalOp) -> None:
    """Convert a global array to one dimension; without an initial value, it is zero, as in C."""
    array = array_type(op.type, op)
    stored = stored_type(array.element)
    count = 1
    for extent in array.extents:
        if extent is None:
            raise unsupported(op, "globals with dynamic extents are not supported")
        count *= extent
    type = llvm.LLVMArrayType(IntAttr(count), stored)
    if "initial_value" not in op.properties:
        raise unsupported(op, "a global that is defined elsewhere is not supported")
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
    """The initialiser of a global whose elements are zero."""
    zero = llvm.ZeroOp(result_types=[type])
    return Region(Block([zero, llvm.ReturnOp(zero.res)]))


def _flat(values: DenseIntOrFPElementsAttr, stored: Attribute, count: int) -> Attribute:
    """The elements in the order and with the type that they have in memory."""
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
