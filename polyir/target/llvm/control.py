"""Functions, calls and branches in the llvm dialect, with the C interface of DESIGN.md.

A single scalar result is returned, several are written through pointers that follow the
arguments; `i1` is a byte at the border of a function.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import Builder
from xdsl.dialects import cf, func, llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    UnitAttr,
    i1,
    i8,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from polyir.target.c.function import is_private
from polyir.target.c.names import symbol_name, symbol_of
from polyir.target.llvm.memory import POINTER
from polyir.target.llvm.types import refuse, stored_type


def convert_cf_to_llvm(module: ModuleOp) -> None:
    """Replace the branches of cf; raises `LlvmTargetError` for other operations of cf."""
    for op in tuple(module.walk()):
        match op:
            case cf.BranchOp():
                Rewriter.replace_op(op, llvm.BrOp(op.successor, *op.arguments))
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
                raise refuse(op, f"the LLVM target has no LLVM for the operation {op.name}")
            case _:
                pass


def convert_func_to_llvm(module: ModuleOp) -> None:
    """Replace functions, calls and returns; local arrays move to the head of their function.

    Memrefs and indices must have been converted. Raises `LlvmTargetError` for types that cannot
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


def _border_type(type: Attribute, op: Operation) -> Attribute:
    """The type of an argument or a result."""
    return type if type == POINTER else stored_type(type, op)


def _interface(type: FunctionType, op: Operation) -> llvm.LLVMFunctionType:
    """The type of a function as its callers see it."""
    inputs = [_border_type(input, op) for input in type.inputs.data]
    outputs = [_border_type(output, op) for output in type.outputs.data]
    if len(outputs) == 1:
        return llvm.LLVMFunctionType(inputs, outputs[0])
    return llvm.LLVMFunctionType([*inputs, *(POINTER for _ in outputs)])


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
    """Of the attributes of an argument, the one that means the same in every convention."""
    return DictionaryAttr(
        {name: value for name, value in attributes.data.items() if name == "llvm.noalias"}
    )


def _widen_booleans(block: Block) -> None:
    """Take each `i1` argument as a byte."""
    builder = Builder(InsertPoint.at_start(block))
    for position, argument in enumerate(tuple(block.args)):
        if argument.type == i1:
            byte = block.insert_arg(i8, position)
            byte.name_hint = argument.name_hint
            argument.replace_all_uses_with(builder.insert(llvm.TruncOp(byte, i1)).res)
            block.erase_arg(argument)


def _to_border(value: SSAValue, builder: Builder) -> SSAValue:
    return builder.insert(llvm.ZExtOp(value, i8)).res if value.type == i1 else value


def _from_border(value: SSAValue, type: Attribute, builder: Builder) -> SSAValue:
    return builder.insert(llvm.TruncOp(value, i1)).res if type == i1 else value


def _convert_returns(op: func.FuncOp) -> None:
    """Return one value, or write several through pointers that become the last arguments."""
    types = op.function_type.outputs.data
    entry = op.body.blocks[0]
    count = len(types) if len(types) > 1 else 0
    pointers = [entry.insert_arg(POINTER, len(entry.args)) for _ in range(count)]
    for block in op.body.blocks:
        last = block.last_op
        if not isinstance(last, func.ReturnOp):
            continue
        builder = Builder(InsertPoint.before(last))
        values = [_to_border(value, builder) for value in last.arguments]
        if len(values) == 1:
            Rewriter.replace_op(last, llvm.ReturnOp(values[0]))
            continue
        for value, pointer in zip(values, pointers, strict=True):
            builder.insert(llvm.StoreOp(value, pointer))
        Rewriter.replace_op(last, llvm.ReturnOp())


def _convert_call(op: func.CallOp) -> None:
    builder = Builder(InsertPoint.before(op))
    arguments = [_to_border(argument, builder) for argument in op.arguments]
    name = symbol_name(symbol_of(op.callee))
    types = op.result_types
    if len(types) == 1:
        call = builder.insert(llvm.CallOp(name, *arguments, return_type=_border_type(types[0], op)))
        assert call.returned is not None
        Rewriter.replace_op(op, [], [_from_border(call.returned, types[0], builder)])
        return
    slots = _result_slots(types, op, builder)
    builder.insert(llvm.CallOp(name, *arguments, *slots))
    results = []
    for slot, type in zip(slots, types, strict=True):
        loaded = builder.insert(llvm.LoadOp(slot, _border_type(type, op))).dereferenced_value
        results.append(_from_border(loaded, type, builder))
    Rewriter.replace_op(op, [], results)


def _result_slots(types: Sequence[Attribute], op: Operation, builder: Builder) -> list[SSAValue]:
    """Memory for the results of a call."""
    slots: list[SSAValue] = []
    for type in types:
        one = builder.insert(llvm.ConstantOp(IntegerAttr(1, i64), i64)).result
        slots.append(builder.insert(llvm.AllocaOp(one, _border_type(type, op), 8)).res)
    return slots


def _hoist_allocas(body: Region) -> None:
    """Move every `llvm.alloca` of known size to the entry: in a loop the stack would grow."""
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
