"""The bounds of the counters of affine loops, one counter at a time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from xdsl.dialects import affine
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap


class AffineBound(NamedTuple):
    """A map whose greatest result on some operands is a lower bound, or the least one an upper."""

    map: AffineMap
    operands: Sequence[SSAValue]


class CounterBounds(NamedTuple):
    """A counter from its lower bound, in steps, to below its upper bound."""

    counter: SSAValue
    lower: AffineBound
    upper: AffineBound
    step: int


def counter_bounds(loop: affine.ForOp | affine.ParallelOp) -> tuple[CounterBounds, ...]:
    """The bounds of each counter of a loop.

    The two maps of `affine.parallel` have the bounds of all counters, one group of results each.
    """
    if isinstance(loop, affine.ForOp):
        lower = AffineBound(loop.lowerBoundMap.data, loop.lowerBoundOperands)
        upper = AffineBound(loop.upperBoundMap.data, loop.upperBoundOperands)
        return (CounterBounds(loop.body.block.args[0], lower, upper, loop.step.value.data),)
    map = loop.lowerBoundsMap.data
    count = map.num_dims + map.num_symbols
    lowers = AffineBound(map, loop.map_operands[:count])
    uppers = AffineBound(loop.upperBoundsMap.data, loop.map_operands[count:])
    return tuple(
        CounterBounds(counter, low, high, step.value.data)
        for counter, low, high, step in zip(
            loop.body.block.args,
            _groups(lowers, loop.lowerBoundsGroups.get_values()),
            _groups(uppers, loop.upperBoundsGroups.get_values()),
            loop.steps,
            strict=True,
        )
    )


def _groups(bounds: AffineBound, sizes: Sequence[int | float]) -> list[AffineBound]:
    map, operands = bounds
    ends = accumulate((int(size) for size in sizes), initial=0)
    return [
        AffineBound(AffineMap(map.num_dims, map.num_symbols, map.results[first:last]), operands)
        for first, last in pairwise(ends)
    ]
