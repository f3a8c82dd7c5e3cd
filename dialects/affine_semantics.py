"""What MLIR defines about affine operations, and xDSL does not: reductions, valid operands."""

from __future__ import annotations

from xdsl.dialects import affine, arith, memref
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerAttr, MemRefType, UnregisteredOp
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue
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


def atomic_kind(op: memref.AtomicRMWOp) -> str:
    """The kind of an atomic update, of `REDUCTION_KINDS`."""
    return REDUCTION_KINDS[op.kind.value.data]


def reduces_type(kind: str, type: Attribute) -> bool:
    """Whether a reduction of `REDUCTION_KINDS` applies to values of `type`."""
    if kind == "assign":
        return True
    return isinstance(type, AnyFloat) == kind.endswith("f")


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
        case _ if value.op.name == "tensor.dim":
            # By name: the dialect takes a while to import.
            return _is_top_level(value.op.operands[0])
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
    """Whether `size` is that of an allocation or a view whose sizes are symbols."""
    memref_value, position = size.source, size.index
    while isinstance(memref_value, OpResult) and isinstance(memref_value.op, memref.CastOp):
        memref_value = memref_value.op.source
    if not isinstance(memref_value, OpResult):
        return False
    match memref_value.op:
        case memref.AllocOp():
            sizes = memref_value.op.dynamic_sizes
        case memref.SubviewOp():
            sizes = memref_value.op.sizes
        case memref.ViewOp():
            sizes = memref_value.op.sizes
        case _:
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
    return dynamic < len(sizes) and is_valid_symbol(sizes[dynamic])


def _is_top_level(value: SSAValue) -> bool:
    """Whether `value` is defined directly in an operation that is an affine scope.

    In code that is in no operation yet, the arguments of blocks count as such.
    """
    if isinstance(value, BlockArgument):
        scope = value.block.parent_op()
        return scope is None or _is_affine_scope(scope)
    assert isinstance(value, OpResult)
    parent = value.op.parent_op()
    return parent is not None and _is_affine_scope(parent)


def is_from_outer_scope(value: SSAValue, user: Operation) -> bool:
    """Whether `value` comes from around the affine scope in which `user` is.

    It is then a valid symbol there: it does not change while the scope runs.
    """
    if not isinstance(value.type, IndexType):
        return False
    scope = user.parent_op()
    while scope is not None and not _is_affine_scope(scope):
        scope = scope.parent_op()
    if scope is None:
        return False
    block = value.block if isinstance(value, BlockArgument) else value.owner.parent_block()
    return block is not None and not scope.is_ancestor(block)


def _is_affine_scope(operation: Operation) -> bool:
    """Whether MLIR gives the operation the trait `AffineScope`."""
    isolated = operation.has_trait(IsolatedFromAbove, value_if_unregistered=False)
    name = operation.op_name.data if isinstance(operation, UnregisteredOp) else operation.name
    return isolated or name in _AFFINE_SCOPES


_AFFINE_SCOPES = ("test.affine_scope", "gpu.launch")
