"""The atomic update of LLVM, which MLIR's llvm dialect has and xDSL's lacks."""

from __future__ import annotations

from types import MappingProxyType
from typing import ClassVar, Final

from xdsl.dialects.builtin import AnyFloatConstr, IntegerAttr, SignlessIntegerConstraint, i64
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
)

UPDATES: Final = MappingProxyType({1: "add", 3: "and", 5: "or", 7: "max", 8: "min", 11: "fadd"})
"""The names of updates by their numbers in MLIR, as far as polyir makes them."""

MONOTONIC: Final = 2
"""The ordering of updates that order nothing else."""


@irdl_op_definition
class AtomicRMWOp(IRDLOperation):
    """`llvm.atomicrmw`: an update of a number in memory as one step; the result is the old one."""

    T: ClassVar = VarConstraint("T", AnyFloatConstr | SignlessIntegerConstraint)

    name = "llvm.atomicrmw"
    ptr = operand_def(LLVMPointerType)
    val = operand_def(T)
    res = result_def(T)
    bin_op = prop_def(IntegerAttr)
    ordering = prop_def(IntegerAttr)

    @staticmethod
    def get(update: str, pointer: SSAValue, value: SSAValue) -> AtomicRMWOp:
        """A monotonic update, by its name in `UPDATES`."""
        (number,) = (each for each, name in UPDATES.items() if name == update)
        return AtomicRMWOp.create(
            operands=[pointer, value],
            result_types=[value.type],
            properties={
                "bin_op": IntegerAttr(number, i64),
                "ordering": IntegerAttr(MONOTONIC, i64),
            },
        )
