"""Programs with index arrays compute the same bits after each pass for them, and after several.

`irregular_arguments.DOES_NOTHING` says which pass leaves which program, and why. All others must do
something: a pass that silently leaves a program is a failure. The short selection runs a fourth of
the programs through each pipeline, of those that it changes and of those that it leaves; all of
them meet all pipelines in the matrix.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

import pytest
from array_arguments import bits, copied
from backwards import PREFIX, backwards
from irregular_arguments import DOES_NOTHING, arguments, in_order, whole
from irregular_programs import PROGRAMS, Arguments, IrregularProgram
from kernel_runs import FLAGS
from oracle import MISSING_TOOLS_REASON, Oracle, mlir_opt_available
from pass_effects import Effect, run_passes
from suites import in_turn, rarely
from xdsl.dialects.builtin import ModuleOp

from polyir import api
from polyir.api import Backend
from polyir.runtime import CompiledModule, CompilerOptions, compile_module

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

SINGLE = (
    "check-indices",
    "inspect-wavefronts",
    "inspect-wavefronts{block=3}",
    "inspect-wavefronts{block=100}",
    "irregular-reductions",
    "irregular-reductions{block=3}",
    "inspect-wavefronts{block=auto}",
    "inspect-wavefronts{block=auto grain=2}",
    "reorder-data",
    "reorder-data{method=breadth-first}",
    "runtime-test{always=true}",
    "sparse-tile{tile=7}",
    "sparse-tile{tile=3 sweeps=3 numbering=coloured}",
    "sparse-tile{tile=10 sweeps=2 order=wavefronts}",
    "sparse-tile{tile=5 sweeps=1 numbering=coloured order=wavefronts parallel=false}",
)
SEVERAL = (
    "reorder-data,inspect-wavefronts",
    "inspect-wavefronts,reorder-data",
    "reorder-data{method=breadth-first},sparse-tile{tile=5}",
    "sparse-tile{tile=5 sweeps=1},reorder-data",
    "runtime-test{always=true},inspect-wavefronts",
    "check-indices,reorder-data,runtime-test{always=true},inspect-wavefronts",
    "sparse-tile{tile=7 sweeps=1},inspect-wavefronts",
)
IN_ANY_ORDER = (
    "reorder-iterations{reassociate=true}",
    "reorder-data{method=cuthill-mckee},reorder-iterations{method=sorting reassociate=true}",
    "reorder-data{method=partition part=7},reorder-iterations{reassociate=true}",
    "irregular-reductions{reassociate=true}",
    "irregular-reductions{method=private-copies reassociate=true}",
    "reorder-iterations{reassociate=true},sparse-tile{tile=7}",
    "reorder-data{method=breadth-first},reorder-iterations{reassociate=true},inspect-wavefronts",
)
"""These add up in another order. Arguments are integers here, so that no sum is rounded."""

AFTER_OTHERS: Final[Mapping[tuple[str, str, str], str | None]] = {
    ("spmv", IN_ANY_ORDER[-1], "inspect-wavefronts"): None
}
"""Why a pass that comes after others leaves a program, by program, pipeline and pass; `None` if it
does something there and not alone."""


def passes_of(pipeline: str) -> list[str]:
    return re.split(r",(?![^{]*\})", pipeline) if pipeline else []


@cache
def transformed(name: str, pipeline: str) -> tuple[ModuleOp, list[Effect]]:
    """A program after passes, and what each pass did."""
    module = api.parse(PROGRAMS[name].path.read_text())
    return run_passes(module, passes_of(pipeline))


@cache
def compiled(name: str, pipeline: str, backend: Backend = "c") -> CompiledModule:
    """A program after passes; calls check their arguments."""
    options = CompilerOptions(flags=FLAGS) if backend == "c" else None
    module, original = transformed(name, pipeline)[0], transformed(name, "")[0]
    return api.compile_loops(module, options, backend, original, checked=original)


def compiled_backwards(name: str, pipeline: str) -> CompiledModule:
    """A program after passes, with its parallel loops backwards.

    It has no checks of arguments, for they take half of the time of a compilation, and is not
    optimised, which takes more: it is about the order of iterations.
    """
    loops = backwards(api.lower(transformed(name, pipeline)[0]))
    return compile_module(loops, CompilerOptions(flags=(*FLAGS, "-O0")))


def result(
    module: CompiledModule, program: IrregularProgram, given: Arguments, prefix: str = ""
) -> list[bytes]:
    """The bytes of all arrays after a call of the function, or of that with a prefix."""
    copies = copied(given)
    module[f"{prefix}{program.function}"](**copies)
    return bits(copies.values())


@cache
def expected(name: str, is_exact: bool) -> Sequence[tuple[Arguments, list[bytes]]]:
    """Arguments, and what the original program makes of them, as MLIR lowers it."""
    program = PROGRAMS[name]
    original = Oracle(program.path.read_text())
    found = []
    for drawn in arguments(program):
        given = whole(drawn) if is_exact else drawn
        copies = copied(given)
        original(program.function, *in_order(program, copies))
        found.append((given, bits(copies.values())))
    return found


def require_effects(name: str, pipeline: str) -> None:
    """Assert that all passes do what the tables say."""
    for effect in transformed(name, pipeline)[1]:
        passed = effect.name
        reason = AFTER_OTHERS.get((name, pipeline, passed), DOES_NOTHING.get((name, passed)))
        if reason is None:
            assert effect.does, f"{passed} leaves {name}: {effect.reasons}"
        else:
            assert not effect.does, f"{passed} does something"
            assert any(re.search(reason, each) for each in effect.reasons), effect.reasons


def is_changed(name: str, pipeline: str) -> bool:
    """Whether a pass of the pipeline does something to a program, by `DOES_NOTHING`."""
    names = [each.partition("{")[0] for each in passes_of(pipeline)]
    return any((name, each) not in DOES_NOTHING for each in names)


def all_cases() -> Iterator[Any]:
    """Each program and each pipeline."""
    for number, pipeline in enumerate([*SINGLE, *SEVERAL, *IN_ANY_ORDER]):
        for changes in (True, False):
            programs = [name for name in PROGRAMS if is_changed(name, pipeline) == changes]
            for position, name in enumerate(programs):
                is_chosen = (position + number) % 4 == 0
                yield (name, pipeline) if is_chosen else rarely(name, pipeline)


@pytest.mark.parametrize(("name", "pipeline"), list(all_cases()))
def test_bits_are_those_of_the_original(name: str, pipeline: str) -> None:
    require_effects(name, pipeline)
    program, module = PROGRAMS[name], compiled(name, pipeline)
    if not any(effect.does for effect in transformed(name, pipeline)[1]):
        assert module.source == compiled(name, "").source
        return
    # A dependence between iterations of a parallel loop shows in any case.
    reverse = compiled_backwards(name, pipeline)
    for given, wanted in expected(name, pipeline in IN_ANY_ORDER):
        for threads in (1, 2):
            with module.threads(threads):
                assert result(module, program, given) == wanted
        assert result(reverse, program, given, PREFIX) == wanted


IN_LLVM = (
    "inspect-wavefronts{block=3}",
    "reorder-data{method=breadth-first},sparse-tile{tile=5}",
    "reorder-data,runtime-test{always=true},inspect-wavefronts",
)


@pytest.mark.parametrize(
    ("name", "pipeline"),
    in_turn(["fig15-19", "moldyn", "gauss-seidel", "mesh-edges"], IN_LLVM, 2),
)
def test_bits_in_llvm(name: str, pipeline: str) -> None:
    pytest.importorskip("llvmlite")
    program, module = PROGRAMS[name], compiled(name, pipeline, "llvm")
    for given, wanted in expected(name, is_exact=False):
        with module.threads(2):
            assert result(module, program, given) == wanted
