"""Operations on memory that other threads may change at the same time.

xDSL cannot translate LLVM's `atomicrmw`, so the module that it translates has calls in its place.
Operations that order memory are calls from the start, of functions that are one instruction each.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from xdsl.builder import Builder
from xdsl.dialects import llvm, memref
from xdsl.dialects.builtin import ModuleOp, i64
from xdsl.ir import SSAValue
from xdsl.rewriter import Rewriter

from polyir.dialects.affine_semantics import atomic_kind
from polyir.target.abi import ATOMIC, orders_threads
from polyir.target.errors import unsupported
from polyir.target.llvm.symbols import declare_function

if TYPE_CHECKING:
    from llvmlite import ir

_ORDERING: Final = MappingProxyType({"addi": "add", "assign": "xchg"})
"""The updates that order memory, by the kinds of `memref.atomic_rmw`, as LLVM names them."""

_MONOTONIC: Final = MappingProxyType(
    {"addf": "fadd", "addi": "add", "maxs": "max", "mins": "min", "andi": "and", "ori": "or"}
)
"""The same for those that order nothing else."""

_PLACEHOLDER: Final = "polyir.atomicrmw."
"""Names that stand for the latter, while xDSL translates a module, begin with this."""


def converted_atomic(op: memref.AtomicRMWOp, address: SSAValue, builder: Builder) -> SSAValue:
    """Add the operation on the element at an address; the value before it."""
    convert = _called if orders_threads(op) else _updated
    return convert(op, address, builder)


def _called(op: memref.AtomicRMWOp, address: SSAValue, builder: Builder) -> SSAValue:
    kind = atomic_kind(op)
    if kind not in _ORDERING or op.value.type != i64:
        raise unsupported(
            op, f"memref.atomic_rmw {kind} on {op.value.type} is not supported by the LLVM target"
        )
    name = f"{ATOMIC}{kind}"
    declare_function(op, name, [address.type, i64], i64)
    call = builder.insert(llvm.CallOp(name, address, op.value, return_type=i64))
    assert call.returned is not None
    return call.returned


def _updated(op: memref.AtomicRMWOp, address: SSAValue, builder: Builder) -> SSAValue:
    from polyir.dialects.llvm_atomics import AtomicRMWOp

    kind = atomic_kind(op)
    if kind not in _MONOTONIC:
        raise unsupported(op, f"an atomic update '{kind}' is not supported by the LLVM target")
    # llvmlite takes the address for one of an element; the cast does nothing else.
    pointer = builder.insert(llvm.BitcastOp(address, llvm.LLVMPointerType())).result
    return builder.insert(AtomicRMWOp.get(_MONOTONIC[kind], pointer, op.value)).res


def call_atomics(module: ModuleOp) -> None:
    """Replace atomic updates by calls, which xDSL can translate."""
    found = [op for op in module.walk() if op.name == "llvm.atomicrmw"]
    if not found:
        return
    from polyir.dialects.llvm_atomics import UPDATES, AtomicRMWOp

    for op in found:
        assert isinstance(op, AtomicRMWOp)
        name = f"{_PLACEHOLDER}{UPDATES[op.bin_op.value.data]}.{op.val.type}"
        Rewriter.replace_op(op, llvm.CallIntrinsicOp(name, [op.ptr, op.val], [op.res.type]))


def define_atomics(module: ir.Module) -> None:
    """Put LLVM's atomic updates into a translated module, where calls stand for them."""
    for name in [name for name in module.globals if name.startswith(_PLACEHOLDER)]:
        _replace_calls(module, name)
    for kind, update in _ORDERING.items():
        function = module.globals.get(f"{ATOMIC}{kind}")
        if function is not None:
            _define(function, update)


def _replace_calls(module: ir.Module, name: str) -> None:
    """Replace the calls of a function that stands for an update, and forget the function."""
    from llvmlite import ir

    update = name.removeprefix(_PLACEHOLDER).split(".")[0]
    callee = module.globals.pop(name)
    for function in module.functions:
        for block in function.blocks:
            for call in tuple(block.instructions):
                if isinstance(call, ir.CallInstr) and call.callee is callee:
                    # llvmlite's own method asks for the type of the element, which pointers no
                    # longer have.
                    made = ir.instructions.AtomicRMW
                    block.replace(call, made(block, update, *call.args, "monotonic", ""))


def _define(function: ir.Function, update: str) -> None:
    """Define a function that is one update."""
    from llvmlite import ir

    address, value = function.args
    block = function.append_basic_block()
    change = ir.instructions.AtomicRMW(block, update, address, value, "acq_rel", "before")
    block.instructions.append(change)
    builder = ir.IRBuilder()
    builder.position_at_end(block)
    builder.ret(change)
    function.linkage = "private"
    function.attributes.add("alwaysinline")
