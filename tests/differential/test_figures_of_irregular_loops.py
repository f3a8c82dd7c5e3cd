"""Figures 15.15 to 15.29 of "Computations on Iteration Spaces", which have numbers to compare.

The expected orders, wavefronts and tiles are computed here from what the chapter says of them, or
written down from it. FileCheck tests of the figures' loops are in `tests/filecheck/irregular`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from inspect import signature
from itertools import pairwise

import numpy as np
import pytest
from access_traces import TracedProgram, conflicts, dependences
from irregular_programs import PROGRAMS
from oracle import MISSING_TOOLS_REASON, mlir_opt_available
from pass_effects import run_passes
from sparse_matrices import Matrix, laplacian, of_entries
from xdsl.dialects import affine, scf

from polyir import api
from polyir.runtime import CompiledModule

needs_mlir = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)


@cache
def compiled(name: str, pipeline: str) -> CompiledModule:
    module, effects = run_passes(api.parse(PROGRAMS[name].path.read_text()), [pipeline])
    assert effects[0].does
    return api.compile_loops(module)


def inspected(name: str, pipeline: str, **given: object) -> Mapping[str, np.ndarray]:
    """What the inspector of a program fills: arrays with room at their ends."""
    inspector = compiled(name, pipeline)[f"{PROGRAMS[name].function}_inspector"]
    wanted = [each for each in signature(inspector).parameters if each != "unchecked"]
    filled = {each: np.full(200, -1) for each in wanted if each not in given}
    for each in ("wavefronts", "tiles", "independent"):
        if each in filled:
            filled[each] = np.zeros((), np.int64)
    inspector(**{each: given.get(each, filled.get(each)) for each in wanted})
    return filled


# Figures 15.15 and 15.22: wavefronts

P, Q = np.array([3, 1, 4, 1, 5, 9, 2, 6]), np.array([2, 3, 1, 8, 1, 4, 5, 3])


def wavefronts() -> list[list[int]]:
    """The iterations in each wavefront, from the three relations of section 15.3.2.1."""
    of: list[int] = []
    for later in range(len(P)):
        waits = [
            of[i] for i in range(later) if P[i] == Q[later] or Q[i] == P[later] or P[i] == P[later]
        ]
        of.append(max(waits) + 1 if waits else 0)
    return [[i for i in range(len(P)) if of[i] == w] for w in range(max(of) + 1)]


def test_wavefronts_of_figure_15_22() -> None:
    # 1 and 7 read A[3], which 0 writes; 3 writes A[1], which 2 reads, and so on.
    assert wavefronts() == [[0], [1, 7], [2], [3, 5], [4], [6]]
    found = inspected("fig15-15", "inspect-wavefronts", n=8, p=P, q=Q, A=np.zeros(10))
    starts = found["starts"][: int(found["wavefronts"]) + 1]
    assert [found["order"][a:b].tolist() for a, b in pairwise(starts)] == wavefronts()


# Figures 15.17 to 15.20: tests


def test_test_of_figure_15_18() -> None:
    """Parallel if no A[p[i]] is read as A[i], as where all of p is at least n."""
    for p, independent in (
        ([4, 5, 6, 7], True),
        ([0, 1, 2, 3], True),
        ([4, 5, 4, 7], False),
        ([4, 5, 3, 7], False),
        ([4, 5, 6, 0], False),
    ):
        given = {"n": 4, "p": np.array(p), "A": np.zeros(8)}
        found = inspected("fig15-17", "runtime-test{always=true}", **given)
        assert bool(found["independent"]) == independent


def test_test_of_figure_15_20() -> None:
    """Parallel if no p[i] is a q[j] of another iteration, found without comparing all pairs."""
    for p, q, independent in (
        ([0, 1, 2, 3], [4, 5, 6, 7], True),
        ([0, 1, 2, 3], [0, 1, 2, 3], True),
        ([0, 1, 2, 3], [4, 5, 6, 0], False),
        ([0, 1, 2, 3], [3, 4, 5, 6], False),
        ([0, 1, 0, 3], [4, 5, 6, 7], False),
    ):
        given = {"n": 4, "p": np.array(p), "q": np.array(q), "A": np.zeros(8), "c": np.zeros(4)}
        found = inspected("fig15-19", "runtime-test{always=true}", **given)
        assert bool(found["independent"]) == independent


def test_the_test_is_linear() -> None:
    """It has a table in place of the comparison of all pairs of figure 15.20."""
    module = api.parse(PROGRAMS["fig15-19"].path.read_text())
    loops, (effect,) = run_passes(module, ["runtime-test"])
    assert effect.does
    depths = []
    for op in loops.walk():
        parents = 0
        while (op := op.parent_op()) is not None:
            parents += isinstance(op, scf.ForOp | affine.ForOp)
        depths.append(parents)
    assert max(depths) == 1


# Figure 15.21: orders of molecules and interactions

LEFT, RIGHT = np.array([4, 0, 4, 2]), np.array([1, 4, 3, 0])


def test_packing_of_figure_15_21() -> None:
    molecules = {each: np.zeros(5) for each in ("x", "vx", "fx")}
    given = {"steps": 1, "molecules": 5, "pairs": 4, "left": LEFT, "right": RIGHT, **molecules}
    found = inspected("moldyn", "reorder-data", **given)
    # In the order of the first access: 4 and 1, then 0, then 3, then 2.
    assert found["elements"][:5].tolist() == [4, 1, 0, 3, 2]
    assert found["places"][:5].tolist() == [2, 1, 4, 3, 0]
    # Pointer update: pairs stay where they are, and name the new places.
    assert found["left_updated"][:4].tolist() == [0, 2, 0, 4]
    assert found["right_updated"][:4].tolist() == [1, 0, 3, 2]


def test_order_of_interactions_of_figure_15_21() -> None:
    given = {"steps": 1, "molecules": 5, "pairs": 4, "left": LEFT, "right": RIGHT}
    # The inspector sorts as many iterations as the array has elements.
    found = {each: np.full(4, -1) for each in ("order", "left_sorted", "right_sorted")}
    inspected("moldyn", "reorder-iterations{reassociate=true}", **given, **found)
    # Sorted by `left`; both index arrays in the same order, for their entries are pairs.
    assert found["order"].tolist() == [1, 3, 0, 2]
    assert found["left_sorted"].tolist() == [0, 2, 4, 4]
    assert found["right_sorted"].tolist() == [4, 0, 1, 3]


# Figures 15.25 to 15.29: Gauss-Seidel

SWEEPS, TILE = 3, 4


def graphs() -> dict[str, Matrix]:
    """Symmetric matrices with a diagonal: a line, a grid, and points in random order."""
    random = np.random.default_rng(3)
    first, second = random.integers(0, 20, (2, 25))
    every = np.arange(20)
    rows, columns = np.concatenate([first, second, every]), np.concatenate([second, first, every])
    return {
        "line": laplacian([13]),
        "grid": laplacian([5, 4]),
        "random": of_entries(20, rows, columns, np.ones(len(rows))),
    }


def edges(matrix: Matrix) -> list[tuple[int, int]]:
    """The edges of the matrix graph, in both directions."""
    pairs = zip(matrix.rows.tolist(), matrix.columns.tolist(), strict=True)
    return sorted({(v, w) for v, w in pairs if v != w})


@needs_mlir
@pytest.mark.parametrize("kind", graphs())
def test_iteration_space_graph_of_figure_15_26(kind: str) -> None:
    """A point depends on its neighbours of this sweep or the last one, and so by their order."""
    matrix = graphs()[kind]
    program = PROGRAMS["gauss-seidel"]
    given = program.arguments(matrix, np.random.default_rng(0), 1)
    traced = TracedProgram(program.path.read_text())
    trace = traced(program.function, *given.values())
    assert dependences(trace, "i") == {(v, w) for v, w in edges(matrix) if v < w}
    # In two sweeps, a point of the second one depends on all its neighbours, and on itself.
    given = program.arguments(matrix, np.random.default_rng(0), 2)
    trace = traced(program.function, *given.values())
    found = {
        (first.value("i"), second.value("i"))
        for first, second in conflicts(trace)
        if first.memory == "u" and first.value("s") != second.value("s")
    }
    assert {(v, w) for v, w in found if v != w} == set(edges(matrix))
    assert {(v, v) for v in range(matrix.size)} <= found


def full_sparse_naive(matrix: Matrix, part: Sequence[int], seed: int) -> list[list[int]]:
    """FullSparseNaive_GSCSR (figure 15.29): the tile of each node in each convergence iteration.

    The nodes keep their order, so that the relation NodeOrd is that of their numbers. For each
    sweep in turn, tiles are those of the sweep beside it, until all edges between different tiles
    respect the dependences.
    """
    theta = [list(part) for _ in range(SWEEPS)]
    for sweep in range(seed - 1, -1, -1):
        theta[sweep] = list(theta[sweep + 1])
        while True:
            before = list(theta[sweep])
            for v, w in edges(matrix):
                # (sweep, v) comes before (sweep, w) if v < w, and before (sweep + 1, w) otherwise.
                following = theta[sweep][w] if v < w else theta[sweep + 1][w]
                theta[sweep][v] = min(theta[sweep][v], following)
            if theta[sweep] == before:
                break
    for sweep in range(seed + 1, SWEEPS):
        theta[sweep] = list(theta[sweep - 1])
        while True:
            before = list(theta[sweep])
            for v, w in edges(matrix):
                last = theta[sweep][w] if w < v else theta[sweep - 1][w]
                theta[sweep][v] = max(theta[sweep][v], last)
            if theta[sweep] == before:
                break
    return theta


@pytest.mark.parametrize("kind", graphs())
def test_tiles_of_figure_15_29(kind: str) -> None:
    matrix = graphs()[kind]
    given = PROGRAMS["gauss-seidel"].arguments(matrix, np.random.default_rng(0), SWEEPS)
    found = inspected("gauss-seidel", f"sparse-tile{{tile={TILE} sweeps={SWEEPS}}}", **given)
    # Figure 15.27: the blocks of the seed are at the second of three convergence iterations.
    part = [node // TILE for node in range(matrix.size)]
    theta = full_sparse_naive(matrix, part, seed=1)
    assert theta[1] == part
    assert theta[0] != part
    assert theta[2] != part
    for sweep in range(SWEEPS):
        for tile in range(max(part) + 1):
            # The schedule function of figure 15.28: the nodes of a tile, in their order.
            cell = tile * SWEEPS + sweep
            first, end = found["starts"][cell : cell + 2]
            nodes = found["iterations"][first:end].tolist()
            assert nodes == [node for node, its in enumerate(theta[sweep]) if its == tile]


@pytest.mark.parametrize("kind", graphs())
def test_tile_dependence_graph(kind: str) -> None:
    """A tile is in the first wavefront after those that it depends on."""
    matrix = graphs()[kind]
    given = PROGRAMS["gauss-seidel"].arguments(matrix, np.random.default_rng(0), SWEEPS)
    found = inspected("gauss-seidel", f"sparse-tile{{tile={TILE} sweeps={SWEEPS}}}", **given)
    part = [node // TILE for node in range(matrix.size)]
    theta = full_sparse_naive(matrix, part, seed=1)
    waits: set[tuple[int, int]] = set()
    for v, w in [*edges(matrix), *((v, v) for v in range(matrix.size))]:
        # All pairs of convergence iterations, for what one reads the other writes.
        for early in range(SWEEPS):
            for late in range(early, SWEEPS):
                if (early, v) < (late, w) and theta[early][v] != theta[late][w]:
                    waits.add((theta[early][v], theta[late][w]))
    rank: dict[int, int] = {}
    for tile in range(max(part) + 1):
        rank[tile] = max((rank[a] + 1 for a, b in waits if b == tile), default=0)
    fronts = found["fronts"][: int(found["wavefronts"]) + 1]
    for number, (first, end) in enumerate(pairwise(fronts)):
        assert {rank[tile] for tile in found["order"][first:end].tolist()} == {number}
