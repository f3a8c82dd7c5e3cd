"""A module with kernels as text: kernels alone, or one file with the functions that launch them."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from types import MappingProxyType
from typing import Final

from xdsl.dialects import func, gpu
from xdsl.dialects.builtin import ModuleOp

from polyir.target.abi import Scalar, symbol_name
from polyir.target.c.emitter import (
    Definitions,
    check_name,
    helper_text,
    joined,
    translate_definitions,
)
from polyir.target.c.function import Environment
from polyir.target.c.syntax import Function
from polyir.target.c.usage import Usage
from polyir.target.errors import unsupported
from polyir.target.gpu.host import translate_host
from polyir.target.gpu.kernels import DeviceCode, translate_module
from polyir.target.gpu.language import Language
from polyir.target.gpu.printer import GpuPrinter
from polyir.target.gpu.support import support_text

# ------------------------------------------------------------------------------------ kernels


def kernel_source(module: gpu.ModuleOp, language: Language) -> str:
    """The text of the kernels of `module`, with the helper functions that they call.

    A kernel has C linkage and its name in the module, unless C has taken that
    (`abi.symbol_name`). Its parameters follow `polyir/target/abi.py`. The text of CUDA is for nvcc
    and for NVRTC. Raises `TargetError` for what a kernel in this language does not have.
    """
    code = _translated([module], language)
    usage = _usage(code, language)
    parts = _kernel_parts(code, usage, language)
    if language is Language.OPENCL:
        return joined([_opencl_pragmas(usage), *parts])
    return joined([_cuda_types(joined(parts), usage), *parts])


def _translated(modules: Sequence[gpu.ModuleOp], language: Language) -> list[DeviceCode]:
    """The syntax trees of what is in several modules."""
    symbols: dict[str, gpu.FuncOp] = {}
    for op in (op for module in modules for op in module.body.block.ops):
        if isinstance(op, gpu.FuncOp):
            name = symbol_name(op.sym_name.data)
            check_name(op, name, language.words.device)
            if name in symbols:
                raise unsupported(op, f"two kernels have the same name '{name}' in C")
            symbols[name] = op
    return [translate_module(module, language, [*symbols]) for module in modules]


def _usage(code: Sequence[DeviceCode], language: Language) -> Usage:
    usage = Usage(language.words.device)
    _add_usage(usage, code)
    return usage


def _add_usage(usage: Usage, code: Sequence[DeviceCode]) -> None:
    for module in code:
        for function in (*module.functions, *module.kernels):
            usage.add_function(function)
        for definition in module.globals:
            usage.add_global(definition)


def _kernel_parts(
    code: Sequence[DeviceCode], usage: Usage, language: Language
) -> list[Sequence[str]]:
    """The lines of the helpers, of arrays of constants, of functions, and of each kernel."""
    dialect = language.words.device
    printer = GpuPrinter(usage, dialect, language)
    parts: list[Sequence[str]] = [[helper_text(usage, dialect)]]
    for module in code:
        parts += Definitions(module.globals, (*module.functions, *module.kernels), usage).parts(
            printer
        )
    return parts


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


_CUDA_TYPES: Final = {
    "int8_t": "signed char",
    "int16_t": "short",
    "int32_t": "int",
    "int64_t": "long long",
    "uint8_t": "unsigned char",
    "uint16_t": "unsigned short",
    "uint32_t": "unsigned int",
    "uint64_t": "unsigned long long",
}

# ------------------------------------------------------------------------------------ files


def gpu_text(module: ModuleOp, language: Language) -> str:
    """One file: the kernels of `module`, and its functions, which launch them.

    The functions have the same parameters as in C. Raises `TargetError` for what the language does
    not have; `module` is not changed.
    """
    operations = list(module.body.block.ops)
    code = _translated([op for op in operations if isinstance(op, gpu.ModuleOp)], language)

    memory = {kernel.name: kernel.launch_memory for module in code for kernel in module.kernels}

    def translate(op: func.FuncOp, environment: Environment) -> Function:
        return translate_host(op, environment, language, memory)

    definitions = translate_definitions(
        [op for op in operations if not isinstance(op, gpu.ModuleOp)],
        language.words.host,
        False,
        translate,
        [name for module in code for name in _names(module)],
    )
    printer = GpuPrinter(definitions.usage, language.words.host, language)
    parts = definitions.parts(printer)
    support = support_text(language, joined(parts))
    if language is Language.CUDA:
        return _cuda_file(code, definitions.usage, support, parts)
    return _opencl_file(code, definitions.usage, support, parts)


def _names(module: DeviceCode) -> list[str]:
    """The names that a module of kernels has in a file."""
    functions = [each.name for each in (*module.functions, *module.kernels)]
    return [*functions, *(each.array.variable.name for each in module.globals)]


def _cuda_file(
    code: Sequence[DeviceCode], usage: Usage, support: str, parts: Sequence[Sequence[str]]
) -> str:
    """A file that has its kernels as functions."""
    _add_usage(usage, code)
    headers = {*usage.headers(), *_included(support)} - {"stdbool.h"}
    return joined(
        [_includes(headers), [support], *_kernel_parts(code, usage, Language.CUDA), *parts]
    )


def _opencl_file(
    code: Sequence[DeviceCode], usage: Usage, support: str, parts: Sequence[Sequence[str]]
) -> str:
    """A file that has its kernels as a string."""
    language = Language.OPENCL
    kernel_usage = _usage(code, language)
    kernel_parts = _kernel_parts(code, kernel_usage, language)
    text = joined([_opencl_pragmas(kernel_usage), *kernel_parts])
    version = ["#define CL_TARGET_OPENCL_VERSION 120", "#include <CL/cl.h>"]
    return joined(
        [
            version if support else [],
            _includes({*usage.headers(), *_included(support)}),
            _as_string("polyir_kernels", text) if support else [],
            [support],
            [helper_text(usage, language.words.host)],
            *parts,
        ]
    )


def _includes(headers: Collection[str]) -> list[str]:
    return [f"#include <{header}>" for header in sorted(headers)]


_HEADERS: Final = MappingProxyType(
    {
        "bool": "stdbool.h",
        "int64_t": "stdint.h",
        "fprintf": "stdio.h",
        "pthread_mutex_lock": "pthread.h",
        "strstr": "string.h",
    }
)


def _included(support: str) -> set[str]:
    """The headers that the support functions need."""
    return {header for name, header in _HEADERS.items() if re.search(rf"\b{name}\b", support)}


def _as_string(name: str, text: str) -> list[str]:
    """The definition of a string that holds `text`, line by line."""
    lines = [f"    {json.dumps(line + chr(10))}" for line in text.splitlines()]
    return [f"static const char {name}[] =", *lines[:-1], f"{lines[-1]};"]
