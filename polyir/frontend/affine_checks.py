"""Rules of affine operations that MLIR verifies and xDSL does not."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import affine
from xdsl.dialects.builtin import MemRefType, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap, AffineSet
from xdsl.utils.exceptions import VerifyException

from polyir.dialects.affine_extra import DmaStartOp, DmaWaitOp, MaxOp, PrefetchOp
from polyir.dialects.affine_semantics import (
    is_from_outer_scope,
    is_valid_dimension,
    is_valid_symbol,
    reduces_type,
)
from polyir.model.memory_accesses import MemoryAccess, access_of


def check_affine_operation(operation: Operation) -> None:
    """Raise `VerifyException` if an affine operation breaks a rule of MLIR.

    Operations of other dialects pass.
    """
    _check_operands(operation)
    access = access_of(operation)
    if access is not None and access.map is not None:
        _check_access(access, access.map)
        return
    match operation:
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
    """The operands of a map are valid dimensions and symbols, as MLIR defines them.

    A subscript takes both at any place; `affine.apply`, `affine.min` and `affine.max` take all
    values. The statements of a `poly.scop` have rules of their own.
    """
    for space, operands in _maps(operation):
        _check_count(space.num_dims + space.num_symbols, len(operands), "map operand")
        if isinstance(operation, _TAKES_ALL) or _is_in_scop(operation):
            continue
        for position, operand in enumerate(operands):
            is_bound = isinstance(operation, affine.ForOp | affine.ParallelOp | affine.IfOp)
            if is_from_outer_scope(operand, operation):
                continue
            if is_bound and position >= space.num_dims:
                _check_symbol(operand)
            elif not is_valid_dimension(operand):
                raise VerifyException(
                    f"cannot use {_spelling(operand)} in an affine expression: it is neither a "
                    "variable of an affine loop nor a constant of the function, and not computed "
                    "from these by 'affine.apply'"
                )


_TAKES_ALL = (affine.ApplyOp, affine.MinOp, MaxOp)


def _check_symbol(value: SSAValue) -> None:
    if is_valid_symbol(value):
        return
    hint = ""
    if is_valid_dimension(value):
        # `affine.for %j = 0 to %i` makes a symbol of %i.
        name = _spelling(value).strip("'")
        hint = f"; as a dimension it is affine_map<(d0) -> (d0)>({name})"
    raise VerifyException(
        f"cannot use {_spelling(value)} as a symbol: it is not a constant of the function{hint}"
    )


def _is_in_scop(operation: Operation) -> bool:
    parent = operation.parent_op()
    while parent is not None and parent.dialect_name() != "poly":
        parent = parent.parent_op()
    return parent is not None


def _maps(operation: Operation) -> list[tuple[AffineMap | AffineSet, Sequence[SSAValue]]]:
    """The maps and sets of an operation, each with its operands."""
    access = access_of(operation)
    if access is not None and access.map is not None:
        return [(access.map, access.indices)]
    match operation:
        case PrefetchOp():
            return [(operation.map.data, operation.indices)]
        case affine.ApplyOp() | affine.MinOp() | MaxOp():
            return [(operation.map.data, operation.operands)]
        case DmaStartOp() | DmaWaitOp():
            return [(access.data, operands) for _, access, operands in operation.accesses()]
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


def _check_access(access: MemoryAccess, map: AffineMap) -> None:
    _check_count(map.num_dims + map.num_symbols, len(access.indices), "map operand")
    memref_type = access.memref.type
    assert isinstance(memref_type, MemRefType)
    _check_count(memref_type.get_num_dims(), len(map.results), "subscript")


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
    for kind, result in zip(operation.reductions, operation.result_types, strict=True):
        if isinstance(kind, StringAttr) and not reduces_type(kind.data, result):
            raise VerifyException(f"the reduction '{kind.data}' does not apply to {result}")
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
