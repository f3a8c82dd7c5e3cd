"""The C backend: a module as C, compiled by the system's C compiler and loaded."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp

from polyir.irregular.plans import Plans
from polyir.runtime.argument_checks import ArgumentChecks
from polyir.runtime.compiler import CompilationError, CompilerOptions, build_library, undefined
from polyir.runtime.functions import (
    CompiledFunction,
    CompiledModule,
    NativeFunction,
    public_signatures,
)
from polyir.target.abi import Signature, symbol_name
from polyir.target.c import COptions, c_text

if TYPE_CHECKING:
    from polyir.runtime.given_functions import GivenFunctions


def loaded(path: Path) -> ctypes.CDLL:
    """A library in this process. Raises `CompilationError`, also for functions nobody defines."""
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        _, found, name = str(error).rpartition("undefined symbol: ")
        if found:
            raise undefined([name.strip()]) from None
        raise CompilationError(f"the compiled functions cannot be loaded: {error}") from None


class LibraryModule(CompiledModule):
    """Functions of a shared library."""

    def __init__(
        self,
        source: str,
        signatures: Sequence[Signature],
        options: CompilerOptions,
        checks: Mapping[str, ArgumentChecks],
        given: GivenFunctions | None = None,
        plans: Plans = MappingProxyType({}),
    ) -> None:
        self.path = build_library(source, options)
        self._options = options
        self._library = loaded(self.path) if given is None else given.load(self.path)
        functions = [self._function(each, checks) for each in signatures]
        super().__init__(source, functions, given, plans)

    def _function(
        self, signature: Signature, checks: Mapping[str, ArgumentChecks]
    ) -> CompiledFunction:
        entry = self._library[symbol_name(signature.symbol)]
        address = ctypes.cast(entry, ctypes.c_void_p).value
        assert address is not None
        return self._type_of(signature)(address, signature, self, checks.get(signature.symbol))

    def _type_of(self, signature: Signature) -> type[NativeFunction]:
        """The class of a function."""
        return NativeFunction

    def __reduce__(self) -> tuple[object, ...]:
        arguments = self.source, self.signatures, self._options, self.checks, self.given, self.plans
        return type(self), arguments

    @contextmanager
    def threads(self, count: int) -> Iterator[None]:
        """Run the functions with `count` threads inside the `with` block.

        Outside it, `OMP_NUM_THREADS` decides. This has no effect on code without OpenMP.
        """
        if count < 1:
            raise ValueError(f"the number of threads must be at least 1, not {count}")
        try:
            get, set_count = self._library.omp_get_max_threads, self._library.omp_set_num_threads
        except AttributeError:
            yield
            return
        before = get()
        set_count(count)
        try:
            yield
        finally:
            set_count(before)


def compile_c(
    source: str, signatures: Sequence[Signature], options: CompilerOptions | None = None
) -> LibraryModule:
    """Compile C text, or take the library from the cache, and load the functions of `signatures`.

    Raises `CompilationError` with the compiler's message.
    """
    return LibraryModule(source, signatures, options or CompilerOptions(), {})


def compile_module(
    module: ModuleOp,
    options: CompilerOptions | None = None,
    checks: Mapping[str, ArgumentChecks] = MappingProxyType({}),
    given: GivenFunctions | None = None,
    plans: Plans = MappingProxyType({}),
) -> LibraryModule:
    """Compile a module in loop form; its public functions can then be called.

    `checks` are those of their arguments, by symbol, `given` the functions that the module declares
    only, and `plans` those of its inspectors. Raises `TargetError` for operations that C does not
    support, and `CompilationError`.
    """
    text = c_text(module, COptions())
    source = text if given is None else given.c_text() + text
    signatures = public_signatures(module)
    return LibraryModule(source, signatures, options or CompilerOptions(), checks, given, plans)
