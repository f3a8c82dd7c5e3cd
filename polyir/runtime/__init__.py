"""Compile what was emitted and run it, from Python, on NumPy arrays.

The names are imported when they are first used: `polyir-cc` needs the C compiler of
`polyir.runtime.compiler`, and neither NumPy nor the JIT.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from polyir.runtime.compiler import CompilerOptions
    from polyir.runtime.functions import CompiledFunction, CompiledModule, public_signatures
    from polyir.runtime.jit import compile_llvm
    from polyir.runtime.library import compile_c, compile_module
    from polyir.runtime.measure import (
        Difference,
        best_times,
        compare_bits,
        compare_rounded,
    )

_MODULE_OF = {
    "CompiledFunction": "functions",
    "CompiledModule": "functions",
    "CompilerOptions": "compiler",
    "Difference": "measure",
    "best_times": "measure",
    "compare_bits": "measure",
    "compare_rounded": "measure",
    "compile_c": "library",
    "compile_llvm": "jit",
    "compile_module": "library",
    "public_signatures": "functions",
}

__all__ = [
    "CompiledFunction",
    "CompiledModule",
    "CompilerOptions",
    "Difference",
    "best_times",
    "compare_bits",
    "compare_rounded",
    "compile_c",
    "compile_llvm",
    "compile_module",
    "public_signatures",
]


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'polyir.runtime' has no attribute '{name}'")
    return getattr(import_module(f"polyir.runtime.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
