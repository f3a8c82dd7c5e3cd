"""Loops and conditions of the affine level as isl expressions on one set space."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import islpy as isl
from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from polyir.model.affine import (
    IndexReader,
    NotAffineError,
    constant,
    constant_value,
)
from polyir.model.affine_bounds import counter_bounds
from polyir.model.raising.effects import has_store
from polyir.sets.values import isl_value

LOOPS = (affine.ForOp, affine.ParallelOp, scf.ForOp, scf.ParallelOp)

LoopOp = affine.ForOp | affine.ParallelOp | scf.ForOp | scf.ParallelOp
ConditionalOp = affine.IfOp | scf.IfOp


@dataclass(frozen=True)
class Bounds:
    """The values `max(lower), max(lower) + step, ...` below `min(upper)`."""

    lower: tuple[isl.PwAff, ...]
    upper: tuple[isl.PwAff, ...]
    step: int

    def restrict(self, iterator: isl.PwAff) -> isl.Set:
        """The points of the space of `iterator` at which it has one of the values."""
        bounded = [iterator.ge_set(lower) for lower in self.lower]
        bounded += [iterator.lt_set(upper) for upper in self.upper]
        if self.step != 1:
            offset = iterator.sub(reduce(isl.PwAff.max, self.lower)).mod_val(isl_value(self.step))
            bounded.append(offset.zero_set())
        return reduce(isl.Set.intersect, bounded)


def iterators_of(loop: LoopOp) -> tuple[SSAValue, ...]:
    """The induction variables of `loop`, outer first, without its iteration arguments."""
    arguments = loop.body.block.args
    is_parallel = isinstance(loop, affine.ParallelOp | scf.ParallelOp)
    return tuple(arguments if is_parallel else arguments[:1])


def bounds_of(loop: LoopOp, reader: IndexReader) -> tuple[Bounds, ...]:
    """The bounds of each iterator of `loop`; raises `NotAffineError` if they are not affine."""
    match loop:
        case affine.ForOp() | affine.ParallelOp():
            return tuple(
                Bounds(
                    tuple(reader.read_map(*each.lower)),
                    tuple(reader.read_map(*each.upper)),
                    _positive(each.step),
                )
                for each in counter_bounds(loop)
            )
        case scf.ForOp():
            return (_plain_bounds(loop.lb, loop.ub, loop.step, reader),)
        case scf.ParallelOp():
            ranges = zip(loop.lowerBound, loop.upperBound, loop.step, strict=True)
            return tuple(_plain_bounds(*values, reader) for values in ranges)


def _plain_bounds(lower: SSAValue, upper: SSAValue, step: SSAValue, reader: IndexReader) -> Bounds:
    number = _positive(constant_value(reader.read(step)))
    return Bounds((reader.read(lower),), (reader.read(upper),), number)


def _positive(step: int | None) -> int:
    if step is None or step <= 0:
        raise NotAffineError("the step is not a positive constant")
    return step


def condition_of(conditional: ConditionalOp, reader: IndexReader) -> isl.Set:
    """Where the condition holds; raises `NotAffineError` if it depends on more than indices."""
    if isinstance(conditional, scf.IfOp):
        return truth_of(conditional.cond, reader)
    return reader.read_set(conditional.condition.data, conditional.args)


_PREDICATES = {
    0: isl.PwAff.eq_set,
    1: isl.PwAff.ne_set,
    2: isl.PwAff.lt_set,
    3: isl.PwAff.le_set,
    4: isl.PwAff.gt_set,
    5: isl.PwAff.ge_set,
}
"""The signed predicates of `arith.cmpi` by their number."""


def truth_of(value: SSAValue, reader: IndexReader) -> isl.Set:
    """Where a value of type `i1` is true: comparisons of indices, and combinations of them."""
    match value.owner:
        case arith.CmpiOp(lhs=lhs, rhs=rhs, predicate=IntegerAttr(value=number)):
            predicate = _PREDICATES.get(number.data)
            if predicate is None or not isinstance(lhs.type, IndexType):
                raise NotAffineError("the condition is not a signed comparison of indices")
            return predicate(reader.read(lhs), reader.read(rhs))
        case arith.AndIOp(lhs=lhs, rhs=rhs):
            return truth_of(lhs, reader).intersect(truth_of(rhs, reader))
        case arith.OrIOp(lhs=lhs, rhs=rhs):
            return truth_of(lhs, reader).union(truth_of(rhs, reader))
        case arith.ConstantOp(value=IntegerAttr(value=number)):
            truth = constant(reader.space, number.data)
            return truth.ne_set(constant(reader.space, 0))
        case _:
            raise NotAffineError("the condition depends on data")


def is_control(op: Operation, reader: IndexReader) -> bool:
    """Whether `op`, which is part of a run, is a loop or a condition of its static control.

    An `scf.if` on data is not, nor is one that only selects a value, nor an `scf.for` whose bounds
    are data: they belong to a statement.
    """
    if isinstance(op, scf.ForOp):
        return not is_data_loop(op, reader)
    if not isinstance(op, scf.IfOp):
        return isinstance(op, (*LOOPS, affine.IfOp))
    if op.results and not any(isinstance(inner, LOOPS) or has_store(inner) for inner in op.walk()):
        return False
    try:
        condition_of(op, reader)
    except NotAffineError:
        return False
    return True


def is_data_loop(loop: scf.ForOp, reader: IndexReader) -> bool:
    """Whether a bound of a loop is not affine: it comes out of memory, mostly."""
    try:
        bounds_of(loop, reader)
    except NotAffineError:
        return True
    return False


def branches_of(conditional: ConditionalOp) -> tuple[Region, Region]:
    """The regions for the condition true and false; the second may have no block."""
    if isinstance(conditional, scf.IfOp):
        return conditional.true_region, conditional.false_region
    return conditional.then_region, conditional.else_region


def blocks_of(op: Operation) -> tuple[Block, ...]:
    """The blocks of all regions of `op`, in order."""
    return tuple(block for region in op.regions for block in region.blocks)
