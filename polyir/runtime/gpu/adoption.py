"""Arrays that are on the device already: which allocations of a function may be these arrays.

Code with transfers copies an array to new memory, works there, and copies it back. If the caller's
array is on the device, it can be worked on where it is, unless that shows: the new memory must hold
what the array holds whenever the function ends.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import gpu, memref
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue, Use
from xdsl.traits import SymbolTable

from polyir.runtime.argument_checks import only_reads

Substitutes = dict[Operation, BlockArgument]
"""Allocations, and the arguments whose memory can be used in their place."""


def substitutes(function: FuncOp) -> Substitutes:
    """The allocations of `function` that an argument on the device can replace.

    The argument is only copied to the new memory and back. What kernels write to that is copied
    back after they are launched, in the block of the allocation, so that it always happens.
    """
    block = function.body.first_block
    arguments = () if block is None else block.args
    return dict(pair for argument in arguments for pair in _substitute(argument))


def _substitute(argument: BlockArgument) -> Iterator[tuple[Operation, BlockArgument]]:
    copies = [use.operation for use in argument.uses if isinstance(use.operation, gpu.MemcpyOp)]
    if any(not isinstance(use.operation, gpu.MemcpyOp | memref.DimOp) for use in argument.uses):
        return
    partners = {copy.src if copy.dst is argument else copy.dst for copy in copies}
    if len(partners) != 1:
        return
    (partner,) = partners
    if not isinstance(partner, OpResult) or not isinstance(partner.op, gpu.AllocOp):
        return
    if not _is_written(partner) or _is_copied_back_last(partner, argument):
        yield partner.op, argument


def _is_written(array: OpResult) -> bool:
    """Whether something may write to memory of the device, other than the copy to it."""
    for use in array.uses:
        op = use.operation
        if isinstance(op, gpu.LaunchFuncOp):
            if not _is_read_by(op, use):
                return True
        elif isinstance(op, gpu.MemcpyOp):
            if op.dst is array and not isinstance(op.src, BlockArgument):
                return True
        elif not isinstance(op, gpu.DeallocOp | memref.DimOp):
            return True
    return False


def _is_read_by(op: gpu.LaunchFuncOp, use: Use) -> bool:
    """Whether a kernel only reads an array that it is given."""
    kernel = SymbolTable.lookup_symbol(op, op.kernel)
    position = use.index - (len(op.asyncDependencies) + 6)
    if not isinstance(kernel, gpu.FuncOp):
        return False
    return only_reads(kernel.body.blocks[0].args[position])


def _is_copied_back_last(array: OpResult, argument: SSAValue) -> bool:
    """Whether the last thing that happens to an array, in its own block, is the copy back."""
    block = array.op.parent
    assert block is not None
    backs = [
        use.operation
        for use in argument.uses
        if isinstance(use.operation, gpu.MemcpyOp) and use.operation.dst is argument
    ]
    if len(backs) != 1 or backs[0].parent is not block:
        return False
    for use in array.uses:
        op = block.find_ancestor_op_in_block(use.operation)
        if op is backs[0] or isinstance(op, gpu.DeallocOp):
            continue
        if op is None or not op.is_before_in_block(backs[0]):
            return False
    return True
