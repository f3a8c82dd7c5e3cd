"""Operations for memory that may not be there: they are made just before code is emitted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from xdsl.dialects.builtin import IndexType, MemRefType, i1
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import NoMemoryEffect, Pure

ORIGINAL: Final = "polyir.original"
"""The attribute of an `scf.if` that runs the original code, which is not part of the module, where
its condition does not hold."""


@irdl_op_definition
class AllocatedOp(IRDLOperation):
    """`poly.allocated`: whether all of some allocations succeeded."""

    name = "poly.allocated"

    memories = var_operand_def(MemRefType)
    result = result_def(i1)
    traits = traits_def(NoMemoryEffect())

    def __init__(self, memories: Sequence[SSAValue]) -> None:
        super().__init__(operands=[memories], result_types=[i1])


@irdl_op_definition
class ThreadCountOp(IRDLOperation):
    """`poly.thread_count`: how many threads may run a parallel loop that starts here."""

    name = "poly.thread_count"

    result = result_def(IndexType())
    traits = traits_def(Pure())

    def __init__(self) -> None:
        super().__init__(result_types=[IndexType()])


@irdl_op_definition
class ThreadPartOp(IRDLOperation):
    """`poly.thread_part`: the part of an array that belongs to the thread that runs it.

    The array has an element in its first dimension for each of `poly.thread_count` threads.
    """

    name = "poly.thread_part"

    array = operand_def(MemRefType)
    result = result_def(MemRefType)
    traits = traits_def(NoMemoryEffect())

    def __init__(self, array: SSAValue, type: MemRefType) -> None:
        super().__init__(operands=[array], result_types=[type])
