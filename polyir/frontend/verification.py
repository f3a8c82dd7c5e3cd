"""Verification of a module after it was read, with a diagnostic at the invalid operation."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import (
    AffineMapAttr,
    FunctionType,
    MemRefType,
    ModuleOp,
    NoneAttr,
    StridedLayoutAttr,
)
from xdsl.ir import Operation
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import VerifyException

from polyir.base.diagnostics import InputSyntaxError
from polyir.dialects.strided_views import verify_view
from polyir.frontend.affine_checks import check_affine_operation
from polyir.frontend.source import one_line

ErrorAt = Callable[[Operation, str], InputSyntaxError]
"""Makes the diagnostic with a message at an operation."""


def verify_operations(module: ModuleOp, error_at: ErrorAt) -> None:
    """Verify each operation of `module` by xDSL's verifiers and by those that xDSL lacks.

    Raises the diagnostic that `error_at` makes for the first invalid operation.
    """
    for operation in module.walk():
        try:
            operation.verify(verify_nested_ops=False)
            check_affine_operation(operation)
            _check_terminators(operation)
            _check_counters(operation)
            _check_layout_symbols(operation)
            _check_gpu_return(operation)
            if isinstance(operation, memref.SubviewOp):
                verify_view(operation)
        except RecursionError:
            raise
        except Exception as error:
            # Some verifiers of xDSL index or assert before they have checked, so that a wrong
            # operation can raise anything.
            raise error_at(operation, f"'{operation.name}' op {one_line(error)}") from error


def _check_terminators(operation: Operation) -> None:
    """A function body ends with a terminator, which xDSL does not check."""
    if isinstance(operation, func.FuncOp):
        for block in operation.body.blocks:
            if block.last_op is None or not block.last_op.has_trait(
                IsTerminator, value_if_unregistered=True
            ):
                raise VerifyException("the function must end with 'return'")


def _check_counters(operation: Operation) -> None:
    """Unlike `affine.parallel`, `scf.parallel` has a counter."""
    if isinstance(operation, scf.ParallelOp) and not operation.step:
        raise VerifyException("the loop needs at least one counter")


def _check_layout_symbols(operation: Operation) -> None:
    """An allocation has an operand for each symbol of its layout."""
    if not isinstance(operation, memref.AllocOp | memref.AllocaOp):
        return
    memref_type = operation.memref.type
    assert isinstance(memref_type, MemRefType)
    match memref_type.layout:
        case AffineMapAttr(data=layout):
            expected = layout.num_symbols
        case StridedLayoutAttr(strides=strides, offset=offset):
            expected = sum(isinstance(part, NoneAttr) for part in (*strides, offset))
        case _:
            expected = 0
    found = len(operation.symbol_operands)
    if found != expected:
        raise VerifyException(f"the layout has {expected} symbols, but {found} are given")


def _check_gpu_return(operation: Operation) -> None:
    """A `gpu.return` has the results of its function as operands."""
    if operation.name != "gpu.return":
        return
    function = operation.parent_op()
    type = None if function is None else function.properties.get("function_type")
    found = tuple(operation.operand_types)
    if isinstance(type, FunctionType) and found != type.outputs.data:
        expected = ", ".join(map(str, type.outputs)) or "nothing"
        raise VerifyException(f"must return {expected}, as its function declares")
