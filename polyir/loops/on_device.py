"""Arrays that are on the device when a function is called: its kernels use them there."""

from __future__ import annotations

from typing import Final

from xdsl.dialects import gpu, memref
from xdsl.dialects.builtin import MemRefType, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from polyir.base.diagnostics import PolyirError, location_of
from polyir.loops.split_vectors import split_vectors

ASSUMED_ON_DEVICE: Final = "poly.assume_on_device"
"""The attribute of a function whose arguments with dimensions are in the memory of the device."""


def assume_on_device(function: FuncOp) -> None:
    """Note that the arrays which a function is passed are on the device."""
    function.attributes[ASSUMED_ON_DEVICE] = UnitAttr()


def is_assumed_on_device(function: FuncOp) -> bool:
    """Whether the arrays that a function is passed are on the device."""
    return ASSUMED_ON_DEVICE in function.attributes


def use_arrays_on_device(function: FuncOp) -> None:
    """Use the arrays that the function is passed where they are, instead of copies of them.

        %A_dev = gpu.alloc(%n) : memref<?xf64>
        gpu.memcpy %A_dev, %A : memref<?xf64>, memref<?xf64>
        gpu.launch ... { affine.store %0, %A_dev[%tx] : memref<?xf64> }
        gpu.memcpy %A, %A_dev : memref<?xf64>, memref<?xf64>
        gpu.dealloc %A_dev : memref<?xf64>

    becomes

        gpu.launch ... { affine.store %0, %A[%tx] : memref<?xf64> }

    A number that is passed in memory, `memref<f64>`, stays on the host. An array may begin
    anywhere, so that no vectors of it are copied. Raises `PolyirError` if code of the host accesses
    an array.
    """
    for array in function.body.block.args:
        if isinstance(array.type, MemRefType) and array.type.get_shape():
            for copy in _copies_of(array):
                _replace(copy, array)
            _require_only_kernels(array)
            split_vectors(array)
    function.attributes.pop(ASSUMED_ON_DEVICE, None)


def _copies_of(array: SSAValue) -> tuple[SSAValue, ...]:
    """The buffers that stand for an array: it is copied to them or back.

    One of these holds for all arrays that a scop accesses, as the caller can see what it writes.
    """
    found: dict[SSAValue, None] = {}
    for use in array.uses:
        op = use.operation
        if isinstance(op, gpu.MemcpyOp):
            found[op.src if op.dst is array else op.dst] = None
    return tuple(value for value in found if isinstance(value.owner, gpu.AllocOp))


def _replace(buffer: SSAValue, array: SSAValue) -> None:
    """Use `array` instead of `buffer`, and remove its sizes if nothing else uses them."""
    allocation = buffer.owner
    assert isinstance(allocation, gpu.AllocOp)
    for use in tuple(buffer.uses):
        if isinstance(use.operation, gpu.MemcpyOp | gpu.DeallocOp):
            Rewriter.erase_op(use.operation)
    buffer.replace_all_uses_with(array)
    sizes = tuple(allocation.dynamicSizes)
    Rewriter.erase_op(allocation)
    for size in dict.fromkeys(sizes):
        if isinstance(size.owner, memref.DimOp) and not size.uses:
            number = size.owner.index
            Rewriter.erase_op(size.owner)
            if isinstance(number.owner, Operation) and not number.uses:
                Rewriter.erase_op(number.owner)


def _require_only_kernels(array: SSAValue) -> None:
    for use in array.uses:
        op: Operation | None = use.operation
        if isinstance(op, memref.DimOp):
            continue
        while op is not None and not isinstance(op, gpu.LaunchOp | gpu.LaunchFuncOp):
            op = op.parent_op()
        if op is None:
            raise PolyirError(
                f"code of the host accesses '{array.name_hint}', which is assumed to be on the "
                "device",
                location_of(use.operation),
                name="kernel-form",
            )
