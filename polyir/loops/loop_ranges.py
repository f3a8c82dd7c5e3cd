"""The ranges of loop counters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineBinaryOpKind

from polyir.model.affine import NotAffineError
from polyir.model.affine_bounds import AffineBound, counter_bounds
from polyir.model.index_expressions import IndexExpression, compose
from polyir.model.raising.control import LoopOp, iterators_of

Bounds = tuple[IndexExpression, ...]


@dataclass(frozen=True)
class LoopRange:
    """A counter: from the maximum of `lower`, in steps of `step`, to below the minimum of `upper`.

    `step` is `None` if the step is not a positive constant.
    """

    counter: SSAValue
    lower: Bounds
    upper: Bounds
    step: int | None

    def below(self, limit: IndexExpression) -> LoopRange:
        """The part with counters below `limit`."""
        return replace(self, upper=(*self.upper, limit))

    def from_on(self, first: IndexExpression) -> LoopRange:
        """The part with counters from `first` on; with a step, there must be one lower bound."""
        if self.step != 1:
            assert self.step is not None
            (start,) = self.lower
            steps = (first - start).divide(AffineBinaryOpKind.CeilDiv, self.step)
            first = start + steps.scale(self.step)
        return replace(self, lower=(*self.lower, first))


def ranges_of(loop: LoopOp) -> tuple[LoopRange, ...]:
    """The range of each counter of `loop`.

    Empty unless all counters are of type index, and for bounds that are semi-affine.
    """
    counters = iterators_of(loop)
    if not all(isinstance(counter.type, IndexType) for counter in counters):
        return ()
    try:
        return _ranges(loop, counters)
    except NotAffineError:
        return ()


def _ranges(loop: LoopOp, counters: Sequence[SSAValue]) -> tuple[LoopRange, ...]:
    match loop:
        case affine.ForOp() | affine.ParallelOp():
            return tuple(
                LoopRange(each.counter, _composed(each.lower), _composed(each.upper), each.step)
                for each in counter_bounds(loop)
            )
        case scf.ForOp():
            return (_plain_range(counters[0], loop.lb, loop.ub, loop.step),)
        case scf.ParallelOp():
            bounds = zip(counters, loop.lowerBound, loop.upperBound, loop.step, strict=True)
            return tuple(_plain_range(*values) for values in bounds)


def _composed(bound: AffineBound) -> Bounds:
    return compose(bound.map, _expressions(bound.operands))


def _plain_range(counter: SSAValue, lower: SSAValue, upper: SSAValue, step: SSAValue) -> LoopRange:
    """A loop of `scf`, whose bounds are values."""
    number = None
    match step.owner:
        case arith.ConstantOp(value=IntegerAttr(value=constant)) if constant.data > 0:
            number = constant.data
        case _:
            pass
    lower_bounds = _expressions(_combined(lower, arith.MaxSIOp))
    upper_bounds = _expressions(_combined(upper, arith.MinSIOp))
    return LoopRange(counter, lower_bounds, upper_bounds, number)


def _combined(
    value: SSAValue, extremum: type[arith.MaxSIOp] | type[arith.MinSIOp]
) -> tuple[SSAValue, ...]:
    """The values whose maximum (minimum) is `value`."""
    if not isinstance(value.owner, extremum):
        return (value,)
    return tuple(
        inner for operand in value.owner.operands for inner in _combined(operand, extremum)
    )


def _expressions(values: Sequence[SSAValue]) -> Bounds:
    return tuple(_expression(value) for value in values)


def _expression(value: SSAValue) -> IndexExpression:
    match value.owner:
        case arith.ConstantOp(value=IntegerAttr(value=number)):
            return IndexExpression((), number.data)
        case _:
            return IndexExpression.of(value)
