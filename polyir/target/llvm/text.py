"""LLVM IR from the llvm dialect, through xDSL's translation to llvmlite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.utils.exceptions import LLVMTranslationException

from polyir.diagnostics import PolyirError
from polyir.target.llvm.types import LlvmTargetError

if TYPE_CHECKING:
    from llvmlite import ir

MISSING_LLVMLITE = (
    "LLVM IR needs the package llvmlite, which is not installed (pip install 'polyir[jit]')"
)


class MissingPackageError(PolyirError):
    """An optional package is needed and not installed."""


def llvm_ir(module: ModuleOp) -> str:
    """The text of `module`, all of whose operations are of the llvm dialect, as LLVM IR.

    Raises `LlvmTargetError` for what cannot be translated, and `MissingPackageError` without
    llvmlite.
    """
    try:
        from xdsl.backend.llvm.convert import convert_module
    except ImportError:
        raise MissingPackageError(MISSING_LLVMLITE) from None
    try:
        translated = convert_module(module, fallback_target_triple=None)
    except (NotImplementedError, LLVMTranslationException) as error:
        raise LlvmTargetError(f"the LLVM target: {error}") from None
    for op in module.body.block.ops:
        match op:
            case llvm.FuncOp():
                _complete_function(op, translated)
            case llvm.GlobalOp():
                _complete_global(op, translated)
            case _:
                pass
    return str(translated)


def _complete_function(op: llvm.FuncOp, translated: ir.Module) -> None:
    """Set what xDSL's translation leaves out: linkage and attributes."""
    function = translated.get_global(op.sym_name.data)
    if op.linkage.linkage.data != "external":
        function.linkage = op.linkage.linkage.data
    for attribute in op.passthrough or ():
        assert isinstance(attribute, StringAttr)
        function.attributes.add(attribute.data)


def _complete_global(op: llvm.GlobalOp, translated: ir.Module) -> None:
    """Set alignment, and zeros for a variable without an initial value.

    llvmlite would print an external variable without one as a declaration.
    """
    variable = translated.get_global(op.sym_name.data)
    if op.alignment is not None:
        variable.align = op.alignment.value.data
    if variable.linkage == "external":
        variable.linkage = ""
    if variable.initializer is None:
        from llvmlite import ir

        variable.initializer = ir.Constant(variable.value_type, None)
