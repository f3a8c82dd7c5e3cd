"""Irregular loops in wavefronts compute the same bits, and respect every dependence.

The short selection compiles each loop once or twice, so that of two loops one has blocks of each
kind.
"""

from __future__ import annotations

import re
from functools import cache, partial
from inspect import signature

import numpy as np
import pytest
from access_traces import TracedProgram, dependences, races, violations
from irregular_loops import LOOPS, IrregularLoop, copies
from oracle import MISSING_TOOLS_REASON, Argument, Oracle, mlir_opt_available
from suites import in_turn, some
from traces import mlir_text
from xdsl.dialects.builtin import ModuleOp

from polyir import api
from polyir.base.diagnostics import remarks_to
from polyir.runtime import CompiledModule, CompilerOptions

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

FLAGS = ("-std=c99", "-O1", "-fopenmp", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror")
PIPELINES = (
    "inspect-wavefronts",
    "inspect-wavefronts{block=3}",
    "inspect-wavefronts{block=auto grain=2}",
)
SIZES = (0, 1, 5, 40)
TRACED_SIZES = (0, 1, 12)
SEEDS = range(5)


@cache
def parsed(name: str) -> ModuleOp:
    return api.parse(LOOPS[name].text)


@cache
def inspected(name: str, pipeline: str) -> ModuleOp:
    with remarks_to(lambda remark: None):
        module = api.lower(api.run_pipeline(parsed(name), pipeline))
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


@pytest.mark.parametrize(("name", "pipeline"), in_turn(list(LOOPS), PIPELINES, 3))
def test_bits_in_c(name: str, pipeline: str) -> None:
    assert_same_bits(name, wavefronts_of(name, pipeline))


@pytest.mark.parametrize("name", some(LOOPS))
def test_bits_in_llvm(name: str) -> None:
    pytest.importorskip("llvmlite")
    module = inspected(name, PIPELINES[0])
    assert_same_bits(name, api.compile_loops(module, backend="llvm", origin=parsed(name)))


@pytest.mark.parametrize("name", some(LOOPS))
def test_mlir_lowers_it_to_the_same_bits_without_races(name: str) -> None:
    traced = TracedProgram(mlir_text(inspected(name, PIPELINES[0])))
    for arguments in cases(LOOPS[name], TRACED_SIZES):
        mine = copies(arguments)
        trace = traced("f", *mine.values())
        assert outcome(None, mine)[1:] == expected(name, arguments)[1:]
        assert races(trace) == []


AT_THE_START = [name for name in LOOPS if "between" not in name and "inside " not in name]
"""Loops whose inspectors Python can call."""


@cache
def wavefronts_of(name: str, pipeline: str) -> CompiledModule:
    options = CompilerOptions(flags=FLAGS)
    return api.compile_loops(inspected(name, pipeline), options, origin=parsed(name))


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
    assert places[0] == 0
    assert all(np.diff(places) > 0)
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


def is_before(found: dict[int, tuple[int, int]], source: int, target: int) -> bool:
    """Whether an iteration is over when another one begins, in wavefronts of blocks."""
    mine, other = found[source], found[target]
    return mine[1] == other[1] if mine[0] == other[0] else mine[0] < other[0]


def dependences_of(name: str, arguments: dict[str, Argument]) -> set[tuple[int, int]]:
    trace = traced_original(name)("f", *copies(arguments).values())
    return dependences(trace, LOOPS[name].counter)


@pytest.mark.parametrize(("name", "block"), in_turn(AT_THE_START, (1, 3), 2))
def test_wavefronts_respect_all_dependences(name: str, block: int) -> None:
    for arguments in cases(LOOPS[name], TRACED_SIZES):
        found = schedule(name, arguments, block)
        pairs = dependences_of(name, arguments)
        assert violations(pairs, partial(is_before, found)) == []
        # No wavefront is later than it must be: each has an iteration that waits for the last one.
        waits = {(found[target][1], found[source][0]) for source, target in pairs}
        for wavefront, number in found.values():
            assert wavefront == 0 or (number, wavefront - 1) in waits


@pytest.mark.parametrize(("name", "grain"), in_turn(AT_THE_START, (1, 3, 100), 3))
def test_chosen_blocks_respect_all_dependences(name: str, grain: int) -> None:
    inspector = wavefronts_of(name, f"inspect-wavefronts{{block=auto grain={grain}}}")[
        "f_inspector"
    ]
    loop = LOOPS[name]
    for arguments in cases(loop, (0, 1, 12, 40)):
        outputs: dict[str, Argument] = {
            each: np.full(100, -1) for each in ("order", "blocks", "starts")
        }
        count = np.zeros((), np.int64)
        named = copies(arguments) | outputs | {"wavefronts": count}
        inspector(**{e: named[e] for e in signature(inspector).parameters if e in named})
        order, blocks, starts = (np.asarray(value) for value in outputs.values())
        starts = starts[: int(count) + 1]
        blocks = blocks[: starts[-1] + 1]
        order = order[: blocks[-1]]
        assert starts[0] == blocks[0] == 0
        assert all(np.diff(starts) > 0)
        assert all(np.diff(blocks) > 0)
        assert sorted(order) == list(range(len(order)))
        fronts = np.repeat(np.arange(int(count)), np.diff(starts))
        numbers = np.repeat(np.arange(len(fronts)), np.diff(blocks))
        found = {
            loop.first + int(iteration) * loop.step: (int(fronts[number]), int(number), place)
            for place, (iteration, number) in enumerate(zip(order, numbers, strict=True))
        }

        def is_ordered(
            source: int, target: int, found: dict[int, tuple[int, int, int]] = found
        ) -> bool:
            (early, block, place), (late, other, last) = found[source], found[target]
            return early < late or (block == other and place < last)

        assert violations(dependences_of(name, arguments), is_ordered) == []


def test_a_wrong_wavefront_is_caught() -> None:
    """Each dependence that a planted schedule breaks is found."""
    name = "figure 15.15"
    p, q = np.array([1, 2, 5, 3]), np.array([0, 1, 3, 4])
    arguments: dict[str, Argument] = {"n": 4, "A": np.ones(6), "p": p, "q": q}
    pairs = dependences_of(name, arguments)
    # 0 writes A[1], which 1 reads; 2 reads A[3], which 3 writes.
    assert pairs == {(0, 1), (2, 3)}
    found = schedule(name, arguments, block=1)
    assert violations(pairs, partial(is_before, found)) == []
    planted = {**found, 1: (0, 1)}
    assert violations(pairs, partial(is_before, planted)) == [(0, 1)]
    planted = {**found, 2: (1, 2), 3: (0, 3)}
    assert violations(pairs, partial(is_before, planted)) == [(2, 3)]


def test_an_index_array_changed_after_inspection_is_caught() -> None:
    """The schedule of an inspector is not that of other index arrays."""
    name = "figure 15.15"
    p, q = np.array([1, 2, 5, 3]), np.array([0, 1, 3, 4])
    arguments: dict[str, Argument] = {"n": 4, "A": np.ones(6), "p": p, "q": q}
    found = schedule(name, arguments, block=1)
    q[3] = 1
    pairs = dependences_of(name, arguments)
    assert pairs == {(0, 1), (0, 3), (2, 3)}
    assert violations(pairs, partial(is_before, found)) == []
    q[2] = 1
    assert violations(dependences_of(name, arguments), partial(is_before, found)) == [(0, 2)]


def test_a_race_is_caught() -> None:
    """The emitted loops with a wavefront too few run dependent iterations at once."""
    name = "figure 15.15"
    text = mlir_text(inspected(name, PIPELINES[0]))
    p, q = np.array([1, 2, 5, 3]), np.array([0, 1, 3, 4])
    assert races(TracedProgram(text)("f", 4, np.ones(6), p, q)) == []
    # The inspector forgets which elements were written.
    broken = re.sub(r".*memref\.store .*%A_written\[%pi.*\n", "", text)
    found = races(TracedProgram(broken)("f", 4, np.ones(6), p, q))
    assert {access.memory for pair in found for access in pair} == {"A"}


GARBAGE = np.full(40, 10**15)
"""Index arrays that no program may follow."""


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("rows", {"steps": 0, "rows": GARBAGE, "columns": GARBAGE}),
        ("bounds from memory", {"steps": 0, "limits": np.array([0, 40]), "p": GARBAGE}),
        ("bounds from memory", {"steps": -5, "limits": np.array([0, 40]), "p": GARBAGE}),
        ("two loops", {"steps": 0, "p": GARBAGE, "q": GARBAGE}),
        ("index array changed between", {"steps": 0, "p": GARBAGE}),
        ("inside conditionals", {"on": False, "p": GARBAGE}),
        ("inside conditionals", {"off": True, "q": GARBAGE}),
        ("figure 15.15", {"n": 0, "p": GARBAGE, "q": GARBAGE}),
        ("figure 15.15", {"n": -7, "p": GARBAGE, "q": GARBAGE}),
    ],
)
def test_loops_that_do_not_run_are_not_inspected(name: str, changes: dict[str, Argument]) -> None:
    arguments = {**LOOPS[name].arguments(np.random.default_rng(0), 40), **changes}
    mine = copies(arguments)
    wavefronts_of(name, PIPELINES[0])["f"](**mine)
    assert outcome(None, mine) == expected(name, arguments)
