"""Loops of the affine dialect from the bounds in the AST."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

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
from xdsl.ir import Block, Operation, Region

from polyir.dialects.loop_attributes import LoopAttributes, ParallelAttr
from polyir.model.index_expressions import IndexExpression, map_of


@dataclass(frozen=True)
class AffineLoop:
    """A loop to be built: the combined bounds (upper ones exclusive), the step, the body."""

    lower: tuple[IndexExpression, ...]
    upper: tuple[IndexExpression, ...]
    step: int
    body: Block
    attributes: LoopAttributes = ()


AffineLoopOp = TypeVar("AffineLoopOp", bound=Operation)


def loop_operation(loop: AffineLoop) -> affine.ForOp | affine.ParallelOp:
    """The loop as `affine.parallel` if it has the attribute `#poly.parallel`, or `affine.for`."""
    is_parallel = ParallelAttr() in loop.attributes
    operation = _parallel_loop(loop) if is_parallel else _sequential_loop(loop)
    return with_loop_attributes(operation, loop.attributes)


def with_loop_attributes(operation: AffineLoopOp, attributes: LoopAttributes) -> AffineLoopOp:
    """The loop with entries for its attributes, except those that the operation expresses."""
    for attribute in attributes:
        if not isinstance(attribute, ParallelAttr):
            operation.attributes[attribute.name] = attribute
    return operation


def _sequential_loop(loop: AffineLoop) -> affine.ForOp:
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


def _parallel_loop(loop: AffineLoop) -> affine.ParallelOp:
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
