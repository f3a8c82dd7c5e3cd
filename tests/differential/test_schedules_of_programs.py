"""Schedules of sparse tiles for the programs of `examples/irregular`, by the traces of these.

What each iteration of the loops in a time step accesses comes from a trace of the original program,
as MLIR lowers it. So the check shares nothing with inspectors, not even how the program is read.
The short selection has a third of the options for each program, and each of them for some program.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from functools import cache
from inspect import signature
from itertools import product

import numpy as np
import pytest
from access_traces import Access, TracedProgram
from guarded_arrays import guarded
from irregular_programs import PROGRAMS, Arguments
from oracle import MISSING_TOOLS_REASON, mlir_opt_available
from pass_effects import run_passes
from separate_process import in_process
from sparse_matrices import GENERATORS
from sparse_tiles import Point, Schedule, violation
from suites import in_turn

import polyir
from polyir import api
from polyir.runtime import CompiledModule
from polyir.runtime.functions import public_signatures

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

NAMES = ("moldyn", "gauss-seidel", "symmetric-gauss-seidel", "sor", "pagerank")
LOOPS = {"moldyn": 3, "symmetric-gauss-seidel": 2, "pagerank": 3}
KINDS = ("grid-2d", "grid-2d-random", "graph", "power-law")
SIZE, SWEEPS = 20, 3

OPTIONS = tuple(
    f"tile={tile} sweeps={SWEEPS} numbering={numbering} order={order} parallel={parallel}"
    for tile, numbering, order, parallel in product(
        (3,), ("natural", "coloured"), ("program", "wavefronts"), ("true", "false")
    )
)


@cache
def compiled(name: str, options: str) -> CompiledModule:
    module = api.parse(PROGRAMS[name].path.read_text())
    loops, effects = run_passes(module, [f"sparse-tile{{{options}}}"])
    assert effects[0].does
    return api.compile_loops(loops)


@cache
def traced(name: str) -> TracedProgram:
    return TracedProgram(PROGRAMS[name].path.read_text())


def arguments(name: str, kind: str) -> Arguments:
    random = np.random.default_rng(7)
    return PROGRAMS[name].arguments(GENERATORS[kind](SIZE, random), random, SWEEPS)


@cache
def points_of(name: str, kind: str) -> list[Point]:
    """The iterations of inner loops, and what each reads and writes, in the order of a trace."""
    made = arguments(name, kind)
    (wanted,) = public_signatures(api.parse(PROGRAMS[name].path.read_text()))
    given = [made[each.name] for each in wanted.parameters]
    trace = traced(name)(PROGRAMS[name].function, *given)
    loops = sorted({access.counters[1].loop for access in trace})
    # Loops are numbered as the accesses in them are met, which is the order of the program.
    assert len(loops) == LOOPS.get(name, 1)
    found: dict[tuple[int, int, int], tuple[set[Hashable], set[Hashable]]] = {}
    for access in trace:
        key = access.iteration[0], loops.index(access.counters[1].loop), access.iteration[1]
        found.setdefault(key, (set(), set()))[access.is_store].add(_element(access))
    return [
        Point(*key, frozenset(reads), frozenset(writes)) for key, (reads, writes) in found.items()
    ]


def _element(access: Access) -> Hashable:
    return access.address, access.element


def schedule_of(name: str, kind: str, options: str) -> Schedule:
    inspector = compiled(name, options)[f"{PROGRAMS[name].function}_inspector"]
    given = arguments(name, kind)
    room = 1000
    filled = {
        **{each: np.full(room, -1) for each in ("iterations", "starts", "order", "fronts")},
        **{each: np.zeros((), np.int64) for each in ("wavefronts", "tiles")},
    }
    known = {**given, **filled}
    inspector(**{each: known[each] for each in signature(inspector).parameters if each in known})
    levels = LOOPS.get(name, 1) * SWEEPS
    sizes = _sizes(points_of(name, kind))
    starts = filled["starts"]
    cells = int(np.argmax(starts == sum(sizes)))
    # Cells at the end may be empty: all have the same start.
    cells = next(k for k in range(cells, room) if starts[k + 1] == -1)
    iterations = filled["iterations"][: sum(sizes)]
    if "parallel=false" in options:
        assert cells == int(filled["tiles"]) * levels
        return Schedule(levels, iterations, starts[: cells + 1])
    fronts = filled["fronts"][: int(filled["wavefronts"]) + 1]
    return Schedule(levels, iterations, starts[: cells + 1], filled["order"], fronts)


def _sizes(points: Sequence[Point]) -> list[int]:
    """The numbers of iterations of all levels."""
    found: dict[tuple[int, int], int] = defaultdict(int)
    for point in points:
        found[point.sweep, point.loop] += 1
    return list(found.values())


@pytest.mark.parametrize(("name", "options"), in_turn(NAMES, OPTIONS, 5))
def test_all_dependences_are_respected(name: str, options: str) -> None:
    for kind in KINDS:
        points = points_of(name, kind)
        assert violation(schedule_of(name, kind, options), points, LOOPS.get(name, 1)) is None


def test_coloured_tiles_of_one_iteration_without_any() -> None:
    """The only tile is empty, and nothing is read for it."""
    pipeline = "sparse-tile{tile=1 sweeps=2 numbering=coloured}"
    module = polyir.compile(PROGRAMS["gauss-seidel"].path.read_text(), pipeline, backend="c")
    nothing = {name: guarded(np.zeros(0)) for name in ("v", "f", "diagonal", "u")}
    indices = {name: guarded(np.zeros(0, np.int64)) for name in ("rowptr", "col")}

    def call() -> None:
        for sweeps, n in ((0, 0), (2, 0), (2, -1)):
            module.gauss_seidel(sweeps=sweeps, n=n, **indices, **nothing)

    assert in_process(call) is None


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_edge_of_the_tile_graph_is_caught(name: str) -> None:
    """Without an edge, a tile may run at the same time as one that it waits for."""
    caught = 0
    for kind in KINDS:
        points, found = points_of(name, kind), schedule_of(name, kind, OPTIONS[0])
        assert found.fronts is not None
        for front in range(1, len(found.fronts) - 1):
            fronts = np.delete(found.fronts, front)
            args = found.levels, found.iterations, found.starts, found.order, fronts
            assert "does not wait" in (violation(Schedule(*args), points, LOOPS.get(name, 1)) or "")
            caught += 1
    assert caught >= len(KINDS)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "symmetric-gauss-seidel"])
def test_index_arrays_that_changed_after_the_inspection_are_caught(name: str) -> None:
    """Tiles of one matrix are not those of the same one in another order.

    Sweeps in both directions let almost all iterations be in one tile, in whatever order.
    """
    found = schedule_of(name, "grid-2d", OPTIONS[0])
    points = points_of(name, "grid-2d-random")
    assert len(points) == len(found.iterations)
    assert violation(found, points, LOOPS.get(name, 1)) is not None
