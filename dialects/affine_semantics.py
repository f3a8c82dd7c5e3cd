"""What MLIR defines about affine operations, and xDSL does not: reductions, valid operands."""

from __future__ import annotations

from xdsl.dialects import affine, arith, memref
from xdsl.dialects.builtin import IndexType
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue
from xdsl.traits import IsolatedFromAbove

from polyir.dialects.affine_extra import DelinearizeIndexOp, MaxOp

# The kinds of reduction of `affine.parallel`, in the order of MLIR's arith::AtomicRMWKind:
# MLIR has their numbers where xDSL has their names.
REDUCTION_KINDS = (
    "addf",
    "addi",
    "assign",
    "maximumf",
    "maxs",
    "maxu",
    "minimumf",
    "mins",
    "minu",
    "mulf",
    "muli",
    "ori",
    "andi",
    "maxnumf",
    "minnumf",
)

_MAP_OPERATIONS = (affine.ApplyOp, affine.MinOp, MaxOp, DelinearizeIndexOp)


def is_valid_symbol(value: SSAValue) -> bool:
    """Whether `value` may be a symbol of an affine map: it does not change inside the scope.

    So are the arguments of the function, what is defined at its top level, constants, sizes of
    such memrefs, and affine functions of symbols (MLIR: `isValidSymbol`).
    """
    if not isinstance(value.type, IndexType):
        return False
    if _is_top_level(value):
        return True
    if not isinstance(value, OpResult):
        return False
    operation = value.op
    if isinstance(operation, arith.ConstantOp):
        return True
    if isinstance(operation, _MAP_OPERATIONS):
        return all(is_valid_symbol(operand) for operand in operation.operands)
    if isinstance(operation, memref.DimOp):
        return _is_top_level(operation.source)
    return False


def is_valid_dimension(value: SSAValue) -> bool:
    """Whether `value` may be a dimension of an affine map (MLIR: `isValidDim`).

    So are valid symbols, the variables of affine loops, and affine functions of dimensions.
    """
    if is_valid_symbol(value):
        return True
    if not isinstance(value.type, IndexType):
        return False
    if isinstance(value, BlockArgument):
        parent = value.block.parent_op()
        return isinstance(parent, affine.ParallelOp) or (
            isinstance(parent, affine.ForOp) and value.index == 0
        )
    if isinstance(value, OpResult) and isinstance(value.op, _MAP_OPERATIONS):
        return all(is_valid_dimension(operand) for operand in value.op.operands)
    return False


def _is_top_level(value: SSAValue) -> bool:
    """Whether `value` is defined directly in an operation that is an affine scope."""
    if isinstance(value, BlockArgument):
        parent: Operation | None = value.block.parent_op()
    else:
        assert isinstance(value, OpResult)
        parent = value.op.parent_op()
    return parent is None or parent.has_trait(IsolatedFromAbove, value_if_unregistered=True)
