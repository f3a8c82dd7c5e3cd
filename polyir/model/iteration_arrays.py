"""Arrays that each iteration of a loop has for itself.

Such an array holds nothing when an iteration starts, and nothing reads it after the iteration. So
iterations that run one after the other, as those of a parallel loop on one thread do, can use the
same memory.
"""

from __future__ import annotations

from typing import Final

from xdsl.dialects import affine, memref, scf
from xdsl.ir import Block, Operation, SSAValue

from polyir.base.walks import operations_in

MOST_ON_STACK: Final = 1 << 13
"""The elements of the largest local array on the stack, of which threads have little."""

Lifetime = tuple[memref.AllocOp, memref.DeallocOp]
"""What allocates an array, and what frees it."""


def arrays_of_iterations(block: Block) -> tuple[Lifetime, ...]:
    """The arrays that the body of a loop allocates and frees, if their sizes never change."""
    found: list[Lifetime] = []
    for op in block.ops:
        if not isinstance(op, memref.AllocOp) or block in map(_block_of, op.operands):
            continue
        users = [use.operation for use in op.memref.uses]
        frees = [user for user in users if isinstance(user, memref.DeallocOp)]
        if len(frees) == 1 and frees[0].parent is block:
            found.append((op, frees[0]))
    return tuple(found)


def hoist_arrays(root: Operation) -> None:
    """Move the arrays of iterations out of the sequential loops in `root`.

    An array inside a parallel loop stays inside it: there, each iteration needs one of its own.
    """
    for loop in reversed(operations_in(root)):
        block = loop.parent_block()
        if block is None or not isinstance(loop, affine.ForOp | scf.ForOp):
            continue
        for allocation, free in arrays_of_iterations(loop.body.block):
            allocation.detach()
            block.insert_op_before(allocation, loop)
            free.detach()
            block.insert_op_after(free, loop)


_IN_SEQUENCE: Final = frozenset(("affine.for", "scf.for", "omp.wsloop"))
"""Loops whose iterations run one after the other, or those of each thread do."""

_ONCE_AT_MOST: Final = frozenset(("affine.if", "scf.if", "omp.loop_nest"))
"""Operations whose regions an iteration of a loop runs once, if at all."""


def hoist_stack_arrays(root: Operation) -> None:
    """Move arrays on the stack, of constant size, out of the sequential loops in `root`.

    What `memref.alloca` takes of the stack is given back at the end of the loop's iteration, but
    not by MLIR's own lowering: there, it is at the end of the function. What an array holds is lost
    at the end of an iteration, so that all of them can use the same memory.
    """
    for op in operations_in(root):
        if isinstance(op, memref.AllocaOp) and not op.operands:
            loop = _outermost_in_sequence(op)
            if loop is not None and loop.parent is not None:
                op.detach()
                loop.parent.insert_op_before(op, loop)


def _outermost_in_sequence(op: Operation) -> Operation | None:
    """The outermost loop around an operation with nothing but sequential loops between."""
    found, parent = None, op.parent_op()
    while parent is not None and parent.name in _IN_SEQUENCE | _ONCE_AT_MOST:
        if parent.name in _IN_SEQUENCE:
            found = parent
        parent = parent.parent_op()
    return found


def _block_of(value: SSAValue) -> Block | None:
    return value.owner.parent if isinstance(value.owner, Operation) else value.owner
