"""The small public API: parse, run passes, emit, compile.

import numpy, polyir
kernel = polyir.compile(open("gemm.mlir").read(), pipeline="pluto-schedule,tile{sizes=32}")
kernel.gemm(n, alpha, beta, C, A, B)      # NumPy arrays, changed in place
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from io import StringIO
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, get_args

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from polyir import runtime
from polyir.api.described_functions import described_functions
from polyir.api.expected_sizes import with_expected_sizes
from polyir.api.sources import Language, Source, read_source
from polyir.base.cache import Place as Cache
from polyir.base.cache import cache_at
from polyir.base.diagnostics import (
    OptionError,
    PolyirError,
    Remark,
    RemarkKind,
    nearest,
    remarks_to,
    report,
)
from polyir.base.internal_errors import Pipeline as PassManager
from polyir.dialects.scop import scops_in
from polyir.frontend.parse import parse_module
from polyir.irregular.checked_indices import IndexChecks
from polyir.irregular.index_checks import index_checks
from polyir.irregular.plans import Plans, add_plans
from polyir.loops.levels import has_equations, lower_for_target, outline_kernels
from polyir.model.requirements import requirements_of
from polyir.passes.prerequisites import ScopPass
from polyir.pipeline import (
    DEFAULT_PIPELINE,
    EQUATIONS_PIPELINE,
    GPU_RUN_PIPELINE,
    passes_of_text,
)
from polyir.runtime.argument_checks import ArgumentChecks, written_arguments
from polyir.runtime.compiler import (
    CompilationError,
    CompilerOptions,
    compiler_identity,
    find_compiler,
    jit_available,
)
from polyir.runtime.functions import public_functions
from polyir.target.abi import calls_mpi
from polyir.target.added_memory import check_added_memory
from polyir.target.cpu import CpuTarget
from polyir.target.errors import TargetError
from polyir.target.mlir import module_text
from polyir.universe import (
    available_passes,
    available_targets,
    new_context,
    pass_type,
)

if TYPE_CHECKING:
    from polyir.api.c_programs import CProgram
    from polyir.runtime import CompiledModule
    from polyir.runtime.given_functions import GivenFunction, GivenFunctions

Pipeline = str | ModulePass | Iterable[str | ModulePass]
"""Passes as text, `pluto-schedule,tile{sizes=32}` or the flags of polyir-opt, or as objects."""


def parse(source: str | os.PathLike[str], filename: str = "<string>") -> ModuleOp:
    """The module that a text or a file says in MLIR's syntax, or as equations.

    `filename` is the name of a text in messages. Equations are in AlphaZ's language
    (`polyir.equations.text`). Raises `InputSyntaxError`, and `OSError` for a file that cannot be
    read.
    """
    return module_of(read_source(source, filename))


def c_program(source: Source) -> CProgram:
    """The program of a source in C; see `polyir.api.c_programs.read_c`."""
    # C is not what most programs are, and its front end takes a while to import.
    from polyir.api.c_programs import preprocessed_file, read_c

    with _places_shown():
        return read_c(preprocessed_file(source))


def module_of(source: Source) -> ModuleOp:
    """The module that a source says; raises `InputSyntaxError`."""
    with _places_shown():
        if source.language is Language.C:
            return c_program(source).module()
        if source.language is Language.EQUATIONS:
            from polyir.equations.reading import alpha_module

            return alpha_module(source.text, source.filename, 0)
        return parse_module(source.text, source.filename, new_context())


@contextmanager
def _places_shown() -> Iterator[None]:
    """Add their places to errors as notes, which tracebacks have after the message.

    What a parser raised before is left out: the error says it in terms of the input.
    """
    try:
        yield
    except PolyirError as error:
        error.__cause__, error.__suppress_context__ = None, True
        place = error.place()
        if place is not None and place not in getattr(error, "__notes__", ()):
            error.add_note(place)
        raise


def passes_of(pipeline: Pipeline) -> tuple[ModulePass, ...]:
    """The passes of a pipeline; raises `OptionError` for an unknown pass or a bad option."""
    available = available_passes()
    if isinstance(pipeline, str):
        return passes_of_text(pipeline, available)
    if isinstance(pipeline, ModulePass):
        return (pipeline,)
    if not isinstance(pipeline, Iterable):
        raise OptionError(f"passes must be text or objects, not {pipeline!r}")
    found: list[ModulePass] = []
    for each in pipeline:
        if isinstance(each, str):
            found += passes_of_text(each, available)
        elif isinstance(each, ModulePass):
            found.append(each)
        else:
            what = f"a pass must be text or an object, not {each!r}"
            raise OptionError(
                f"{what}: write its name, or {each.__name__}()" if isinstance(each, type) else what
            )
    return tuple(found)


def run_pipeline(module: ModuleOp, pipeline: Pipeline) -> ModuleOp:
    """A copy of `module` after the passes of `pipeline`, each result verified.

    Raises `OptionError` for an unknown pass or a bad option, and what the passes raise.
    """
    return run_passes(module, pipeline)[0]


def run_passes(module: ModuleOp, pipeline: Pipeline) -> tuple[ModuleOp, ModuleOp]:
    """The result of `run_pipeline`, and the last module before it that still had scops.

    The second one is `module` itself if no pass lowered any. One whose memory is distributed does
    not count: its scops are not those of the program.
    """
    passes = passes_of(pipeline)
    result = module.clone()
    last_with_scops = [module]

    def between(_: ModulePass | None, current: ModuleOp, following: ModulePass | None) -> None:
        current.verify()
        if isinstance(following, ScopPass) or not scops_in(current):
            return
        if not calls_mpi(current):
            last_with_scops.append(current.clone())

    with _places_shown():
        PassManager(passes, between).apply(new_context(), result)
    return result, last_with_scops[-1]


def lower(module: ModuleOp) -> ModuleOp:
    """A copy of `module` with its scops lowered to loops, in the form that targets take."""
    result = module.clone()
    lower_for_target(new_context(), result)
    return result


def emit(module: ModuleOp, target: str = "c", original: ModuleOp | None = None) -> str:
    """A module as text.

    `target` is "c" (C99), "cuda", "opencl", "llvm", "loops" or "poly" (MLIR with loops or with
    schedules), or another target of polyir-opt, from xDSL or from another package. `module` is
    lowered first if need be; it is not changed. In C and LLVM IR, functions run as in `original`,
    if it is given, where they get no memory for arrays that passes added. Raises `OptionError` for
    an unknown target.
    """
    targets = available_targets()
    _require_choice("target", target, tuple(targets))
    stream = StringIO()
    chosen, result, context = targets[target]()(), module.clone(), new_context()
    threads = chosen.threads if isinstance(chosen, CpuTarget) else None
    if threads is not None and original is not None:
        check_added_memory(context, result, original, threads)
    chosen.emit(context, result, stream)
    return stream.getvalue()


Backend = Literal["auto", "c", "llvm"]
"""What compiles: a C compiler, LLVM in this process, or the first of them that is there."""


Machine = Literal["cpu", "opencl", "cuda"]
"""What functions run on: this processor, or a device with kernels in one of the languages."""


def default_pipeline(target: Machine) -> str:
    """The passes that run for a target unless told otherwise."""
    return DEFAULT_PIPELINE if target == "cpu" else GPU_RUN_PIPELINE


def compile(
    source: ModuleOp | str | os.PathLike[str],
    pipeline: Pipeline | None = None,
    options: CompilerOptions | None = None,
    backend: Backend = "auto",
    target: Machine = "cpu",
    assume_on_device: bool = False,
    tuned: str | os.PathLike[str] | None = None,
    functions: Mapping[str, GivenFunction] | None = None,
    check_indices: bool = True,
    cache: Cache = None,
    sizes: Mapping[str, int] | None = None,
) -> CompiledModule:
    """The functions of `source` after the passes of `pipeline`, ready to be called.

    They take NumPy arrays for memrefs and change them in place. `source` is a module of xDSL, a
    text, or a file: a path, or a `str` with its name. `functions` are those that
    `source` declares only, for the target "cpu": each is C text that defines it, or a function of
    ctypes or of Python, and gives the same whenever it is called with the same numbers. Without a
    pipeline, the default one for `target` runs. `options` are those of the C compiler, and
    `backend` compiles for the target "cpu". With `assume_on_device`, all arrays with dimensions
    must be arrays of the device, which are used without transfers. `tuned` is a file of
    polyir-tune, whose pipeline runs; it must be for `source` as it is. With `check_indices`, each
    call of a function with index arrays checks first that they lead to no subscript out of bounds.
    After `distribute-memory`, all ranks of a communicator call the functions, with it as a further
    argument before the others (`polyir.runtime.distributed`). `sizes` are what integer arguments,
    and the extents of arrays (`A_1`), are expected to be: they decide what is the fastest, and no
    result.

    What was compiled before is taken from the cache (`polyir.base.cache`): `cache` is `False`
    for none, or its directory, by default that of the environment variable `POLYIR_CACHE`.
    Raises `PolyirError` where the text, the pipeline, the compiler or the device is at fault, and
    `MissingPackageError`, which is one.
    """
    with cache_at(cache):
        found = source if isinstance(source, ModuleOp) else read_source(source)
        if isinstance(found, Source) and found.language is Language.C:
            require_plain(target, backend, tuned, functions)
            return _compile_c(found, pipeline, options, sizes or {})
        if tuned is not None:
            if pipeline is not None or target != "cpu":
                raise OptionError("tuned is a pipeline for the target 'cpu': give no other one")
            found = module_of(found) if isinstance(found, Source) else found
            pipeline = _tuned_pipeline(found, os.fspath(tuned))
        passes = passes_of(default_pipeline(target) if pipeline is None else pipeline)
        is_default = pipeline is None

        def make() -> CompiledModule:
            module = module_of(found) if isinstance(found, Source) else found
            if is_default and has_equations(module):
                module = _prepared(module)
            if sizes:
                module = with_expected_sizes(module, sizes)
            result, origin = run_passes(module, passes)
            checked = module if check_indices and not scops_in(module) else None
            return compile_loops(
                result,
                options,
                backend,
                origin,
                target,
                assume_on_device,
                functions,
                checked,
                module,
            )

        if any(not isinstance(each, str) for each in (functions or {}).values()):
            # There is no telling what they do.
            return make()
        program = found if isinstance(found, Source) else module_text(found)
        ordered = _in_order(sizes)
        how = (is_default, options, backend, target, assume_on_device, functions, check_indices)
        return _cached((program, how, ordered, _compiler_of(options)), passes, make)


def _cached(
    parts: tuple[object, ...], passes: Sequence[ModulePass], make: Callable[[], CompiledModule]
) -> CompiledModule:
    """What `make` gives; see `polyir.api.compilation_cache`."""
    # Imported when it is needed: start-up is part of every run.
    from polyir.api.compilation_cache import cached

    return cached(parts, passes, make)


def _compiler_of(options: CompilerOptions | None) -> str | None:
    """The C compiler, if there is one that works."""
    try:
        compiler = find_compiler(options or CompilerOptions())
        return f"{' '.join(compiler)} {compiler_identity(compiler)}"
    except CompilationError:
        return None


def _in_order(sizes: Mapping[str, int] | None) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((sizes or {}).items()))


def _compile_c(
    source: Source,
    pipeline: Pipeline | None,
    options: CompilerOptions | None,
    sizes: Mapping[str, int],
) -> CompiledModule:
    """The functions of a C file after passes on its loops."""
    from polyir.api.c_programs import preprocessed_file, read_c

    passes = passes_of(default_pipeline("cpu") if pipeline is None else pipeline)
    file = preprocessed_file(source, options)

    def make() -> CompiledModule:
        with _places_shown():
            program = read_c(file, passes, sizes)
        module = program.module()
        if program.regions:
            module = run_pipeline(module, passes)
        return program.compile(module)

    parts = (source, file.digest, file.options, _compiler_of(options), _in_order(sizes))
    return _cached(parts, passes, make)


def require_plain(
    target: Machine,
    backend: Backend,
    tuned: object = None,
    functions: Mapping[str, GivenFunction] | None = None,
) -> None:
    """Raise `OptionError` for what is not for programs in C."""
    _require_choice("target", target, get_args(Machine))
    _require_choice("backend", backend, get_args(Backend))
    if target != "cpu":
        raise OptionError(f"C is compiled for the CPU; for kernels: polyir-cc --target={target}")
    if backend == "llvm":
        raise OptionError("C requires the C backend")
    if tuned is not None:
        raise OptionError("tuned is for MLIR; for C, there is polyir-cc --tuned")
    if functions:
        raise OptionError("functions are for MLIR; a C file declares and defines its own")


def _prepared(equations: ModuleOp) -> ModuleOp:
    """Functions for equations. Nobody asked for these passes: what they leave is not a warning."""
    found: list[Remark] = []
    with remarks_to(found.append):
        result = run_pipeline(equations, EQUATIONS_PIPELINE)
    for each in found:
        report(replace(each, kind=RemarkKind.REMARK))
    return result


def _tuned_pipeline(module: ModuleOp, path: str) -> tuple[ModulePass, ...]:
    """The passes of a file of polyir-tune. Raises `PolyirError` if it is for another module."""
    from polyir.tuning.record import read_tuning

    record = read_tuning(path).require(module)
    record.warn_of_machine(path)
    return record.passes(path)


def compile_loops(
    module: ModuleOp,
    options: CompilerOptions | None = None,
    backend: Backend = "auto",
    origin: ModuleOp | None = None,
    target: Machine = "cpu",
    assume_on_device: bool = False,
    functions: Mapping[str, GivenFunction] | None = None,
    checked: ModuleOp | None = None,
    original: ModuleOp | None = None,
) -> CompiledModule:
    """The functions of `module` as it is, lowered to loops if need be; see `compile`.

    Once lowered, a module does not say what its functions require of their arguments; `origin`,
    which it was made of, does. The index arrays of the functions of `checked`, which is the module
    before all passes, are checked. Functions run as in `original` where they get no memory.
    """
    device = _device_target(target, options, backend)
    chosen = None if device is not None else chosen_backend(options, backend)
    requirements = {
        name: requirements_of(function)
        for name, function in described_functions(module, origin).items()
    }
    if assume_on_device:
        if device is None:
            raise OptionError("assume_on_device is for the targets 'opencl' and 'cuda'")
        module = _with_arrays_on_device(module)
    loops = lower(module)
    plans = add_plans(loops)
    indices: IndexChecks = {}
    added: tuple[FuncOp, ...] = ()
    if checked is not None and device is None:
        names = [op.sym_name.data for op in loops.ops if isinstance(op, FuncOp)]
        indices, added = index_checks(checked, names)
    checks = {
        op.sym_name.data: ArgumentChecks(
            requirements.get(op.sym_name.data, ()),
            written_arguments(op),
            tuple(indices.get(op.sym_name.data, ())),
        )
        for op in public_functions(loops)
    }
    loops.body.block.add_ops(added)
    if chosen is not None:
        return _compile_natively(
            loops, chosen, checks, options, backend, functions, plans, original
        )
    assert device is not None
    if functions:
        raise OptionError("functions are for the target 'cpu'")
    from polyir.runtime.gpu.module import compile_gpu, without_device

    kernels = outlined(loops)
    rest = without_device(kernels)
    native = None if rest is None else _compile_natively(rest, chosen_backend(None, "auto"), checks)
    return compile_gpu(kernels, device, checks, native)


def _with_arrays_on_device(module: ModuleOp) -> ModuleOp:
    """A copy of `module` with the assumption that the arrays of functions are on the device."""
    from polyir.loops.on_device import assume_on_device

    result = module.clone()
    for scop in scops_in(result):
        if scop.function is not None:
            assume_on_device(scop.function)
    return result


def _compile_natively(
    loops: ModuleOp,
    chosen: Literal["c", "llvm"],
    checks: Mapping[str, ArgumentChecks],
    options: CompilerOptions | None = None,
    backend: Backend = "auto",
    functions: Mapping[str, GivenFunction] | None = None,
    plans: Plans = MappingProxyType({}),
    original: ModuleOp | None = None,
) -> CompiledModule:
    """Compile a module in loop form by the backend that was chosen; `loops` may be changed.

    What C lacks, LLVM compiles, unless `backend` says otherwise.
    """
    given = None
    if functions:
        # Imported when it is needed: start-up is part of every run.
        from polyir.runtime.given_functions import given_functions

        given = given_functions(loops, functions)
    if calls_mpi(loops):
        if backend == "llvm":
            raise OptionError("a program for ranks requires the C backend")
        from polyir.runtime.distributed import compile_distributed

        return compile_distributed(loops, options, checks, given, plans)
    if chosen == "c":
        in_c = loops
        if original is not None:
            in_c = loops.clone()
            check_added_memory(new_context(), in_c, original, "numbered")
        try:
            return runtime.compile_module(in_c, options, checks=checks, given=given, plans=plans)
        except TargetError as refused_by_c:
            if backend != "auto" or not jit_available():
                raise
            try:
                return _compile_llvm(loops, checks, given, plans)
            except TargetError:
                raise refused_by_c from None
    if original is not None:
        check_added_memory(new_context(), loops, original, "unnumbered")
    return _compile_llvm(loops, checks, given, plans)


def outlined(module: ModuleOp) -> ModuleOp:
    """A copy of `module` with its scops lowered, and with its kernels in modules of the device."""
    result = lower(module)
    outline_kernels(new_context(), result)
    return result


def _device_target(
    target: Machine, options: CompilerOptions | None, backend: Backend
) -> Literal["opencl", "cuda"] | None:
    """The target if it is not "cpu"; raises `OptionError` for options that are only for that."""
    _require_choice("target", target, get_args(Machine))
    if target == "cpu":
        return None
    if options is not None or backend != "auto":
        raise OptionError(f"options and backend are for the target 'cpu', not for '{target}'")
    return target


def _compile_llvm(
    loops: ModuleOp,
    checks: Mapping[str, ArgumentChecks],
    given: GivenFunctions | None = None,
    plans: Plans = MappingProxyType({}),
) -> CompiledModule:
    """Compile a module in loop form in this process; `loops` is changed."""
    signatures = runtime.public_signatures(loops)
    pass_type("lower-to-llvm")().apply(new_context(), loops)
    return runtime.compile_llvm(loops, signatures, checks, given, plans)


def chosen_backend(options: CompilerOptions | None, backend: Backend) -> Literal["c", "llvm"]:
    """The backend that `auto` means here: C if there is a compiler, else LLVM if there is llvmlite.

    Raises `CompilationError` if there is neither, and `OptionError` for another backend.
    """
    _require_choice("backend", backend, get_args(Backend))
    if options is not None and not isinstance(options, CompilerOptions):
        raise OptionError(f"options must be polyir.runtime.CompilerOptions, not {options!r}")
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


def _require_choice(what: str, given: object, choices: tuple[str, ...]) -> None:
    if given not in choices:
        hint = nearest(str(given), choices) or f" (one of: {', '.join(choices)})"
        raise OptionError(f"unknown {what} '{given}'{hint}")
