"""The small public API: parse, run passes, emit, compile.

import numpy, polyir
kernel = polyir.compile(open("gemm.mlir").read(), pipeline="pluto-schedule,tile{sizes=32}")
kernel.gemm(n, alpha, beta, C, A, B)      # NumPy arrays, changed in place
"""

from __future__ import annotations

from collections.abc import Iterable
from io import StringIO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline
from xdsl.universe import XDSL_UNIVERSE

from polyir.frontend.parse import parse_module
from polyir.passes.lower_poly import LowerPolyPass
from polyir.passes.prerequisites import scops_in
from polyir.pipeline import passes_of_pipeline
from polyir.runtime import CompiledModule, CompilerOptions, compile_module
from polyir.target.c import emit_c
from polyir.universe import POLYIR_UNIVERSE, available_passes

DEFAULT_PIPELINE = "pluto-schedule,tile,mark-parallel"
"""What `compile` runs unless told otherwise."""

Pipeline = str | Iterable[ModulePass]
"""Passes as text (`pluto-schedule,tile{sizes=32}`) or as objects."""


def new_context() -> Context:
    """A context that knows xDSL's and polyir's dialects."""
    context = Context()
    for universe in (XDSL_UNIVERSE, POLYIR_UNIVERSE):
        for name, factory in universe.all_dialects.items():
            context.register_dialect(name, factory)
    return context


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
    if scops_in(result):
        LowerPolyPass().apply(new_context(), result)
    return result


def emit(module: ModuleOp) -> str:
    """`module`, lowered to loops first if need be, as C99 with OpenMP."""
    stream = StringIO()
    emit_c(lower(module), stream)
    return stream.getvalue()


def compile(
    source: ModuleOp | str,
    pipeline: Pipeline = DEFAULT_PIPELINE,
    options: CompilerOptions | None = None,
) -> CompiledModule:
    """The functions of `source` after the passes of `pipeline`, ready to be called.

    They take NumPy arrays for memrefs and change them in place. Raises `PolyirError` where
    the text, the pipeline or the C compiler is at fault.
    """
    module = parse(source) if isinstance(source, str) else source
    loops = lower(run_pipeline(module, pipeline))
    return compile_module(loops, options)
