"""Loops with few iterations become straight-line code, so that the loop around them has vectors.

    for x:                                     for x:
      s = 0                                      s = 0 + A[x] * B[0]
      for k in 0..3:                  =>         s = s + A[x + 1] * B[1]
        s = s + A[x + k] * B[k]                  s = s + A[x + 2] * B[2]
      C[x] = s                                   C[x] = s

"Unroll-and-jam" of the loop around such a nest, by as many iterations as a vector has (S. Carr,
K. Kennedy, "Improving the ratio of memory operations to floating-point operations in loops", TOPLAS
1994), is then what vectors of the straight-line code are.
"""

from __future__ import annotations

import sys

from xdsl.dialects import affine
from xdsl.ir import Block, Operation
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.dialects.loop_attributes import MOST_COPIES
from polyir.loops.common_values import share_values
from polyir.loops.iteration_spaces import is_loop
from polyir.loops.loop_forms import (
    add_first_iteration,
    initial_values,
    range_of,
    set_initial_values,
)
from polyir.loops.scalar_replacement import scalar_replacement
from polyir.model.index_expressions import IndexExpression


def unroll_inside(loop: affine.ForOp) -> None:
    """Unroll the loops inside `loop`, in place, if they have few constant iterations in all.

    Elements that the iterations of `loop` have to themselves, and those that a loop inside adds up
    in, are then values.
    """
    inside = [op for op in loop.body.block.walk() if is_loop(op)]
    if not inside or any(_iterations(op) is None for op in inside):
        return
    if sum(_copies(op, loop) for op in inside) > MOST_COPIES:
        return
    for op in tuple(loop.body.block.ops):
        if isinstance(op, affine.ForOp):
            scalar_replacement(op, sys.maxsize, lambda *done: None, lambda *left: None)
    # Replaced loops are other operations.
    for op in tuple(loop.body.block.walk(region_first=True)):
        if isinstance(op, affine.ForOp):
            _unroll(op)
    share_values(loop.body.block.ops)


def _iterations(loop: Operation) -> range | None:
    """The values of the counter of a loop, if they are constant."""
    known = range_of(loop) if isinstance(loop, affine.ForOp) else None
    if known is None or not known.step:
        return None
    bounds = (*known.lower, *known.upper)
    if not all(bound.is_constant for bound in bounds):
        return None
    first = max(bound.constant for bound in known.lower)
    return range(first, min(bound.constant for bound in known.upper), known.step)


def _copies(op: Operation | None, outermost: Operation) -> int:
    """How often the body of a loop is copied inside another one."""
    copies = 1
    while op is not None and op is not outermost:
        iterations = _iterations(op) if is_loop(op) else None
        copies *= 1 if iterations is None else len(iterations)
        op = op.parent_op()
    return copies


def _unroll(loop: affine.ForOp) -> None:
    """Put the iterations of a loop, whose number is constant, before it, and erase it."""
    for number in _iterations(loop) or ():
        block = Block()
        add_first_iteration(loop, IndexExpression((), number), block)
        last = block.last_op
        assert last is not None
        set_initial_values(loop, last.operands)
        for op in tuple(block.ops)[:-1]:
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(loop))
    Rewriter.replace_op(loop, [], initial_values(loop))
