"""Exact linear algebra on small integer matrices, given as tuples of integer rows."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

Row = tuple[int, ...]


def primitive(row: Sequence[int]) -> Row:
    """`row` divided by the greatest common divisor of its entries."""
    divisor = gcd(*row)
    return tuple(entry // divisor for entry in row) if divisor > 1 else tuple(row)


def row_echelon(rows: Sequence[Row], width: int) -> tuple[tuple[Row, ...], tuple[int, ...]]:
    """A reduced echelon form with primitive integer rows, and the pivot column of each row.

    Each pivot is positive and the only non-zero entry of its column; zero rows are dropped, so
    the number of rows is the rank.
    """
    reduced: list[Row] = []
    pivots: list[int] = []
    remaining = [primitive(row) for row in rows]
    for column in range(width):
        chosen = next((row for row in remaining if row[column] != 0), None)
        if chosen is None:
            continue
        pivot = chosen if chosen[column] > 0 else tuple(-entry for entry in chosen)
        remaining.remove(chosen)
        remaining = [_eliminate(row, pivot, column) for row in remaining]
        reduced = [_eliminate(row, pivot, column) for row in reduced]
        reduced.append(pivot)
        pivots.append(column)
    return tuple(reduced), tuple(pivots)


def _eliminate(row: Row, pivot: Row, column: int) -> Row:
    """A positive multiple of `row` plus a multiple of `pivot`, zero in `column`."""
    if row[column] == 0:
        return row
    scale, factor = pivot[column], row[column]
    return primitive([scale * a - factor * b for a, b in zip(row, pivot, strict=True)])


def rank(rows: Sequence[Row], width: int) -> int:
    """The rank of a matrix with `width` columns."""
    return len(row_echelon(rows, width)[0])


def orthogonal_complement(rows: Sequence[Row], width: int) -> tuple[Row, ...]:
    """An integer basis of the vectors orthogonal to every row of a matrix.

    A vector is linearly independent of the rows exactly if its product with some vector of the
    basis is not zero (paper 000, equation 13, without the division). Where the rows span a
    coordinate subspace the basis consists of unit vectors.
    """
    reduced, pivots = row_echelon(rows, width)
    basis = []
    for free in (column for column in range(width) if column not in pivots):
        denominator = 1
        for row, pivot in zip(reduced, pivots, strict=True):
            if row[free] != 0:
                denominator = denominator * row[pivot] // gcd(denominator, row[pivot])
        vector = [0] * width
        vector[free] = denominator
        for row, pivot in zip(reduced, pivots, strict=True):
            vector[pivot] = -row[free] * (denominator // row[pivot])
        basis.append(primitive(vector))
    return tuple(basis)


def dot(left: Sequence[int], right: Sequence[int]) -> int:
    """The scalar product."""
    return sum(a * b for a, b in zip(left, right, strict=True))
