"""Whether code writes a number in memory before it reads it.

As for definite assignment of variables in Java (The Java Language Specification, chapter 16), what
conditions and subscripts say is not asked: a conditional writes if both branches do, and a loop
that may have no iteration writes nothing.
"""

from __future__ import annotations

from xdsl.dialects import affine, scf
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr

from polyir.model.raising.control import LOOPS
from polyir.model.raising.effects import LOADS, STORES


def is_written_first(block: Block, memory: SSAValue) -> bool:
    """Whether `block` never reads a memref of one element that it has not written before.

    Then it does not depend on what `memory` holds where the block begins. `memory` must be the only
    name of what it refers to.
    """
    try:
        _after(block, memory, False)
    except _ReadError:
        return False
    return True


class _ReadError(Exception):
    """Something may read the memory before it is written."""


def _after(block: Block, memory: SSAValue, is_written: bool) -> bool:
    """Whether the memory is written after `block`, if `is_written` says so for its beginning."""
    for op in block.ops:
        if memory in op.operands:
            is_written = _after_access(op, memory, is_written)
        elif op.regions:
            is_written = _after_control(op, memory, is_written)
    return is_written


def _after_access(op: Operation, memory: SSAValue, is_written: bool) -> bool:
    if isinstance(op, STORES) and op.memref is memory and op.value is not memory:
        return True
    if not isinstance(op, LOADS) or not is_written:
        raise _ReadError
    return True


def _after_control(op: Operation, memory: SSAValue, is_written: bool) -> bool:
    blocks = [block for region in op.regions for block in region.blocks]
    if isinstance(op, affine.IfOp | scf.IfOp):
        written = [_after(block, memory, is_written) for block in blocks]
        return is_written or (len(blocks) == 2 and all(written))
    if isinstance(op, LOOPS):
        after = [_after(block, memory, is_written) for block in blocks]
        return is_written or (_has_iterations(op) and all(after))
    if any(memory in inner.operands for inner in op.walk()):
        raise _ReadError
    return is_written


def _has_iterations(loop: Operation) -> bool:
    """Whether a loop is known to have an iteration, by constant bounds."""
    if not isinstance(loop, affine.ForOp):
        return False
    lower, upper = loop.lowerBoundMap.data.results, loop.upperBoundMap.data.results
    if len(lower) != 1 or len(upper) != 1:
        return False
    match lower[0], upper[0]:
        case AffineConstantExpr(value=first), AffineConstantExpr(value=end):
            return first < end
    return False
