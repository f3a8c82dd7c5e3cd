"""The C backend: a module as C, compiled by the system's C compiler and loaded."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from polyir.runtime.compiler import CompilerOptions, build_library
from polyir.runtime.functions import (
    CompiledFunction,
    CompiledModule,
    public_signatures,
)
from polyir.target.abi import Signature, symbol_name
from polyir.target.c import COptions, c_text


class LibraryModule(CompiledModule):
    """Functions of a shared library."""

    def __init__(self, path: Path, source: str, signatures: Sequence[Signature]) -> None:
        self.path = path
        self._library = ctypes.CDLL(str(path))
        super().__init__(source, [self._function(signature) for signature in signatures])

    def _function(self, signature: Signature) -> CompiledFunction:
        entry = self._library[symbol_name(signature.symbol)]
        address = ctypes.cast(entry, ctypes.c_void_p).value
        assert address is not None
        return CompiledFunction(address, signature, self._library)

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
    path = build_library(source, options or CompilerOptions())
    return LibraryModule(path, source, signatures)


def compile_module(
    module: ModuleOp,
    options: CompilerOptions | None = None,
    c_options: COptions | None = None,
) -> LibraryModule:
    """Compile a module in loop form; its public functions can then be called.

    Raises `TargetError` for operations that C does not support, and `CompilationError`.
    """
    source = c_text(module, c_options or COptions())
    return compile_c(source, public_signatures(module), options)
