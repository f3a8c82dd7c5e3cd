"""Completion of subscripts to a basis: paper 001, section 4.2, "access completion"."""

from __future__ import annotations

from collections.abc import Sequence

from polyir.schedule.linear import Row

Matrix = list[list[int]]


def hermite_normal_form(rows: Sequence[Row], width: int) -> tuple[Matrix, Matrix, Matrix]:
    """`(H, Q, Q^-1)` with `H = rows . Q` lower triangular and Q unimodular.

    A row that is independent of those above it ends in a positive entry, in the first column in
    which they are zero; a dependent one ends before. Found by Euclid's algorithm on pairs of
    columns; entries before the last one are not reduced.
    """
    form = [list(row) for row in rows]
    basis, inverse = _identity(width), _identity(width)
    pivot = 0
    for row in form:
        if pivot == width:
            break
        for column in range(pivot + 1, width):
            while row[column]:
                quotient = row[pivot] // row[column]
                # Column pivot loses the quotient of the other one, then they change places.
                for matrix in (form, basis):
                    _eliminate_and_swap(matrix, pivot, column, quotient)
                inverse[column] = [
                    b + quotient * a for a, b in zip(inverse[pivot], inverse[column], strict=True)
                ]
                inverse[pivot], inverse[column] = inverse[column], inverse[pivot]
        if row[pivot] < 0:
            for matrix in (form, basis):
                for line in matrix:
                    line[pivot] = -line[pivot]
            inverse[pivot] = [-entry for entry in inverse[pivot]]
        if row[pivot]:
            pivot += 1
    return form, basis, inverse


def completing_rows(rows: Sequence[Row], width: int) -> tuple[Row, ...]:
    """Rows that make `rows` span all `width` dimensions, none of them dependent on the others.

    They are the unit vectors behind the columns of the Hermite normal form that are not zero,
    carried back by Q^-1. For the subscripts `B[k, j]` in loops i, j, k it is the row of i, and
    different iterations of i touch different parts of the array `B[i, k, j]`.
    """
    form, _, inverse = hermite_normal_form(rows, width)
    rank = sum(any(line[column] for line in form) for column in range(width))
    return tuple(tuple(inverse[row]) for row in range(rank, width))


def _identity(width: int) -> Matrix:
    return [[int(row == column) for column in range(width)] for row in range(width)]


def _eliminate_and_swap(matrix: Matrix, first: int, second: int, quotient: int) -> None:
    for line in matrix:
        line[first], line[second] = line[second], line[first] - quotient * line[second]
