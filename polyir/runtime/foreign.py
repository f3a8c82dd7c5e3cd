"""Functions that somebody else wrote in C, called with NumPy arrays.

Other than those of `polyir.target.abi`, they take no extents, and any array for a pointer.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from polyir.runtime.argument_checks import ArgumentChecks, ArgumentError
from polyir.runtime.compiler import CompilerOptions, build_library
from polyir.runtime.functions import Argument, CompiledFunction, CompiledModule, NativeFunction
from polyir.runtime.library import LibraryModule, loaded
from polyir.target.abi import PREFIX, ArrayParameter, Signature

_ENTRY: Final = f"{PREFIX}entry_"
"""How the names of pointers to functions begin."""


@dataclass(frozen=True)
class ForeignFunction:
    """A function of a C file, or the reason why it cannot be called.

    `inner` are, for each array, the extents of all dimensions but the first, as Python writes them
    in terms of parameters; an array without any takes arrays of any rank.
    """

    signature: Signature
    checks: ArgumentChecks
    inner: Mapping[int, tuple[str, ...]]
    reason: str | None = None


@dataclass(frozen=True)
class _Flat:
    """An array as the row of elements that C sees."""

    shape: tuple[int, ...]


class _Function(NativeFunction):
    """A function of a C file."""

    def __init__(self, address: int, described: ForeignFunction, owner: CompiledModule) -> None:
        self._flat = frozenset(n for n, inner in described.inner.items() if not inner)
        super().__init__(address, described.signature, owner, described.checks)
        self._dynamic = tuple(() for _ in described.signature.parameters)
        self._inner = {
            number: [
                (dimension, text, compile(text, "<extent>", "eval"))
                for dimension, text in enumerate(inner, 1)
                if not text.isdigit()
            ]
            for number, inner in described.inner.items()
        }

    def _required_extents(
        self, position: int, parameter: ArrayParameter
    ) -> Sequence[int | None] | None:
        return None if position in self._flat else parameter.type.extents

    def _shown(self, arguments: Sequence[Argument]) -> Sequence[object]:
        """The arguments for checks; raises for extents that are not those that C computes with."""
        numbers = {
            name: int(value)
            for name, value in zip(self._names, arguments, strict=True)
            if isinstance(value, int | np.integer)
        }
        shown: list[object] = list(arguments)
        for position, value in enumerate(arguments):
            if position in self._flat:
                assert isinstance(value, np.ndarray)
                shown[position] = _Flat((value.size,)) if value.ndim != 1 else value
            for dimension, text, code in self._inner.get(position, ()):
                assert isinstance(value, np.ndarray)
                wanted = eval(code, {"__builtins__": {}}, numbers)
                if value.shape[dimension] != wanted and value.size:
                    wrong = f"must have extent {text} = {wanted} in dimension {dimension}"
                    actual = value.shape[dimension]
                    raise ArgumentError(f"{self._argument(position)} {wrong}, not {actual}")
        return shown


class ForeignModule(LibraryModule):
    """The functions of a C file."""

    def __init__(
        self, source: str, described: Sequence[ForeignFunction], options: CompilerOptions
    ) -> None:
        self._described = tuple(described)
        self._options = options
        called = [each.signature.symbol for each in described if each.reason is None]
        # Static functions have no symbols.
        entries = (f"__typeof__(&{name}) const {_ENTRY}{name} = &{name};\n" for name in called)
        self.path = build_library("".join((source, *entries)), options)
        self._library = loaded(self.path)
        functions = [self._made(each) for each in described if each.reason is None]
        CompiledModule.__init__(self, source, functions)

    def _made(self, described: ForeignFunction) -> CompiledFunction:
        name = f"{_ENTRY}{described.signature.symbol}"
        address = ctypes.c_void_p.in_dll(self._library, name).value
        assert address is not None
        return _Function(address, described, self)

    def __getattr__(self, name: str) -> CompiledFunction:
        for each in self.__dict__.get("_described", ()):
            if each.signature.symbol == name and each.reason is not None:
                raise AttributeError(f"'{name}' cannot be called from Python: {each.reason}")
        return super().__getattr__(name)

    def __reduce__(self) -> tuple[object, ...]:
        return ForeignModule, (self.source, self._described, self._options)
