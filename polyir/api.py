"""The small public API: parse, run passes, emit, compile.

import numpy, polyir
kernel = polyir.compile(open("gemm.mlir").read(), pipeline="pluto-schedule,tile{sizes=32}")
kernel.gemm(n, alpha, beta, C, A, B)      # NumPy arrays, changed in place
"""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO
from typing import TYPE_CHECKING, Literal

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline

from polyir import runtime
from polyir.frontend.parse import parse_module
from polyir.passes.prerequisites import lower_scops
from polyir.pipeline import DEFAULT_PIPELINE, passes_of_pipeline
from polyir.runtime.compiler import (
    CompilationError,
    CompilerOptions,
    find_compiler,
    jit_available,
)
from polyir.universe import (
    OPT_TARGETS,
    POLYIR_UNIVERSE,
    available_passes,
    new_context,
    pass_type,
)

if TYPE_CHECKING:
    from polyir.runtime import CompiledModule

Pipeline = str | Iterable[ModulePass]
"""Passes as text (`pluto-schedule,tile{sizes=32}`) or as objects."""


def parse(text: str, filename: str = "<string>") -> ModuleOp:
    """The module that `text` says in MLIR's syntax; raises `InputSyntaxError`."""
    return parse_module(text, filename, new_context())


def run_pipeline(module: ModuleOp, pipeline: Pipeline) -> ModuleOp:
    """A copy of `module` after the passes of `pipeline`, each result verified.

    Raises `OptionError` for an unknown pass or a bad option, and what the passes raise.
    """
    if isinstance(pipeline, str):
        pipeline = passes_of_pipeline(pipeline, available_passes())
    result = module.clone()
    PassPipeline(tuple(pipeline), lambda _, current, __: current.verify()).apply(
        new_context(), result
    )
    return result


def lower(module: ModuleOp) -> ModuleOp:
    """A copy of `module` with its scops lowered to loops."""
    result = module.clone()
    lower_scops(new_context(), result)
    return result


EmittedTarget = Literal["c", "llvm", "loops", "poly"]


def emit(module: ModuleOp, target: EmittedTarget = "c") -> str:
    """A module as text: C99 with OpenMP, LLVM IR, or MLIR at the level of loops or of schedules.

    `module` is lowered first if need be; it is not changed.
    """
    targets = POLYIR_UNIVERSE.all_targets | OPT_TARGETS
    stream = StringIO()
    targets[target]()().emit(new_context(), module.clone(), stream)
    return stream.getvalue()


Backend = Literal["auto", "c", "llvm"]
"""What compiles: a C compiler, LLVM in this process, or the first of them that is there."""


def compile(
    source: ModuleOp | str,
    pipeline: Pipeline = DEFAULT_PIPELINE,
    options: CompilerOptions | None = None,
    backend: Backend = "auto",
) -> CompiledModule:
    """The functions of `source` after the passes of `pipeline`, ready to be called.

    They take NumPy arrays for memrefs and change them in place. `options` are those of the C
    compiler. Raises `PolyirError` where the text, the pipeline or the compiler is at fault.
    """
    module = parse(source) if isinstance(source, str) else source
    return compile_loops(run_pipeline(module, pipeline), options, backend)


def compile_loops(
    module: ModuleOp, options: CompilerOptions | None = None, backend: Backend = "auto"
) -> CompiledModule:
    """The functions of `module` as it is, lowered to loops if need be; see `compile`."""
    loops = lower(module)
    if chosen_backend(options, backend) == "c":
        return runtime.compile_module(loops, options)
    signatures = runtime.public_signatures(loops)
    pass_type("lower-to-llvm")().apply(new_context(), loops)
    return runtime.compile_llvm(loops, signatures)


def chosen_backend(options: CompilerOptions | None, backend: Backend) -> Literal["c", "llvm"]:
    """The backend that `auto` means here: C if there is a compiler, else LLVM if there is llvmlite.

    Raises `CompilationError` if there is neither.
    """
    if backend != "auto":
        return backend
    try:
        find_compiler(options or CompilerOptions())
    except CompilationError as error:
        if jit_available():
            return "llvm"
        message = f"{error.message}, nor llvmlite (pip install 'polyir[jit]')"
        raise CompilationError(message) from None
    return "c"
