"""Functions that a module declares only, and whoever compiles it gives."""

from __future__ import annotations

import ctypes
import math
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from polyir.base.diagnostics import OptionError, nearest
from polyir.runtime.compiler import CompilerOptions, build_library
from polyir.runtime.functions import C_TYPES, numpy_type
from polyir.runtime.library import loaded
from polyir.target.abi import (
    PREFIX,
    ArrayParameter,
    Scalar,
    ScalarParameter,
    Signature,
    signature_of,
    symbol_name,
)

GivenFunction = str | Callable[..., Any]
"""C text that defines a function of that name, a function of ctypes, or one of Python.

Code calls it in any order, as often as it likes, and from several threads. A function of Python
gets arrays as NumPy arrays, which are of no use after the call.
"""

_POINTER: Final = f"{PREFIX}given_"
"""How the names of pointers to functions begin."""


class GivenFunctions:
    """The functions that were given for a module, by name."""

    def __init__(
        self, functions: Mapping[str, GivenFunction], signatures: Mapping[str, Signature]
    ) -> None:
        self._functions = functions
        self._signatures = signatures
        self._errors: list[BaseException] = []
        self._pointers = {
            name: self._pointer(name, given)
            for name, given in functions.items()
            if not isinstance(given, str)
        }

    def __reduce__(self) -> tuple[object, ...]:
        return GivenFunctions, (self._functions, self._signatures)

    def c_text(self) -> str:
        """Definitions in C, which stand before code that calls the functions.

        All have internal linkage, by the declarations at the beginning: nothing that the process
        has by these names is called instead. Those that are not C text are called by pointers.
        """
        lines = ["#include <stdint.h>"]
        lines += [f"static {self._prototype(name)};" for name in self._functions]
        lines += dict.fromkeys(each for each in self._functions.values() if isinstance(each, str))
        for name in self._pointers:
            signature = self._signatures[name]
            types = ", ".join(_c_types(signature)) or "void"
            arguments = ", ".join(f"a{place}" for place in range(len(_c_types(signature))))
            pointer = f"{_POINTER}{symbol_name(name)}"
            result = "" if signature.returned is None else "return "
            lines += [
                f"{_returned(signature)} (*{pointer})({types});",
                f"static {self._prototype(name)} {{ {result}{pointer}({arguments}); }}",
            ]
        return "\n".join([*lines, "", ""])

    def load(self, path: Path) -> ctypes.CDLL:
        """The library of code that has `c_text`, which calls the functions then."""
        if not self._pointers:
            return loaded(path)
        # A library is loaded once, and its pointers are for all; a copy is another library.
        with TemporaryDirectory() as folder:
            library = loaded(Path(shutil.copy(path, folder)))
        for name, function in self._pointers.items():
            pointer = ctypes.c_void_p.in_dll(library, f"{_POINTER}{symbol_name(name)}")
            pointer.value = _address(function)
        return library

    def addresses(self) -> dict[str, int]:
        """Where the functions are, by symbol; C text is compiled for it.

        Raises `CompilationError`.
        """
        found = {symbol_name(name): _address(each) for name, each in self._pointers.items()}
        texts = {name: each for name, each in self._functions.items() if isinstance(each, str)}
        if texts:
            given = GivenFunctions(texts, self._signatures)
            lines = [given.c_text()]
            for name in texts:
                type, symbol = _returned(self._signatures[name]), symbol_name(name)
                types = ", ".join(_c_types(self._signatures[name]))
                lines.append(f"{type} (*const {_POINTER}{symbol})({types or 'void'}) = {symbol};")
            path = build_library("\n".join([*lines, ""]), CompilerOptions())
            self._library = loaded(path)
            for name in texts:
                symbol = symbol_name(name)
                value = ctypes.c_void_p.in_dll(self._library, f"{_POINTER}{symbol}").value
                assert value is not None
                found[symbol] = value
        return found

    def raise_error(self) -> None:
        """Raise the first exception of a function of Python since the last time."""
        if self._errors:
            error = self._errors[0]
            self._errors.clear()
            raise error

    def _prototype(self, name: str) -> str:
        signature = self._signatures[name]
        parameters = [f"{each} a{place}" for place, each in enumerate(_c_types(signature))]
        return f"{_returned(signature)} {symbol_name(name)}({', '.join(parameters) or 'void'})"

    def _pointer(self, name: str, given: Callable[..., Any]) -> Any:
        """A function of ctypes."""
        if hasattr(given, "argtypes"):
            return given
        signature = self._signatures[name]
        result: Any = None if signature.returned is None else C_TYPES[signature.returned]

        def call(*arguments: bool | int | float | None) -> Any:
            try:
                value = given(*_python_arguments(signature, arguments))
                return None if result is None else result(_python_number(value)).value
            except BaseException as error:
                # ctypes would print it and go on.
                self._errors.append(error)
                return None if result is None else result().value

        return ctypes.CFUNCTYPE(result, *_ctypes(signature))(call)


def given_functions(module: ModuleOp, functions: Mapping[str, GivenFunction]) -> GivenFunctions:
    """The functions for what `module` declares.

    Raises `OptionError` for a name that is not declared, and for functions with several results.
    """
    declared = {
        op.sym_name.data: op
        for op in module.body.block.ops
        if isinstance(op, FuncOp) and op.is_declaration
    }
    for name, given in functions.items():
        if name not in declared:
            hint = nearest(name, declared) or f" (declared: {', '.join(declared) or 'none'})"
            raise OptionError(f"the program declares no function '{name}'{hint}")
        if not isinstance(given, str) and not callable(given):
            raise OptionError(f"'{name}' must be C text or a function, not {type(given).__name__}")
    signatures = {name: signature_of(declared[name]) for name in functions}
    for name, signature in signatures.items():
        if signature.pointer_results:
            raise OptionError(f"'{name}' cannot be given: it has several results")
    return GivenFunctions(dict(functions), signatures)


def _c_types(signature: Signature) -> list[str]:
    """The types of the parameters in C: a pointer and extents for an array."""
    found: list[str] = []
    for each in signature.parameters:
        if isinstance(each, ScalarParameter):
            found.append(each.type.value)
        else:
            found.append(f"{each.type.element.value} *restrict")
            found += [Scalar.INT64.value] * len(each.type.dynamic_dimensions)
    return found


def _ctypes(signature: Signature) -> list[Any]:
    """The same as types of ctypes."""
    found: list[Any] = []
    for each in signature.parameters:
        if isinstance(each, ScalarParameter):
            found.append(C_TYPES[each.type])
        else:
            found.append(ctypes.c_void_p)
            found += [ctypes.c_int64] * len(each.type.dynamic_dimensions)
    return found


def _python_arguments(
    signature: Signature, arguments: Sequence[bool | int | float | None]
) -> Iterator[bool | int | float | npt.NDArray[np.generic]]:
    """The arguments for a function of Python: arrays, which have no copies, and numbers."""
    remaining = iter(arguments)
    for each in signature.parameters:
        value = next(remaining)
        if isinstance(each, ArrayParameter):
            sizes = [next(remaining) if size is None else size for size in each.type.extents]
            shape = [int(size) for size in sizes if size is not None]
            yield _array(value, numpy_type(each.type.element), shape)
        else:
            assert value is not None
            yield value


def _array(
    address: int | float | None, element: np.dtype[np.generic], shape: Sequence[int]
) -> npt.NDArray[np.generic]:
    size = math.prod(shape) * element.itemsize
    if not size:
        return np.empty(shape, element)
    assert isinstance(address, int)
    memory = (ctypes.c_uint8 * size).from_address(address)
    return np.ctypeslib.as_array(memory).view(element).reshape(shape)


def _returned(signature: Signature) -> str:
    return "void" if signature.returned is None else signature.returned.value


def _address(function: Any) -> int:
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return address


def _python_number(value: Any) -> bool | int | float:
    """A number of Python's, also from one of NumPy's."""
    number: bool | int | float = value.item() if hasattr(value, "item") else value
    return number
