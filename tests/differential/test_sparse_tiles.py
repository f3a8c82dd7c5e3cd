"""Programs after `sparse-tile`: the bits of their results, and the schedules that they run by."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from sparse_tiles import (
    Point,
    Schedule,
    gauss_seidel,
    jacobi,
    molecular_dynamics,
    scatters,
    violation,
)
from tiled_programs import GAUSS_SEIDEL, compiled, inspected, matrix

Indices = NDArray[np.int64]

MOLDYN = """
func.func @kernel(%t: index, %n: index, %m: index, %left: memref<?xindex>,
    %right: memref<?xindex>, %x: memref<?xf64>, %fx: memref<?xf64>, %vx: memref<?xf64>) {
  affine.for %s = 0 to %t {
    affine.for %i = 0 to %n {
      %x0 = affine.load %x[%i] : memref<?xf64>
      %f = affine.load %fx[%i] : memref<?xf64>
      %v = affine.load %vx[%i] : memref<?xf64>
      %a = arith.addf %v, %f : f64
      %x1 = arith.addf %x0, %a : f64
      affine.store %x1, %x[%i] : memref<?xf64>
      %zero = arith.constant 0.0 : f64
      affine.store %zero, %fx[%i] : memref<?xf64>
    }
    affine.for %j = 0 to %m {
      %l = affine.load %left[%j] : memref<?xindex>
      %r = affine.load %right[%j] : memref<?xindex>
      %xl = memref.load %x[%l] : memref<?xf64>
      %xr = memref.load %x[%r] : memref<?xf64>
      %d = arith.subf %xl, %xr : f64
      %fl = memref.load %fx[%l] : memref<?xf64>
      %gl = arith.addf %fl, %d : f64
      memref.store %gl, %fx[%l] : memref<?xf64>
      %fr = memref.load %fx[%r] : memref<?xf64>
      %gr = arith.subf %fr, %d : f64
      memref.store %gr, %fx[%r] : memref<?xf64>
    }
    affine.for %k = 0 to %n {
      %v = affine.load %vx[%k] : memref<?xf64>
      %f = affine.load %fx[%k] : memref<?xf64>
      %a = arith.addf %v, %f : f64
      affine.store %a, %vx[%k] : memref<?xf64>
    }
  }
  return
}
"""

JACOBI = """
func.func @kernel(%t: index, %n: index, %rp: memref<?xindex>, %ci: memref<?xindex>,
    %x: memref<?xf64>, %y: memref<?xf64>) {
  %c1 = arith.constant 1 : index
  affine.for %s = 0 to %t {
    affine.for %i = 0 to %n {
      %lo = affine.load %rp[%i] : memref<?xindex>
      %hi = affine.load %rp[%i + 1] : memref<?xindex>
      %zero = arith.constant 0.0 : f64
      %sum = scf.for %k = %lo to %hi step %c1 iter_args(%a = %zero) -> f64 {
        %c = memref.load %ci[%k] : memref<?xindex>
        %xv = memref.load %x[%c] : memref<?xf64>
        %r = arith.addf %a, %xv : f64
        scf.yield %r : f64
      }
      affine.store %sum, %y[%i] : memref<?xf64>
    }
    affine.for %j = 0 to %n {
      %v = affine.load %y[%j] : memref<?xf64>
      affine.store %v, %x[%j] : memref<?xf64>
    }
  }
  return
}
"""

SCATTERS = """
func.func @kernel(%t: index, %n: index, %m: index, %p: memref<?xindex>, %q: memref<?xindex>,
    %r: memref<?xindex>, %x: memref<?xf64>, %y: memref<?xf64>, %z: memref<?xf64>) {
  affine.for %s = 0 to %t {
    affine.for %i = 0 to %n {
      %qi = affine.load %q[%i] : memref<?xindex>
      %v = memref.load %x[%qi] : memref<?xf64>
      memref.store %v, %y[%i] : memref<?xf64>
    }
    affine.for %j = 0 to %m {
      %pj = affine.load %p[%j] : memref<?xindex>
      %rj = affine.load %r[%j] : memref<?xindex>
      %v = memref.load %y[%rj] : memref<?xf64>
      memref.store %v, %x[%pj] : memref<?xf64>
    }
    affine.for %k = 1 to %n step 2 {
      %rk = affine.load %r[%k] : memref<?xindex>
      %v = affine.load %x[%k - 1] : memref<?xf64>
      memref.store %v, %z[%rk] : memref<?xf64>
      affine.store %v, %y[%n - %k] : memref<?xf64>
    }
  }
  return
}
"""

OPTIONS = (
    "tile=3 sweeps=1 run=queue",
    "tile=3 sweeps=3",
    "tile=5 sweeps=2 parallel=false",
    "tile=2 sweeps=4 numbering=coloured run=queue",
    "tile=9 sweeps=3 order=wavefronts",
    "tile=7 sweeps=5 numbering=coloured parallel=false",
)


MATRICES = ("square", "cube", "shuffled", "random", "chain", "empty")


def _same_results(program: str, options: str, arguments: dict[str, object]) -> None:
    """Check that a program does after `sparse-tile` what it does before."""
    results = []
    for chosen, threads in ((None, 1), (options, 1), (options, 2)):
        module = compiled(program, chosen)
        copies = {k: v.copy() if isinstance(v, np.ndarray) else v for k, v in arguments.items()}
        with module.threads(threads):
            module["kernel"](**copies)
        results.append([v.tobytes() for v in copies.values() if isinstance(v, np.ndarray)])
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("kind", MATRICES)
@pytest.mark.parametrize("options", OPTIONS)
def test_gauss_seidel(kind: str, options: str) -> None:
    generator = np.random.default_rng(7)
    rp, ci = matrix(kind, generator)
    n = len(rp) - 1
    v, x, b = (generator.random(size) for size in (len(ci), n, n))
    arguments = {"rp": rp, "ci": ci, "v": v, "x": x, "b": b, "n": n}
    for t in (0, 1, 7):
        _same_results(GAUSS_SEIDEL, options, {**arguments, "t": t})
    found = inspected(compiled(GAUSS_SEIDEL, options), options, 1, sizes=(n,), **arguments)
    assert violation(found, gauss_seidel(rp, ci, found.levels), 1) is None


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("seed", range(4))
def test_molecular_dynamics(seed: int, options: str) -> None:
    generator = np.random.default_rng(seed)
    n, m = ((9, 20), (12, 0), (0, 0), (30, 40))[seed]
    left, right = (generator.integers(0, max(n, 1), m) for _ in range(2))
    x, fx, vx = (generator.random(n) for _ in range(3))
    arguments = {"left": left, "right": right, "x": x, "fx": fx, "vx": vx, "n": n, "m": m}
    for t in (1, 5):
        _same_results(MOLDYN, options, {**arguments, "t": t})
    found = inspected(compiled(MOLDYN, options), options, 3, sizes=(n, m, n), **arguments)
    points = molecular_dynamics(n, left, right, found.levels // 3)
    assert violation(found, points, 3) is None


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("seed", ["i", "j", "k"])
def test_elements_that_are_written_repeatedly(seed: str, options: str) -> None:
    """Only output and anti dependences order some of the iterations."""
    options = f"{options} seed={seed}"
    for number in range(6):
        generator = np.random.default_rng(number)
        n, m = 24, (24, 10, 40)[number % 3]
        p, q, r = (generator.integers(0, n, max(n, m)) for _ in range(3))
        x, y, z = (generator.random(n) for _ in range(3))
        arguments = {"p": p, "q": q, "r": r, "x": x, "y": y, "z": z, "n": n, "m": m}
        _same_results(SCATTERS, options, {**arguments, "t": 5})
        module = compiled(SCATTERS, options)
        found = inspected(module, options, 3, sizes=(n, m, n // 2), **arguments)
        assert violation(found, scatters(p, q, r, (n, m), found.levels // 3), 3) is None


def test_colours_let_more_tiles_run_at_the_same_time() -> None:
    """Without dependences in the seed, neighbours in the grid have different colours."""
    rp, ci = matrix("square", np.random.default_rng(0))
    arguments = {"rp": rp, "ci": ci, "n": 30, "x": np.arange(30.0), "y": np.zeros(30)}
    fronts = []
    for numbering in ("natural", "coloured"):
        options = f"tile=2 sweeps=2 seed=i numbering={numbering}"
        module = compiled(JACOBI, options)
        _same_results(JACOBI, options, {**arguments, "t": 3})
        found = inspected(module, options, 2, sizes=(30, 30), **arguments)
        assert violation(found, jacobi(rp, ci, 2), 2) is None
        fronts.append(len(set(found.ranks().values())))
    assert fronts[1] < fronts[0] < 15


def test_the_figure_of_the_handbook() -> None:
    """Figure 15.23: the first tile has four iterations of the loops i and j, and two of k.

    The loops run in the orders of the figure, in which the molecules 4, 5, 2, 6, 1 and 3 are the
    numbers from 0 to 5, and the interactions 1, 4, 2, 6, 3 and 5, too.
    """
    molecules, interactions = [4, 5, 2, 6, 1, 3], [1, 4, 2, 6, 3, 5]
    pairs = {1: (4, 5), 4: (4, 2), 2: (2, 6), 6: (5, 2), 3: (5, 1), 5: (6, 3)}
    left, right = (
        np.array([molecules.index(pairs[j][end]) for j in interactions], dtype=np.int64)
        for end in (0, 1)
    )
    arguments = {"left": left, "right": right, "n": 6, "m": 6}
    arguments |= {name: np.zeros(6) for name in ("x", "fx", "vx")}
    options = "tile=4 sweeps=1"
    found = inspected(compiled(MOLDYN, options), options, 3, sizes=(6, 6, 6), **arguments)
    orders = (molecules, interactions, molecules)
    tiles = [
        [[order[i] for i in found.of(tile, level)] for level, order in enumerate(orders)]
        for tile in (0, 1)
    ]
    assert tiles[0] == [[4, 5, 2, 6], [1, 4, 2, 6], [4, 2]]
    assert tiles[1] == [[1, 3], [3, 5], [5, 6, 1, 3]]
    assert found.ranks() == {0: 0, 1: 1}


def _square() -> tuple[Schedule, list[Point], Indices, Indices]:
    """A schedule of Gauss-Seidel on a grid, with the points and the matrix."""
    options = "tile=3 sweeps=3"
    rp, ci = matrix("square", np.random.default_rng(0))
    arguments = {"rp": rp, "ci": ci, "x": np.zeros(30), "n": 30}
    module = compiled(GAUSS_SEIDEL, options)
    found = inspected(module, options, 1, sizes=(30,), **arguments)
    return found, gauss_seidel(rp, ci, 3), rp, ci


def test_a_missing_edge_of_the_tile_graph_is_caught() -> None:
    found, points, _, _ = _square()
    assert found.fronts is not None
    assert len(found.fronts) > 5
    for front in range(1, len(found.fronts) - 1):
        fronts = np.delete(found.fronts, front)
        planted = Schedule(3, found.iterations, found.starts, found.order, fronts)
        assert "does not wait" in (violation(planted, points, 1) or "")


def test_an_iteration_in_a_wrong_tile_is_caught() -> None:
    found, points, _, _ = _square()
    for level in range(3):
        for tile in range(found.tiles - 1):
            planted = _moved(found, tile, level)
            if planted is not None:
                # Something that depends on it runs before it, or at the same time.
                assert violation(planted, points, 1) is not None


def _moved(found: Schedule, tile: int, level: int) -> Schedule | None:
    """The first iteration of a tile at a level, at the end of the last tile; if it has any."""
    cell = tile * found.levels + level
    if not found.of(tile, level):
        return None
    iterations, starts = found.iterations.tolist(), found.starts.copy()
    iterations.append(iterations.pop(int(starts[cell])))
    starts[cell + 1 : -1] -= 1
    return Schedule(found.levels, np.array(iterations), starts, found.order, found.fronts)


def test_other_wrong_schedules_are_caught() -> None:
    found, points, rp, ci = _square()
    assert violation(found, points, 1) is None
    missing = Schedule(3, found.iterations, found.starts, found.order[1:], found.fronts - 1)
    assert violation(missing, points, 1) is not None
    repeated = found.iterations.copy()
    repeated[0] = repeated[1]
    assert "runs twice" in (
        violation(Schedule(3, repeated, found.starts, found.order, found.fronts), points, 1) or ""
    )
    reversed_ = found.iterations.copy()
    first, end = int(found.starts[0]), int(found.starts[1])
    assert end - first > 1
    reversed_[first:end] = reversed_[first:end][::-1]
    assert "comes before" in (
        violation(Schedule(3, reversed_, found.starts, found.order, found.fronts), points, 1) or ""
    )
    changed = ci.copy()
    changed[rp[2]] = 29
    assert violation(found, gauss_seidel(rp, changed, 3), 1) is not None
