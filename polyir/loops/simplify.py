"""Simplification of loops and conditionals by the possible index values at each of them.

Tests with a known outcome, loops that never run, and bounds that others imply are removed. A loop
that runs at most once becomes its body, under a condition if it may not run.
"""

from __future__ import annotations

from functools import reduce
from typing import Final

import islpy as isl
from xdsl.builder import Builder
from xdsl.dialects import affine, scf
from xdsl.ir import Block
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.loops.counter_tests import test_of
from polyir.loops.iteration_spaces import IterationSpaces
from polyir.loops.loop_forms import (
    add_first_iteration,
    conditional,
    initial_values,
    inline,
    range_of,
    set_range,
    staging_before,
)
from polyir.loops.loop_ranges import Bounds, LoopRange
from polyir.model.index_expressions import Constraint, IndexExpression
from polyir.model.raising.control import LOOPS, ConditionalOp, LoopOp, branches_of

ALL_LEVELS: Final = 1 << 30
"""More levels than loop nests have."""


def simplify(block: Block, known: isl.Set, spaces: IterationSpaces, levels: int) -> None:
    """Simplify the operations of `block`, where `known` holds.

    Only in the outermost `levels` of loops, redundant bounds are removed and loops that run once
    are replaced: that costs more than the rest.
    """
    for op in tuple(block.ops):
        if isinstance(op, affine.IfOp | scf.IfOp):
            _simplify_conditional(op, known, spaces, levels)
        elif isinstance(op, LOOPS):
            _simplify_loop(op, known, spaces, levels)
        else:
            for inner, inside in spaces.inside(op, known):
                simplify(inner, inside, spaces, levels)


def _simplify_conditional(
    op: ConditionalOp, known: isl.Set, spaces: IterationSpaces, levels: int
) -> None:
    test = test_of(op, spaces)
    then, otherwise = branches_of(op)
    outcome = None if test is None else spaces.outcome(known, test.condition)
    if outcome is True:
        simplify(then.block, known, spaces, levels)
        inline(then.block, op)
        return
    if outcome is False:
        if otherwise.blocks:
            simplify(otherwise.block, known, spaces, levels)
            inline(otherwise.block, op)
        else:
            Rewriter.erase_op(op)
        return
    for inner, inside in spaces.inside(op, known):
        simplify(inner, inside, spaces, levels)
    if test is not None and test.is_conjunction:
        needed = [
            comparison
            for comparison in test.comparisons
            if spaces.outcome(known, spaces.holds(comparison.constraint)) is not True
        ]
        if len(needed) < len(test.comparisons):
            test.keep(needed)
    elif test is not None:
        test.drop_constants()


def _simplify_loop(loop: LoopOp, known: isl.Set, spaces: IterationSpaces, levels: int) -> None:
    inside = known.intersect(spaces.domain(loop))
    if inside.is_empty() and len(loop.results) == len(initial_values(loop)):
        for result, value in zip(loop.results, initial_values(loop), strict=True):
            result.replace_all_uses_with(value)
        Rewriter.erase_op(loop)
        return
    range = range_of(loop) if levels else None
    if range is not None:
        range = _without_implied_bounds(loop, range, known, spaces)
        only = _only_value(range, known, spaces)
        if only is not None:
            _run_once(loop, range, only, known, spaces)
            return
    for block in loop.body.blocks:
        simplify(block, inside, spaces, max(levels - 1, 0))


def _without_implied_bounds(
    loop: LoopOp, range: LoopRange, known: isl.Set, spaces: IterationSpaces
) -> LoopRange:
    """The range of `loop` without the bounds that others imply where `known` holds."""
    lower, upper = range.lower, range.upper
    # A bound is needed if there can be a counter beyond it that the other bounds admit. With a
    # step, what counts is where counting starts.
    limits = upper if range.step == 1 else ()
    for bound in _complex_first(lower):
        others = _without(lower, bound)
        if others and known.is_disjoint(spaces.less(others, (*limits, bound))):
            lower = others
    for bound in _complex_first(upper):
        others = _without(upper, bound)
        if others and known.is_disjoint(spaces.less((*lower, bound), others)):
            upper = others
    if (lower, upper) == (range.lower, range.upper):
        return range
    simpler = LoopRange(range.counter, lower, upper, range.step)
    set_range(loop, simpler)
    return simpler


def _complex_first(bounds: Bounds) -> Bounds:
    return tuple(sorted(bounds, key=lambda bound: -len(tuple(bound.values()))))


def _without(bounds: Bounds, bound: IndexExpression) -> Bounds:
    place = bounds.index(bound)
    return bounds[:place] + bounds[place + 1 :]


def _only_value(
    range: LoopRange, known: isl.Set, spaces: IterationSpaces
) -> IndexExpression | None:
    """The value of the counter, if the loop runs at most once where `known` holds."""
    assert range.step is not None
    second = tuple(bound.shift(range.step) for bound in range.lower)
    if not known.is_disjoint(spaces.less(second, range.upper)):
        return None
    running = known.intersect(spaces.less(range.lower, range.upper))
    for first in range.lower:
        others = tuple(bound.shift(-1) for bound in _without(range.lower, first))
        if running.is_subset(spaces.less(others, (first,))):
            return first
    return None


def _run_once(
    loop: LoopOp, range: LoopRange, only: IndexExpression, known: isl.Set, spaces: IterationSpaces
) -> None:
    """Replace `loop` by one iteration, under the condition that there is one."""
    bounds = [Constraint(only - bound, False) for bound in range.lower]
    bounds += [Constraint((bound - only).shift(-1), False) for bound in range.upper]
    guards = [bound for bound in bounds if not known.is_subset(spaces.holds(bound))]
    inside = reduce(isl.Set.intersect, (spaces.holds(guard) for guard in guards), known)
    with staging_before(loop) as block:
        add_first_iteration(loop, only, block)
        simplify(block, inside, spaces, ALL_LEVELS)
        if not guards:
            inline(block, loop)
            return
        host = block.parent
        assert host is not None
        host.detach_block(block)
    otherwise = None
    if loop.results:
        otherwise = Block([affine.YieldOp.get(*initial_values(loop))])
    guarded = conditional(guards, block, otherwise, loop, Builder(InsertPoint.before(loop)))
    for old, new in zip(loop.results, guarded.results, strict=True):
        old.replace_all_uses_with(new)
    Rewriter.erase_op(loop)
