"""Functions, calls and branches in the llvm dialect, by the calling convention of `target/abi.py`.

`i1` is a byte in the interface of a function.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.dialects import cf, func, llvm, scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
    i1,
    i8,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
)
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.convert_scf_to_cf import ForLowering, IfLowering, SwitchLowering

from polyir.target.abi import is_private, results_by_pointer, symbol_name, symbol_of
from polyir.target.errors import unsupported_operation
from polyir.target.llvm.memory import POINTER
from polyir.target.llvm.types import is_vector, stored_type_of
from polyir.target.loop_hints import hint_attributes


def convert_scf_to_cf(module: ModuleOp) -> None:
    """Lower loops and conditions to branches, as xDSL's `convert-scf-to-cf` does.

    The hints of a loop (`polyir/target/loop_hints.py`) move to the branch back to its head.
    """
    patterns = [SwitchLowering(), IfLowering(), _LoopLowering()]
    PatternRewriteWalker(GreedyRewritePatternApplier(patterns)).rewrite_module(module)


class _LoopLowering(ForLowering):
    """xDSL's lowering of `scf.for`, which drops attributes."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        if not isinstance(op, scf.ForOp):
            return
        # A `scf.while` in it has become several blocks.
        hints, counter = hint_attributes(op), op.body.blocks[0].args[0]
        super().match_and_rewrite(op, rewriter)
        for use in counter.uses:
            block = use.operation.parent_block()
            last = None if block is None else block.last_op
            if isinstance(last, cf.BranchOp) and last.successor is counter.block:
                last.attributes.update(hints)


def convert_cf_to_llvm(module: ModuleOp) -> None:
    """Replace the branches of cf; raises `TargetError` for other operations of cf."""
    for op in tuple(module.walk()):
        match op:
            case cf.BranchOp():
                jump = llvm.BrOp(op.successor, *op.arguments)
                jump.attributes.update(op.attributes)
                Rewriter.replace_op(op, jump)
            case cf.ConditionalBranchOp():
                branch = llvm.CondBrOp(
                    op.cond,
                    op.then_block,
                    op.then_arguments,
                    op.else_block,
                    op.else_arguments,
                )
                Rewriter.replace_op(op, branch)
            case _ if op.name.startswith("cf."):
                raise unsupported_operation(op, "the LLVM target")
            case _:
                pass


def convert_func_to_llvm(module: ModuleOp) -> None:
    """Replace functions, calls and returns; local arrays move to the entry of their function.

    Memrefs and indices must have been converted. Raises `TargetError` for types that cannot
    be passed.
    """
    for op in tuple(module.walk()):
        if isinstance(op, func.CallOp):
            _convert_call(op)
    for op in tuple(module.body.block.ops):
        if isinstance(op, func.FuncOp):
            _convert_function(op)
    for op in tuple(module.body.block.ops):
        if isinstance(op, llvm.FuncOp) and op.body.blocks:
            _hoist_allocas(op.body)
    if any(isinstance(op, llvm.StoreOp) and is_vector(op.value.type) for op in module.walk()):
        _keep_copy_loops(module)


def _keep_copy_loops(module: ModuleOp) -> None:
    """Tell LLVM not to replace loops by calls of `memcpy`.

    Loops that copy vectors are as fast as `memcpy`, and in tiles they are short, where a call takes
    longer. All functions get the attribute: LLVM inlines a function only into those that have it.
    """
    for op in module.body.block.ops:
        if isinstance(op, llvm.FuncOp) and op.body.blocks:
            op.passthrough = ArrayAttr([StringAttr("no-builtin-memcpy")])


def _interface_type(type: Attribute, op: Operation) -> Attribute:
    """The type of an argument or a result."""
    if type == POINTER or (is_vector(type) and isinstance(op, func.FuncOp) and is_private(op)):
        return type
    return stored_type_of(type, op)


def _interface(type: FunctionType, op: Operation) -> llvm.LLVMFunctionType:
    """The type of a function as its callers see it."""
    inputs = [_interface_type(input, op) for input in type.inputs.data]
    outputs = [_interface_type(output, op) for output in type.outputs.data]
    pointers = [POINTER for _ in results_by_pointer(outputs)]
    returned = outputs[0] if outputs and not pointers else None
    return llvm.LLVMFunctionType([*inputs, *pointers], returned)


def _convert_function(op: func.FuncOp) -> None:
    interface = _interface(op.function_type, op)
    if op.body.blocks:
        _convert_returns(op)
    body = Region()
    op.body.move_blocks(body)
    is_internal = is_private(op) and bool(body.blocks)
    result = llvm.FuncOp(
        symbol_name(op.sym_name.data),
        interface,
        llvm.LinkageAttr("internal" if is_internal else "external"),
        body=body,
    )
    result.location = op.location
    known = list(op.arg_attrs.data) if op.arg_attrs is not None else []
    noalias = DictionaryAttr({"llvm.noalias": UnitAttr()})
    attributes = [_kept(attribute) for attribute in known]
    attributes += [DictionaryAttr({})] * (len(op.function_type.inputs.data) - len(attributes))
    attributes += [noalias] * (len(interface.inputs) - len(attributes))
    result.arg_attrs = ArrayAttr(attributes)
    if body.blocks:
        _widen_booleans(body.blocks[0])
    Rewriter.replace_op(op, result)


def _kept(attributes: DictionaryAttr) -> DictionaryAttr:
    """The attributes of an argument that stay valid: only `llvm.noalias` does."""
    return DictionaryAttr(
        {name: value for name, value in attributes.data.items() if name == "llvm.noalias"}
    )


def _widen_booleans(block: Block) -> None:
    """Give each `i1` argument the type of a byte."""
    builder = Builder(InsertPoint.at_start(block))
    for position, argument in enumerate(tuple(block.args)):
        if argument.type == i1:
            byte = block.insert_arg(i8, position)
            byte.name_hint = argument.name_hint
            argument.replace_all_uses_with(builder.insert(llvm.TruncOp(byte, i1)).res)
            block.erase_arg(argument)


def _to_interface(value: SSAValue, builder: Builder) -> SSAValue:
    return builder.insert(llvm.ZExtOp(value, i8)).res if value.type == i1 else value


def _from_interface(value: SSAValue, type: Attribute, builder: Builder) -> SSAValue:
    return builder.insert(llvm.TruncOp(value, i1)).res if type == i1 else value


def _convert_returns(op: func.FuncOp) -> None:
    """Return one value, or write several through pointers that become the last arguments."""
    types = op.function_type.outputs.data
    entry = op.body.blocks[0]
    pointers = [entry.insert_arg(POINTER, len(entry.args)) for _ in results_by_pointer(types)]
    for block in op.body.blocks:
        last = block.last_op
        if not isinstance(last, func.ReturnOp):
            continue
        builder = Builder(InsertPoint.before(last))
        values = [_to_interface(value, builder) for value in last.arguments]
        if values and not pointers:
            Rewriter.replace_op(last, llvm.ReturnOp(values[0]))
            continue
        for value, pointer in zip(values, pointers, strict=True):
            builder.insert(llvm.StoreOp(value, pointer))
        Rewriter.replace_op(last, llvm.ReturnOp())


def _convert_call(op: func.CallOp) -> None:
    builder = Builder(InsertPoint.before(op))
    arguments = [_to_interface(argument, builder) for argument in op.arguments]
    name = symbol_name(symbol_of(op.callee))
    types = op.result_types
    if types and not results_by_pointer(types):
        call = builder.insert(
            llvm.CallOp(name, *arguments, return_type=_interface_type(types[0], op))
        )
        assert call.returned is not None
        Rewriter.replace_op(op, [], [_from_interface(call.returned, types[0], builder)])
        return
    slots = _result_slots(types, op, builder)
    builder.insert(llvm.CallOp(name, *arguments, *slots))
    results = []
    for slot, type in zip(slots, types, strict=True):
        loaded = builder.insert(llvm.LoadOp(slot, _interface_type(type, op))).dereferenced_value
        results.append(_from_interface(loaded, type, builder))
    Rewriter.replace_op(op, [], results)


def _result_slots(types: Sequence[Attribute], op: Operation, builder: Builder) -> list[SSAValue]:
    """Memory for the results of a call."""
    slots: list[SSAValue] = []
    for type in types:
        one = builder.insert(llvm.ConstantOp(IntegerAttr(1, i64), i64)).result
        slots.append(builder.insert(llvm.AllocaOp(one, _interface_type(type, op), 8)).res)
    return slots


def _hoist_allocas(body: Region) -> None:
    """Move each `llvm.alloca` of constant size to the entry: in a loop, the stack would grow."""
    found = [
        op
        for block in body.blocks
        for op in block.ops
        if isinstance(op, llvm.AllocaOp) and isinstance(op.size.owner, llvm.ConstantOp)
    ]
    builder = Builder(InsertPoint.at_start(body.blocks[0]))
    for op in found:
        size = op.size.owner
        assert isinstance(size, llvm.ConstantOp)
        count = builder.insert(llvm.ConstantOp(size.value, size.result.type))
        op.detach()
        op.operands[0] = count.result
        builder.insert(op)
