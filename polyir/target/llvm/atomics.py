"""Operations on memory that other threads may change at the same time.

xDSL's dialect of LLVM has none, so the llvm dialect has calls of functions, which are defined where
the text of LLVM IR is made.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from xdsl.builder import Builder
from xdsl.dialects import llvm, memref
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from polyir.dialects.affine_semantics import REDUCTION_KINDS
from polyir.target.abi import ATOMIC
from polyir.target.errors import unsupported
from polyir.target.llvm.symbols import declare_function

if TYPE_CHECKING:
    from llvmlite import ir

_INSTRUCTIONS: Final = MappingProxyType({"addi": "add", "assign": "xchg"})
"""The operations of LLVM's `atomicrmw` by the kinds of `memref.atomic_rmw`."""


def called_atomic(op: memref.AtomicRMWOp, address: SSAValue, builder: Builder) -> SSAValue:
    """Add the call for an operation on the element at an address; the value before it."""
    kind = REDUCTION_KINDS[op.kind.value.data]
    if kind not in _INSTRUCTIONS or op.value.type != i64:
        raise unsupported(
            op, f"memref.atomic_rmw {kind} on {op.value.type} is not supported by the LLVM target"
        )
    name = f"{ATOMIC}{kind}"
    declare_function(op, name, [address.type, i64], i64)
    call = builder.insert(llvm.CallOp(name, address, op.value, return_type=i64))
    assert call.returned is not None
    return call.returned


def define_atomics(module: ir.Module) -> None:
    """Define the functions that are called: each is one instruction."""
    from llvmlite import ir

    for kind, instruction in _INSTRUCTIONS.items():
        function = module.globals.get(f"{ATOMIC}{kind}")
        if function is None:
            continue
        address, value = function.args
        block = function.append_basic_block()
        # llvmlite's own method asks for the type of the element, which pointers no longer have.
        change = ir.instructions.AtomicRMW(block, instruction, address, value, "acq_rel", "before")
        block.instructions.append(change)
        builder = ir.IRBuilder()
        builder.position_at_end(block)
        builder.ret(change)
        function.linkage = "private"
        function.attributes.add("alwaysinline")
