"""A module with kernels as text: kernels alone, or one file with the functions that launch them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xdsl.dialects import gpu

from polyir.target.abi import Scalar, symbol_name
from polyir.target.c.emitter import helper_text, joined
from polyir.target.c.usage import Usage
from polyir.target.errors import operation_name, unsupported
from polyir.target.gpu.kernels import Kernel, translate_kernel
from polyir.target.gpu.language import Language
from polyir.target.gpu.printer import GpuPrinter

# ------------------------------------------------------------------------------------ kernels


def kernel_source(module: gpu.ModuleOp, language: Language) -> str:
    """The text of the kernels of `module`, with the helper functions that they call.

    A kernel has C linkage and its name in the module, unless C has taken that
    (`abi.symbol_name`). Its parameters follow `polyir/target/abi.py`. The text of CUDA is for nvcc
    and for NVRTC. Raises `TargetError` for what a kernel in this language does not have.
    """
    kernels = _translated([module], language)
    usage = _usage(kernels, language)
    parts = _kernel_parts(kernels, usage, language)
    if language is Language.OPENCL:
        return joined([_opencl_pragmas(usage), *parts])
    return joined([_cuda_types(joined(parts), usage), *parts])


def _translated(modules: Sequence[gpu.ModuleOp], language: Language) -> list[Kernel]:
    """The syntax trees of the kernels of several modules."""
    operations = [op for module in modules for op in module.body.block.ops]
    functions = [op for op in operations if isinstance(op, gpu.FuncOp)]
    for op in operations:
        if not isinstance(op, gpu.FuncOp) and operation_name(op) != "gpu.module_end":
            raise unsupported(op, f"operation '{operation_name(op)}' is not supported in a kernel")
    names = [symbol_name(op.sym_name.data) for op in functions]
    for position, op in enumerate(functions):
        if names[position] in names[:position]:
            raise unsupported(op, f"two kernels have the same name '{names[position]}' in C")
    return [translate_kernel(op, language, names) for op in functions]


def _usage(kernels: Sequence[Kernel], language: Language) -> Usage:
    usage = Usage(language.words.device)
    for kernel in kernels:
        usage.add_function(kernel)
    return usage


def _kernel_parts(
    kernels: Sequence[Kernel], usage: Usage, language: Language
) -> list[Sequence[str]]:
    """The lines of the helpers and of each kernel."""
    dialect = language.words.device
    printer = GpuPrinter(usage, dialect, language)
    return [[helper_text(usage, dialect)], *(list(printer.function(each)) for each in kernels)]


def _opencl_pragmas(usage: Usage) -> list[str]:
    double = ["#pragma OPENCL EXTENSION cl_khr_fp64 : enable"] * usage.has_type(Scalar.DOUBLE)
    return [*double, "#pragma OPENCL FP_CONTRACT OFF"]


def _cuda_types(text: str, usage: Usage) -> list[str]:
    """The names of types, which NVRTC does not know and has no header for."""
    words = dict.fromkeys(re.findall(r"\bu?int\d+_t\b", text))
    types = [f"typedef {_CUDA_TYPES[word]} {word};" for word in sorted(words)]
    macros: list[str] = []
    if "math.h" in usage.headers() and re.search(r"\b(INFINITY|NAN)\b", text):
        macros = [
            "#define INFINITY __int_as_float(0x7f800000)",
            "#define NAN __int_as_float(0x7fc00000)",
        ]
    if not types and not macros:
        return []
    return ["#ifdef __CUDACC_RTC__", *types, *macros, "#else", "#include <stdint.h>", "#endif"]


_CUDA_TYPES = {
    "int8_t": "signed char",
    "int16_t": "short",
    "int32_t": "int",
    "int64_t": "long long",
    "uint8_t": "unsigned char",
    "uint16_t": "unsigned short",
    "uint32_t": "unsigned int",
    "uint64_t": "unsigned long long",
}
