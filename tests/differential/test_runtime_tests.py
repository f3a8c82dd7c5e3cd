"""Loops with a test at run time compute the same bits, and the test never misses a dependence."""

from __future__ import annotations

from functools import cache
from inspect import signature

import numpy as np
import pytest
from access_traces import TracedProgram, dependences, races
from irregular_loops import LOOPS, copies
from oracle import MISSING_TOOLS_REASON, Argument, Oracle, mlir_opt_available
from suites import some
from traces import mlir_text
from xdsl.dialects.builtin import ModuleOp

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.runtime import CompiledModule, CompilerOptions

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

FLAGS = ("-std=c99", "-O1", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")
PIPELINE = "runtime-test{always=true}"

# The others have an element that all iterations write, so that no test can succeed.
NAMES = [name for name in LOOPS if name != "result"]


@cache
def parsed(name: str) -> ModuleOp:
    return api.parse(LOOPS[name].text)


@cache
def with_test(name: str, pipeline: str = PIPELINE) -> ModuleOp:
    with remarks_to(lambda remark: None):
        module = api.lower(api.run_pipeline(parsed(name), pipeline))
    module.verify()
    assert "independent" in mlir_text(module)
    return module


@cache
def compiled(name: str, pipeline: str = PIPELINE) -> CompiledModule:
    options = CompilerOptions(flags=FLAGS)
    return api.compile_loops(with_test(name, pipeline), options, origin=parsed(name))


@cache
def original(name: str) -> Oracle:
    return Oracle(LOOPS[name].text)


def cases(name: str) -> list[dict[str, Argument]]:
    """Arguments with and without dependences."""
    found = []
    for size in (0, 1, 12):
        for seed in range(3):
            arguments = LOOPS[name].arguments(np.random.default_rng((size, seed)), size)
            every = np.arange(size)
            orderly = {"p": every, "q": every, "short": every.astype(np.int32)}
            orderly |= {"fixed_p": np.arange(16), "rows": np.zeros(size + 1, np.int64)}
            changed = {each: orderly[each] for each in orderly if each in arguments}
            found += [arguments, {**arguments, **changed}]
    return found


def bits(arguments: dict[str, Argument]) -> list[bytes]:
    return [value.tobytes() for value in arguments.values() if isinstance(value, np.ndarray)]


def expected(name: str, arguments: dict[str, Argument]) -> list[bytes]:
    mine = copies(arguments)
    original(name)("f", *mine.values())
    return bits(mine)


@pytest.mark.parametrize("name", NAMES)
def test_bits_in_c_and_llvm(name: str) -> None:
    by_llvm = api.compile_loops(with_test(name), backend="llvm", origin=parsed(name))
    programs = [compiled(name), by_llvm]
    for arguments in cases(name):
        wanted = expected(name, arguments)
        for program in programs:
            for threads in (1, 2):
                mine = copies(arguments)
                with program.threads(threads):
                    program["f"](**mine)
                assert bits(mine) == wanted


@pytest.mark.parametrize("name", ["figure 15.15", "rows", "inside conditionals"])
def test_wavefronts_where_the_test_fails(name: str) -> None:
    """Both passes in a row: the second one finds the original loop in the other branch."""
    program = compiled(name, f"{PIPELINE},inspect-wavefronts")
    assert "wavefronts" in program.source
    for arguments in cases(name):
        mine = copies(arguments)
        program["f"](**mine)
        assert bits(mine) == expected(name, arguments)


@pytest.mark.parametrize("name", some(NAMES))
def test_parallel_loops_have_no_races(name: str) -> None:
    traced = TracedProgram(mlir_text(with_test(name)))
    branches = set()
    for arguments in cases(name):
        mine = copies(arguments)
        trace = traced("f", *mine.values())
        assert bits(mine) == expected(name, arguments)
        assert races(trace) == []
        counters = {counter for access in trace for counter in access.counters}
        branches.add(any(counter.is_parallel for counter in counters))
    assert True in branches


EXACT = ("figure 15.15", "rows", "chain of index arrays", "index arrays of 32 bits")
"""Loops whose iterations access whatever is found to be in conflict."""


@pytest.mark.parametrize("name", NAMES)
def test_no_dependence_is_missed(name: str) -> None:
    if "inside " in name or "between" in name:
        pytest.skip("the inspector is not for Python")
    traced = TracedProgram(LOOPS[name].text)
    inspector = compiled(name)["f_inspector"]
    outcomes = set()
    for arguments in cases(name):
        independent = np.full((), -1)
        named = {**copies(arguments), "independent": independent}
        inspector(
            **{each: named[each] for each in signature(inspector).parameters if each in named}
        )
        pairs = dependences(traced("f", *copies(arguments).values()), LOOPS[name].counter)
        assert independent in (0, 1)
        assert not (independent and pairs)
        if name in EXACT:
            assert bool(independent) == (not pairs)
        outcomes.add(int(independent))
    assert outcomes == {0, 1}
