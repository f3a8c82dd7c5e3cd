"""Variables of which each iteration of a loop has its own.

A number in memory that each iteration writes before it reads, and that nothing reads after the
loop, makes all iterations depend on each other, but carries no values. It moves into the loop. A
load after a store of the same block becomes the value that was stored, so that subscripts that are
kept in a variable, as in `c = col[k]; x[c] = ...`, do not seem to depend on what the loop computes.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from polyir.dialects.index_arrays import INSPECTOR
from polyir.model.definite_writes import is_written_first
from polyir.model.raising.control import LOOPS
from polyir.model.raising.effects import LOADS, STORES, loads_in


def privatize_cells(root: Operation) -> tuple[memref.AllocaOp, ...]:
    """Move the local variables inside `root` into the innermost loops that may have their own.

    A variable is a `memref.alloca` of rank 0. Returns those that were moved, and are still needed.
    """
    moved: list[memref.AllocaOp] = []
    for op in tuple(_cells(root)):
        block = _innermost_block(op)
        if block is not None and block.first_op is not None:
            op.detach()
            block.insert_op_before(op, block.first_op)
            moved.append(op)
        _forward_stores(op)
    return tuple(op for op in moved if op.parent is not None)


def _cells(root: Operation) -> Iterator[memref.AllocaOp]:
    """The variables inside `root`, but for those of inspectors."""
    if isinstance(root, memref.AllocaOp):
        assert isinstance(root.memref.type, MemRefType)
        if root.memref.type.get_num_dims() == 0:
            yield root
    elif INSPECTOR not in root.attributes:
        for region in root.regions:
            for block in region.blocks:
                for op in block.ops:
                    yield from _cells(op)


def _innermost_block(cell: memref.AllocaOp) -> Block | None:
    """The body of the innermost loop that a variable can be moved into."""
    users = {use.operation for use in cell.memref.uses}
    block, found = cell.parent_block(), None
    while block is not None and users:
        inner = _block_with(block, users)
        if inner is None:
            break
        if isinstance(inner.parent_op(), LOOPS):
            if not is_written_first(inner, cell.memref):
                break
            found = inner
        block = inner
    return found


def _block_with(block: Block, users: set[Operation]) -> Block | None:
    """The block right inside an operation of `block` that all users are in."""
    found: set[Block] = set()
    for user in users:
        inner = user.parent_block()
        while inner is not None and _outer_block(inner) is not block:
            inner = _outer_block(inner)
        if inner is None:
            return None
        found.add(inner)
    return found.pop() if len(found) == 1 else None


def _outer_block(block: Block) -> Block | None:
    parent = block.parent_op()
    return None if parent is None else parent.parent_block()


def _forward_stores(cell: memref.AllocaOp) -> None:
    """Replace the loads of a variable that follow a store in its block; erase what is not read."""
    block, memory = cell.parent_block(), cell.memref
    assert block is not None
    value: SSAValue | None = None
    for op in tuple(block.ops):
        if isinstance(op, STORES) and op.memref is memory:
            value = op.value
        elif any(memory in each.operands and not isinstance(each, LOADS) for each in op.walk()):
            value = None
        elif value is not None:
            for load in tuple(loads_in(op)):
                if load.memref is memory:
                    Rewriter.replace_op(load.op, [], [value])
    users = [use.operation for use in memory.uses]
    if all(isinstance(user, STORES) for user in users):
        for op in (*users, cell):
            Rewriter.erase_op(op)
