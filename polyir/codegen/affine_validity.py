"""Which SSA values MLIR lets the affine dialect use as dimensions and symbols.

The rules are those of MLIR's `isValidDim` and `isValidSymbol`. xDSL does not check them.
"""

from __future__ import annotations

from xdsl.dialects import affine, arith, func, memref
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Block, Operation, SSAValue


def is_valid_symbol(value: SSAValue) -> bool:
    """Whether `value` may be a symbol: it does not change inside the function."""
    if not isinstance(value.type, IndexType):
        return False
    if _is_top_level(value):
        return True
    match value.owner:
        case arith.ConstantOp(value=IntegerAttr()):
            return True
        case affine.ApplyOp() as apply:
            return all(is_valid_symbol(operand) for operand in apply.mapOperands)
        case memref.DimOp() as dimension:
            return _is_top_level(dimension.source)
        case _:
            return False


def is_valid_dimension(value: SSAValue) -> bool:
    """Whether `value` may be a dimension: a symbol, an affine iterator, or affine in such."""
    if is_valid_symbol(value):
        return True
    match value.owner:
        case Block() as block:
            return _is_affine_iterator(value, block.parent_op())
        case affine.ApplyOp() as apply:
            return all(is_valid_dimension(operand) for operand in apply.mapOperands)
        case _:
            return False


def _is_affine_iterator(value: SSAValue, loop: Operation | None) -> bool:
    match loop:
        case affine.ForOp():
            return value is loop.body.block.args[0]
        case affine.ParallelOp():
            return True
        case _:
            return False


def _is_top_level(value: SSAValue) -> bool:
    """Whether `value` is defined directly in a function's body."""
    owner = value.owner
    parent = owner.parent_op()
    return isinstance(parent, func.FuncOp)
