"""An operation that adds to an element of memory: what it accesses, and what it is in C."""

from __future__ import annotations

from xdsl.dialects.builtin import AnyFloat, IndexType, MemRefType
from xdsl.ir import Operation
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    traits_def,
    var_operand_def,
)

from polyir.model.memory_accesses import AccessesMemory, MemoryAccess
from polyir.target.c.body import Body
from polyir.target.c.spelling import SpelledInC
from polyir.target.c.syntax import Assign, arithmetic


class _Accesses(AccessesMemory):
    """It reads the element and writes it. So loops around it are scheduled as others are."""

    def accesses(self, op: Operation) -> tuple[MemoryAccess, ...]:
        assert isinstance(op, AddToOp)
        read = MemoryAccess(op, op.array, op.indices)
        return (read, read._replace(is_write=True))


class _Spelling(SpelledInC):
    """`A[i] = A[i] + x;`."""

    def translate(self, body: Body, op: Operation) -> None:
        assert isinstance(op, AddToOp)
        element = body.element(op.array, [body.value(index) for index in op.indices])
        body.add(Assign(element, arithmetic("+", element, body.value(op.value))))


@irdl_op_definition
class AddToOp(IRDLOperation):
    """`prefetching.add_to %x, %A[%i] : f64, memref<10xf64>` adds %x to an element of %A."""

    name = "prefetching.add_to"

    value = operand_def(AnyFloat)
    array = operand_def(MemRefType)
    indices = var_operand_def(IndexType)

    traits = traits_def(_Accesses(), _Spelling())

    assembly_format = (
        "$value `,` $array `[` $indices `]` attr-dict `:` type($value) `,` type($array)"
    )
