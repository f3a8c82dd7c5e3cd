"""Loops of the affine dialect from the bounds in the AST."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from xdsl.dialects import affine
from xdsl.ir import Block, Operation

from polyir.dialects.loop_attributes import LoopAttributes, ParallelAttr
from polyir.model.affine_operations import parallel_loop, sequential_loop
from polyir.model.index_expressions import IndexExpression


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
    make = parallel_loop if is_parallel else sequential_loop
    operation = make(loop.lower, loop.upper, loop.step, loop.body)
    return with_loop_attributes(operation, loop.attributes)


def with_loop_attributes(operation: AffineLoopOp, attributes: LoopAttributes) -> AffineLoopOp:
    """The loop with entries for its attributes, except those that the operation expresses."""
    for attribute in attributes:
        if not isinstance(attribute, ParallelAttr):
            operation.attributes[attribute.name] = attribute
    return operation
