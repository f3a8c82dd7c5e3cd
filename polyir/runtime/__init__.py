"""Compile what was emitted and run it, from Python, on NumPy arrays."""

from polyir.runtime.compiler import CompilerOptions
from polyir.runtime.functions import CompiledFunction, CompiledModule
from polyir.runtime.jit import compile_llvm
from polyir.runtime.library import compile_c, compile_module
from polyir.runtime.measure import Difference, best_times, compare_bits

__all__ = [
    "CompiledFunction",
    "CompiledModule",
    "CompilerOptions",
    "Difference",
    "best_times",
    "compare_bits",
    "compile_c",
    "compile_llvm",
    "compile_module",
]
