"""The memory effects of operations, and which memrefs may share memory."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import affine, arith, func, memref, scf
from xdsl.dialects.builtin import IndexType, MemRefType, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr
from xdsl.traits import is_side_effect_free
from xdsl.transforms.canonicalization_patterns.utils import const_evaluate_operand

from polyir.dialects.affine_extra import MaxOp
from polyir.dialects.pure_functions import is_pure_call
from polyir.model.memory_accesses import MemoryAccess, accesses_in

LOADS = (affine.LoadOp, affine.VectorLoadOp, memref.LoadOp)
STORES = (affine.StoreOp, affine.VectorStoreOp, memref.StoreOp)
ALLOCATIONS = (memref.AllocOp, memref.AllocaOp)

AllocationOp = memref.AllocOp | memref.AllocaOp
LoadOp = affine.LoadOp | affine.VectorLoadOp | memref.LoadOp


def loads_in(op: Operation) -> Iterator[MemoryAccess]:
    """The reads of `op` and of what is inside it."""
    return (access for access in accesses_in(op) if not access.is_write)


def stores_in(op: Operation) -> Iterator[MemoryAccess]:
    """The writes of `op` and of what is inside it."""
    return (access for access in accesses_in(op) if access.is_write)


def has_store(op: Operation) -> bool:
    """Whether `op` or something inside it stores."""
    return any(True for _ in stores_in(op))


def stores_or_carries(op: Operation) -> bool:
    """Whether `op` stores, now or after values that its loops carry are put into memory."""
    carriers = (affine.ForOp, affine.IfOp, affine.ParallelOp, scf.ForOp, scf.ParallelOp)
    return has_store(op) or any(isinstance(i, carriers) and i.results for i in op.walk())


def is_pure(op: Operation) -> bool:
    """Whether `op` computes its results from its operands, without side effects."""
    if op.regions:
        return False
    if is_pure_call(op):
        return True
    # Not every pure operation says so in xDSL.
    is_known = op.name.split(".")[0] in ("arith", "math") or isinstance(op, affine.MinOp)
    is_known |= op.name == "vector.create_mask"
    return is_known or is_side_effect_free(op)


def may_trap(op: Operation) -> bool:
    """Whether executing the pure operation `op` speculatively may be an error."""
    if op.name in _INTEGER_DIVISIONS:
        # The least number divided by -1 is none of its type.
        divisor = op.operands[1]
        return const_evaluate_operand(divisor) in (None, 0, -1) and not _is_positive(divisor)
    return is_pure_call(op)


def _is_positive(value: SSAValue) -> bool:
    """Whether a value is the maximum of a positive number and others, perhaps cast to `i64`."""
    match value.owner:
        case arith.IndexCastOp(input=inner) if value.type in (IndexType(), i64):
            return _is_positive(inner)
        case MaxOp(map=map):
            results = map.data.results
            return any(isinstance(each, AffineConstantExpr) and each.value > 0 for each in results)
        case _:
            return False


_INTEGER_DIVISIONS = tuple(
    f"arith.{name}"
    for name in ("divsi", "divui", "ceildivsi", "ceildivui", "floordivsi", "remsi", "remui")
)


def makes_memref(op: Operation) -> bool:
    """Whether a result of `op` is a memref."""
    return any(isinstance(result.type, MemRefType) for result in op.results)


def inputs_of(op: Operation) -> Iterator[SSAValue]:
    """The values from outside that `op` uses, its regions included."""
    for inner in op.walk():
        for operand in inner.operands:
            if inner is op or not op.is_ancestor(operand.owner):
                yield operand


def is_same_memref(left: SSAValue, right: SSAValue) -> bool:
    """Whether two values are one memref: one value, or one global."""
    if isinstance(left.owner, memref.GetGlobalOp) and isinstance(right.owner, memref.GetGlobalOp):
        return left.owner.name_ == right.owner.name_
    return left is right


def may_overlap(left: SSAValue, right: SSAValue) -> bool:
    """Whether two memrefs may share memory.

    Different arguments of a function do not (a rule of polyir's interface), nor do different
    allocations or globals. Views share the memory of the viewed memref.
    """
    if left is right:
        return True
    left_base, right_base = base_of(left), base_of(right)
    if left_base is None or right_base is None:
        return True
    return left_base == right_base


def base_of(value: SSAValue) -> SSAValue | str | None:
    """The allocation, argument or global that `value` is or views; `None` if unknown."""
    owner = value.owner
    if isinstance(owner, Block):
        function = owner.parent_op()
        is_argument = isinstance(function, func.FuncOp) and function.body.blocks[0] is owner
        return value if is_argument else None
    if isinstance(owner, ALLOCATIONS) or owner.name == "gpu.alloc":
        return value
    if isinstance(owner, memref.GetGlobalOp):
        return owner.name_.root_reference.data
    sources = [operand for operand in owner.operands if isinstance(operand.type, MemRefType)]
    if is_side_effect_free(owner) and len(sources) == 1:
        return base_of(sources[0])
    return None
