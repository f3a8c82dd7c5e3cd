"""The functions that launch kernels: memory of the device, transfers and launches.

After an error, what is left of them does nothing on the device, but frees its memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from xdsl.dialects import func, gpu, memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from polyir.target.abi import array_type, symbol_name
from polyir.target.c.body import Body
from polyir.target.c.function import Environment, translate_function, translate_operation
from polyir.target.c.memory import array_arguments, named, needs_linear
from polyir.target.c.syntax import (
    Address,
    Argument,
    Array,
    Expression,
    ExtensionStatement,
    Function,
    Return,
    Variable,
    literal,
)
from polyir.target.errors import unsupported
from polyir.target.gpu.language import Language


@dataclass(frozen=True)
class DeviceAllocation(ExtensionStatement):
    """A pointer to new memory of the device, or a handle of it."""

    array: Array

    def operands(self) -> Sequence[Expression]:
        return self.array.extents


@dataclass(frozen=True)
class DeviceCopy(ExtensionStatement):
    """A copy of all elements of `array` by the function `function`."""

    function: str
    target: Address
    source: Address
    array: Array

    def operands(self) -> Sequence[Expression]:
        return self.array.extents

    def variables(self) -> Sequence[Variable]:
        return (self.target.variable, self.source.variable)


@dataclass(frozen=True)
class DeviceFree(ExtensionStatement):
    """The end of an allocation."""

    array: Array

    def variables(self) -> Sequence[Variable]:
        return (self.array.variable,)


@dataclass(frozen=True)
class Launch(ExtensionStatement):
    """All threads of a grid run a kernel, with so many bytes of memory of a block.

    The sizes of the grid are names or literals.
    """

    kernel: str
    grid: tuple[Expression, ...]
    block: tuple[Expression, ...]
    arguments: tuple[Argument, ...]
    memory: int

    def operands(self) -> Sequence[Expression]:
        values = [value for value in self.arguments if isinstance(value, Expression)]
        return (*self.grid, *self.block, *values)

    def variables(self) -> Sequence[Variable]:
        return [value.variable for value in self.arguments if isinstance(value, Address)]


@dataclass(frozen=True)
class Finish(ExtensionStatement):
    """The function waits for its kernels, and finds their errors."""

    function: str


def translate_host(
    op: func.FuncOp, environment: Environment, language: Language, memory: Mapping[str, int]
) -> Function:
    """The syntax tree of a function of the host; raises `TargetError` for what has no C.

    `memory` is the launch memory of kernels.
    """

    def translate(body: Body, inner: Operation, environment: Environment) -> None:
        if isinstance(inner, gpu.LaunchFuncOp):
            _translate_launch(body, inner, language, memory)
        else:
            _translate(body, inner, environment, language)

    function = translate_function(op, environment, translate)
    if not any(isinstance(inner, gpu.LaunchFuncOp) for inner in op.walk()):
        return function
    statements = list(function.body or ())
    end = len(statements) - (bool(statements) and isinstance(statements[-1], Return))
    statements.insert(end, Finish(function.name))
    return replace(function, body=tuple(statements))


def _translate(body: Body, op: Operation, environment: Environment, language: Language) -> None:
    match op:
        case gpu.AllocOp():
            _translate_allocation(body, op, language)
        case gpu.MemcpyOp():
            _translate_copy(body, op)
        case gpu.DeallocOp():
            _refuse_tokens(op)
            body.add(DeviceFree(body.array(op.buffer)))
        case memref.ReinterpretCastOp():
            _translate_first_elements(body, op)
        case _:
            translate_operation(body, op, environment)


def _translate_first_elements(body: Body, op: memref.ReinterpretCastOp) -> None:
    """The first elements of an array, in one dimension."""
    offsets, strides = op.static_offsets.get_values(), op.static_strides.get_values()
    if (tuple(offsets), tuple(strides)) != ((0,), (1,)):
        message = "memref.reinterpret_cast must give the first elements of an array, in a row"
        raise unsupported(op, message)
    (extent,) = array_type(op.result.type, op).extents
    size = body.value(op.sizes[0]) if extent is None else literal(extent)
    body.arrays[op.result] = replace(body.array(op.source), extents=(size,))


def _refuse_tokens(op: Operation) -> None:
    tokens = (*op.operands, *op.results)
    if any(isinstance(value.type, gpu.AsyncTokenType) for value in tokens):
        raise unsupported(op, f"asynchronous '{op.name}' is not supported")


def _translate_allocation(body: Body, op: gpu.AllocOp, language: Language) -> None:
    _refuse_tokens(op)
    if op.hostShared is not None or op.symbolOperands:
        raise unsupported(op, "memory that host and device share is not supported")
    type = array_type(op.result.type, op)
    sizes = iter(op.dynamicSizes)
    extents = tuple(
        body.value(next(sizes)) if extent is None else literal(extent) for extent in type.extents
    )
    extents = tuple(named(body, extent, "size") for extent in extents)
    is_handle = language.words.device_pointer is not None
    is_linear = is_handle or needs_linear(body.dialect, type)
    variable = body.names.for_value(op.result, "device_memory")
    array = Array(variable, type.element, extents, is_pointer=True, is_linear=is_linear)
    body.arrays[op.result] = array
    body.add(DeviceAllocation(array))


def _is_on_device(value: SSAValue) -> bool:
    """Whether a memref is memory that the function has allocated on the device."""
    owner = value.owner
    return (
        _is_on_device(owner.source)
        if isinstance(owner, memref.CastOp | memref.ReinterpretCastOp)
        else isinstance(owner, gpu.AllocOp)
    )


_COPIES = {
    (True, False): "polyir_copy_to_device",
    (False, True): "polyir_copy_to_host",
    (True, True): "polyir_copy_on_device",
}
"""The function that copies, by whether the target and the source are on the device."""


def _translate_copy(body: Body, op: gpu.MemcpyOp) -> None:
    _refuse_tokens(op)
    places = (_is_on_device(op.dst), _is_on_device(op.src))
    if places not in _COPIES:
        raise unsupported(op, "neither array of 'gpu.memcpy' comes from 'gpu.alloc'")
    array = body.array(op.dst if places[0] else op.src)
    target, source = (_whole(body.array(value)) for value in (op.dst, op.src))
    body.add(DeviceCopy(_COPIES[places], target, source, array))


def _whole(array: Array) -> Address:
    """A pointer to an array, whatever its type."""
    is_scalar = not array.extents and not array.is_pointer
    return Address(array.flat or array.variable, is_taken=is_scalar)


def _translate_launch(
    body: Body, op: gpu.LaunchFuncOp, language: Language, memory: Mapping[str, int]
) -> None:
    _refuse_tokens(op)
    if op.dynamicSharedMemorySize is not None or op.clusterSizeX is not None:
        raise unsupported(op, "a launch with dynamic shared memory or clusters is not supported")
    sizes = {
        "grid": (op.gridSizeX, op.gridSizeY, op.gridSizeZ),
        "block": (op.blockSizeX, op.blockSizeY, op.blockSizeZ),
    }
    grid, block = (
        tuple(
            named(body, body.value(size), f"{what}_{axis}")
            for size, axis in zip(values, "xyz", strict=True)
        )
        for what, values in sizes.items()
    )
    arguments: list[Argument] = []
    for value in op.kernelOperands:
        arguments += _arguments(body, op, value, language)
    kernel = symbol_name(op.kernel.nested_references.data[-1].data)
    body.add(Launch(kernel, grid, block, tuple(arguments), memory.get(kernel, 0)))


def _arguments(
    body: Body, op: gpu.LaunchFuncOp, value: SSAValue, language: Language
) -> list[Argument]:
    """What is passed for an operand of a kernel."""
    if not isinstance(value.type, MemRefType):
        return [body.value(value)]
    if language.words.device_pointer is None:
        return [*array_arguments(body, op, value)]
    if not _is_on_device(value):
        raise unsupported(op, "an argument of the kernel does not come from 'gpu.alloc'")
    array, type = body.array(value), array_type(value.type, op)
    return [Address(array.variable), *(array.extents[n] for n in type.dynamic_dimensions)]
