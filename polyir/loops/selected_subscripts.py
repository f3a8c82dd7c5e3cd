"""Subscripts that a test of a loop's counter selects, as those of rings, and at borders.

    for j in [0, n):  ... a[select(j == 0, n - 1, j - 1)] + b[max(j - 1, 0)]

is a loop that `split_loops` can split: `selections_as_tests` makes conditionals of the selections,
of which minima and maxima are some, and `tests_as_selections` makes selections of the conditionals
that are left. Windows of few iterations inside such a loop are unrolled first: it is the loop
around them that is split.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import AffineMapAttr, IndexType, UnitAttr
from xdsl.ir import Block, Operation, Region, SSAValue, Use
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import Rewriter

from polyir.dialects.affine_extra import MaxOp
from polyir.loops.iteration_spaces import is_loop
from polyir.loops.unrolled_loops import unroll_inside
from polyir.model.memory_accesses import accesses_of

_SELECTED: Final = "poly.selected"


def selections_as_tests(operations: Sequence[Operation]) -> None:
    """Make an `scf.if` of each selection of an index that depends on the counter of its loop."""
    for op in operations:
        for inner in tuple(op.walk()):
            if isinstance(inner, affine.MinOp | MaxOp) and _is_of_counter(inner):
                _select(inner)
        for loop in [each for each in op.walk() if isinstance(each, affine.ForOp)]:
            inside = (each for each in loop.walk() if isinstance(each, arith.SelectOp))
            if loop.parent is not None and any(_depends_on(each, loop) for each in inside):
                unroll_inside(loop)
        # What is selected from selections comes after them.
        for inner in reversed(tuple(op.walk())):
            if isinstance(inner, arith.SelectOp) and _is_of_counter(inner):
                true, false = (Block([scf.YieldOp(each)]) for each in (inner.lhs, inner.rhs))
                test = scf.IfOp(inner.cond, [inner.result.type], Region(true), Region(false))
                test.attributes[_SELECTED] = UnitAttr()
                test.results[0].name_hint = inner.result.name_hint
                Rewriter.replace_op(inner, test)


def _select(op: affine.MinOp | MaxOp) -> None:
    """Make a selection of the minimum or the maximum of two indices."""
    if len(op.map.data.results) != 2 or not all(map(_is_subscript, op.result.uses)):
        return
    results = op.map.data.results
    maps = (AffineMap(op.map.data.num_dims, op.map.data.num_symbols, (each,)) for each in results)
    one, other = (affine.ApplyOp(op.arguments, AffineMapAttr(each)) for each in maps)
    sides = (one, other) if isinstance(op, MaxOp) else (other, one)
    test = arith.CmpiOp(*sides, "sge")
    selection = arith.SelectOp(test, one, other)
    selection.result.name_hint = op.result.name_hint
    Rewriter.replace_op(op, [one, other, test, selection])


def _is_subscript(use: Use) -> bool:
    """Whether a value is used as a subscript, or to compute some."""
    op = use.operation
    if isinstance(op, affine.ApplyOp | affine.MinOp | MaxOp | arith.SelectOp | arith.CmpiOp):
        return all(_is_subscript(each) for result in op.results for each in result.uses)
    return any(True for _ in accesses_of(op))


def tests_as_selections(root: Operation) -> None:
    """Make selections of what `selections_as_tests` has made and is left of it."""
    for op in tuple(root.walk()):
        if isinstance(op, scf.IfOp) and _SELECTED in op.attributes:
            ends = [region.block.last_op for region in op.regions]
            values = [end.operands[0] for end in ends if end is not None]
            Rewriter.replace_op(op, arith.SelectOp(op.cond, *values))


def _is_of_counter(op: Operation) -> bool:
    """Whether a selected index depends on the counter of the innermost loop around it."""
    loop: Operation | None = op.parent_op()
    while loop is not None and not is_loop(loop):
        loop = loop.parent_op()
    return loop is not None and _depends_on(op, loop)


def _depends_on(op: Operation, loop: Operation) -> bool:
    """Whether which index is selected depends on the counter of a loop."""
    counters = loop.regions[0].block.args
    is_index = isinstance(op.results[0].type, IndexType)
    tested = (op.cond,) if isinstance(op, arith.SelectOp) else tuple(op.operands)
    return is_index and any(value in counters for each in tested for value in _sources(each))


def _sources(value: SSAValue) -> Iterator[SSAValue]:
    """The values that a condition on indices is computed from."""
    yield value
    if isinstance(value.owner, Operation) and not value.owner.regions:
        for operand in value.owner.operands:
            yield from _sources(operand)
