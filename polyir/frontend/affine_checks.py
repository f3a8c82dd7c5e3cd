"""Rules of affine operations that MLIR verifies and xDSL does not."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import affine, func, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerType, MemRefType
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue
from xdsl.ir.affine import AffineMap, AffineSet
from xdsl.utils.exceptions import VerifyException

from polyir.dialects.affine_extra import MaxOp, PrefetchOp
from polyir.dialects.affine_semantics import is_valid_dimension


def check_affine_operation(operation: Operation) -> None:
    """Raise `VerifyException` if an affine operation breaks a rule of MLIR.

    Operations of other dialects pass.
    """
    _check_operands(operation)
    match operation:
        case affine.LoadOp() | affine.StoreOp() | affine.VectorLoadOp() | affine.VectorStoreOp():
            _check_access(operation)
        case affine.IfOp():
            _check_if(operation)
        case affine.ForOp():
            _check_for(operation)
        case affine.ParallelOp():
            _check_parallel(operation)
        case affine.MinOp():
            if not operation.map.data.results:
                raise VerifyException("the map must have a result")
        case _:
            pass


def _check_operands(operation: Operation) -> None:
    """The operands of a map are integers that the loops and parameters around it determine.

    MLIR requires more, depending on the position of the operand in the map. Raising composes
    arithmetic on loop variables into maps, so its result is accepted by MLIR.

    Only checked if all operations up to the function are known to be loops and conditions.
    """
    if not _is_in_function(operation):
        return
    for space, operands in _maps(operation):
        _check_count(space.num_dims + space.num_symbols, len(operands), "map operand")
        for operand in operands:
            if not _is_determined(operand):
                raise VerifyException(
                    f"cannot use {_spelling(operand)} in an affine expression: it is not a "
                    "loop variable or a constant of the function, and not computed from these"
                )


def _is_determined(value: SSAValue) -> bool:
    """Whether `value` is a loop variable, a constant of the function, or computed from such."""
    pending = [value]
    while pending:
        value = pending.pop()
        if is_valid_dimension(value) or _is_top_level_integer(value):
            continue
        if isinstance(value, BlockArgument):
            loop = value.block.parent_op()
            if isinstance(loop, scf.ParallelOp) or (
                isinstance(loop, scf.ForOp) and value.index == 0
            ):
                continue
            return False
        assert isinstance(value, OpResult)
        if not isinstance(value.op, memref.DimOp | affine.MinOp | affine.ApplyOp | MaxOp) and (
            value.op.dialect_name() not in ("arith", "index")
        ):
            return False
        pending.extend(
            operand for operand in value.op.operands if not isinstance(operand.type, MemRefType)
        )
    return True


def _is_top_level_integer(value: SSAValue) -> bool:
    """Whether `value` is an integer defined directly in the function."""
    owner = value.owner.parent_op()
    return isinstance(owner, func.FuncOp) and isinstance(value.type, IndexType | IntegerType)


def _is_in_function(operation: Operation) -> bool:
    parent = operation.parent_op()
    while parent is not None and parent.dialect_name() in ("affine", "scf"):
        parent = parent.parent_op()
    return isinstance(parent, func.FuncOp)


def _maps(operation: Operation) -> list[tuple[AffineMap | AffineSet, Sequence[SSAValue]]]:
    """The maps and sets of an operation, each with its operands."""
    match operation:
        case (
            affine.LoadOp()
            | affine.StoreOp()
            | affine.VectorLoadOp()
            | affine.VectorStoreOp()
            | PrefetchOp()
        ):
            return [(operation.map.data, operation.indices)]
        case affine.ApplyOp() | affine.MinOp() | MaxOp():
            return [(operation.map.data, operation.operands)]
        case affine.IfOp():
            return [(operation.condition.data, operation.args)]
        case affine.ForOp():
            return [
                (operation.lowerBoundMap.data, operation.lowerBoundOperands),
                (operation.upperBoundMap.data, operation.upperBoundOperands),
            ]
        case affine.ParallelOp():
            lower, upper = operation.lowerBoundsMap.data, operation.upperBoundsMap.data
            split = lower.num_dims + lower.num_symbols
            return [(lower, operation.operands[:split]), (upper, operation.operands[split:])]
        case _:
            return []


def _spelling(value: SSAValue) -> str:
    return "this value" if value.name_hint is None else f"'%{value.name_hint}'"


def _check_access(
    operation: affine.LoadOp | affine.StoreOp | affine.VectorLoadOp | affine.VectorStoreOp,
) -> None:
    access = operation.map.data
    _check_count(access.num_dims + access.num_symbols, len(operation.indices), "map operand")
    memref_type = operation.memref.type
    assert isinstance(memref_type, MemRefType)
    _check_count(memref_type.get_num_dims(), len(access.results), "subscript")


def _check_if(operation: affine.IfOp) -> None:
    condition = operation.condition.data
    _check_count(condition.num_dims + condition.num_symbols, len(operation.args), "operand")
    if operation.results and not operation.else_region.blocks:
        raise VerifyException("an operation with results needs an 'else'")
    for region in (operation.then_region, operation.else_region):
        if region.blocks:
            _check_yield(operation, region.block.last_op)


def _check_for(operation: affine.ForOp) -> None:
    if operation.step.value.data <= 0:
        raise VerifyException("the step must be positive")
    if not operation.lowerBoundMap.data.results or not operation.upperBoundMap.data.results:
        raise VerifyException("the map of a bound must have a result")
    _check_yield(operation, operation.body.block.last_op)


def _check_parallel(operation: affine.ParallelOp) -> None:
    variables = len(operation.body.block.args)
    lower = operation.lowerBoundsGroups.get_values()
    upper = operation.upperBoundsGroups.get_values()
    for count, noun in (
        (len(lower), "lower bound"),
        (len(upper), "upper bound"),
        (len(operation.steps), "step"),
    ):
        _check_count(variables, count, noun)
    if any(step.value.data <= 0 for step in operation.steps):
        raise VerifyException("the steps must be positive")
    _check_yield(operation, operation.body.block.last_op)


def _check_yield(operation: Operation, last: Operation | None) -> None:
    if not isinstance(last, affine.YieldOp):
        raise VerifyException("the region must end with 'affine.yield'")
    if tuple(last.operand_types) != tuple(operation.result_types):
        raise VerifyException("the yielded values differ in type from the results")


def _check_count(expected: int, found: int, noun: str) -> None:
    if expected != found:
        plural = noun if expected == 1 else f"{noun}s"
        raise VerifyException(f"expected {expected} {plural}, found {found}")
