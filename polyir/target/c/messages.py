"""Operations of the dialect `mpi` as calls of MPI."""

from __future__ import annotations

from xdsl.dialects import llvm, mpi
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from polyir.target.abi import Scalar, scalar_type
from polyir.target.c.body import Body
from polyir.target.c.helpers import MESSAGE_STEM
from polyir.target.c.memory import flat_pointer
from polyir.target.c.message_helpers import DATATYPES, MESSAGE_HELPERS
from polyir.target.c.syntax import (
    Address,
    Call,
    CallStatement,
    Expression,
    literal,
)
from polyir.target.errors import unsupported, unsupported_operation


def translate_message(body: Body, op: Operation) -> None:
    """One operation; those that only say where a message is are read at its use."""
    match op:
        case mpi.CommRankOp():
            body.define(op.rank, Call(Scalar.INT32, f"{MESSAGE_STEM}rank", ()))
        case mpi.CommSizeOp():
            body.define(op.size, Call(Scalar.INT32, f"{MESSAGE_STEM}size", ()))
        case mpi.UnwrapMemRefOp() | llvm.GEPOp() | mpi.VectorGetOp():
            pass
        case mpi.AllocateTypeOp():
            body.define(
                op.result, Call(Scalar.INT64, f"{MESSAGE_STEM}requests", (body.value(op.count),))
            )
        case mpi.SendOp():
            _call(body, op, "send", op.buffer, [op.count, op.dest, op.tag])
        case mpi.RecvOp():
            _call(body, op, "recv", op.buffer, [op.count, op.source, op.tag])
        case mpi.IsendOp():
            _call(body, op, "isend", op.buffer, [op.count, op.dest, op.tag], op.request)
        case mpi.IrecvOp():
            _call(body, op, "irecv", op.buffer, [op.count, op.source, op.tag], op.request)
        case mpi.AllreduceOp(send_buffer=None):
            _call(body, op, f"allreduce_{op.operationtype.op_str.data}", op.recv_buffer, [op.count])
        case mpi.ReduceOp() if op.send_buffer is op.recv_buffer:
            name = f"reduce_{op.operationtype.op_str.data}"
            _call(body, op, name, op.recv_buffer, [op.count, op.root])
        case mpi.WaitallOp():
            arguments = body.value(op.requests), body.value(op.count)
            body.add(CallStatement(f"{MESSAGE_STEM}waitall", arguments))
        case _:
            raise unsupported_operation(op, body.dialect.target)


def _call(
    body: Body,
    op: Operation,
    name: str,
    buffer: SSAValue,
    operands: list[SSAValue],
    request: SSAValue | None = None,
) -> None:
    pointer, start, type = _place(body, op, buffer)
    arguments: list[Address | Expression] = [pointer, start, *map(body.value, operands)]
    if request is not None:
        if not isinstance(request.owner, mpi.VectorGetOp):
            raise unsupported(op, "expected a request out of those of mpi.allocate")
        arguments += [body.value(request.owner.vect), body.value(request.owner.element)]
    function = f"{MESSAGE_STEM}{name}_{type.suffix}"
    if function not in MESSAGE_HELPERS:
        raise unsupported(op, f"'{op.name}' of elements of type '{type.value}' by this operation")
    body.add(CallStatement(function, tuple(arguments)))


def _place(body: Body, op: Operation, buffer: SSAValue) -> tuple[Address, Expression, Scalar]:
    """The memory of a message, the place of its first element there, and the type."""
    start: Expression = literal(0)
    pointer = buffer
    if isinstance(pointer.owner, llvm.GEPOp):
        start = body.value(pointer.owner.ssa_indices[0])
        pointer = pointer.owner.ptr
    if not isinstance(pointer.owner, mpi.UnwrapMemRefOp):
        raise unsupported(op, "expected a message in a memref")
    memory = pointer.owner.ref
    assert isinstance(memory.type, MemRefType)
    type = scalar_type(memory.type.element_type, op)
    if type not in DATATYPES:
        raise unsupported(op, f"elements of type '{memory.type.element_type}' in a message")
    return flat_pointer(body.array(memory)), start, type
