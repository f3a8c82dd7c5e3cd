"""Subscripts that a test of a loop's counter selects, as those of arrays that are rings.

    for j in [0, n):  ... a[select(j == 0, n - 1, j - 1)]

is a loop that `split_loops` can split: `selections_as_tests` makes conditionals of the selections,
and `tests_as_selections` makes selections of the conditionals that are left. Windows of few
iterations inside such a loop are unrolled first: it is the loop around them that is split.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import IndexType, UnitAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from polyir.loops.iteration_spaces import is_loop
from polyir.loops.unrolled_loops import unroll_inside

_SELECTED: Final = "poly.selected"


def selections_as_tests(operations: Sequence[Operation]) -> None:
    """Make an `scf.if` of each selection of an index that depends on the counter of its loop."""
    for op in operations:
        for loop in [each for each in op.walk() if isinstance(each, affine.ForOp)]:
            inside = (each for each in loop.walk() if isinstance(each, arith.SelectOp))
            if loop.parent is not None and any(_depends_on(each, loop) for each in inside):
                unroll_inside(loop)
        for inner in tuple(op.walk()):
            if isinstance(inner, arith.SelectOp) and _is_of_counter(inner):
                true, false = (Block([scf.YieldOp(each)]) for each in (inner.lhs, inner.rhs))
                test = scf.IfOp(inner.cond, [inner.result.type], Region(true), Region(false))
                test.attributes[_SELECTED] = UnitAttr()
                test.results[0].name_hint = inner.result.name_hint
                Rewriter.replace_op(inner, test)


def tests_as_selections(root: Operation) -> None:
    """Make selections of what `selections_as_tests` has made and is left of it."""
    for op in tuple(root.walk()):
        if isinstance(op, scf.IfOp) and _SELECTED in op.attributes:
            ends = [region.block.last_op for region in op.regions]
            values = [end.operands[0] for end in ends if end is not None]
            Rewriter.replace_op(op, arith.SelectOp(op.cond, *values))


def _is_of_counter(selection: arith.SelectOp) -> bool:
    """Whether a selection of an index depends on the counter of the innermost loop around it."""
    loop: Operation | None = selection.parent_op()
    while loop is not None and not is_loop(loop):
        loop = loop.parent_op()
    return loop is not None and _depends_on(selection, loop)


def _depends_on(selection: arith.SelectOp, loop: Operation) -> bool:
    """Whether a selection of an index depends on the counter of a loop."""
    counters = loop.regions[0].block.args
    is_index = isinstance(selection.result.type, IndexType)
    return is_index and any(value in counters for value in _sources(selection.cond))


def _sources(value: SSAValue) -> Iterator[SSAValue]:
    """The values that a condition on indices is computed from."""
    yield value
    if isinstance(value.owner, Operation) and not value.owner.regions:
        for operand in value.owner.operands:
            yield from _sources(operand)
