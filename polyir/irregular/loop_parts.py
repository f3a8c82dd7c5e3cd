"""What inspectors and executors take of a loop: its bounds, as values, and its body."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import affine
from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint

from polyir.base.diagnostics import PolyirError, location_of
from polyir.dialects.affine_extra import MaxOp
from polyir.loops.affine_to_scf import legalize_affine
from polyir.loops.code import Code
from polyir.loops.loop_forms import SequentialLoop, computed, extreme_bound, range_of
from polyir.loops.loop_ranges import LoopRange
from polyir.model.index_expressions import IndexExpression


class IrregularLoopError(PolyirError):
    """A pass for loops with index arrays leaves a loop, for the reason in the message."""

    name = "irregular-loop"


@dataclass(frozen=True)
class Bounds:
    """The values that bound a loop, computed before it."""

    lower: SSAValue
    upper: SSAValue
    step: SSAValue

    def mapped(self, values: Mapping[SSAValue, SSAValue]) -> Bounds:
        """The values that stand for these ones."""
        return Bounds(*(values.get(each, each) for each in (self.lower, self.upper, self.step)))

    def iterations(self, code: Code) -> SSAValue:
        """The number of iterations."""
        return code.steps(self.lower, self.upper, self.step)

    def counter(self, code: Code, iteration: SSAValue) -> SSAValue:
        """The counter of an iteration, which are numbered from 0 on."""
        return code.sum(self.lower, code.product(iteration, self.step))


def bounds_before(loop: SequentialLoop) -> Bounds:
    """The bounds of a loop as values, computed before it; raises as `known_range` does."""
    found = known_range(loop)
    assert found.step is not None
    builder = Builder(InsertPoint.before(loop))
    step = computed(IndexExpression((), found.step), False, builder)
    lower = extreme_bound(found.lower, MaxOp, builder)
    return Bounds(lower, extreme_bound(found.upper, affine.MinOp, builder), step)


def known_range(loop: SequentialLoop) -> LoopRange:
    """The range of a loop.

    Raises `PolyirError` for a counter that is not an index, and for a step that is not known.
    """
    if not isinstance(loop.body.block.args[0].type, IndexType):
        raise IrregularLoopError("the counter of the loop is not of type index", location_of(loop))
    found = range_of(loop)
    if found is None:
        raise IrregularLoopError(
            "the step of the loop is not a positive constant", location_of(loop)
        )
    return found


def is_wanted(loop: SequentialLoop, names: Collection[str]) -> bool:
    """Whether the counter of a loop has one of some names, or there are none."""
    return not names or loop.body.block.args[0].name_hint in names


def move_to_parallel_loop(loop: SequentialLoop, bounds: Bounds, code: Code) -> None:
    """Move the iterations of a loop to a parallel one, which is added."""
    with code.parallel_loop("t", 0, bounds.iterations(code)) as (body, iteration):
        move_body(loop, bounds.counter(body, iteration), body)


def move_body(loop: SequentialLoop, counter: SSAValue, code: Code) -> None:
    """Move the iteration of a loop to where `counter` is its counter."""
    block = loop.body.block
    counter.name_hint = block.args[0].name_hint
    block.args[0].replace_all_uses_with(counter)
    for op in tuple(block.ops):
        if op is not block.last_op:
            op.detach()
            code.add(op)
            legalize_affine(op)
