"""Loops of the affine dialect from the bounds that isl's AST gives them."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import affine
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseIntElementsAttr,
    IntegerAttr,
    TensorType,
    i32,
    i64,
)
from xdsl.ir import Block, Region

from polyir.model.index_expressions import IndexExpression, map_of


@dataclass(frozen=True)
class AffineLoop:
    """A loop to be built: the combined bounds (upper ones exclusive), the step, the body."""

    lower: tuple[IndexExpression, ...]
    upper: tuple[IndexExpression, ...]
    step: int
    body: Block


def sequential_loop(loop: AffineLoop) -> affine.ForOp:
    """The loop as `affine.for`."""
    lower, lower_operands = map_of(loop.lower)
    upper, upper_operands = map_of(loop.upper)
    return affine.ForOp.from_region(
        lower_operands,
        upper_operands,
        [],
        [],
        AffineMapAttr(lower),
        AffineMapAttr(upper),
        Region(loop.body),
        loop.step,
    )


def parallel_loop(loop: AffineLoop) -> affine.ParallelOp:
    """The loop as `affine.parallel`."""
    lower, lower_operands = map_of(loop.lower)
    upper, upper_operands = map_of(loop.upper)
    return affine.ParallelOp.build(
        operands=[(*lower_operands, *upper_operands)],
        result_types=[[]],
        properties={
            "reductions": ArrayAttr([]),
            "lowerBoundsMap": AffineMapAttr(lower),
            "lowerBoundsGroups": _group(len(loop.lower)),
            "upperBoundsMap": AffineMapAttr(upper),
            "upperBoundsGroups": _group(len(loop.upper)),
            "steps": ArrayAttr([IntegerAttr(loop.step, i64)]),
        },
        regions=[Region(loop.body)],
    )


def _group(size: int) -> DenseIntElementsAttr:
    """All of a map's results are combined into the bound of one loop."""
    return DenseIntElementsAttr.from_list(TensorType(i32, [1]), [size])
