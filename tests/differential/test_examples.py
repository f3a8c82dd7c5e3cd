"""The example programs compute what the figures of the paper say."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from oracle import MISSING_TOOLS_REASON, Oracle, compile_all, mlir_opt_available

pytestmark = pytest.mark.skipif(not mlir_opt_available(), reason=MISSING_TOOLS_REASON)

FOLDER = Path(__file__).parents[2] / "examples"
N = 9

Array = npt.NDArray[np.float64]


def jacobi_1d(a: Array, b: Array) -> None:
    for _ in range(3):
        b[2:N] = 0.33 * (a[1 : N - 1] + a[2:N] + a[3 : N + 1])
        a[2:N] = b[2:N]


def jacobi_2d(a: Array, b: Array) -> None:
    centre = np.s_[2:N, 2:N]
    for _ in range(3):
        rows = a[1 : N - 1, 2:N] + a[centre] + a[3 : N + 1, 2:N]
        b[centre] = rows + a[2:N, 1 : N - 1] + a[2:N, 3 : N + 1]
        a[centre] = b[centre]


def matvec_pair(a: Array, x: Array, y: Array) -> None:
    x[:N] += a[:N, :N] @ y[:N]
    y[:N] += a[:N, :N] @ x[:N]


def matvec_chain(a: Array, b: Array, c: Array, x: Array, y: Array, z: Array, w: Array) -> None:
    y[:N] += a[:N, :N] @ x[:N]
    z[:N] += b[:N, :N] @ y[:N]
    w[:N] += c[:N, :N] @ z[:N]


def matmul_chain(a: Array, b: Array, c: Array, d: Array, e: Array) -> None:
    inner = np.s_[:N, :N]
    c[inner] += a[inner] @ b[inner]
    d[inner] += e[inner] @ c[inner]


def scalar_sum(a: Array, s: Array) -> None:
    s += a[:N, :N].sum()


def stencil(a: Array) -> None:
    for i in range(1, N + 1):
        for j in range(1, N + 1):
            a[i, j] = a[i - 1, j] + a[i, j - 1]


def transpose(a: Array) -> None:
    for i in range(1, N + 1):
        for j in range(2, N + 1):
            a[i, j] = a[j, i] + a[i, j - 1]


def lu(a: Array) -> None:
    for k in range(N):
        rest = np.s_[k + 1 : N]
        a[k, rest] /= a[k, k]
        a[rest, rest] -= np.outer(a[rest, k], a[k, rest])


def five_stencils(*arrays: Array) -> None:
    for source, target in pairwise(arrays):
        target[2:N] = source[1 : N - 1] + source[2:N] + source[3 : N + 1]


def four_index(
    a: Array,
    c1: Array,
    c2: Array,
    c3: Array,
    c4: Array,
    t1: Array,
    t2: Array,
    t3: Array,
    b: Array,
) -> None:
    inner = np.s_[:N, :N, :N, :N]
    t1[inner] += np.einsum("pqrs,pa->aqrs", a[inner], c4[:N, :N])
    t2[inner] += np.einsum("aqrs,qb->abrs", t1[inner], c3[:N, :N])
    t3[inner] += np.einsum("abrs,rc->abcs", t2[inner], c2[:N, :N])
    b[inner] += np.einsum("abcs,sd->abcd", t3[inner], c1[:N, :N])


# The program, what it computes, its index arguments, and the ranks of its arrays.
CASES: dict[str, tuple[Callable[..., None], tuple[int, ...], tuple[int, ...]]] = {
    "sec41-transpose": (transpose, (N,), (2,)),
    "fig1b-jacobi-1d-imperfect": (jacobi_1d, (3, N), (1, 1)),
    "fig3-matvec-pair": (matvec_pair, (N,), (2, 1, 1)),
    "sec36-matvec-chain": (matvec_chain, (N,), (2, 2, 2, 1, 1, 1, 1)),
    "sec36-scalar-sum": (scalar_sum, (N,), (2, 0)),
    "fig4-stencil": (stencil, (N,), (2,)),
    "fig7-jacobi-2d-imperfect": (jacobi_2d, (3, N), (2, 2)),
    "fig8-lu": (lu, (N,), (2,)),
    "fig9-matmul-chain": (matmul_chain, (N,), (2, 2, 2, 2, 2)),
    "fig10-five-stencils": (five_stencils, (N,), (1, 1, 1, 1, 1, 1)),
    "fig11-tce-four-index": (four_index, (N,), (4, 2, 2, 2, 2, 4, 4, 4, 4)),
}


@pytest.fixture(scope="module")
def oracles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Oracle]:
    texts = [(FOLDER / f"{name}.mlir").read_text() for name in CASES]
    return dict(zip(CASES, compile_all(texts, tmp_path_factory.mktemp("examples")), strict=True))


def test_every_example_of_the_paper_is_here() -> None:
    paper_programs = [
        path.stem for path in FOLDER.glob("*.mlir") if path.stem[:3] in {"fig", "sec"}
    ]
    assert sorted(CASES) == sorted(paper_programs)


@pytest.mark.parametrize("name", CASES)
def test_example(name: str, oracles: dict[str, Oracle]) -> None:
    reference, scalars, ranks = CASES[name]
    generator = np.random.default_rng(7)
    # One more than n, for the programs of the paper count from one.
    actual = [np.asarray(generator.uniform(1.0, 2.0, (N + 1,) * rank)) for rank in ranks]
    expected = [array.copy() for array in actual]
    initial = [array.copy() for array in actual]
    oracle = oracles[name]
    (function,) = oracle.signatures
    oracle(function, *scalars, *actual)
    reference(*expected)
    for ours, theirs in zip(actual, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    pairs = zip(actual, initial, strict=True)
    assert any(not np.array_equal(after, before) for after, before in pairs)
