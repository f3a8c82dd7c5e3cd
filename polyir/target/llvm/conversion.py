"""The walk that the conversions to the llvm dialect share: one operation replaced at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.builder import Builder
from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.target.llvm.types import refuse

Conversion = Callable[[Operation, Builder], SSAValue]
"""Builds what computes the one result of an operation, in front of it, and returns the value."""


def operation_name(op: Operation) -> str:
    """The name of an operation, also of one that xDSL does not know."""
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


def convert_operations(
    module: ModuleOp, prefixes: tuple[str, ...], conversions: Mapping[str, Conversion]
) -> None:
    """Replace every operation of `module` whose name starts with one of `prefixes`.

    Raises `LlvmTargetError`, at the operation, for one that `conversions` does not know.
    """
    for op in tuple(module.walk()):
        name = operation_name(op)
        if not name.startswith(prefixes):
            continue
        convert = conversions.get(name)
        if convert is None:
            raise refuse(op, f"the LLVM target has no LLVM for the operation {name}")
        value = convert(op, Builder(InsertPoint.before(op)))
        (result,) = op.results
        if value.name_hint is None:
            value.name_hint = result.name_hint
        result.replace_all_uses_with(value)
        Rewriter.erase_op(op)
