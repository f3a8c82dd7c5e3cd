"""Temporaries: arrays of which nothing outside a scop sees the contents."""

from __future__ import annotations

from xdsl.dialects import affine, memref, scf
from xdsl.dialects.builtin import MemRefType, NoneAttr
from xdsl.ir import Operation, SSAValue

from polyir.model.dataflow import array_flow
from polyir.model.memory_accesses import access_of
from polyir.model.scop import Scop


def uses_outside(scop: Scop, array: SSAValue) -> tuple[Operation, ...]:
    """The operations outside a scop that may read or write an array, or pass it on."""
    users = dict.fromkeys(use.operation for use in array.uses)
    return tuple(
        op
        for op in users
        if not isinstance(op, memref.DeallocOp | memref.DimOp) and not scop.op.is_ancestor(op)
    )


def is_new_each_time(scop: Scop, array: SSAValue) -> bool:
    """Whether every execution of the scop has an allocation of its own for `array`."""
    if not isinstance(array.owner, memref.AllocOp | memref.AllocaOp):
        return False
    op: Operation = scop.op
    block = array.owner.parent
    while op.parent is not block:
        around = op.parent_op()
        if not isinstance(around, scf.IfOp | affine.IfOp):
            # A loop, or blocks that branches may repeat.
            return False
        op = around
    return True


def is_allocated(scop: Scop, array: str) -> bool:
    """Whether an array is allocated in the function."""
    return isinstance(scop.arrays[array].owner, memref.AllocOp | memref.AllocaOp)


def why_no_temporary(scop: Scop, array: str, is_any_subscript: bool = False) -> str | None:
    """Why the contents of `array` may matter outside the scop; `None` if it is a temporary.

    Its subscripts must be affine, unless they may be `is_any_subscript`.

    A temporary is allocated in the function and used by the scop alone, and no execution of the
    scop reads what an earlier one has left in it. Whether the scop reads what nothing has written
    is another question, for dataflow analysis.
    """
    value = scop.arrays[array]
    if not is_allocated(scop, array):
        return "it is not allocated in the function"
    assert isinstance(value.type, MemRefType)
    if not isinstance(value.type.layout, NoneAttr):
        return "it has a layout other than the default"
    for use in value.uses:
        op = use.operation
        if isinstance(op, memref.DeallocOp | memref.DimOp):
            continue
        if not scop.op.is_ancestor(op):
            return f"{op.name} uses it outside the scop"
        access = access_of(op)
        if access is None or (access.map is None and not is_any_subscript):
            return f"{op.name} accesses it with subscripts that are not affine"
    if not is_new_each_time(scop, value) and array_flow(scop, array).is_live_in:
        return "the scop may read what an earlier execution of it has left there"
    return None
