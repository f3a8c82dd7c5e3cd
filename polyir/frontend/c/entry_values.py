"""Functions of a region's arguments that compute values before the region."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import Rewriter


def function_of_values(function: func.FuncOp, values: Sequence[SSAValue]) -> func.FuncOp:
    """A function with the arguments of `function` that returns what `values` are at its entry."""
    mapped: dict[SSAValue, SSAValue] = {}
    copy = function.clone(value_mapper=mapped)
    return_only(copy.body.block, [mapped[value] for value in values])
    return copy


def return_only(block: Block, values: Sequence[SSAValue]) -> None:
    """Return `values` at the end of a function; only their computation stays in it."""
    last = block.last_op
    assert last is not None
    Rewriter.replace_op(last, func.ReturnOp(*values), new_results=[])
    for op in reversed(tuple(block.ops)):
        if not isinstance(op, func.ReturnOp) and not any(r.uses for r in op.results):
            Rewriter.erase_op(op)
