"""Loops of the affine dialect from the bounds in the AST."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from xdsl.dialects import affine
from xdsl.ir import Block, Operation

from polyir.dialects.loop_attributes import LoopAttributes, ParallelAttr
from polyir.model.affine_operations import parallel_loops, sequential_loop
from polyir.model.index_expressions import IndexExpression


@dataclass(frozen=True)
class AstRange:
    """The range of a loop of the AST: from the greatest of `lower` to below the least of `upper`,
    in steps."""

    lower: Sequence[IndexExpression]
    upper: Sequence[IndexExpression]
    step: int = 1


@dataclass(frozen=True)
class AffineLoop:
    """A loop to be built: the ranges of its counters, one unless it is parallel, and the body."""

    ranges: Sequence[AstRange]
    body: Block
    attributes: LoopAttributes = ()


AffineLoopOp = TypeVar("AffineLoopOp", bound=Operation)


def loop_operation(loop: AffineLoop) -> affine.ForOp | affine.ParallelOp:
    """The loop as `affine.parallel` if it has the attribute `#poly.parallel`, or `affine.for`."""
    operation: affine.ForOp | affine.ParallelOp
    if ParallelAttr() in loop.attributes:
        lower = [each.lower for each in loop.ranges]
        upper = [each.upper for each in loop.ranges]
        steps = [each.step for each in loop.ranges]
        operation = parallel_loops(lower, upper, steps, loop.body)
    else:
        (only,) = loop.ranges
        operation = sequential_loop(only.lower, only.upper, only.step, loop.body)
    return with_loop_attributes(operation, loop.attributes)


def with_loop_attributes(operation: AffineLoopOp, attributes: LoopAttributes) -> AffineLoopOp:
    """The loop with entries for its attributes, except those that the operation expresses."""
    for attribute in attributes:
        if not isinstance(attribute, ParallelAttr):
            operation.attributes[attribute.name] = attribute
    return operation
