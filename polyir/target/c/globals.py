"""Globals of a module as variables of the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, MemRefType
from xdsl.ir import Attribute

from polyir.target.c.affine import literal
from polyir.target.c.body import Array
from polyir.target.c.expressions import Expression, IntegerLiteral, Variable
from polyir.target.c.names import symbol_name
from polyir.target.c.operations import float_constant
from polyir.target.c.statements import wrapped
from polyir.target.c.types import Scalar, memref_parts, refuse
from polyir.target.c.usage import Usage


def global_array(op: memref.GlobalOp) -> Array:
    """How functions reach a global. Raises `CTargetError` for a type without C."""
    element, extents = memref_parts(_type(op), op)
    known: list[Expression] = []
    for extent in extents:
        if extent is None:
            raise refuse(op, "the C target wants globals of a static size")
        known.append(literal(extent))
    return Array(Variable(symbol_name(op.sym_name.data)), element, tuple(known), False)


def global_lines(op: memref.GlobalOp, array: Array, usage: Usage) -> Iterator[str]:
    """The definition of a global; none for a private one that no function uses."""
    is_private = op.sym_visibility.data == "private"
    if is_private and array.variable not in usage:
        return
    linkage = "static " if is_private else ""
    sizes = "".join(f"[{usage.text(extent)}]" for extent in array.extents)
    head = f"{linkage}{usage.type_name(array.element)} {array.variable.name}{sizes}"
    if not isinstance(op.initial_value, DenseIntOrFPElementsAttr):
        yield f"{head};"
        return
    shape = _type(op).get_shape()
    values = _initial_values(op, array.element, shape)
    text = _braced([usage.text(value) for value in values], shape)
    yield from wrapped(f"{head} = {text};")


def _type(op: memref.GlobalOp) -> MemRefType[Attribute]:
    if not isinstance(op.type, MemRefType):
        raise refuse(op, f"the C target has no globals of type {op.type}")
    return op.type


def _initial_values(op: memref.GlobalOp, element: Scalar, shape: Sequence[int]) -> list[Expression]:
    assert isinstance(op.initial_value, DenseIntOrFPElementsAttr)
    values: list[Expression] = []
    for number in op.initial_value.get_values():
        match number:
            case int():
                values.append(IntegerLiteral(element, number))
            case float() if number == number:
                values.append(float_constant(element, number))
            case _:
                raise refuse(op, "the C target has no initial value for a NaN or a complex number")
    count = 1
    for extent in shape:
        count *= extent
    return values * count if len(values) == 1 else values


def _braced(texts: Sequence[str], shape: Sequence[int]) -> str:
    """An initialiser with the braces of its dimensions."""
    if not shape:
        return texts[0]
    size = len(texts) // shape[0] if shape[0] else 0
    rows = [_braced(texts[n * size : (n + 1) * size], shape[1:]) for n in range(shape[0])]
    return "{" + ", ".join(rows) + "}"
