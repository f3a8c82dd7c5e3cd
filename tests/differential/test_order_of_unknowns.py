"""`sparse-tile` with `reorder=true`: the bits of the original loops on the permuted matrix."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from kernel_runs import FLAGS, loops_of
from sparse_tiles import Indices, Schedule, gauss_seidel, violation
from tiled_programs import GAUSS_SEIDEL, compiled, csr, inspected, laplacian

from polyir.runtime import CompiledModule, CompilerOptions, compile_module

FIGURE = Path("examples/irregular/gauss-seidel.mlir").read_text()
RUNS = ("tile=4 sweeps=3 run=queue reorder=true", "tile=4 sweeps=3 reorder=true")
SIZES = (3, 26, 60)


@cache
def _figure(options: str | None) -> CompiledModule:
    pipeline = "" if options is None else f"sparse-tile{{{options}}}"
    return compile_module(loops_of(FIGURE, pipeline), CompilerOptions(flags=FLAGS))


def _random(generator: np.random.Generator, n: int) -> tuple[Indices, Indices]:
    """A matrix with the diagonal and some other elements in each row, in any order."""
    rows = [[i, *generator.integers(0, n, generator.integers(0, 5))] for i in range(n)]
    return csr([sorted({int(c) for c in row}) for row in rows])


def _permuted(
    rp: Indices, ci: Indices, v: np.ndarray, order: Indices
) -> tuple[Indices, Indices, np.ndarray]:
    """The matrix whose row p is row `order[p]`; the entries of a row keep their order."""
    number = np.argsort(order)
    entries = [np.arange(rp[i], rp[i + 1]) for i in order]
    starts = np.cumsum([0, *map(len, entries)], dtype=np.int64)
    taken = np.concatenate(entries)
    return starts, number[ci[taken]], v[taken]


def _order(found: Schedule) -> Indices:
    """The order of the unknowns: in the time step of the seed, tiles are blocks of it."""
    middle = found.levels // 2
    return np.array([i for tile in range(found.tiles) for i in found.of(tile, middle)])


@pytest.mark.parametrize("options", RUNS)
@pytest.mark.parametrize("n", SIZES)
def test_figure_15_25_on_the_permuted_matrix(n: int, options: str) -> None:
    moved = 0
    for seed in range(20):
        generator = np.random.default_rng((n, seed))
        rp, ci = _random(generator, n)
        v, f, u = generator.random(len(ci)) + 1, generator.random(n), generator.random(n)
        found = _schedule(rp, ci, options)
        order = _order(found)
        moved += bool(np.any(np.diff(order) < 0))
        rows, columns, values = _permuted(rp, ci, v, order)
        expected = {"u": u[order], "diagonal": np.zeros(n)}
        _figure(None)["gauss_seidel"](
            sweeps=7, n=n, rowptr=rows, col=columns, v=values, f=f[order], **expected
        )
        for threads in (1, 2):
            mine = {"u": u.copy(), "diagonal": np.zeros(n)}
            with _figure(options).threads(threads):
                _figure(options)["gauss_seidel"](sweeps=7, n=n, rowptr=rp, col=ci, v=v, f=f, **mine)
            for name, value in mine.items():
                assert value[order].tobytes() == expected[name].tobytes()
    assert moved > 10 or n <= 4


def _schedule(rp: Indices, ci: Indices, options: str) -> Schedule:
    """The schedule, which must keep the dependences of the loop in the new order."""
    n = len(rp) - 1
    arguments = {"rp": rp, "ci": ci, "x": np.zeros(n), "n": n}
    found = inspected(compiled(GAUSS_SEIDEL, options), options, 1, sizes=(n,), **arguments)
    rank = {int(i): place for place, i in enumerate(_order(found))}
    points = gauss_seidel(rp, ci, found.levels)
    points.sort(key=lambda point: (point.sweep, rank[point.iteration]))
    assert violation(found, points, 1) is None
    return found


def test_blocks_of_one_colour_do_not_depend_on_each_other() -> None:
    """The order of a grid: blocks of one colour come together, and may run at the same time."""
    rp, ci = laplacian((12, 5), np.arange(60))
    depths = []
    for options in ("tile=5 sweeps=1", "tile=5 sweeps=1 reorder=true"):
        n = 60
        arguments = {"rp": rp, "ci": ci, "x": np.zeros(n), "n": n}
        found = inspected(compiled(GAUSS_SEIDEL, options), options, 1, sizes=(n,), **arguments)
        depths.append(len(set(found.ranks().values())))
    # Lines of the grid have two colours.
    assert depths == [12, 2]
    order = _order(_schedule(rp, ci, options))
    assert [int(i) // 5 for i in order[::5]] == [0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11]
