"""The LLVM backend: LLVM IR compiled in this process by llvmlite, for this processor.

The code is optimised as by `clang -O3 -march=native`, vectorised, without fast-math flags and
without contraction. Parallel loops run on a team of Python threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from xdsl.dialects.builtin import ModuleOp

from polyir.base.diagnostics import PolyirError
from polyir.irregular.plans import Plans
from polyir.runtime.argument_checks import ArgumentChecks
from polyir.runtime.compiler import undefined
from polyir.runtime.functions import CompiledFunction, CompiledModule, NativeFunction, Result
from polyir.runtime.threads import ThreadTeam, default_thread_count
from polyir.target.abi import PARALLEL_FOR, THREAD_COUNT, Signature, symbol_name
from polyir.target.llvm.text import llvm_ir

if TYPE_CHECKING:
    from llvmlite import binding

    from polyir.runtime.functions import Value
    from polyir.runtime.given_functions import GivenFunctions

OPTIMISATION_LEVEL: Final = 3


class JitError(PolyirError):
    """LLVM rejected a generated module: a bug in polyir."""

    name = "compiler-failed"


class JitFunction(NativeFunction):
    """A function whose parallel loops run on a team."""

    def __init__(
        self,
        address: int,
        signature: Signature,
        owner: CompiledModule,
        team: ThreadTeam,
        checks: ArgumentChecks | None = None,
    ) -> None:
        super().__init__(address, signature, owner, checks)
        self._team = team

    def _run(self, values: Sequence[Value], addresses: Sequence[int]) -> Result:
        """Call the code. Raises any exception of a parallel loop."""
        result = super()._run(values, addresses)
        self._team.raise_error()
        return result


class JitModule(CompiledModule):
    """Functions compiled in this process; their code lives as long as this object."""

    def __init__(
        self,
        source: str,
        engine: binding.ExecutionEngine,
        signatures: Sequence[Signature],
        team: ThreadTeam,
        checks: Mapping[str, ArgumentChecks],
        given: GivenFunctions | None = None,
        plans: Plans = MappingProxyType({}),
    ) -> None:
        self._engine = engine
        self._team = team
        functions = [self._function(each, checks) for each in signatures]
        super().__init__(source, functions, given, plans)

    def _function(
        self, signature: Signature, checks: Mapping[str, ArgumentChecks]
    ) -> CompiledFunction:
        address = self._engine.get_function_address(symbol_name(signature.symbol))
        found = checks.get(signature.symbol)
        return JitFunction(address, signature, self, self._team, found)

    def __reduce__(self) -> tuple[object, ...]:
        arguments = (self.source, self.signatures, self.checks, self.given, self.plans)
        return compile_llvm_ir, arguments

    def threads(self, count: int) -> AbstractContextManager[None]:
        """Run the functions with `count` threads inside the `with` block.

        Outside it, `OMP_NUM_THREADS` decides, or the number of processors.
        """
        return self._team.threads(count)


def compile_llvm(
    module: ModuleOp,
    signatures: Sequence[Signature],
    checks: Mapping[str, ArgumentChecks] = MappingProxyType({}),
    given: GivenFunctions | None = None,
    plans: Plans = MappingProxyType({}),
) -> JitModule:
    """Compile a module of the llvm dialect and make the functions of `signatures` callable.

    `checks` are those of their arguments, by symbol, `given` the functions that the module declares
    only, and `plans` those of its inspectors. Raises `MissingPackageError` without llvmlite,
    `TargetError` for what cannot be translated, `JitError` if LLVM rejects the translation, and
    `CompilationError` for functions that nothing defines.
    """
    return compile_llvm_ir(llvm_ir(module), signatures, checks, given, plans)


def compile_llvm_ir(
    source: str,
    signatures: Sequence[Signature],
    checks: Mapping[str, ArgumentChecks],
    given: GivenFunctions | None = None,
    plans: Plans = MappingProxyType({}),
) -> JitModule:
    """Compile LLVM IR; see `compile_llvm`.

    The code gets a team of threads, which provides the `polyir_parallel_for` and
    `polyir_thread_count` that it declares.
    """
    from llvmlite import binding

    _initialise()
    machine = _host_machine()
    try:
        code = binding.parse_assembly(source)
        code.verify()
    except RuntimeError as error:
        raise JitError(f"LLVM rejected the generated module: {error}") from None
    _optimise(code, machine)
    team = ThreadTeam(default_thread_count())
    needed = {PARALLEL_FOR: team.address, THREAD_COUNT: team.count_address}
    if given is not None:
        needed |= given.addresses()
    declared = [*code.functions, *code.global_variables]
    called = [each.name for each in code.functions if each.is_declaration]
    engine = binding.create_mcjit_compiler(code, machine)
    # Not before: the first engine makes the symbols of the process known to LLVM.
    _require_defined(name for name in called if name not in needed)
    for value in declared:
        if value.name in needed:
            engine.add_global_mapping(value, needed[value.name])
    engine.finalize_object()
    return JitModule(source, engine, signatures, team, checks, given, plans)


def _require_defined(names: Iterable[str]) -> None:
    """Raise `CompilationError` for functions that the process does not have."""
    from llvmlite import binding

    missing = [
        name
        for name in names
        if not name.startswith("llvm.") and not binding.address_of_symbol(name)
    ]
    if missing:
        raise undefined(missing)


@cache
def _initialise() -> None:
    """Make LLVM ready for this processor, once."""
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    # Hoisted out of the loops of a tile, the vectoriser's check would ask whether any rows of the
    # tile overlap, and rows of one array do. Checked row by row, most of them do not:
    # floyd-warshall takes 12.8 s instead of 20.5 s (LARGE).
    binding.set_option("polyir", "--hoist-runtime-checks=false")


def _host_machine() -> binding.TargetMachine:
    """This processor, with all its features."""
    from llvmlite import binding

    name = binding.get_host_cpu_name()
    return binding.Target.from_default_triple().create_target_machine(
        cpu=name,
        features=",".join([binding.get_host_cpu_features().flatten(), *_tuning(name)]),
        opt=OPTIMISATION_LEVEL,
        jit=True,
    )


def _tuning(processor: str) -> Sequence[str]:
    """What LLVM has to be told of a processor.

    On AMD's, a gather takes longer than the scalar loads in its place: with the gathers that LLVM
    22 makes on znver4, trisolv takes 54 us instead of 36, gemver 151 instead of 119, but mvt 149
    instead of 156 (MEDIUM, one thread, nothing else running).
    """
    return ("+prefer-no-gather", "+prefer-no-scatter") if processor.startswith("znver") else ()


def _optimise(module: binding.ModuleRef, machine: binding.TargetMachine) -> None:
    """Run LLVM's pipeline for -O3, with its vectorisers."""
    from llvmlite import binding

    module.data_layout = str(machine.target_data)
    options = binding.create_pipeline_tuning_options(speed_level=OPTIMISATION_LEVEL)
    options.loop_vectorization = True
    options.slp_vectorization = True
    options.loop_interleaving = True
    options.loop_unrolling = True
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
