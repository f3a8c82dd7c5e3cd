"""Programs with index arrays compute the same bits after each pass for them, and after several.

`irregular_arguments.DOES_NOTHING` says which pass leaves which program, and why. All others must do
something: a pass that silently leaves a program is a failure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

import numpy as np
import pytest
from backwards import PREFIX, with_backwards
from irregular_arguments import DOES_NOTHING, arguments, whole
from irregular_programs import PROGRAMS, Arguments, IrregularProgram
from pass_effects import run_passes

from polyir import api
from polyir.api import Backend
from polyir.runtime import CompiledModule, CompilerOptions

FLAGS = ("-std=c99", "-O1", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")

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


@cache
def compiled(
    name: str, pipeline: str, backend: Backend = "c"
) -> tuple[CompiledModule, tuple[tuple[str, bool, tuple[str, ...]], ...]]:
    """A program after passes, and what each pass did."""
    module = api.parse(PROGRAMS[name].path.read_text())
    passes = re.split(r",(?![^{]*\})", pipeline) if pipeline else []
    result, effects = run_passes(module, passes)
    options = CompilerOptions(flags=FLAGS) if backend == "c" else None
    loops = with_backwards(api.lower(result)) if backend == "c" else result
    done = api.compile_loops(loops, options, backend, checked=module)
    return done, tuple((each.name, each.does, each.reasons) for each in effects)


def result(
    module: CompiledModule, program: IrregularProgram, given: Arguments, prefix: str = ""
) -> list[bytes]:
    """The bytes of all arrays after a call of the function, or of that with a prefix."""
    copies = {
        name: value.copy() if isinstance(value, np.ndarray) else value
        for name, value in given.items()
    }
    module[f"{prefix}{program.function}"](**copies)
    return [value.tobytes() for value in copies.values() if isinstance(value, np.ndarray)]


@cache
def expected(name: str, is_exact: bool) -> Sequence[tuple[Arguments, list[bytes]]]:
    """Arguments, and what the original program makes of them."""
    original, program = compiled(name, "")[0], PROGRAMS[name]
    given = [whole(each) if is_exact else each for each in arguments(program)]
    return [(each, result(original, program, each)) for each in given]


def require_effects(name: str, pipeline: str) -> None:
    """Assert that all passes do what the tables say."""
    for passed, does, reasons in compiled(name, pipeline)[1]:
        reason = AFTER_OTHERS.get((name, pipeline, passed), DOES_NOTHING.get((name, passed)))
        if reason is None:
            assert does, f"{passed} leaves {name}: {reasons}"
        else:
            assert not does, f"{passed} does something"
            assert any(re.search(reason, each) for each in reasons), reasons


@pytest.mark.parametrize("pipeline", [*SINGLE, *SEVERAL, *IN_ANY_ORDER])
@pytest.mark.parametrize("name", PROGRAMS)
def test_bits_are_those_of_the_original(name: str, pipeline: str) -> None:
    require_effects(name, pipeline)
    program, transformed = PROGRAMS[name], compiled(name, pipeline)[0]
    if all(not does for _, does, _ in compiled(name, pipeline)[1]):
        assert transformed.source == compiled(name, "")[0].source
        return
    for given, bits in expected(name, pipeline in IN_ANY_ORDER):
        for threads in (1, 2):
            with transformed.threads(threads):
                assert result(transformed, program, given) == bits
        # A dependence between iterations of a parallel loop shows in any case.
        assert result(transformed, program, given, PREFIX) == bits


IN_LLVM = (
    "inspect-wavefronts{block=3}",
    "reorder-data{method=breadth-first},sparse-tile{tile=5}",
    "reorder-data,runtime-test{always=true},inspect-wavefronts",
)


@pytest.mark.parametrize("pipeline", IN_LLVM)
@pytest.mark.parametrize("name", ["fig15-19", "moldyn", "gauss-seidel", "mesh-edges"])
def test_bits_in_llvm(name: str, pipeline: str) -> None:
    pytest.importorskip("llvmlite")
    program, transformed = PROGRAMS[name], compiled(name, pipeline, "llvm")[0]
    for given, bits in expected(name, is_exact=False):
        with transformed.threads(2):
            assert result(transformed, program, given) == bits
