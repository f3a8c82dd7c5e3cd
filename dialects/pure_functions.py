"""Functions that only compute: declared outside the module with `llvm.readnone`.

MLIR's own conversions to the C library (`math-to-libm`) mark them so.
"""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Attribute, Operation
from xdsl.traits import SymbolTable

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
    name = op.callee.root_reference.data
    table = op.parent_op()
    while table is not None:
        if table.has_trait(SymbolTable):
            for other in table.regions[0].block.ops:
                if isinstance(other, func.FuncOp) and other.sym_name.data == name:
                    return READNONE in other.attributes
        table = table.parent_op()
    return False
