"""Which values of a function the C text depends on."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from xdsl.dialects import affine, memref, scf
from xdsl.dialects.builtin import AffineMapAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineSet

from polyir.dialects.pure_functions import is_pure_call
from polyir.target.c.affine import occurrences
from polyir.target.c.operations import is_computation, operation_name


def is_droppable(op: Operation) -> bool:
    """Whether an operation has no effect but its results."""
    return (
        is_computation(op)
        or is_pure_call(op)
        or operation_name(op) == "affine.max"
        or isinstance(
            op,
            affine.ApplyOp
            | affine.LoadOp
            | affine.MinOp
            | memref.CastOp
            | memref.DimOp
            | memref.GetGlobalOp
            | memref.LoadOp,
        )
    )


def use_counts(block: Block) -> dict[SSAValue, int]:
    """How often each value of a function is used by an operation that matters.

    A use as an operand that the affine map of an operation ignores is none.
    """
    counts: dict[SSAValue, int] = {}
    for op in reversed(list(block.walk())):
        if is_droppable(op) and not any(result in counts for result in op.results):
            continue
        operands = _used_yields(op, counts) if _ends_branch(op) else _read_operands(op)
        for operand in operands:
            counts[operand] = counts.get(operand, 0) + 1
    return counts


def _ends_branch(op: Operation) -> bool:
    return isinstance(op, affine.YieldOp | scf.YieldOp) and isinstance(
        op.parent_op(), affine.IfOp | scf.IfOp
    )


def _used_yields(op: Operation, counts: Container[SSAValue]) -> Iterator[SSAValue]:
    """The operands of a branch's end that become a result of the condition that is used."""
    parent = op.parent_op()
    assert parent is not None
    pairs = zip(op.operands, parent.results, strict=True)
    return (operand for operand, result in pairs if result in counts)


def set_sides(set: AffineSet) -> list[AffineExpr]:
    """Both sides of each constraint of a set."""
    return [side for constraint in set.constraints for side in (constraint.lhs, constraint.rhs)]


def _read_operands(op: Operation) -> Iterator[SSAValue]:
    """The operands of an operation that its results and effects depend on."""
    match op:
        case affine.IfOp():
            set = op.condition.data
            yield from _occurring(set_sides(set), set.num_dims, op.args)
        case affine.ForOp():
            yield from _of_map(op.lowerBoundMap, op.lowerBoundOperands)
            yield from _of_map(op.upperBoundMap, op.upperBoundOperands)
            yield from op.inits
        case affine.LoadOp():
            yield op.memref
            yield from _of_map(op.map, op.indices)
        case affine.StoreOp():
            yield op.value
            yield op.memref
            yield from _of_map(op.map, op.indices)
        case affine.ParallelOp():
            lower = op.lowerBoundsMap.data
            split = lower.num_dims + lower.num_symbols
            yield from _of_map(op.lowerBoundsMap, op.map_operands[:split])
            yield from _of_map(op.upperBoundsMap, op.map_operands[split:])
        case affine.ApplyOp() | affine.MinOp():
            yield from _of_map(op.map, op.operands)
        case _ if operation_name(op) == "affine.max":
            yield from _of_map(affine_map(op), op.operands)
        case _:
            yield from op.operands


def affine_map(op: Operation) -> AffineMapAttr:
    """The map of `affine.max`, which xDSL does not define."""
    attribute = op.properties.get("map", op.attributes.get("map"))
    assert isinstance(attribute, AffineMapAttr)
    return attribute


def _of_map(attribute: AffineMapAttr, operands: Sequence[SSAValue]) -> Iterator[SSAValue]:
    map = attribute.data
    return _occurring(map.results, map.num_dims, operands)


def _occurring(
    expressions: Sequence[AffineExpr], num_dims: int, operands: Sequence[SSAValue]
) -> Iterator[SSAValue]:
    """The operands that occur in `expressions`, once each."""
    counts = occurrences(expressions, num_dims)
    return (operand for position, operand in enumerate(operands) if position in counts)
