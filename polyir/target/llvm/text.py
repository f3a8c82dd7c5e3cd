"""LLVM IR from the llvm dialect, through xDSL's translation to llvmlite."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.utils.exceptions import LLVMTranslationException

from polyir.base.diagnostics import MissingPackageError
from polyir.target.abi import PARALLEL_FOR, THREAD_COUNT
from polyir.target.errors import TargetError, unsupported_operation
from polyir.target.llvm.atomics import call_atomics, define_atomics
from polyir.target.loop_hints import LoopHints, loop_hints

if TYPE_CHECKING:
    from llvmlite import ir

MISSING_LLVMLITE = (
    "emitting LLVM IR requires llvmlite, which is not installed (pip install 'polyir[jit]')"
)


def llvm_ir(module: ModuleOp, defines_runtime: bool = False) -> str:
    """LLVM IR for `module`, all of whose operations must be in the llvm dialect.

    With `defines_runtime`, a module with parallel loops gets weak definitions of the runtime's
    symbols: one thread, and a `polyir_parallel_for` that runs the whole range at once. Raises
    `TargetError` for what cannot be translated, and `MissingPackageError` without llvmlite.
    """
    try:
        from xdsl.backend.llvm.convert import convert_module
    except ImportError:
        raise MissingPackageError(MISSING_LLVMLITE) from None
    call_atomics(module)
    try:
        translated = convert_module(module, fallback_target_triple=None)
    except (NotImplementedError, LLVMTranslationException) as error:
        translatable = set(llvm.LLVM.operations)
        for op in module.walk():
            if op is not module and type(op) not in translatable:
                raise unsupported_operation(op, "the LLVM target") from None
        raise TargetError(f"cannot translate the module to LLVM IR: {error}") from None
    for op in module.body.block.ops:
        match op:
            case llvm.FuncOp():
                _complete_function(op, translated)
            case llvm.GlobalOp():
                _complete_global(op, translated)
            case _:
                pass
    define_atomics(translated)
    if defines_runtime and PARALLEL_FOR in translated.globals:
        _define_parallel_for(translated.get_global(PARALLEL_FOR))
    if defines_runtime and THREAD_COUNT in translated.globals:
        _define_thread_count(translated.get_global(THREAD_COUNT))
    return str(translated)


def _define_parallel_for(function: ir.Function) -> None:
    from llvmlite import ir

    task, context, lower, upper, _ = function.args
    index = ir.IntType(64)
    task_type = ir.FunctionType(ir.VoidType(), [ir.PointerType(), index, index])
    # llvmlite only calls a value whose type is a pointer to a function.
    task.type = task_type.as_pointer()
    builder = ir.IRBuilder(function.append_basic_block())
    builder.call(task, [context, lower, upper])
    builder.ret_void()
    function.linkage = "weak"


def _define_thread_count(variable: ir.GlobalVariable) -> None:
    from llvmlite import ir

    variable.initializer = ir.Constant(ir.IntType(64), 1)
    variable.linkage = "weak"


def _complete_function(op: llvm.FuncOp, translated: ir.Module) -> None:
    """Set what xDSL's translation leaves out: names, linkage and attributes."""
    function = translated.get_global(op.sym_name.data)
    for block, translated_block in zip(op.body.blocks, function.blocks, strict=True):
        # The arguments of the entry are those of the function, of others the leading phis.
        values = function.args if block is op.body.blocks[0] else translated_block.instructions
        for argument, value in zip(block.args, values, strict=False):
            if argument.name_hint is not None:
                value.name = argument.name_hint
        for instruction in translated_block.instructions:
            _forget_pointee(instruction)
        if block.last_op is not None:
            _add_loop_metadata(loop_hints(block.last_op), translated_block.terminator)
    if op.linkage.linkage.data != "external":
        function.linkage = op.linkage.linkage.data
    for attribute in op.passthrough or ():
        assert isinstance(attribute, StringAttr)
        _add_attribute(function, attribute.data)


def _add_attribute(function: ir.Function, name: str) -> None:
    """Add an attribute of LLVM, or text for LLVM's passes, which llvmlite does not let through."""
    if name.startswith("no-builtin-"):
        set.add(function.attributes, f'"{name}"')
    else:
        function.attributes.add(name)


def _add_loop_metadata(hints: LoopHints, branch: ir.Instruction) -> None:
    """Attach the hints of a loop, as LLVM's metadata, to the branch back to its head."""
    from llvmlite import ir

    class LoopIdentity(ir.values.MDValue):  # type: ignore[misc]
        """A node that is told from others by its first operand, which is itself."""

        def descr(self, buffer: list[str]) -> None:
            nodes = (self, *self.operands)
            references = ", ".join(node.get_reference() for node in nodes)
            buffer.append(f"distinct !{{ {references} }}\n")

    module = branch.module
    properties = [
        module.add_metadata([ir.MetaDataString(module, f"llvm.loop.{name}"), value])
        for name, value in _loop_properties(hints)
    ]
    if properties:
        identity = LoopIdentity(module, properties, name=str(len(module.metadata)))
        branch.set_metadata("llvm.loop", identity)


def _loop_properties(hints: LoopHints) -> Iterator[tuple[str, ir.Constant]]:
    """The names and values of LLVM's properties of a loop.

    There is no `vectorize.enable` beside the width: LLVM would warn where it cannot do it.
    """
    from llvmlite import ir

    if hints.vector_width is not None:
        yield "vectorize.width", ir.Constant(ir.IntType(32), hints.vector_width)
    if hints.unroll_factor is not None:
        yield "unroll.count", ir.Constant(ir.IntType(32), hints.unroll_factor)


def _forget_pointee(value: ir.NamedValue) -> None:
    """llvmlite remembers what a pointer points to, and would print LLVM's old pointer types."""
    from llvmlite import ir

    if isinstance(value.type, ir.PointerType):
        value.type = ir.PointerType()


def _complete_global(op: llvm.GlobalOp, translated: ir.Module) -> None:
    """Set alignment, and the zeros of a variable whose initialiser is a region.

    llvmlite prints `external` also where a variable is defined, which LLVM does not read.
    """
    from llvmlite import ir

    variable = translated.get_global(op.sym_name.data)
    if op.alignment is not None:
        variable.align = op.alignment.value.data
    if op.body.blocks:
        variable.initializer = ir.Constant(variable.value_type, None)
    if variable.linkage == "external" and variable.initializer is not None:
        variable.linkage = ""
