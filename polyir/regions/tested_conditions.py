"""What a region need not test because it has been tested before it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from polyir.loops.iteration_spaces import IterationSpaces
from polyir.loops.loop_forms import erase_idle
from polyir.loops.simplify import simplify

Tested = tuple[FuncOp, Sequence[int]]
"""A function of the region's arguments, and the positions of its results that are true."""


def leave_out_tested(kernel: FuncOp, tested: Iterable[Tested]) -> None:
    """Remove from a region's function, which is in loop form, tests that are known to hold.

    So are those that are known not to, and loops that never run.
    """
    spaces = IterationSpaces()
    known, block = spaces.everything, kernel.body.block
    first = block.first_op
    assert first is not None
    added: list[Operation] = []
    for function, positions in tested:
        values: dict[SSAValue, SSAValue] = dict(
            zip(function.body.block.args, block.args, strict=True)
        )
        for op in function.body.block.ops:
            if isinstance(op, ReturnOp):
                truths = (spaces.truth(values[op.operands[each]]) for each in positions)
                for truth in truths:
                    known = known if truth is None else known.intersect(truth)
            else:
                added.append(op.clone(values))
                block.insert_op_before(added[-1], first)
    for op in reversed(added):
        Rewriter.erase_op(op)
    if not known.plain_is_universe():
        simplify(block, known, spaces, 0)
        erase_idle(tuple(block.ops))
