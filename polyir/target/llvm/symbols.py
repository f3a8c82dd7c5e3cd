"""Functions of the C library and of the runtime, declared in the module that calls them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute, Operation
from xdsl.rewriter import InsertPoint, Rewriter


def enclosing_module(op: Operation) -> ModuleOp:
    """The module that holds `op`."""
    parent = op
    while not isinstance(parent, ModuleOp):
        above = parent.parent_op()
        assert above is not None, "operations of functions are in a module"
        parent = above
    return parent


def declare_function(
    user: Operation,
    name: str,
    inputs: Sequence[Attribute],
    output: Attribute | None = None,
    attributes: Sequence[str] = (),
) -> None:
    """Declare an external function in the module of `user`, if it is not declared there yet.

    `attributes` are LLVM's function attributes by name.
    """
    module = enclosing_module(user)
    for op in module.body.block.ops:
        if isinstance(op, llvm.FuncOp) and op.sym_name.data == name:
            return
    function = llvm.FuncOp(
        name, llvm.LLVMFunctionType(inputs, output), llvm.LinkageAttr("external")
    )
    if attributes:
        function.passthrough = ArrayAttr(StringAttr(attribute) for attribute in attributes)
    Rewriter.insert_op(function, InsertPoint.at_start(module.body.block))
