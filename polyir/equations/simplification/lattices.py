"""Integer vectors: bases of kernels, and coordinates of quotients.

A linear space is given by a basis of the integer vectors in it, as rows in Hermite normal form:
two spaces are equal if their bases are.
"""

from __future__ import annotations

from collections.abc import Sequence

from polyir.schedule.linear import Row, dot, entries_of, matrix_of


def hermite(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The rows in Hermite normal form, without rows of zeros, by unimodular row operations."""
    if not rows:
        return ()
    # isl's form is that of columns.
    form, _, _ = matrix_of(rows, len(rows[0])).transpose().left_hermite(0)
    return tuple(row for row in entries_of(form.transpose()) if any(row))


def kernel(forms: Sequence[Row], width: int) -> tuple[Row, ...]:
    """A basis of all integer vectors of `width` entries on which every form is zero."""
    return hermite(entries_of(matrix_of(forms, width).right_kernel().transpose()))


def quotient(basis: Sequence[Row], width: int) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    """Coordinates of `Z^width` modulo a linear space, and a vector for each of them.

    The first rows are a surjective matrix `q` whose kernel is the space; the vectors, the second
    rows, have `q(vector k) = e_k`. Coordinates along which the space does not extend are kept.
    """
    forms = kernel(basis, width)
    # The Hermite normal form of a surjective matrix is [I 0], which is the matrix times `columns`.
    _, columns, _ = matrix_of(forms, width).left_hermite(0)
    return forms, tuple(entries_of(columns.transpose())[: len(forms)])


def is_zero_on(forms: Sequence[Row], vector: Sequence[int]) -> bool:
    """Whether every form is zero on the vector."""
    return all(dot(form, vector) == 0 for form in forms)
