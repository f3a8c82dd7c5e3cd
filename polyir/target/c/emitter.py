"""A module as one C file: headers, helpers, globals, prototypes, functions; and the `c` target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from polyir.target.abi import is_private, symbol_name, symbol_of
from polyir.target.c.function import Environment, translate_function
from polyir.target.c.memory import global_array, translate_global
from polyir.target.c.printer import Printer
from polyir.target.c.syntax import Function
from polyir.target.c.usage import Usage
from polyir.target.errors import unsupported, unsupported_operation


@dataclass(frozen=True)
class COptions:
    """How C is written: with `openmp`, parallel loops get pragmas."""

    openmp: bool = True


@dataclass(frozen=True)
class CTarget(Target):
    """The `c` target of xDSL's command lines: C99; `c{openmp=false}` leaves the pragmas out."""

    name = "c"

    openmp: bool = True

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        emit_c(module, output, COptions(openmp=self.openmp))


def emit_c(module: ModuleOp, stream: IO[str], options: COptions | None = None) -> None:
    """Print `module`, in loop form, as C99 with OpenMP pragmas.

    Raises `TargetError`, at the operation, for what has no C; nothing is printed then. The same
    operations are computed in the same order, so that with the same flags and without contraction
    (`-ffp-contract=off`) results have the same bits as those of the module.
    """
    stream.write(c_text(module, options or COptions()))


def c_text(module: ModuleOp, options: COptions) -> str:
    """The text that `emit_c` prints; `module` is not changed."""
    symbols = _symbols(module)
    arrays = {op.sym_name.data: global_array(op) for op in symbols.globals}
    names = [symbol_name(symbol) for symbol in symbols.names]
    environment = Environment(arrays, names, options.openmp)
    functions = [translate_function(op, environment) for op in symbols.functions]
    usage = Usage()
    for function in functions:
        usage.add_function(function)
    # A private global that no function uses is left out.
    globals_ = [
        translate_global(op, arrays[op.sym_name.data])
        for op in symbols.globals
        if op.sym_visibility.data != "private"
        or usage.is_mentioned(arrays[op.sym_name.data].variable)
    ]
    for definition in globals_:
        usage.add_global(definition)
    printer = Printer(usage)
    parts: list[Sequence[str]] = [
        [f"#include <{header}>" for header in usage.headers()],
        ["\n\n".join(helper.text.rstrip() for helper in usage.helpers())],
        [line for definition in globals_ for line in printer.global_array(definition)],
        [line for function in _declared_first(functions) for line in printer.prototype(function)],
        *(list(printer.function(function)) for function in functions if function.body is not None),
    ]
    return "\n\n".join("\n".join(part) for part in parts if any(part)) + "\n"


@dataclass(frozen=True)
class _Symbols:
    """The operations of a module that become definitions in C."""

    globals: tuple[memref.GlobalOp, ...]
    functions: tuple[func.FuncOp, ...]

    @property
    def names(self) -> list[str]:
        """The symbols."""
        return [
            *(op.sym_name.data for op in self.globals),
            *(op.sym_name.data for op in self.functions),
        ]


def _symbols(module: ModuleOp) -> _Symbols:
    """Sort the operations of a module; leave out private functions that are not called."""
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
                raise unsupported_operation(op, "the C target")
    _check_names([*globals_, *functions])
    return _Symbols(tuple(globals_), tuple(functions))


def _check_names(definitions: Sequence[memref.GlobalOp | func.FuncOp]) -> None:
    """Refuse symbols that differ in MLIR only, like `a.b` and `a_b`."""
    symbols: dict[str, str] = {}
    for op in definitions:
        symbol = op.sym_name.data
        name = symbol_name(symbol)
        if name in symbols:
            raise unsupported(
                op, f"symbols '{symbols[name]}' and '{symbol}' have the same name '{name}' in C"
            )
        symbols[name] = symbol


def _declared_first(functions: Sequence[Function]) -> list[Function]:
    """The functions that need a prototype: defined elsewhere, or called before their definition."""
    called: dict[str, None] = {}
    early: list[Function] = []
    for function in functions:
        if function.body is None or function.name in called:
            early.append(function)
        called.update(dict.fromkeys(function.callees))
    return early
