"""The error of all targets: the module holds something that the target cannot express."""

from __future__ import annotations

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation

from polyir.base.diagnostics import PolyirError, location_of


class TargetError(PolyirError):
    """The module holds an operation or a type that the target does not support."""

    name = "unsupported-by-target"


def unsupported(op: Operation | None, message: str) -> TargetError:
    """The error `message` at the location of `op`."""
    return TargetError(message, location_of(op))


def unsupported_operation(op: Operation, target: str) -> TargetError:
    """The error for an operation that `target` ("the C target") does not support."""
    return unsupported(op, f"operation '{operation_name(op)}' is not supported by {target}")


def operation_name(op: Operation) -> str:
    """The name of an operation, even if xDSL does not know the operation."""
    # Names are compared faster than classes.
    if op.name == UnregisteredOp.name and isinstance(op, UnregisteredOp):
        return op.op_name.data
    return op.name
