"""Dependence graphs of tiles, and tiles that run as soon as those before them have ended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from access_traces import Access, TracedProgram, conflicts, races
from kernel_runs import loops_of
from oracle import MISSING_TOOLS_REASON, mlir_opt_available
from sparse_tiles import Indices, Point, Schedule, dependences, gauss_seidel, violation
from suites import in_turn
from tiled_programs import GAUSS_SEIDEL, compiled, csr, inspected, matrix
from traces import mlir_text

from polyir import api

QUEUE = "tile=3 sweeps=3 run=queue"
MATRICES = ("square", "cube", "shuffled", "random", "chain", "empty")


def _found(kind: str, options: str = QUEUE) -> tuple[Schedule, list[Point]]:
    """The schedule of Gauss-Seidel on a matrix, and its points."""
    return _found_for(*matrix(kind, np.random.default_rng(3)), options)


def _found_for(rp: Indices, ci: Indices, options: str) -> tuple[Schedule, list[Point]]:
    n = len(rp) - 1
    arguments = {"rp": rp, "ci": ci, "x": np.zeros(n), "n": n}
    found = inspected(compiled(GAUSS_SEIDEL, options), options, 1, sizes=(n,), **arguments)
    return found, gauss_seidel(rp, ci, found.levels)


def _edges(found: Schedule) -> Iterator[tuple[int, int]]:
    return ((tile, next) for tile, each in found.graph().items() for next in each)


def _without(found: Schedule, number: int) -> Schedule:
    """The schedule without an edge, with what a tile waits for counted accordingly."""
    assert found.edges is not None
    assert found.successors is not None
    assert found.predecessors is not None
    tile = int(np.searchsorted(found.edges, number, side="right")) - 1
    edges, predecessors = found.edges.copy(), found.predecessors.copy()
    edges[tile + 1 :] -= 1
    predecessors[found.successors[number]] -= 1
    successors = np.delete(found.successors, number)
    return replace(found, edges=edges, successors=successors, predecessors=predecessors)


@pytest.mark.parametrize("kind", MATRICES)
def test_edges_are_the_dependences_between_tiles(kind: str) -> None:
    """Each edge is a dependence, and each dependence is an edge or a path."""
    found, points = _found(kind)
    tiles = _tiles(found)
    pairs = {(tiles[source.key], tiles[target.key]) for source, target in dependences(points)}
    edges = list(_edges(found))
    assert len(set(edges)) == len(edges)
    assert set(edges) <= pairs
    assert violation(found, points, 1) is None


def _tiles(found: Schedule) -> dict[tuple[int, int, int], int]:
    """The tile of each point."""
    return {
        (level, 0, iteration): tile
        for tile in range(found.tiles)
        for level in range(found.levels)
        for iteration in found.of(tile, level)
    }


@pytest.mark.parametrize("kind", MATRICES[:4])
def test_each_missing_edge_is_caught(kind: str) -> None:
    """Without any edge that no other path replaces, a tile does not wait for one before it."""
    found, points = _found(kind)
    needed = 0
    for number, (tile, next) in enumerate(_edges(found)):
        planted = _without(found, number)
        if tile not in planted.before()[next]:
            needed += 1
            assert "does not wait" in (violation(planted, points, 1) or "")
    assert needed > 5


def test_a_count_that_is_too_high_or_too_low_is_caught() -> None:
    found, points = _found("square")
    assert found.predecessors is not None
    for change, message in ((1, "does not run"), (-1, "does not wait")):
        predecessors = found.predecessors.copy()
        predecessors[-1] += change
        planted = replace(found, predecessors=predecessors)
        assert message in (violation(planted, points, 1) or "")


def test_tiles_are_in_order_where_there_is_no_room_for_all_edges() -> None:
    n, options = 100, "tile=1 sweeps=1 run=queue"
    found, points = _found_for(*csr([list(range(n))] * n), options)
    assert list(_edges(found)) == [(tile, tile + 1) for tile in range(n - 1)]
    assert violation(found, points, 1) is None


@pytest.mark.parametrize("kind", ["square", "shuffled"])
def test_tiles_grow_by_the_dependences(kind: str) -> None:
    """The tiling function of figures 15.27 and 15.29, from its definition."""
    found, points = _found(kind, "tile=3 sweeps=5 run=queue")
    grown = {point.key: point.iteration // 3 for point in points if point.sweep == 2}
    pairs = list(dependences(points))
    for point in sorted(points, key=lambda each: each.key, reverse=True):
        if point.sweep < 2:
            grown[point.key] = min(grown[b.key] for a, b in pairs if a is point and b.sweep <= 2)
    for point in points:
        if point.sweep > 2:
            grown[point.key] = max(grown[a.key] for a, b in pairs if b is point)
    assert _tiles(found) == grown


@pytest.mark.parametrize(("kind", "backend"), in_turn(MATRICES, ["c", "llvm"], 2))
def test_the_bits_of_both_backends(kind: str, backend: str) -> None:
    if backend == "llvm":
        pytest.importorskip("llvmlite")
    generator = np.random.default_rng(5)
    rp, ci = matrix(kind, generator)
    n = len(rp) - 1
    v, x, b = generator.random(len(ci)) / 8, generator.random(n), generator.random(n)
    expected = x.copy()
    compiled(GAUSS_SEIDEL, None)["kernel"](t=20, n=n, rp=rp, ci=ci, v=v, x=expected, b=b)
    module = api.compile_loops(loops_of(GAUSS_SEIDEL, f"sparse-tile{{{QUEUE}}}"), backend=backend)
    for threads in (1, 2, 5):
        mine = x.copy()
        with module.threads(threads):
            module["kernel"](t=20, n=n, rp=rp, ci=ci, v=v, x=mine, b=b)
        assert mine.tobytes() == expected.tobytes()


@pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)
@pytest.mark.parametrize("kind", ["square", "random"])
def test_what_tiles_access_is_in_the_order_of_the_graph(kind: str) -> None:
    """From traces of MLIR's own lowering: what two tiles access, and no race in the inspector."""
    found, _ = _found(kind)
    before = found.before()
    trace = _trace(kind, QUEUE)
    tile_of: dict[tuple[tuple[int, ...], int | None], int] = {}
    for access in trace:
        if access.memory.startswith("edges") and access.value("turn") is not None:
            tile_of.setdefault((access.outside("turn"), access.value("turn")), access.element[0])
    compared = 0
    for first, second in conflicts([each for each in trace if each.value("turn") is not None]):
        if first.outside("turn") == second.outside("turn"):
            tile, later = (
                tile_of[each.outside("turn"), each.value("turn")] for each in (first, second)
            )
            compared += tile != later
            # What one tile publishes for the next is for atomic operations, which are not accesses.
            assert tile == later or tile in before[later]
    assert compared > 100
    assert races([each for each in trace if each.value("turn") is None]) == []


@pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)
def test_no_races_in_wavefronts_of_tiles() -> None:
    assert races(_trace("square", "tile=3 sweeps=3 order=wavefronts")) == []


def _trace(kind: str, options: str) -> list[Access]:
    generator = np.random.default_rng(3)
    rp, ci = matrix(kind, generator)
    n = len(rp) - 1
    traced = TracedProgram(mlir_text(loops_of(GAUSS_SEIDEL, f"sparse-tile{{{options}}}")))
    v, x, b = generator.random(len(ci)), generator.random(n), generator.random(n)
    return traced("kernel", 4, n, rp, ci, v, x, b)
