"""C functions from `func.func`, by the calling convention of `polyir/target/abi.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from xdsl.dialects import affine, func, memref, omp, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, Region, SSAValue

from polyir.dialects.affine_extra import MaxOp, PrefetchOp
from polyir.dialects.allocation_checks import AllocatedOp, ThreadCountOp, ThreadPartOp
from polyir.dialects.memory_extra import PrefetchOp as MemoryPrefetchOp
from polyir.dialects.pure_functions import READNONE, is_pure_call
from polyir.model.affine_operations import UNDEFINED_DIVISION, has_undefined_division
from polyir.target.abi import (
    ArrayParameter,
    Scalar,
    Signature,
    extent_name,
    is_private,
    results_by_pointer,
    scalar_type,
    signature_of,
    symbol_name,
    symbol_of,
)
from polyir.target.c.address_steps import needs_effect
from polyir.target.c.body import Body, BodyMaker, NameTable
from polyir.target.c.dialect import Dialect
from polyir.target.c.helpers import HAS_EFFECTS, THREAD_COUNT
from polyir.target.c.loops import (
    translate_affine_for,
    translate_affine_if,
    translate_affine_parallel,
    translate_omp_loop,
    translate_omp_parallel,
    translate_scf_for,
    translate_scf_if,
    translate_scf_parallel,
    translate_scf_while,
)
from polyir.target.c.memory import (
    all_allocated,
    array_arguments,
    needs_linear,
    plain_pointer,
    translate_alloc,
    translate_alloca,
    translate_cast,
    translate_copy,
    translate_dealloc,
    translate_dim,
    translate_load,
    translate_store,
    translate_thread_part,
    translate_view,
)
from polyir.target.c.operations import computation, is_computation
from polyir.target.c.plan import is_on_vectors, plan_function
from polyir.target.c.spelling import SpelledInC
from polyir.target.c.syntax import (
    Address,
    Argument,
    Array,
    ArrayArgument,
    Assign,
    Call,
    CallStatement,
    CParameter,
    CStatement,
    Declaration,
    Element,
    Function,
    Name,
    ResultPointer,
    Return,
    RowView,
    ScalarArgument,
    Variable,
    literal,
)
from polyir.target.c.usage import Usage
from polyir.target.errors import TargetError, unsupported, unsupported_operation


@dataclass(frozen=True)
class PlainPointer:
    """A parameter for an array whose outer extent nobody knows, as C programs pass arrays."""

    element: Scalar
    is_constant: bool


_NO_POINTERS: Final[Mapping[int, PlainPointer]] = MappingProxyType({})


@dataclass(frozen=True)
class Environment:
    """What the functions of a module share: globals by symbol, and the names at file scope.

    `functions` are the names of those functions that do not have the name of their symbol.
    `pointers` are the parameters, by symbol and position, that are plain pointers. `make_body`
    makes the body of each function, and gets what a `Body` is made of.
    """

    globals: Mapping[str, Array]
    names: Sequence[str]
    dialect: Dialect
    openmp: bool
    functions: Mapping[str, str] = field(default_factory=dict)
    pointers: Mapping[str, Mapping[int, PlainPointer]] = field(default_factory=dict)
    make_body: BodyMaker = Body

    def function_name(self, symbol: str) -> str:
        """The name of the function with a symbol."""
        return self.functions.get(symbol) or symbol_name(symbol)


Translation = Callable[[Body, Operation, Environment], None]
"""Adds the statements of one operation to a body."""


def translate_function(
    op: func.FuncOp, environment: Environment, translate: Translation | None = None
) -> Function:
    """The syntax tree of a function; raises `TargetError` for what has no C.

    `translate` takes the place of `translate_operation`.
    """
    symbol, signature = op.sym_name.data, signature_of(op)
    body = function_body(op, environment, environment.names, translate)
    plain = environment.pointers.get(symbol, _NO_POINTERS)
    parameters = bind_parameters(body, op.body.blocks.first, signature, plain)
    pointers = [
        ResultPointer(type, body.names.fresh(f"result_{position}"))
        for position, type in enumerate(signature.pointer_results)
    ]
    if not op.is_declaration:
        _translate_return(body, body.translate_block(op.body.block), pointers)
        parameters, views = _row_views(parameters, body.statements)
        body.statements[:0] = views
    return Function(
        # A function of the C library that only computes is called by its own name.
        symbol if READNONE in op.attributes else environment.function_name(symbol),
        is_private(op) and not op.is_declaration,
        signature.returned,
        (*parameters, *pointers),
        None if op.is_declaration else tuple(body.statements),
        tuple(_callees(op, environment)),
    )


def function_body(
    op: func.FuncOp,
    environment: Environment,
    taken: Sequence[str],
    translate: Translation | None = None,
) -> Body:
    """A body for the statements of a function, in which no name is one of `taken`."""
    body = empty_body(op, op.body, environment, taken, translate or translate_operation)
    block = op.body.blocks.first
    if block is not None and needs_effect(block):
        body.add(CallStatement(HAS_EFFECTS, ()))
    return body


def empty_body(
    op: Operation,
    region: Region,
    environment: Environment,
    taken: Sequence[str],
    translate: Translation,
) -> Body:
    """A body without statements for the region of a function `op`."""
    if len(region.blocks) > 1:
        raise unsupported(
            op, "unstructured control flow is not supported: the function has several blocks"
        )
    return environment.make_body(
        plan_function(region.blocks.first),
        NameTable((*taken, *environment.dialect.reserved)),
        lambda body, inner: translate(body, inner, environment),
        environment.dialect,
        environment.openmp,
    )


def _callees(op: func.FuncOp, environment: Environment) -> Iterator[str]:
    """The C names of the functions that a function calls."""
    for inner in op.walk():
        if isinstance(inner, func.CallOp):
            yield environment.function_name(symbol_of(inner.callee))


def bind_parameters(
    body: Body,
    block: Block | None,
    signature: Signature,
    plain: Mapping[int, PlainPointer] = _NO_POINTERS,
) -> list[CParameter]:
    """The parameters of a function, each bound to its argument if there is a body.

    Those at the positions of `plain` are plain pointers.
    """
    parameters: list[CParameter] = []
    for position, parameter in enumerate(signature.parameters):
        argument = None if block is None else block.args[position]
        if isinstance(parameter, ArrayParameter) and position in plain:
            pointer = _plain_parameter(body, parameter, plain[position])
            parameters.append(pointer)
            if argument is not None:
                body.arrays[argument] = pointer.array
            continue
        if isinstance(parameter, ArrayParameter):
            array, sizes = _array_parameter(body, parameter)
            parameters += [ArrayArgument(array), *sizes]
            if argument is not None:
                body.arrays[argument] = array
            continue
        variable = body.names.fresh(parameter.name)
        parameters.append(ScalarArgument(parameter.type, variable))
        if argument is not None:
            body.bind(argument, Name(parameter.type, variable))
    return parameters


def _plain_parameter(body: Body, parameter: ArrayParameter, plain: PlainPointer) -> ArrayArgument:
    """A pointer to the elements of an array, or to its rows, which have known lengths."""
    inner = parameter.type.extents[1:]
    if None in inner:
        raise TargetError(f"the length of the rows of the array '{parameter.name}' is not known")
    variable = body.names.fresh(parameter.name)
    rows = tuple(literal(extent or 0) for extent in inner)
    array = Array(variable, plain.element, (literal(0), *rows) if rows else (), True)
    return ArrayArgument(array, is_constant=plain.is_constant, is_plain=True)


def _array_parameter(body: Body, parameter: ArrayParameter) -> tuple[Array, list[ScalarArgument]]:
    """An array that is a parameter, and the parameters that pass its dynamic extents.

    An array of several dimensions that is passed as a plain pointer is indexed through a pointer
    to its rows, which takes the name.
    """
    type = parameter.type
    dynamic = type.dynamic_dimensions
    has_rows = bool(dynamic) and len(type.extents) > 1 and body.dialect.has_variable_extents
    suffixes = ["", *(extent_name("", dimension) for dimension in dynamic)]
    if has_rows:
        suffixes.append("_data")
    variable = body.names.fresh(parameter.name, suffixes)
    sizes = {n: Variable(extent_name(variable.name, n)) for n in dynamic}
    extents = tuple(
        Name(Scalar.INT64, sizes[position]) if extent is None else literal(extent)
        for position, extent in enumerate(type.extents)
    )
    flat = Variable(f"{variable.name}_data") if has_rows else None
    is_linear = needs_linear(body.dialect, type)
    array = Array(variable, type.element, extents, True, flat, is_linear)
    return array, [ScalarArgument(Scalar.INT64, size) for size in sizes.values()]


def _row_views(
    parameters: Sequence[CParameter], statements: Sequence[CStatement]
) -> tuple[list[CParameter], list[RowView]]:
    """Declare a pointer to the rows of each array that needs one: it is indexed in `statements`."""
    usage = Usage()
    usage.add_statements(statements)
    renamed: list[CParameter] = []
    views: list[RowView] = []
    for parameter in parameters:
        if isinstance(parameter, ArrayArgument) and parameter.array.flat is not None:
            array, flat = parameter.array, parameter.array.flat
            if array.variable in usage:
                views.append(RowView(array, flat))
            if array.variable in usage or flat in usage:
                parameter = ArrayArgument(array, flat)
        renamed.append(parameter)
    return renamed, views


def _translate_return(
    body: Body, terminator: Operation | None, pointers: Sequence[ResultPointer]
) -> None:
    values = [body.value(operand) for operand in terminator.operands] if terminator else []
    if pointers:
        for pointer, value in zip(pointers, values, strict=True):
            body.add(Assign(Element(pointer.type, pointer.variable, (), True), value))
    elif values:
        body.add(Return(values[0]))


def _translate_call(body: Body, op: func.CallOp, environment: Environment) -> None:
    """A call; one that only computes is an expression, any other a statement."""
    if is_pure_call(op):
        type = scalar_type(op.results[0].type, op)
        operands = tuple(body.value(argument) for argument in op.arguments)
        body.define(op.results[0], Call(type, symbol_of(op.callee), operands))
        return
    arguments: list[Argument] = []
    plain = environment.pointers.get(symbol_of(op.callee), _NO_POINTERS)
    for position, argument in enumerate(op.arguments):
        if position in plain:
            arguments.append(plain_pointer(body, op, argument))
        elif isinstance(argument.type, MemRefType):
            arguments.extend(array_arguments(body, op, argument))
        else:
            arguments.append(body.value(argument))
    name = environment.function_name(symbol_of(op.callee))
    pointed = results_by_pointer(op.results)
    for result in pointed:
        variable = _result_variable(body, result)
        body.add(Declaration(scalar_type(result.type, op), variable))
        arguments.append(Address(variable, is_taken=True))
    if pointed or not any(body.is_live(result) for result in op.results):
        body.add(CallStatement(name, tuple(arguments)))
        return
    (result,) = op.results
    type = scalar_type(result.type, op)
    body.add(CallStatement(name, tuple(arguments), type, _result_variable(body, result)))


def _result_variable(body: Body, result: SSAValue) -> Variable:
    """The variable that holds a result of a call."""
    variable = body.names.for_value(result, "t")
    body.bind(result, Name(scalar_type(result.type), variable))
    return variable


def translate_operation(body: Body, op: Operation, environment: Environment) -> None:
    """Add the statements of one operation, or remember the value that it computes."""
    if has_undefined_division(op):
        raise unsupported(op, UNDEFINED_DIVISION)
    if environment.dialect.has_vectors and is_on_vectors(op):
        # Few programs have vectors.
        from polyir.target.c.vectors import translate_vector_operation

        translate_vector_operation(body, op)
        return
    if is_computation(op):
        operands = [body.value(operand) for operand in op.operands]
        body.define(op.results[0], computation(op, operands))
        return
    match op:
        case affine.LoadOp() | memref.LoadOp():
            translate_load(body, op)
        case affine.StoreOp() | memref.StoreOp():
            translate_store(body, op)
        case affine.ForOp():
            translate_affine_for(body, op)
        case affine.IfOp():
            translate_affine_if(body, op)
        case affine.ParallelOp():
            translate_affine_parallel(body, op)
        case affine.ApplyOp():
            body.define(op.result, body.map(op.map.data, op.mapOperands)[0])
        case affine.MinOp():
            body.define(op.result, body.minimum(op.map.data, op.arguments))
        case MaxOp():
            body.define(op.result, body.maximum(op.map.data, op.arguments))
        case scf.ForOp():
            translate_scf_for(body, op)
        case scf.WhileOp():
            translate_scf_while(body, op)
        case scf.IfOp():
            translate_scf_if(body, op)
        case scf.ParallelOp():
            translate_scf_parallel(body, op)
        case omp.ParallelOp():
            translate_omp_parallel(body, op)
        case omp.WsLoopOp():
            translate_omp_loop(body, op)
        case func.CallOp():
            _translate_call(body, op, environment)
        case PrefetchOp():
            # Advice, which may be left out.
            pass
        case MemoryPrefetchOp():
            _translate_prefetch(body, op)
        case AllocatedOp():
            body.bind(op.result, all_allocated(body, op))
        case ThreadCountOp():
            body.define(op.result, Call(Scalar.INT64, THREAD_COUNT, ()))
        case ThreadPartOp():
            translate_thread_part(body, op)
        case _ if op.name == "cf.assert":
            # Few programs have one.
            from polyir.target.c.assertions import translate_assert

            translate_assert(body, op)
        case _ if op.name.startswith("mpi.") or op.name == "llvm.getelementptr":
            # Few programs have messages.
            from polyir.target.c.messages import translate_message

            translate_message(body, op)
        case _:
            _translate_memory(body, op, environment)


def _translate_prefetch(body: Body, op: MemoryPrefetchOp) -> None:
    """Advice that GCC and Clang have a function for; other languages go without."""
    if not body.dialect.has_vectors:
        return
    from polyir.target.c.vectors import translate_prefetch

    translate_prefetch(body, op)


def _translate_memory(body: Body, op: Operation, environment: Environment) -> None:
    """Allocations, atomic updates, and whole arrays."""
    match op:
        case memref.AllocaOp():
            translate_alloca(body, op)
        case memref.AllocOp():
            translate_alloc(body, op)
        case memref.DeallocOp():
            translate_dealloc(body, op)
        case memref.CopyOp():
            translate_copy(body, op)
        case memref.DimOp():
            translate_dim(body, op)
        case memref.CastOp():
            translate_cast(body, op)
        case memref.ReinterpretCastOp() | memref.ViewOp():
            translate_view(body, op)
        case memref.AtomicRMWOp():
            # Few programs have one.
            from polyir.target.c.atomics import translate_atomic

            translate_atomic(body, op)
        case memref.GetGlobalOp():
            symbol = symbol_of(op.name_)
            if symbol not in environment.globals:
                raise unsupported(op, f"no global named '{symbol}' in the module")
            body.arrays[op.memref] = environment.globals[symbol]
        case _:
            spelling = op.get_trait(SpelledInC)
            if spelling is None:
                raise unsupported_operation(op, environment.dialect.target)
            spelling.translate(body, op)
