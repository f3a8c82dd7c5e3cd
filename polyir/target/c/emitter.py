"""A module as one C file: headers, helpers, globals, prototypes, functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import IO

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from polyir.target.abi import calls_mpi, is_private, symbol_name, symbol_of
from polyir.target.c.dialect import C99, C99_OF_RANKS, Dialect
from polyir.target.c.function import Environment, translate_function
from polyir.target.c.helpers import Helper
from polyir.target.c.memory import global_array, translate_global
from polyir.target.c.printer import Printer
from polyir.target.c.syntax import Function, GlobalArray
from polyir.target.c.usage import Usage
from polyir.target.errors import unsupported, unsupported_operation


@dataclass(frozen=True)
class COptions:
    """How C is written: with `openmp`, parallel loops get pragmas."""

    openmp: bool = True


def emit_c(module: ModuleOp, stream: IO[str], options: COptions | None = None) -> None:
    """Print `module`, in loop form, as C99 with OpenMP pragmas.

    Raises `TargetError`, at the operation, for what has no C; nothing is printed then. The same
    operations are computed in the same order, so that with the same flags and without contraction
    (`-ffp-contract=off`) results have the same bits as those of the module.
    """
    stream.write(c_text(module, options or COptions()))


def c_text(module: ModuleOp, options: COptions) -> str:
    """The text that `emit_c` prints; `module` is not changed."""
    dialect = dialect_of(module)
    definitions = translate_definitions(list(module.body.block.ops), dialect, options.openmp)
    return joined(file_parts(definitions, Printer(definitions.usage, dialect), dialect))


def dialect_of(module: ModuleOp) -> Dialect:
    """The C of a module: that of ranks, if it sends messages."""
    return C99_OF_RANKS if calls_mpi(module) else C99


def file_parts(definitions: Definitions, printer: Printer, dialect: Dialect) -> list[Sequence[str]]:
    """The texts of each part of a file, for `joined`; one of the helpers is of several lines."""
    usage = definitions.usage
    return [
        [f"#include <{header}>" for header in usage.headers()],
        [helper_text(usage, dialect)],
        *definitions.parts(printer),
    ]


def joined(parts: Sequence[Sequence[str]]) -> str:
    """The lines of the parts of a file, with empty lines between them."""
    return "\n\n".join("\n".join(part) for part in parts if any(part)) + "\n"


def helper_text(usage: Usage, dialect: Dialect) -> str:
    """The definitions of the helpers that are called."""
    text = ""
    before: Helper | None = None
    for helper in usage.helpers():
        if before is not None:
            text += "\n" if before.is_type and helper.is_type else "\n\n"
        text += dialect.helper_text(helper.text.rstrip())
        before = helper
    return text


@dataclass(frozen=True)
class Definitions:
    """The globals and functions of a file, and what they use."""

    globals: tuple[GlobalArray, ...]
    functions: tuple[Function, ...]
    usage: Usage

    def parts(self, printer: Printer) -> list[Sequence[str]]:
        """The lines of each part of the file: globals, prototypes, and each function."""
        functions = self.functions
        early = [each for each in declared_first(functions) if each.name not in printer.declared]
        return [
            [line for definition in self.globals for line in printer.global_array(definition)],
            [line for each in early for line in printer.prototype(each)],
            *(list(printer.function(each)) for each in functions if each.body is not None),
        ]


def translate_definitions(
    operations: Sequence[Operation],
    dialect: Dialect,
    openmp: bool,
    translate: Callable[[func.FuncOp, Environment], Function] = translate_function,
    taken: Sequence[str] = (),
) -> Definitions:
    """The definitions of a module's globals and functions; `taken` are other names of the file."""
    symbols = _symbols(operations, dialect)
    arrays = {op.sym_name.data: global_array(op) for op in symbols.globals}
    names = [*taken, *map(symbol_name, symbols.names)]
    environment = Environment(arrays, names, dialect, openmp)
    functions = [translate(op, environment) for op in symbols.functions]
    usage = Usage(dialect)
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
    return Definitions(tuple(globals_), tuple(functions), usage)


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


def _symbols(operations: Sequence[Operation], dialect: Dialect) -> _Symbols:
    """Sort the operations of a module; leave out private functions that are not called."""
    inside = (inner for op in operations for inner in op.walk())
    called = {symbol_of(op.callee): None for op in inside if isinstance(op, func.CallOp)}
    globals_: list[memref.GlobalOp] = []
    functions: list[func.FuncOp] = []
    for op in operations:
        match op:
            case memref.GlobalOp():
                globals_.append(op)
            case func.FuncOp():
                if op.sym_name.data in called or not is_private(op):
                    functions.append(op)
            case _:
                raise unsupported_operation(op, dialect.target)
    _check_names([*globals_, *functions], dialect)
    return _Symbols(tuple(globals_), tuple(functions))


def _check_names(definitions: Sequence[memref.GlobalOp | func.FuncOp], dialect: Dialect) -> None:
    """Refuse symbols that differ in MLIR only, like `a.b` and `a_b`, and words of the language."""
    symbols: dict[str, str] = {}
    for op in definitions:
        symbol = op.sym_name.data
        name = symbol_name(symbol)
        check_name(op, name, dialect)
        if name in symbols:
            raise unsupported(
                op, f"symbols '{symbols[name]}' and '{symbol}' have the same name '{name}' in C"
            )
        symbols[name] = symbol


def check_name(op: Operation, name: str, dialect: Dialect) -> None:
    """Refuse a name of a function or global that is a word of the language."""
    if name in dialect.reserved:
        raise unsupported(op, f"'{name}' has another meaning in the code of {dialect.target}")


def declared_first(functions: Sequence[Function]) -> list[Function]:
    """The functions that need a prototype: defined elsewhere, or called before their definition."""
    called: dict[str, None] = {}
    early: list[Function] = []
    for function in functions:
        if function.body is None or function.name in called:
            early.append(function)
        called.update(dict.fromkeys(function.callees))
    return early
