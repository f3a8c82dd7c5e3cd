"""Functions that only compute: declared outside the module with `llvm.readnone`.

MLIR's own conversions to the C library (`math-to-libm`) mark them so.
"""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Attribute, Operation

READNONE = "llvm.readnone"


def declare_pure(
    module: ModuleOp, name: str, inputs: list[Attribute], outputs: list[Attribute]
) -> None:
    """Declare a function of that name in `module`, unless it is declared there."""
    if any(isinstance(op, func.FuncOp) and op.sym_name.data == name for op in module.ops):
        return
    declaration = func.FuncOp.external(name, inputs, outputs)
    declaration.attributes[READNONE] = UnitAttr()
    module.body.block.add_op(declaration)


def is_pure_call(op: Operation) -> bool:
    """Whether `op` calls a function that only computes its results from its operands."""
    if not isinstance(op, func.CallOp):
        return False
    top: Operation = op
    while (parent := top.parent_op()) is not None:
        top = parent
    if not isinstance(top, ModuleOp):
        return False
    name = op.callee.root_reference.data
    return any(
        isinstance(other, func.FuncOp)
        and other.sym_name.data == name
        and READNONE in other.attributes
        for other in top.ops
    )
