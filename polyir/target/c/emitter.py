"""A module as one C file: headers, helpers, globals, prototypes, functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import ModuleOp

from polyir.target.c.expressions import ExpressionPrinter
from polyir.target.c.function import Environment, FunctionText, is_private, write_function
from polyir.target.c.globals import global_array, global_lines
from polyir.target.c.names import symbol_name, symbol_of
from polyir.target.c.operations import operation_name
from polyir.target.c.types import refuse
from polyir.target.c.usage import Usage


@dataclass(frozen=True)
class COptions:
    """How C is written: with `openmp`, parallel loops get pragmas."""

    openmp: bool = True


def emit_c(module: ModuleOp, stream: IO[str], options: COptions | None = None) -> None:
    """Print `module`, in loop form, as C99 with OpenMP pragmas.

    Raises `CTargetError`, at the operation, for what has no C; nothing is printed then. The same
    operations are computed in the same order, so that with the same flags and without contraction
    (`-ffp-contract=off`) results have the same bits as those of the module.
    """
    stream.write(c_text(module, options or COptions()))


def c_text(module: ModuleOp, options: COptions) -> str:
    """The text that `emit_c` prints."""
    symbols = _symbols(module)
    usage = Usage(ExpressionPrinter())
    arrays = {op.sym_name.data: global_array(op) for op in symbols.globals}
    names = (
        *(symbol_name(op.sym_name.data) for op in symbols.globals),
        *(symbol_name(op.sym_name.data) for op in symbols.functions),
    )
    environment = Environment(arrays, names, usage, options.openmp)
    functions = [write_function(op, environment) for op in symbols.functions]
    global_text = [
        line for op in symbols.globals for line in global_lines(op, arrays[op.sym_name.data], usage)
    ]
    parts: list[Sequence[str]] = [
        [f"#include <{header}>" for header in usage.headers()],
        ["\n\n".join(helper.text.rstrip() for helper in usage.helpers())],
        global_text,
        _prototypes(functions),
        *(function.lines for function in functions),
    ]
    return "\n\n".join("\n".join(part) for part in parts if any(part)) + "\n"


@dataclass(frozen=True)
class _Symbols:
    """The operations of a module that become definitions in C."""

    globals: tuple[memref.GlobalOp, ...]
    functions: tuple[func.FuncOp, ...]


def _symbols(module: ModuleOp) -> _Symbols:
    """Sort the operations of a module; leave out private functions that nobody calls."""
    called = {symbol_of(op.callee): None for op in module.walk() if isinstance(op, func.CallOp)}
    globals_: list[memref.GlobalOp] = []
    functions: list[func.FuncOp] = []
    for op in module.body.block.ops:
        match op:
            case memref.GlobalOp():
                globals_.append(op)
            case func.FuncOp():
                if op.sym_name.data in called or not is_private(op):
                    functions.append(op)
            case _:
                raise refuse(op, f"the C target has no C for the operation {operation_name(op)}")
    _check_names([*globals_, *functions])
    return _Symbols(tuple(globals_), tuple(functions))


def _check_names(definitions: Sequence[memref.GlobalOp | func.FuncOp]) -> None:
    """Refuse symbols that differ in MLIR only, like `a.b` and `a_b`."""
    symbols: dict[str, str] = {}
    for op in definitions:
        symbol = op.sym_name.data
        name = symbol_name(symbol)
        if name in symbols:
            raise refuse(op, f"'{symbol}' and '{symbols[name]}' would both be '{name}' in C")
        symbols[name] = symbol


def _prototypes(functions: Sequence[FunctionText]) -> list[str]:
    """Prototypes of functions defined elsewhere or called before their definition.

    Also of those whose definition calls its parameters otherwise than the interface does.
    """
    called: dict[str, None] = {}
    early: dict[str, None] = {}
    for function in functions:
        called.update(dict.fromkeys(function.callees))
        if function.symbol in called:
            early[function.symbol] = None
    return [
        function.prototype
        for function in functions
        if not function.lines or function.renames_parameters or function.symbol in early
    ]
