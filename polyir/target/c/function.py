"""C functions from `func.func`.

`memref<1000x1100xf64>` becomes `double A[restrict 1000][1100]`; `memref<?x?xf64>` a pointer and
the extents that are dynamic, `double *restrict A, int64_t A_0, int64_t A_1`. A single scalar result
is returned, several are written through pointers that follow the arguments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import affine, arith, func, memref, omp, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Operation, SSAValue

from polyir.dialects.pure_functions import READNONE, is_pure_call
from polyir.target.c.affine import literal, maximum, minimum
from polyir.target.c.body import Array, Body
from polyir.target.c.control import emit_affine_for, emit_affine_if, emit_scf_for, emit_scf_if
from polyir.target.c.expressions import Call, Expression, Name, Variable
from polyir.target.c.memory import (
    declare_pointer,
    emit_alloc,
    emit_alloca,
    emit_cast,
    emit_copy,
    emit_dealloc,
    emit_dim,
    emit_load,
    emit_store,
    flat_pointer,
    memref_type,
)
from polyir.target.c.names import NameTable, symbol_name, symbol_of
from polyir.target.c.operations import computation, is_computation, operation_name
from polyir.target.c.parallel import (
    emit_affine_parallel,
    emit_omp_loop,
    emit_omp_parallel,
    emit_scf_parallel,
)
from polyir.target.c.statements import INDENT, LINE_WIDTH, Writer
from polyir.target.c.types import Scalar, memref_parts, refuse, scalar_type
from polyir.target.c.usage import Usage
from polyir.target.c.uses import affine_map, is_droppable


@dataclass(frozen=True)
class Environment:
    """What the functions of a module share: globals by symbol, and the names at file scope."""

    arrays: Mapping[str, Array]
    names: Sequence[str]
    usage: Usage
    openmp: bool


@dataclass(frozen=True)
class FunctionText:
    """A function in C; `lines` is empty for a mere declaration."""

    symbol: str
    prototype: str
    lines: tuple[str, ...]
    callees: tuple[str, ...]
    renames_parameters: bool


def write_function(op: func.FuncOp, environment: Environment) -> FunctionText:
    """The text of a function; raises `CTargetError` for what has no C."""

    def emit(body: Body, inner: Operation) -> None:
        emit_operation(body, inner, environment)

    usage = environment.usage
    body = Body(NameTable(environment.names), usage, emit, environment.openmp)
    parameters = _parameters(body, op)
    results = _result_pointers(body, op)
    pointers = [declaration for _, declaration in results]
    head = _head(body, op)
    prototype = _signature(head, [p.interface for p in parameters] + pointers) + ";"
    symbol = op.sym_name.data
    if op.is_declaration:
        return FunctionText(symbol, prototype, (), (), False)
    if len(op.body.blocks) != 1:
        raise refuse(op, "the C target wants structured control flow: one block in a function")
    body.count_uses(op.body.block)
    terminator = body.emit_block(op.body.block)
    _emit_return(body, terminator, [variable for variable, _ in results])
    renamed = [parameter for parameter in parameters if parameter.is_renamed(usage)]
    views = [_view(body, parameter) for parameter in renamed if parameter.variable in usage]
    prologue = Writer(depth=1)
    prologue.mark_used(*(p.variable for p in parameters if p not in renamed))
    for view in views:
        prologue.line(view)
    definition = _signature(head, [p.definition(usage) for p in parameters] + pointers)
    lines = (*prologue.render(usage), *body.writer.render(usage))
    callees = tuple(
        symbol_of(inner.callee) for inner in op.walk() if isinstance(inner, func.CallOp)
    )
    text = (f"{definition} {{", *lines, "}")
    return FunctionText(symbol, prototype, text, callees, bool(renamed))


@dataclass(frozen=True)
class Parameter:
    """A parameter of a C function.

    An array of several dimensions that comes as a pointer is indexed through a pointer to its
    rows, which takes the name; the parameter itself is then called otherwise in the definition.
    """

    variable: Variable
    type_and_star: str
    sizes: str = ""
    viewed: Array | None = None

    @property
    def interface(self) -> str:
        return f"{self.type_and_star}{self.variable.name}{self.sizes}"

    def is_renamed(self, usage: Usage) -> bool:
        """Whether the array is used, so that its name is that of the pointer to its rows."""
        if self.viewed is None:
            return False
        return self.variable in usage or self.viewed.flat in usage

    def definition(self, usage: Usage) -> str:
        if self.viewed is not None and self.viewed.flat is not None and self.is_renamed(usage):
            return f"{self.type_and_star}{self.viewed.flat.name}"
        return self.interface


def _parameters(body: Body, op: func.FuncOp) -> list[Parameter]:
    """The parameters of a function; their values are made known to `body`."""
    block = op.body.blocks.first
    parameters: list[Parameter] = []
    for position, type in enumerate(op.function_type.inputs.data):
        value = None if block is None else block.args[position]
        hint = (value.name_hint if value is not None else None) or f"arg{position}"
        if isinstance(type, MemRefType):
            parameters.extend(_array_parameters(body, op, type, hint, value))
            continue
        scalar = scalar_type(type, op)
        variable = body.names.fresh(hint)
        parameters.append(Parameter(variable, f"{body.type_name(scalar)} "))
        if value is not None:
            body.bind(value, Name(scalar, variable))
    return parameters


def _array_parameters(
    body: Body,
    op: func.FuncOp,
    type: MemRefType[Attribute],
    hint: str,
    value: SSAValue | None,
) -> list[Parameter]:
    """The pointer of an array, and its dynamic extents."""
    element, extents = memref_parts(type, op)
    dynamic = [position for position, extent in enumerate(extents) if extent is None]
    is_viewed = bool(dynamic) and len(extents) > 1
    suffixes = ["", *(f"_{position}" for position in dynamic)]
    if is_viewed:
        suffixes.append("_data")
    variable = body.names.fresh(hint, suffixes)
    flat = Variable(f"{variable.name}_data") if is_viewed else None
    sizes = {position: Variable(f"{variable.name}_{position}") for position in dynamic}
    known: tuple[Expression, ...] = tuple(
        Name(Scalar.INT64, sizes[position]) if extent is None else literal(extent)
        for position, extent in enumerate(extents)
    )
    array = Array(variable, element, known, True, flat)
    if value is not None:
        body.arrays[value] = array
    name = body.type_name(element)
    if extents and not dynamic:
        first, *others = extents
        brackets = f"[restrict {first}]" + "".join(f"[{extent}]" for extent in others)
        return [Parameter(variable, f"{name} ", brackets)]
    pointer = Parameter(variable, f"{name} *restrict ", viewed=array if is_viewed else None)
    index = body.type_name(Scalar.INT64)
    return [pointer, *(Parameter(size, f"{index} ") for size in sizes.values())]


def _view(body: Body, parameter: Parameter) -> str:
    """The declaration of the pointer to the rows of an array."""
    array = parameter.viewed
    assert array is not None
    assert array.flat is not None
    pointer = declare_pointer(body, array, array.variable)
    row = "".join(f"[{body.text(extent)}]" for extent in array.extents[1:])
    return f"{pointer} = ({body.type_name(array.element)} (*){row}){array.flat.name};"


def _result_pointers(body: Body, op: func.FuncOp) -> list[tuple[Variable, str]]:
    """Variables and declarations of the pointers through which several results are given."""
    types = op.function_type.outputs.data
    if len(types) < 2:
        return []
    pointers = []
    for position, type in enumerate(types):
        variable = body.names.fresh(f"result_{position}")
        name = body.type_name(scalar_type(type, op))
        pointers.append((variable, f"{name} *restrict {variable.name}"))
    return pointers


def _head(body: Body, op: func.FuncOp) -> str:
    """What stands before the parameters: linkage, the type of the result, the name."""
    types = op.function_type.outputs.data
    result = "void" if len(types) != 1 else body.type_name(scalar_type(types[0], op))
    linkage = "static " if is_private(op) and not op.is_declaration else ""
    # A function of the C library that only computes is called by its own name.
    name = op.sym_name.data if READNONE in op.attributes else symbol_name(op.sym_name.data)
    return f"{linkage}{result} {name}"


def is_private(op: func.FuncOp) -> bool:
    """Whether a function cannot be called from outside the module."""
    return op.sym_visibility is not None and op.sym_visibility.data == "private"


def _signature(head: str, parameters: Sequence[str]) -> str:
    """A function's head and parameters, broken into lines that are not too long."""
    text = f"{head}({', '.join(parameters) or 'void'})"
    if len(text) + len(" {") <= LINE_WIDTH:
        return text
    indent = INDENT * 2
    lines = [f"{head}("]
    line = indent
    for position, parameter in enumerate(parameters):
        item = parameter + (", " if position + 1 < len(parameters) else ")")
        if len(line) + len(item) > LINE_WIDTH and line != indent:
            lines.append(line.rstrip())
            line = indent
        line += item
    return "\n".join([*lines, line])


def _emit_return(body: Body, op: Operation | None, pointers: Sequence[Variable]) -> None:
    if op is None or not op.operands:
        return
    values = [body.text(body.take(operand)) for operand in op.operands]
    if not pointers:
        body.writer.line(f"return {values[0]};")
    for variable, value in zip(pointers, values, strict=False):
        body.writer.line(f"*{variable.name} = {value};")


def _emit_call(body: Body, op: func.CallOp) -> None:
    """A call; it stands where it stood, unless it only computes: it may touch any memory."""
    if is_pure_call(op):
        callee, result = symbol_of(op.callee), op.results[0]
        operands = tuple(body.take(argument) for argument in op.arguments)
        body.define(result, Call(scalar_type(result.type, op), callee, operands))
        return
    arguments: list[str] = []
    for argument in op.arguments:
        if isinstance(argument.type, MemRefType):
            arguments.extend(_array_arguments(body, op, argument))
        else:
            arguments.append(body.text(body.take(argument)))
    body.before_any_write()
    name = symbol_name(symbol_of(op.callee))
    if len(op.results) != 1 or not body.is_used(op.results[0]):
        for result in op.results:
            type = scalar_type(result.type, op)
            variable = body.names.for_value(result, "t")
            if len(op.results) > 1:
                body.writer.line(f"{body.type_name(type)} {variable.name};")
                arguments.append(f"&{variable.name}")
                body.bind(result, Name(type, variable))
        body.writer.line(f"{name}({', '.join(arguments)});")
        return
    type = scalar_type(op.results[0].type, op)
    variable = body.names.for_value(op.results[0], "t")
    body.writer.line(
        f"const {body.type_name(type)} {variable.name} = {name}({', '.join(arguments)});"
    )
    body.bind(op.results[0], Name(type, variable))


def _array_arguments(body: Body, op: func.CallOp, value: SSAValue) -> list[str]:
    """A pointer and the extents that the callee's type leaves open."""
    array = body.array(value)
    _, extents = memref_parts(memref_type(value, op), op)
    if extents and None not in extents:
        body.usage.mark(array.variable)
        return [array.variable.name]
    sizes = [
        body.text(known)
        for known, extent in zip(array.extents, extents, strict=True)
        if extent is None
    ]
    return [flat_pointer(body, array), *sizes]


def emit_operation(body: Body, op: Operation, environment: Environment) -> None:
    """Write down one operation, or remember the value that it computes."""
    if is_droppable(op) and not any(body.is_used(result) for result in op.results):
        return
    if is_computation(op):
        _emit_computation(body, op)
        return
    match op:
        case affine.LoadOp() | memref.LoadOp():
            emit_load(body, op)
        case affine.StoreOp() | memref.StoreOp():
            emit_store(body, op)
        case affine.ForOp():
            emit_affine_for(body, op)
        case affine.IfOp():
            emit_affine_if(body, op)
        case affine.ParallelOp():
            emit_affine_parallel(body, op)
        case affine.ApplyOp():
            body.define(op.result, body.take_map(op.map.data, op.mapOperands)[0])
        case affine.MinOp():
            body.define(op.result, minimum(body.take_map(op.map.data, op.arguments)))
        case scf.ForOp():
            emit_scf_for(body, op)
        case scf.IfOp():
            emit_scf_if(body, op)
        case scf.ParallelOp():
            emit_scf_parallel(body, op)
        case omp.ParallelOp():
            emit_omp_parallel(body, op)
        case omp.WsLoopOp():
            emit_omp_loop(body, op)
        case func.CallOp():
            _emit_call(body, op)
        case memref.GetGlobalOp():
            array = _global(op, environment)
            body.usage.mark(array.variable)
            body.arrays[op.memref] = array
        case _:
            _emit_other(body, op)


def _emit_other(body: Body, op: Operation) -> None:
    """The rest: allocations, and operations that xDSL has no class for."""
    match op:
        case memref.AllocaOp():
            emit_alloca(body, op)
        case memref.AllocOp():
            emit_alloc(body, op)
        case memref.DeallocOp():
            emit_dealloc(body, op)
        case memref.CopyOp():
            emit_copy(body, op)
        case memref.DimOp():
            emit_dim(body, op)
        case memref.CastOp():
            emit_cast(body, op)
        case _ if operation_name(op) == "affine.prefetch":
            # Advice to the memory that C has no word for.
            pass
        case _ if operation_name(op) == "affine.max":
            body.define(op.results[0], maximum(body.take_map(affine_map(op).data, op.operands)))
        case _:
            raise refuse(op, f"the C target has no C for the operation {operation_name(op)}")


def _emit_computation(body: Body, op: Operation) -> None:
    """A value without memory; what is loaded for a `select` is loaded whatever it selects."""
    if isinstance(op, arith.SelectOp):
        arms = [body.take_invariant(op.lhs), body.take_invariant(op.rhs)]
        body.define(op.result, computation(op, [body.take(op.cond), *arms]))
        return
    body.define(op.results[0], computation(op, [body.take(operand) for operand in op.operands]))


def _global(op: memref.GetGlobalOp, environment: Environment) -> Array:
    array = environment.arrays.get(symbol_of(op.name_))
    if array is None:
        raise refuse(op, f"no global named {symbol_of(op.name_)} in the module")
    return array
