"""Which operations may change what is read through a memref."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import affine, func, memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.traits import SymbolTable

from polyir.model.raising.control import LOOPS
from polyir.model.raising.effects import (
    ALLOCATIONS,
    LOADS,
    STORES,
    base_of,
    is_pure,
    may_overlap,
)

_HARMLESS = (*LOOPS, affine.IfOp, scf.IfOp, *LOADS, *ALLOCATIONS, memref.DeallocOp, memref.DimOp)
_PREFETCHES = ("affine.prefetch", "memref.prefetch")
_TERMINATORS = (affine.YieldOp, scf.YieldOp, scf.ReduceOp, scf.ReduceReturnOp, func.ReturnOp)


def first_write(root: Operation, memory: SSAValue) -> Operation | None:
    """The first operation of `root`, or inside it, that may write what is read through `memory`.

    An operation whose effects are not known writes all memrefs among its operands, and a call of
    a function that is known those that its body writes.
    """
    return next(_writes(root, memory, frozenset()), None)


def _writes(root: Operation, memory: SSAValue, called: frozenset[Operation]) -> Iterator[Operation]:
    for op in root.walk():
        if isinstance(op, STORES):
            if may_overlap(op.memref, memory):
                yield op
        elif isinstance(op, func.CallOp):
            if not is_pure(op) and _call_writes(op, memory, called):
                yield op
        elif op is root or _is_harmless(op):
            continue
        elif any(may_overlap(each, memory) for each in _memrefs(op)):
            yield op


def _is_harmless(op: Operation) -> bool:
    return isinstance(op, (*_HARMLESS, *_TERMINATORS)) or op.name in _PREFETCHES or is_pure(op)


def _memrefs(op: Operation) -> Iterator[SSAValue]:
    return (each for each in op.operands if isinstance(each.type, MemRefType))


def _call_writes(op: func.CallOp, memory: SSAValue, called: frozenset[Operation]) -> bool:
    function = _callee(op)
    if not isinstance(base_of(memory), SSAValue):
        return True
    if function is None or function.is_declaration:
        return any(may_overlap(each, memory) for each in _memrefs(op))
    if function in called:
        return False
    return any(
        next(_writes(function, argument, called | {function}), None) is not None
        for operand, argument in zip(op.operands, function.body.block.args, strict=True)
        if isinstance(operand.type, MemRefType) and may_overlap(operand, memory)
    )


def _callee(op: func.CallOp) -> func.FuncOp | None:
    name = op.callee.root_reference.data
    table = op.parent_op()
    while table is not None and not table.has_trait(SymbolTable):
        table = table.parent_op()
    functions = () if table is None else table.regions[0].block.ops
    return next(
        (
            each
            for each in functions
            if isinstance(each, func.FuncOp) and each.sym_name.data == name
        ),
        None,
    )
