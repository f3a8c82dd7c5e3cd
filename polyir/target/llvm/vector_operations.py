"""Operations of the llvm dialect on vectors, where xDSL's classes take scalars only.

They are xDSL's classes with other constraints, so that xDSL translates and prints them.
"""

from __future__ import annotations

from dataclasses import replace

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, VectorType, i1, i64
from xdsl.ir import SSAValue
from xdsl.irdl import OpDef, OperandDef, ResultDef, VarConstraint, base

_VECTOR = VarConstraint("VECTOR", base(VectorType))


class VectorFCmpOp(llvm.FCmpOp):
    """`llvm.fcmp` of vectors."""

    @classmethod
    def get_irdl_definition(cls) -> OpDef:
        return _COMPARISON

    def verify_(self) -> None:
        _COMPARISON.verify(self)

    @classmethod
    def make(cls, left: SSAValue, right: SSAValue, predicate: str) -> VectorFCmpOp:
        """The comparison; `predicate` is LLVM's name of it."""
        assert isinstance(left.type, VectorType)
        number = llvm.FCmpPredicateFlag(predicate).to_int()
        return cls.create(
            operands=[left, right],
            result_types=[VectorType(i1, left.type.shape)],
            properties={
                "predicate": IntegerAttr(number, i64),
                "fastmathFlags": llvm.FastMathAttr(None),
            },
        )


class VectorSelectOp(llvm.SelectOp):
    """`llvm.select` with a condition for each lane."""

    @classmethod
    def get_irdl_definition(cls) -> OpDef:
        return _SELECTION

    def verify_(self) -> None:
        _SELECTION.verify(self)


_COMPARISON = replace(
    llvm.FCmpOp.get_irdl_definition(),
    operands=[("lhs", OperandDef(_VECTOR)), ("rhs", OperandDef(_VECTOR))],
    results=[("res", ResultDef(VectorType.constr(i1)))],
)
_SELECTION = replace(
    llvm.SelectOp.get_irdl_definition(),
    operands=[
        ("cond", OperandDef(VectorType.constr(i1))),
        ("lhs", OperandDef(_VECTOR)),
        ("rhs", OperandDef(_VECTOR)),
    ],
    results=[("res", ResultDef(_VECTOR))],
)
