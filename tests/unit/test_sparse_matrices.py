"""The matrices of benchmarks and tests of programs with index arrays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from sparse_matrices import GENERATORS, Matrix, laplacian, matrix_market, random_order


def dense(matrix: Matrix) -> npt.NDArray[np.float64]:
    found = np.zeros((matrix.size, matrix.size))
    np.add.at(found, (matrix.rows, matrix.columns), matrix.values)
    return found


def test_laplacian_in_two_dimensions() -> None:
    line = 2 * np.eye(3) - np.eye(3, k=1) - np.eye(3, k=-1)
    other = 2 * np.eye(4) - np.eye(4, k=1) - np.eye(4, k=-1)
    expected = np.kron(line, np.eye(4)) + np.kron(np.eye(3), other)
    assert np.array_equal(dense(laplacian((3, 4))), expected)


@pytest.mark.parametrize("name", GENERATORS)
def test_matrices_are_symmetric_and_dominant(name: str) -> None:
    matrix = GENERATORS[name](60, np.random.default_rng(1))
    full = dense(matrix)
    assert np.array_equal(full, full.T)
    others = np.abs(full - np.diag(np.diag(full))).sum(axis=1)
    assert (np.diag(full) >= others).all()
    assert (np.diff(matrix.columns)[np.diff(matrix.rows) == 0] > 0).all()


def test_parts_of_a_matrix() -> None:
    matrix = random_order(laplacian((4, 4)), np.random.default_rng(1))
    full = dense(matrix)
    assert np.array_equal(dense(matrix.below_diagonal()), np.tril(full, -1))
    assert np.array_equal(dense(matrix.without_diagonal()), full - np.diag(np.diag(full)))
    assert np.array_equal(matrix.diagonal(), np.diag(full))


def test_file_of_matrix_market(tmp_path: Path) -> None:
    pytest.importorskip("scipy")
    file = tmp_path / "a.mtx"
    file.write_text(
        "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 5.0\n2 1 -2.0\n3 2 1.5\n"
    )
    expected = [[3.0, -2.0, 0.0], [-2.0, 4.5, 1.5], [0.0, 1.5, 2.5]]
    assert dense(matrix_market(file)).tolist() == expected
