"""Irregular loops in wavefronts compute the same bits, and respect every dependence."""

from __future__ import annotations

from functools import cache
from inspect import signature

import numpy as np
import pytest
from access_traces import TracedProgram, dependences, races, violations
from irregular_loops import LOOPS, IrregularLoop, copies
from oracle import MISSING_TOOLS_REASON, Argument, Oracle, mlir_opt_available
from traces import mlir_text
from xdsl.dialects.builtin import ModuleOp

from polyir import api
from polyir.diagnostics import remarks_to
from polyir.runtime import CompiledModule, CompilerOptions

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

FLAGS = ("-std=c99", "-O1", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")
PIPELINES = ("inspect-wavefronts", "inspect-wavefronts{block=3}")
SIZES = (0, 1, 5, 40)
TRACED_SIZES = (0, 1, 12)
SEEDS = range(5)


def inspected(loop: IrregularLoop, pipeline: str) -> ModuleOp:
    with remarks_to(lambda remark: None):
        module = api.lower(api.run_pipeline(api.parse(loop.text), pipeline))
    module.verify()
    return module


@cache
def original(name: str) -> Oracle:
    return Oracle(LOOPS[name].text)


def outcome(result: object, arguments: dict[str, Argument]) -> list[bytes]:
    """The bits of a result and of all arrays."""
    arrays = [value.tobytes() for value in arguments.values() if isinstance(value, np.ndarray)]
    return [np.float64(0 if result is None else result).tobytes(), *arrays]


def expected(name: str, arguments: dict[str, Argument]) -> list[bytes]:
    mine = copies(arguments)
    return outcome(original(name)("f", *mine.values()), mine)


def cases(loop: IrregularLoop, sizes: tuple[int, ...] = SIZES) -> list[dict[str, Argument]]:
    return [
        loop.arguments(np.random.default_rng((size, seed)), size)
        for size in sizes
        for seed in SEEDS
    ]


def assert_same_bits(name: str, compiled: CompiledModule) -> None:
    for arguments in cases(LOOPS[name]):
        wanted = expected(name, arguments)
        for threads in (1, 2):
            mine = copies(arguments)
            with compiled.threads(threads):
                assert outcome(compiled["f"](**mine), mine) == wanted


@pytest.mark.parametrize("pipeline", PIPELINES)
@pytest.mark.parametrize("name", LOOPS)
def test_bits_in_c(name: str, pipeline: str) -> None:
    options = CompilerOptions(flags=FLAGS)
    assert_same_bits(name, api.compile_loops(inspected(LOOPS[name], pipeline), options))


@pytest.mark.parametrize("name", LOOPS)
def test_bits_in_llvm(name: str) -> None:
    pytest.importorskip("llvmlite")
    module = inspected(LOOPS[name], PIPELINES[0])
    assert_same_bits(name, api.compile_loops(module, backend="llvm"))


@pytest.mark.parametrize("name", LOOPS)
def test_mlir_lowers_it_to_the_same_bits_without_races(name: str) -> None:
    traced = TracedProgram(mlir_text(inspected(LOOPS[name], PIPELINES[0])))
    for arguments in cases(LOOPS[name], TRACED_SIZES):
        mine = copies(arguments)
        trace = traced("f", *mine.values())
        assert outcome(None, mine)[1:] == expected(name, arguments)[1:]
        assert races(trace) == []


AT_THE_START = [name for name in LOOPS if "between" not in name and "inside " not in name]
"""Loops whose inspectors Python can call."""


@cache
def wavefronts_of(name: str, pipeline: str) -> CompiledModule:
    return api.compile_loops(inspected(LOOPS[name], pipeline), CompilerOptions(flags=FLAGS))


def schedule(name: str, arguments: dict[str, Argument], block: int) -> dict[int, tuple[int, int]]:
    """The wavefront and the block of each iteration, as the inspector says.

    Asserts that each block is in one wavefront.
    """
    pipeline = PIPELINES[0] if block == 1 else f"inspect-wavefronts{{block={block}}}"
    inspector = wavefronts_of(name, pipeline)["f_inspector"]
    room = 100
    order, starts = np.full(room, -1), np.full(room, -1)
    count = np.zeros((), np.int64)
    named = copies(arguments) | {"order": order, "starts": starts, "wavefronts": count}
    inspector(**{each: named[each] for each in signature(inspector).parameters if each in named})
    places = starts[: int(count) + 1]
    blocks = order[: places[-1]]
    assert sorted(blocks) == list(range(len(blocks)))
    assert places[0] == 0 and all(np.diff(places) > 0)
    loop = LOOPS[name]
    return {
        loop.first + int(number * block + k) * loop.step: (wavefront, int(number))
        for wavefront in range(int(count))
        for number in blocks[places[wavefront] : places[wavefront + 1]]
        for k in range(block)
    }


@cache
def traced_original(name: str) -> TracedProgram:
    return TracedProgram(LOOPS[name].text)


def dependences_of(name: str, arguments: dict[str, Argument]) -> set[tuple[int, int]]:
    trace = traced_original(name)("f", *copies(arguments).values())
    return dependences(trace, LOOPS[name].counter)


@pytest.mark.parametrize("block", [1, 3])
@pytest.mark.parametrize("name", AT_THE_START)
def test_wavefronts_respect_all_dependences(name: str, block: int) -> None:
    for arguments in cases(LOOPS[name], TRACED_SIZES):
        found = schedule(name, arguments, block)

        def is_before(source: int, target: int) -> bool:
            mine, other = found[source], found[target]
            return mine[1] == other[1] if mine[0] == other[0] else mine[0] < other[0]

        pairs = dependences_of(name, arguments)
        assert violations(pairs, is_before) == []
        # No wavefront is later than it must be: each has an iteration that waits for the last one.
        waits = {(found[target][1], found[source][0]) for source, target in pairs}
        for wavefront, number in found.values():
            assert wavefront == 0 or (number, wavefront - 1) in waits
