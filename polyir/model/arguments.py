"""What a caller chooses: numbers, and the extents of arrays."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, SSAValue

from polyir.model.raising.context import measured


@dataclass(frozen=True)
class Source:
    """A number that a caller chooses: the value of an argument, or its extent in `dimension`."""

    argument: int
    dimension: int | None = None


def source_of(value: SSAValue) -> Source | None:
    """Where the caller says `value`, or gives the array `value`; `None` if it is computed."""
    place = measured(value)
    if place is not None:
        array = source_of(place[0])
        return None if array is None else Source(array.argument, place[1])
    if not isinstance(value, BlockArgument) or not isinstance(value.owner, Block):
        return None
    around = value.owner.parent_op()
    is_argument = isinstance(around, FuncOp) and value.owner is around.body.first_block
    return Source(value.index) if is_argument else None
