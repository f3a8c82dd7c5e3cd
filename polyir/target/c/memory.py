"""Loads, stores, allocations and other operations on memory, and the globals of a module."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce

from xdsl.dialects import memref
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, MemRefType
from xdsl.ir import Operation, SSAValue

from polyir.dialects.allocation_checks import AllocatedOp, ThreadPartOp
from polyir.dialects.strided_views import Part, parts
from polyir.model.memory_accesses import ElementLoad, ElementStore, accesses_of
from polyir.target.abi import ArrayType, Scalar, array_type, scalar_type, symbol_name
from polyir.target.c.body import Body
from polyir.target.c.dialect import Dialect
from polyir.target.c.helpers import THREAD_NUMBER
from polyir.target.c.operations import float_constant
from polyir.target.c.syntax import (
    Address,
    Allocation,
    Array,
    ArrayView,
    Assign,
    Binary,
    Call,
    Copy,
    Declaration,
    Element,
    Expression,
    FloatLiteral,
    Free,
    GlobalArray,
    IntegerLiteral,
    LocalArray,
    Name,
    PartView,
    Variable,
    cast,
    literal,
)
from polyir.target.errors import unsupported


def translate_load(body: Body, op: ElementLoad) -> None:
    result = op.results[0]
    element = element_of(body, op)
    body.define(result, cast(scalar_type(result.type, op), element))


def translate_store(body: Body, op: ElementStore) -> None:
    value = body.value(op.value)
    if op in body.plan.first_stores:
        body.add(LocalArray(body.array(op.memref), value))
    else:
        body.add(Assign(element_of(body, op), value))


def element_of(body: Body, op: Operation) -> Element:
    """The element that a load or store accesses; of several, the first one."""
    (access,) = accesses_of(op)
    if access.map is not None:
        return body.element(access.memref, body.map(access.map, access.indices))
    return body.element(access.memref, [body.value(index) for index in access.indices])


def translate_dim(body: Body, op: memref.DimOp) -> None:
    position = body.value(op.index)
    extents = body.array(op.source).extents
    if not isinstance(position, IntegerLiteral) or not 0 <= position.value < len(extents):
        raise unsupported(op, "expected a constant index of a dimension in memref.dim")
    body.bind(op.result, extents[position.value])


def translate_cast(body: Body, op: memref.CastOp) -> None:
    """The result is the same memory; an extent that its type gives is preferred."""
    source = body.array(op.source)
    extents = array_type(op.results[0].type, op).extents
    known = tuple(
        old if new is None else literal(new)
        for old, new in zip(source.extents, extents, strict=True)
    )
    body.arrays[op.results[0]] = replace(source, extents=known)


def translate_view(body: Body, op: memref.ReinterpretCastOp | memref.ViewOp) -> None:
    """A pointer to memory of another array, with extents or elements of its own."""
    type = array_type(op.result.type, op)
    if isinstance(op, memref.ReinterpretCastOp):
        (offset,) = parts(op.static_offsets, op.offsets)
        sizes: Sequence[Part] = parts(op.static_sizes, op.sizes)
    else:
        offset, dynamic = op.byte_shift, iter(op.sizes)
        sizes = [next(dynamic) if extent is None else extent for extent in type.extents]
    extents = tuple(named(body, _number(body, size), "size") for size in sizes)
    variable = body.names.for_value(op.result, "view")
    is_linear = needs_linear(body.dialect, type)
    array = Array(variable, type.element, extents, is_pointer=True, is_linear=is_linear)
    source = body.array(op.source)
    # Arrays of other files' functions, and of kernels, may be constant there.
    is_row = (
        len(extents) < 2 and body.dialect.has_array_parameters and body.dialect.has_limit_macros
    )
    has_type = is_row and source.element is type.element
    body.add(ArrayView(array, flat_pointer(source), _number(body, offset), has_type))
    body.arrays[op.result] = array


def _number(body: Body, part: Part) -> Expression:
    return literal(part) if isinstance(part, int) else body.value(part)


def named(body: Body, value: Expression, hint: str) -> Expression:
    """A value as a name or a literal."""
    if isinstance(value, Name | IntegerLiteral):
        return value
    variable = body.names.fresh(hint)
    body.add(Declaration(value.type, variable, value, is_constant=True))
    return Name(value.type, variable)


def translate_alloca(body: Body, op: memref.AllocaOp) -> None:
    """A local variable or array of the enclosing block.

    A scalar is declared where it is first stored to, if the plan knows the place. Elsewhere it
    starts as zero: a C compiler might not see that it is set before it is read.
    """
    array = _allocated(body, op, is_pointer=False)
    if array.extents:
        body.add(LocalArray(array, alignment=_alignment(op)))
    elif op not in body.plan.first_stores.values():
        body.add(LocalArray(array, zero(array.element)))


def zero(type: Scalar) -> Expression:
    """The value that a scalar in memory starts with."""
    return FloatLiteral(type, 0.0) if type.is_float else IntegerLiteral(type, 0)


def translate_alloc(body: Body, op: memref.AllocOp) -> None:
    """A pointer to memory from `malloc`, or from `aligned_alloc`."""
    body.add(Allocation(_allocated(body, op, is_pointer=True), _alignment(op)))


def all_allocated(body: Body, op: AllocatedOp) -> Expression:
    """Whether no pointer that `malloc` gave is null."""
    pointers: list[Expression] = [
        Name(Scalar.BOOL, body.array(each).variable) for each in op.memories
    ]
    return reduce(lambda left, right: Binary(Scalar.BOOL, "&&", left, right), pointers)


def translate_thread_part(body: Body, op: ThreadPartOp) -> None:
    """A pointer to the thread's part of an array."""
    whole = body.array(op.array)
    variable = body.names.for_value(op.result, "t")
    number = Call(Scalar.INT64, THREAD_NUMBER, ())
    array = Array(variable, whole.element, whole.extents[1:], is_pointer=True)
    body.arrays[op.result] = array
    body.add(PartView(array, Element(whole.element, whole.variable, (number,), False)))


def _alignment(op: memref.AllocOp | memref.AllocaOp) -> int | None:
    return None if op.alignment is None else op.alignment.value.data


def _allocated(body: Body, op: memref.AllocOp | memref.AllocaOp, is_pointer: bool) -> Array:
    """The array that an allocation makes; its dynamic extents are names or literals."""
    result = op.memref
    type = array_type(result.type, op)
    sizes = iter(op.dynamic_sizes)
    extents = tuple(
        body.value(next(sizes)) if extent is None else literal(extent) for extent in type.extents
    )
    has_fixed_size = all(isinstance(extent, IntegerLiteral) for extent in extents)
    if not (is_pointer or has_fixed_size or body.dialect.has_variable_extents):
        raise unsupported(
            op, f"an array whose size is not constant is not supported by {body.dialect.target}"
        )
    is_linear = needs_linear(body.dialect, type)
    variable = body.names.for_value(result, "t")
    array = Array(variable, type.element, extents, is_pointer, is_linear=is_linear)
    body.arrays[result] = array
    return array


def needs_linear(dialect: Dialect, type: ArrayType) -> bool:
    """Whether an array has one subscript because the language has no rows of its length."""
    return not dialect.has_variable_extents and None in type.extents[1:]


def translate_dealloc(body: Body, op: memref.DeallocOp) -> None:
    body.add(Free(body.array(op.memref)))


def translate_copy(body: Body, op: memref.CopyOp) -> None:
    """One `memcpy`: all arrays are contiguous, and different ones do not overlap."""
    source, target = body.array(op.source), body.array(op.destination)
    if source.variable is target.variable:
        return
    if source.extents:
        body.add(Copy(target, source))
        return
    body.add(Assign(body.element(op.destination, ()), body.element(op.source, ())))


def array_arguments(body: Body, op: Operation, value: SSAValue) -> list[Address | Expression]:
    """What is passed for a memref: a pointer, and its dynamic extents in the callee's type."""
    array = body.array(value)
    type = array_type(value.type, op)
    sizes = [array.extents[dimension] for dimension in type.dynamic_dimensions]
    passes_rows = len(type.extents) > 1 and None not in (
        type.extents if body.dialect.has_variable_extents else type.extents[1:]
    )
    if not passes_rows:
        return [flat_pointer(array), *sizes]
    rows = None
    if array.is_linear:
        known = tuple(literal(extent or 0) for extent in type.extents)
        rows = replace(array, extents=known, is_linear=False)
    return [Address(array.variable, rows=rows), *sizes]


def plain_pointer(body: Body, op: Operation, value: SSAValue) -> Address:
    """A pointer to the elements, or the rows, of an array that has the spelling of a program."""
    array = body.array(value)
    spelling = array.variable.spelling
    if spelling is None:
        is_variable = not array.extents and not array.is_pointer
        return Address(array.variable, is_taken=is_variable)
    text, *subscripts = spelling.parts
    if spelling.strides or any(isinstance(part, str) for part in subscripts):
        raise unsupported(op, f"'{text}' is not a plain array that can be passed to a function")
    assert isinstance(text, str)
    return Address(Variable(text), is_taken=not subscripts)


def flat_pointer(array: Array) -> Address:
    """A pointer to the first element."""
    if array.flat is not None:
        return Address(array.flat)
    dimensions = 0 if array.is_linear else len(array.extents)
    if dimensions > 1:
        return Address(array.variable, is_taken=True, indices=dimensions)
    return Address(array.variable, is_taken=not array.extents and not array.is_pointer)


# ------------------------------------------------------------------------------------ globals


def global_array(op: memref.GlobalOp) -> Array:
    """How functions access a global. Raises `TargetError` for a type without C."""
    type = array_type(op.type, op)
    known: list[Expression] = []
    for extent in type.extents:
        if extent is None:
            raise unsupported(op, "globals with dynamic extents are not supported")
        known.append(literal(extent))
    return Array(Variable(symbol_name(op.sym_name.data)), type.element, tuple(known), False)


def translate_global(op: memref.GlobalOp, array: Array) -> GlobalArray:
    """The definition of a global; raises `TargetError` for one that is defined elsewhere."""
    if "initial_value" not in op.properties:
        raise unsupported(op, "a global that is defined elsewhere is not supported")
    values: Sequence[Expression] = ()
    if isinstance(op.initial_value, DenseIntOrFPElementsAttr):
        values = tuple(_initial_values(op, op.initial_value, array.element))
    return GlobalArray(array, op.sym_visibility.data == "private", tuple(values))


def _initial_values(
    op: memref.GlobalOp, initial: DenseIntOrFPElementsAttr, element: Scalar
) -> Iterator[Expression]:
    numbers = initial.get_values()
    assert isinstance(op.type, MemRefType)
    count = 1
    for extent in op.type.get_shape():
        count *= extent
    for number in numbers * count if len(numbers) == 1 else numbers:
        match number:
            case int():
                yield IntegerLiteral(element, number)
            case float() if number == number:
                yield float_constant(element, number)
            case _:
                raise unsupported(op, "NaNs and complex numbers are not supported in globals")
