"""Integer vectors: bases of kernels, and coordinates of quotients.

A linear space is given by a basis of the integer vectors in it, as rows in Hermite normal form:
two spaces are equal if their bases are.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from polyir.schedule.linear import Row, dot


def hermite(rows: Sequence[Sequence[int]], columns: int | None = None) -> tuple[Row, ...]:
    """The rows in Hermite normal form, without rows of zeros, by unimodular row operations.

    Pivots are looked for in the first `columns` columns, or in all.
    """
    work = [list(row) for row in rows]
    done = 0
    width = len(work[0]) if work else 0
    for column in range(width if columns is None else columns):
        while True:
            rest = [row for row in work[done:] if row[column]]
            if not rest:
                break
            pivot = min(rest, key=lambda row: abs(row[column]))
            if pivot[column] < 0:
                pivot[:] = [-entry for entry in pivot]
            for row in work[done:]:
                if row is not pivot and row[column]:
                    _subtract(row, pivot, row[column] // pivot[column])
            if len(rest) == 1:
                place = next(k for k, row in enumerate(work) if row is pivot)
                work[done], work[place] = work[place], work[done]
                for row in work[:done]:
                    _subtract(row, pivot, row[column] // pivot[column])
                done += 1
                break
    if columns is not None:
        return tuple(map(tuple, work))
    return tuple(tuple(row) for row in work[:done])


def kernel(forms: Sequence[Row], width: int) -> tuple[Row, ...]:
    """A basis of all integer vectors of `width` entries on which every form is zero."""
    count = len(forms)
    rows = [
        [*(form[k] for form in forms), *(int(k == other) for other in range(width))]
        for k in range(width)
    ]
    reduced = hermite(rows, count)
    return hermite([row[count:] for row in reduced if not any(row[:count])])


def quotient(basis: Sequence[Row], width: int) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    """Coordinates of `Z^width` modulo a linear space, and a vector for each of them.

    The first rows are a surjective matrix `q` whose kernel is the space; the vectors, the second
    rows, have `q(vector k) = e_k`. Coordinates along which the space does not extend are kept.
    """
    forms = kernel(basis, width)
    count = len(forms)
    rows = [
        [*(form[k] for form in forms), *(int(k == other) for other in range(width))]
        for k in range(width)
    ]
    reduced = hermite(rows, count)
    return forms, tuple(row[count:] for row in reduced[:count])


def primitive(vector: Sequence[int]) -> Row:
    """The vector divided by the greatest common divisor of its entries; zero stays as it is."""
    factor = gcd(*vector) if vector else 0
    return tuple(entry // factor for entry in vector) if factor else tuple(vector)


def is_zero_on(forms: Sequence[Row], vector: Sequence[int]) -> bool:
    """Whether every form is zero on the vector."""
    return all(dot(form, vector) == 0 for form in forms)


def _subtract(row: list[int], pivot: list[int], factor: int) -> None:
    if factor:
        row[:] = [entry - factor * other for entry, other in zip(row, pivot, strict=True)]
