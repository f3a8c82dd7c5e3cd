"""Kernels from `gpu.func`: functions that all threads of a grid run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Final

from xdsl.dialects import affine, func, gpu, memref, scf
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DictionaryAttr, IntegerAttr, MemRefType
from xdsl.ir import Operation, SSAValue

from polyir.dialects.affine_extra import MaxOp, PrefetchOp
from polyir.dialects.gpu_extra import is_kernel, memory_arguments
from polyir.dialects.pure_functions import is_pure_call
from polyir.model.memory_accesses import accesses_in
from polyir.target.abi import (
    LIBRARY_FUNCTIONS,
    Scalar,
    Signature,
    array_type,
    library_name,
    parameters_of,
    symbol_name,
    symbol_of,
)
from polyir.target.c.body import Body
from polyir.target.c.function import (
    Environment,
    bind_parameters,
    empty_body,
    translate_function,
    translate_operation,
)
from polyir.target.c.memory import global_array, translate_global, zero
from polyir.target.c.operations import is_computation
from polyir.target.c.spelling import SpelledInC
from polyir.target.c.syntax import (
    Array,
    ArrayArgument,
    CParameter,
    ExtensionStatement,
    Function,
    GlobalArray,
    LocalArray,
    Name,
    Variable,
    literal,
)
from polyir.target.c.thread_numbers import is_thread_number
from polyir.target.errors import operation_name, unsupported
from polyir.target.gpu.language import Language
from polyir.target.gpu.vectors import is_vector_access, translate_vector_access

BlockSize = tuple[int, int, int]


@dataclass(frozen=True)
class KernelFunction(Function):
    """A function that all threads of a grid run, in blocks of this size if it is known.

    A launch must ask for `launch_memory` bytes of memory of a block.
    """

    block_size: BlockSize | None = None
    launch_memory: int = 0


@dataclass(frozen=True)
class Barrier(ExtensionStatement):
    """All threads of a block wait here for each other."""


@dataclass(frozen=True)
class DeviceCode:
    """What a module of kernels becomes: arrays of constants, functions, and kernels."""

    globals: tuple[GlobalArray, ...]
    functions: tuple[Function, ...]
    kernels: tuple[KernelFunction, ...]


@dataclass(frozen=True)
class LaunchMemory(ExtensionStatement):
    """The memory of a block that the launch asked for."""


@dataclass(frozen=True)
class LaunchMemoryPart(ExtensionStatement):
    """An array in that memory, from the byte `offset` on."""

    array: Array
    offset: int


def launch_memory(op: gpu.FuncOp, language: Language) -> int:
    """How many bytes of memory of a block a launch of a kernel must ask for.

    0 if the kernel can declare it; else all of it.
    """
    end = _offsets(op)[-1]
    limit = language.words.declared_memory
    return end if limit is not None and end > limit else 0


def _offsets(op: gpu.FuncOp) -> list[int]:
    """The first byte of each array of a block, one after the other, and the end of the last."""
    shared, _ = memory_arguments(op)
    offsets, end = [], 0
    for value, alignment in zip(shared, _alignments(op, "workgroup", shared), strict=True):
        type = array_type(value.type, op)
        unit = max(alignment or 1, _ALIGNMENT)
        end = (end + unit - 1) // unit * unit
        offsets.append(end)
        end += prod(extent or 0 for extent in type.extents) * max(type.element.width // 8, 1)
    return [*offsets, end]


_ALIGNMENT: Final = 16
"""That of the longest loads and stores of a thread."""


def translate_module(op: gpu.ModuleOp, language: Language, names: Sequence[str]) -> DeviceCode:
    """The syntax trees of the definitions in a module of kernels.

    `names` are those of all kernels of the file. What kernels call and read has the name of its
    module, too: the host, and other modules, may have it under the same symbol. Raises
    `TargetError` for what the language does not have.
    """
    globals_: dict[str, tuple[memref.GlobalOp, Array]] = {}
    functions: dict[str, func.FuncOp] = {}
    kernels: list[gpu.FuncOp] = []
    prefix = op.sym_name.data
    for inner in op.body.block.ops:
        match inner:
            case memref.GlobalOp():
                symbol = inner.sym_name.data
                array = global_array(inner)
                variable = Variable(symbol_name(f"{prefix}_{symbol}"))
                globals_[symbol] = (inner, replace(array, variable=variable))
            case func.FuncOp():
                functions[inner.sym_name.data] = inner
            case gpu.FuncOp():
                kernels.append(inner)
            case _:
                message = f"operation '{operation_name(inner)}' is not supported in a kernel"
                raise unsupported(inner, message)
    own = {
        symbol: symbol_name(f"{prefix}_{symbol}")
        for symbol, each in functions.items()
        if not each.is_declaration
    }
    arrays = {symbol: array for symbol, (_, array) in globals_.items()}
    taken = (*names, *own.values(), *(array.variable.name for array in arrays.values()))
    environment = Environment(arrays, taken, language.words.device, False, own)
    return DeviceCode(
        tuple(replace(translate_global(*each), is_static=True) for each in globals_.values()),
        tuple(_translate_function(functions[symbol], language, environment) for symbol in own),
        tuple(_translate_kernel(each, language, environment) for each in kernels),
    )


def _translate_function(op: func.FuncOp, language: Language, environment: Environment) -> Function:
    """A function that kernels call."""
    if any(isinstance(type, MemRefType) for type in op.function_type.inputs.data):
        raise unsupported(op, "a function with arrays cannot be called in a kernel")

    def translate(body: Body, inner: Operation, environment: Environment) -> None:
        _translate(body, inner, environment, language, None)

    return replace(translate_function(op, environment, translate), is_static=True)


def _translate_kernel(
    op: gpu.FuncOp, language: Language, environment: Environment
) -> KernelFunction:
    symbol, block = op.sym_name.data, op.body.blocks.first
    if not is_kernel(op):
        raise unsupported(op, f"the device function '{symbol}' is not a kernel")

    def translate(body: Body, inner: Operation, environment: Environment) -> None:
        _translate(body, inner, environment, language, size)

    size = _block_size(op)
    body = empty_body(op, op.body, environment, environment.names, translate)
    assert block is not None
    inputs = op.function_type.inputs.data
    signature = Signature(symbol, parameters_of(op, inputs, block), ())
    parameters = bind_parameters(body, block, signature)
    memory = launch_memory(op, language)
    _declare_memory(body, op, memory > 0)
    body.translate_block(block)
    return KernelFunction(
        symbol_name(symbol),
        False,
        None,
        tuple(_qualified(op, parameters, body)),
        tuple(body.statements),
        block_size=size,
        launch_memory=memory,
    )


def _block_size(op: gpu.FuncOp) -> BlockSize | None:
    """The number of threads of a block in each dimension, if the kernel says it."""
    known = op.known_block_size
    if not isinstance(known, DenseArrayBase):
        return None
    x, y, z = (int(size) for size in known.get_values())
    return x, y, z


def _declare_memory(body: Body, op: gpu.FuncOp, from_launch: bool) -> None:
    """Declare the arrays of a block, and after them those of a thread."""
    shared, private = memory_arguments(op)
    offsets = _offsets(op)
    if from_launch:
        body.add(LaunchMemory())
    alignments = [*_alignments(op, "workgroup", shared), *_alignments(op, "private", private)]
    for position, value in enumerate((*shared, *private)):
        type = array_type(value.type, op)
        if type.dynamic_dimensions:
            raise unsupported(op, f"memory of a kernel must have a constant size: '{value.type}'")
        extents = tuple(literal(extent or 0) for extent in type.extents)
        is_shared = position < len(shared)
        variable = body.names.for_value(value, "shared" if is_shared else "t")
        array = Array(variable, type.element, extents, is_pointer=is_shared and from_launch)
        body.arrays[value] = array
        if array.is_pointer:
            body.add(LaunchMemoryPart(array, offsets[position]))
            continue
        # A C compiler might not see that a scalar is set before it is read.
        start = None if extents or is_shared else zero(type.element)
        body.add(LocalArray(array, start, alignments[position], is_shared))


def _alignments(op: gpu.FuncOp, space: str, memory: Sequence[SSAValue]) -> list[int | None]:
    """The alignment of each array of a space, where it says one."""
    known = op.attributes.get(f"{space}_attrib_attrs")
    if not isinstance(known, ArrayAttr):
        return [None] * len(memory)
    alignments: list[int | None] = []
    for attributes in known.data:
        assert isinstance(attributes, DictionaryAttr)
        alignment = attributes.data.get("llvm.align")
        alignments.append(alignment.value.data if isinstance(alignment, IntegerAttr) else None)
    return alignments


def _qualified(
    op: gpu.FuncOp, parameters: Sequence[CParameter], body: Body
) -> Iterator[CParameter]:
    """The parameters; the arrays that the kernel does not write to are constant.

    Between barriers, other threads may change the others: a compiler would take them for the memory
    of this thread alone if they were `restrict`, and keep elements in registers over a barrier.
    """
    written = {body.array(access.memref).variable for access in accesses_in(op) if access.is_write}
    code = op if not any(isinstance(inner, func.CallOp) for inner in op.walk()) else op.parent_op()
    assert code is not None
    has_barriers = any(isinstance(inner, gpu.BarrierOp) for inner in code.walk())
    for parameter in parameters:
        if isinstance(parameter, ArrayArgument):
            is_constant = parameter.array.variable not in written
            is_restricted = is_constant or not has_barriers
            yield replace(parameter, is_constant=is_constant, is_restricted=is_restricted)
        else:
            yield parameter


_KERNEL_OPERATIONS: Final = (
    affine.ApplyOp
    | affine.ForOp
    | affine.IfOp
    | affine.LoadOp
    | affine.MinOp
    | affine.ParallelOp
    | affine.StoreOp
    | MaxOp
    | PrefetchOp
    | memref.AllocaOp
    | memref.CastOp
    | memref.DimOp
    | memref.GetGlobalOp
    | memref.LoadOp
    | memref.StoreOp
    | scf.ForOp
    | scf.IfOp
    | scf.ParallelOp
    | scf.WhileOp
)
"""What a kernel does just as a function of C does. A parallel loop is run by each thread."""

_DEVICE_FUNCTIONS: Final = tuple(
    library_name(name, type)
    for name in LIBRARY_FUNCTIONS.values()
    for type in (Scalar.DOUBLE, Scalar.FLOAT)
)


def _translate(
    body: Body,
    op: Operation,
    environment: Environment,
    language: Language,
    block_size: BlockSize | None,
) -> None:
    """Add the statements of one operation of a kernel."""
    is_supported = is_computation(op) or isinstance(op, _KERNEL_OPERATIONS)
    is_supported |= op.has_trait(SpelledInC)
    if isinstance(op, func.CallOp):
        name = symbol_of(op.callee)
        is_supported = name in environment.functions or (
            name in _DEVICE_FUNCTIONS and is_pure_call(op)
        )
        if not is_supported:
            raise unsupported(op, f"function '{name}' cannot be called in a kernel")
    if is_thread_number(op):
        _translate_thread_number(body, op, language, block_size)
    elif isinstance(op, gpu.BarrierOp):
        body.add(Barrier())
    elif is_vector_access(op):
        translate_vector_access(body, op)
    elif is_supported:
        translate_operation(body, op, environment)
    else:
        raise unsupported(op, f"operation '{operation_name(op)}' is not supported in a kernel")


def _translate_thread_number(
    body: Body, op: Operation, language: Language, block_size: BlockSize | None
) -> None:
    """A local that holds the number; the known size of a block is a constant."""
    result, dimension = op.results[0], op.properties["dimension"]
    assert isinstance(dimension, gpu.DimensionAttr)
    axis = dimension.data.value
    number = "xyz".index(axis)
    if block_size is not None and isinstance(op, gpu.BlockDimOp):
        body.bind(result, literal(block_size[number]))
        return
    text = language.words.thread_numbers[op.name].format(axis=axis, number=number)
    # The text is only the value of a declaration, which converts it.
    body.define(result, Name(Scalar.INT64, Variable(text)))
