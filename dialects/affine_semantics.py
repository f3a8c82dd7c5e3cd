"""What MLIR defines about affine operations, and xDSL does not: reductions, valid operands."""

from __future__ import annotations

from xdsl.dialects import affine, arith, memref
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue
from xdsl.traits import IsolatedFromAbove

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


def is_valid_symbol(value: SSAValue) -> bool:
    """Whether `value` may be a symbol of an affine map: it does not change inside the scope.

    So are the arguments of the function, what is defined at its top level, constants, sizes of
    such memrefs, and results of `affine.apply` on symbols (MLIR: `isValidSymbol`).
    """
    if not isinstance(value.type, IndexType):
        return False
    if _is_top_level(value):
        return True
    if not isinstance(value, OpResult):
        return False
    match value.op:
        case arith.ConstantOp():
            return True
        case affine.ApplyOp():
            return all(is_valid_symbol(operand) for operand in value.op.operands)
        case memref.DimOp():
            return _is_top_level(value.op.source) or _is_allocated_size(value.op)
        case _:
            return False


def is_valid_dimension(value: SSAValue) -> bool:
    """Whether `value` may be a dimension of an affine map (MLIR: `isValidDim`).

    So are valid symbols, the variables of affine loops, and results of `affine.apply` on
    dimensions. The results of `affine.min` and `affine.max` are not.
    """
    if is_valid_symbol(value):
        return True
    if not isinstance(value.type, IndexType):
        return False
    if isinstance(value, BlockArgument):
        return isinstance(value.block.parent_op(), affine.ParallelOp | affine.ForOp)
    return (
        isinstance(value, OpResult)
        and isinstance(value.op, affine.ApplyOp)
        and all(is_valid_dimension(operand) for operand in value.op.operands)
    )


def _is_allocated_size(size: memref.DimOp) -> bool:
    """Whether `size` is that of an allocation whose sizes are symbols."""
    memref_value, position = size.source, size.index
    if not (isinstance(memref_value, OpResult) and isinstance(memref_value.op, memref.AllocOp)):
        return False
    if not (isinstance(position, OpResult) and isinstance(position.op, arith.ConstantOp)):
        return False
    number, memref_type = position.op.value, memref_value.type
    assert isinstance(memref_type, MemRefType)
    assert isinstance(number, IntegerAttr)
    shape, dimension = memref_type.get_shape(), number.value.data
    if not 0 <= dimension < len(shape) or shape[dimension] >= 0:
        return 0 <= dimension < len(shape)
    dynamic = sum(extent < 0 for extent in shape[:dimension])
    return is_valid_symbol(memref_value.op.dynamic_sizes[dynamic])


def _is_top_level(value: SSAValue) -> bool:
    """Whether `value` is defined directly in an operation that is an affine scope."""
    if isinstance(value, BlockArgument):
        parent: Operation | None = value.block.parent_op()
    else:
        assert isinstance(value, OpResult)
        parent = value.op.parent_op()
    return parent is None or _is_affine_scope(parent)


def _is_affine_scope(operation: Operation) -> bool:
    """Whether MLIR gives the operation the trait `AffineScope`."""
    isolated = operation.has_trait(IsolatedFromAbove, value_if_unregistered=False)
    return isolated or operation.name == "gpu.launch"
