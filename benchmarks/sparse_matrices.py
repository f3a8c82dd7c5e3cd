"""Sparse matrices for programs with index arrays: grids, graphs, and files of Matrix Market."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Matrix:
    """A square matrix in compressed rows (CSR).

    Row i has the columns `columns[k]`, in ascending order, and `values[k]` for k from `starts[i]`
    to before `starts[i + 1]`.
    """

    starts: Indices
    columns: Indices
    values: Values

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(self.starts) - 1

    @property
    def rows(self) -> Indices:
        """The row of each entry."""
        return np.repeat(np.arange(self.size), np.diff(self.starts))

    def where(self, kept: npt.NDArray[np.bool_]) -> Matrix:
        """The matrix with some of its entries."""
        return of_entries(self.size, self.rows[kept], self.columns[kept], self.values[kept])

    def without_diagonal(self) -> Matrix:
        return self.where(self.rows != self.columns)

    def below_diagonal(self) -> Matrix:
        """The entries below the diagonal."""
        return self.where(self.columns < self.rows)

    def diagonal(self) -> Values:
        """The entries of the diagonal, 1 where there is none."""
        found = np.ones(self.size)
        kept = self.rows == self.columns
        found[self.rows[kept]] = self.values[kept]
        return found

    def permuted(self, order: Indices) -> Matrix:
        """The matrix whose row and column `order[i]` are row and column i of this one."""
        return of_entries(self.size, order[self.rows], order[self.columns], self.values)


def of_entries(size: int, rows: Indices, columns: Indices, values: Values) -> Matrix:
    """The matrix of some entries, which are kept as they are if several are in one place."""
    order = np.lexsort((columns, rows))
    starts = np.zeros(size + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows, minlength=size), out=starts[1:])
    return Matrix(
        starts,
        np.ascontiguousarray(columns[order], dtype=np.int64),
        np.ascontiguousarray(values[order], dtype=np.float64),
    )


def laplacian(shape: Sequence[int]) -> Matrix:
    """The Laplacian on a grid: each point has its neighbours along the axes, by -1."""
    size = math.prod(shape)
    numbers = np.arange(size).reshape(shape)
    ends: list[tuple[Indices, Indices]] = []
    for axis in range(len(shape)):
        low = np.delete(numbers, -1, axis).ravel()
        high = np.delete(numbers, 0, axis).ravel()
        ends += [(low, high), (high, low)]
    every = numbers.ravel()
    rows = np.concatenate([every, *(first for first, _ in ends)])
    columns = np.concatenate([every, *(second for _, second in ends)])
    values = np.full(len(rows), -1.0)
    values[:size] = 2.0 * len(shape)
    return of_entries(size, rows, columns, values)


def of_graph(size: int, first: Indices, second: Indices) -> Matrix:
    """The matrix of an undirected graph: -1 for each edge, and what makes it diagonally dominant.

    Several edges between two nodes are one.
    """
    ends = np.stack([np.minimum(first, second), np.maximum(first, second)])
    low, high = np.unique(ends[:, first != second], axis=1)
    degrees = np.bincount(low, minlength=size) + np.bincount(high, minlength=size)
    every = np.arange(size)
    rows, columns = np.concatenate([every, low, high]), np.concatenate([every, high, low])
    values = np.concatenate([degrees + 1.0, np.full(2 * len(low), -1.0)])
    return of_entries(size, rows, columns, values)


def random_graph(size: int, degree: int, random: np.random.Generator) -> Matrix:
    """A graph of `size * degree / 2` edges between nodes of the same probability."""
    first, second = random.integers(0, size, (2, size * degree // 2))
    return of_graph(size, first, second)


def power_law_graph(size: int, degree: int, random: np.random.Generator) -> Matrix:
    """A graph in which a few nodes have many edges: node i is an end with a probability ~ 1 / i."""
    ends = np.exp(random.random((2, size * degree // 2)) * math.log(size + 1)).astype(np.int64) - 1
    order = random.permutation(size)
    first, second = order[np.clip(ends, 0, size - 1)]
    second = np.where(random.random(len(second)) < 0.5, random.integers(0, size), second)
    return of_graph(size, first, second)


def random_order(matrix: Matrix, random: np.random.Generator) -> Matrix:
    """A matrix with its rows and columns in random order."""
    return matrix.permuted(random.permutation(matrix.size))


def matrix_market(path: Path) -> Matrix:
    """The matrix in a file of Matrix Market; needs SciPy (pip install 'polyir[irregular]').

    A diagonal that is missing or too small is replaced by one that is dominant.
    """
    from scipy.io import mmread

    read = mmread(path).tocoo()
    if read.shape[0] != read.shape[1]:
        raise ValueError(f"{path}: the matrix is not square")
    size: int = read.shape[0]
    off = read.row != read.col
    rows, columns = read.row[off].astype(np.int64), read.col[off].astype(np.int64)
    values = read.data[off].astype(np.float64)
    sums = np.bincount(rows, np.abs(values), minlength=size) + 1.0
    every = np.arange(size)
    return of_entries(
        size,
        np.concatenate([every, rows]),
        np.concatenate([every, columns]),
        np.concatenate([sums, values]),
    )


Generator = Callable[[int, np.random.Generator], Matrix]
"""Makes a matrix of about a size."""


def _grid(size: int, dimensions: int) -> Matrix:
    return laplacian([max(round(size ** (1 / dimensions)), 1)] * dimensions)


GENERATORS: Final = MappingProxyType[str, Generator](
    {
        "grid-2d": lambda size, _: _grid(size, 2),
        "grid-2d-random": lambda size, random: random_order(_grid(size, 2), random),
        "grid-3d": lambda size, _: _grid(size, 3),
        "grid-3d-random": lambda size, random: random_order(_grid(size, 3), random),
        "graph": lambda size, random: random_graph(size, 8, random),
        "power-law": lambda size, random: power_law_graph(size, 8, random),
    }
)
"""Generators of matrices, by name."""
