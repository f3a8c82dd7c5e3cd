"""Loads, stores, allocations and what else concerns memory."""

from __future__ import annotations

from xdsl.dialects import affine, memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Operation, SSAValue

from polyir.target.c.affine import literal
from polyir.target.c.body import Array, Body
from polyir.target.c.expressions import Expression, IntegerLiteral, Variable, cast
from polyir.target.c.types import memref_parts, refuse, scalar_type


def memref_type(value: SSAValue, op: Operation) -> MemRefType[Attribute]:
    """The type of a ranked memref."""
    if not isinstance(value.type, MemRefType):
        raise refuse(op, f"the C target has no arrays of type {value.type}")
    return value.type


def emit_load(body: Body, op: affine.LoadOp | memref.LoadOp) -> None:
    """The element waits to be folded into its use, like any value."""
    result = op.results[0]
    element = body.element(op.memref, _indices(body, op))
    body.define(result, cast(scalar_type(result.type, op), element))


def emit_store(body: Body, op: affine.StoreOp | memref.StoreOp) -> None:
    value = body.take(op.value)
    element = body.element(op.memref, _indices(body, op))
    body.before_write(element.array)
    # A local variable or array that is only written counts as unused.
    target = body.text(element) if element.is_pointer else body.usage.target_text(element)
    body.writer.line(f"{target} = {body.text(value)};")


def _indices(
    body: Body, op: affine.LoadOp | affine.StoreOp | memref.LoadOp | memref.StoreOp
) -> list[Expression]:
    if isinstance(op, affine.LoadOp | affine.StoreOp):
        return body.take_map(op.map.data, op.indices)
    return [body.take(index) for index in op.indices]


def emit_dim(body: Body, op: memref.DimOp) -> None:
    position = body.take(op.index)
    extents = body.array(op.source).extents
    if not isinstance(position, IntegerLiteral) or not 0 <= position.value < len(extents):
        raise refuse(op, "the C target wants a constant dimension of the array in memref.dim")
    body.bind(op.result, extents[position.value])


def emit_cast(body: Body, op: memref.CastOp) -> None:
    """The result is the same memory; an extent that its type gives is preferred."""
    source = body.array(op.source)
    _, extents = memref_parts(memref_type(op.results[0], op), op)
    known = tuple(
        old if new is None else literal(new)
        for old, new in zip(source.extents, extents, strict=True)
    )
    body.arrays[op.results[0]] = Array(
        source.variable, source.element, known, source.is_pointer, source.flat
    )


def emit_alloca(body: Body, op: memref.AllocaOp) -> None:
    """A local variable or array of the enclosing block."""
    array = _allocated(body, op, is_pointer=False)
    sizes = "".join(f"[{body.text(extent)}]" for extent in array.extents)
    start = "" if sizes or _is_stored_first(op) else " = 0"
    name = body.type_name(array.element)
    body.writer.line(f"{name} {array.variable.name}{sizes}{start};")
    body.writer.mark_used(array.variable)


def emit_alloc(body: Body, op: memref.AllocOp) -> None:
    """A pointer to memory from `malloc`."""
    array = _allocated(body, op, is_pointer=True)
    pointer = declare_pointer(body, array, array.variable)
    allocate = body.usage.function("malloc")
    body.writer.line(f"{pointer} = {allocate}({_byte_count(body, array)});")
    body.writer.mark_used(array.variable)


def _byte_count(body: Body, array: Array) -> str:
    """The size of an array; its extents are names and literals."""
    size = f"sizeof({body.type_name(array.element)})"
    return " * ".join([size, *(body.text(extent) for extent in array.extents)])


def emit_dealloc(body: Body, op: memref.DeallocOp) -> None:
    array = body.array(op.memref)
    body.before_write(array.variable)
    body.usage.mark(array.variable)
    body.writer.line(f"{body.usage.function('free')}({array.variable.name});")


def emit_copy(body: Body, op: memref.CopyOp) -> None:
    """One `memcpy`: all arrays are contiguous, and different ones do not overlap."""
    source, target = body.array(op.source), body.array(op.destination)
    if source.variable is target.variable:
        return
    body.before_write(target.variable)
    if not source.extents:
        here = body.element(op.destination, ())
        value = body.element(op.source, ())
        body.writer.line(f"{body.text(here)} = {body.text(value)};")
        return
    body.usage.mark(source.variable, target.variable)
    size, copy = _byte_count(body, source), body.usage.function("memcpy")
    body.writer.line(f"{copy}({target.variable.name}, {source.variable.name}, {size});")


def declare_pointer(body: Body, array: Array, variable: Variable) -> str:
    """The declaration of a pointer through which `array` is indexed."""
    name = body.type_name(array.element)
    if len(array.extents) < 2:
        return f"{name} *restrict {variable.name}"
    row = "".join(f"[{body.text(extent)}]" for extent in array.extents[1:])
    return f"{name} (*restrict {variable.name}){row}"


def flat_pointer(body: Body, array: Array) -> str:
    """A pointer to the first element."""
    if array.flat is not None:
        body.usage.mark(array.flat)
        return array.flat.name
    body.usage.mark(array.variable)
    if len(array.extents) > 1:
        return f"&{array.variable.name}" + "[0]" * len(array.extents)
    if not array.extents and not array.is_pointer:
        return f"&{array.variable.name}"
    return array.variable.name


def _allocated(body: Body, op: memref.AllocOp | memref.AllocaOp, is_pointer: bool) -> Array:
    """The array that an allocation makes, with names for its dynamic extents."""
    result = op.memref
    element, extents = memref_parts(memref_type(result, op), op)
    sizes = iter(op.dynamic_sizes)
    known = tuple(
        body.take_name(next(sizes)) if extent is None else literal(extent) for extent in extents
    )
    array = Array(body.names.for_value(result, "t"), element, known, is_pointer)
    body.arrays[result] = array
    return array


def _is_stored_first(op: memref.AllocaOp) -> bool:
    """Whether the first use of a scalar, in the order of the program, is a store beside it.

    If it is not, a C compiler may not see that the variable is set before it is read.
    """
    following = op.next_op
    users = [use.operation for use in op.memref.uses]
    while following is not None:
        if following in users:
            return isinstance(following, affine.StoreOp | memref.StoreOp)
        if any(inner in users for inner in following.walk()):
            return False
        following = following.next_op
    return True
