"""Operations on vectors as C statements and expressions."""

from __future__ import annotations

from typing import Final

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import MemRefType, VectorType, i1
from xdsl.ir import Operation, SSAValue

from polyir.dialects.memory_extra import PrefetchOp
from polyir.target.abi import Scalar
from polyir.target.c.body import Body
from polyir.target.c.masks import vector_type
from polyir.target.c.memory import element_of
from polyir.target.c.syntax import (
    Assign,
    Binary,
    Conditional,
    Element,
    Expression,
    ExpressionStatement,
    IntegerLiteral,
    literal,
)
from polyir.target.c.vector_helpers import mask_of, prefetch
from polyir.target.c.vector_instructions import masked_load, masked_store
from polyir.target.c.vector_operations import (
    as_type,
    is_vector_computation,
    vector_computation,
)
from polyir.target.c.vector_syntax import HelperCall, Pointer, VectorElement
from polyir.target.errors import operation_name, unsupported, unsupported_operation

_LOADS: Final = ("affine.vector_load", "vector.load")
_STORES: Final = ("affine.vector_store", "vector.store")


def translate_vector_operation(body: Body, op: Operation) -> None:
    """Add the statements of one operation, or remember the value that it computes."""
    name = operation_name(op)
    if name in _LOADS:
        result = op.results[0]
        first = _first(body, op, op.operands[0])
        body.define(result, VectorElement(vector_type(result, op), first))
    elif name in _STORES:
        value = body.value(op.operands[0])
        first = _first(body, op, op.operands[1])
        body.add(Assign(VectorElement(vector_type(op.operands[0], op), first), value))
    elif name == "vector.maskedload":
        _masked_load(body, op)
    elif name == "vector.maskedstore":
        _masked_store(body, op)
    elif is_vector_computation(op):
        operands = [body.value(operand) for operand in op.operands]
        body.define(op.results[0], vector_computation(op, operands))
    else:
        raise unsupported_operation(op, body.dialect.target)


def _masked_load(body: Body, op: Operation) -> None:
    base, *_, mask, otherwise = op.operands
    type = vector_type(op.results[0], op)
    arguments = (
        _address(body, op, base, mask, type.element),
        as_type(mask_of(type), body.value(mask)),
        body.value(otherwise),
    )
    body.define(op.results[0], HelperCall(type, masked_load(type), arguments))


def _masked_store(body: Body, op: Operation) -> None:
    base, *_, mask, value = op.operands
    type = vector_type(value, op)
    arguments = (
        _address(body, op, base, mask, type.element),
        as_type(mask_of(type), body.value(mask)),
        body.value(value),
    )
    body.add(ExpressionStatement(HelperCall(type, masked_store(type), arguments)))


def _address(body: Body, op: Operation, base: SSAValue, mask: SSAValue, type: Scalar) -> Expression:
    """The address of the first element of a masked vector.

    Where no lane is accessed, there may be no row, and then no pointer that leads to it.
    """
    first = _first(body, op, base)
    address = Pointer(type, first, may_be_outside=True)
    if not _has_rows_apart(first):
        return address
    lanes = mask.owner.operands[0].owner if isinstance(mask.owner, arith.XOrIOp) else mask.owner
    if not isinstance(lanes, vector.CreateMaskOp):
        raise unsupported(op, f"{op.name} of rows to which pointers lead, with such a mask")
    some = Binary(Scalar.BOOL, ">=", body.value(lanes.operands[0]), literal(1))
    return Conditional(type, some, address, IntegerLiteral(Scalar.INT32, 0))


def translate_prefetch(body: Body, op: PrefetchOp) -> None:
    """A call of GCC's function, on the address of an element.

    Of rows to which pointers lead, nothing is fetched: there may be no such pointer.
    """
    element = body.element(op.memref, [body.value(index) for index in op.indices])
    if _has_rows_apart(element):
        return
    helper = prefetch(bool(op.is_write.value.data), op.locality_hint.value.data)
    call = HelperCall(element.type, helper, (Pointer(element.type, element, may_be_outside=True),))
    body.add(ExpressionStatement(call))


def _has_rows_apart(element: Element) -> bool:
    """Whether a pointer leads to the row of an element."""
    spelling = element.array.spelling
    return spelling is not None and spelling.has_rows_apart


def _first(body: Body, op: Operation, base: SSAValue) -> Element:
    """The first element of a vector in memory."""
    assert isinstance(base.type, MemRefType)
    if base.type.element_type == i1 or isinstance(base.type.element_type, VectorType):
        raise unsupported(
            op,
            f"vectors in memory of type '{base.type}' are not supported by {body.dialect.target}",
        )
    return element_of(body, op)
