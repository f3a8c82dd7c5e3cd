"""Linear equations over the rationals."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def solved(
    equations: Sequence[Sequence[Fraction]], unknowns: int
) -> tuple[list[list[Fraction]], list[int]] | None:
    """A solution of equations, and the unknowns that they determine; `None` if there is none.

    An equation has the coefficients of the unknowns, and then its right-hand sides, for each of
    which there is a solution. Unknowns that are not determined are 0.
    """
    rows = [list(each) for each in equations]
    pivots: list[int] = []
    for column in range(unknowns):
        found = next((r for r in range(len(pivots), len(rows)) if rows[r][column]), None)
        if found is None:
            continue
        target = len(pivots)
        rows[target], rows[found] = rows[found], rows[target]
        pivot = rows[target][column]
        rows[target] = [each / pivot for each in rows[target]]
        for other, entries in enumerate(rows):
            if other != target and entries[column]:
                factor = entries[column]
                rows[other] = [a - factor * b for a, b in zip(entries, rows[target], strict=True)]
        pivots.append(column)
    if any(any(row[unknowns:]) for row in rows[len(pivots) :]):
        return None
    sides = len(rows[0]) - unknowns
    result = [[Fraction(0)] * unknowns for _ in range(sides)]
    for row, column in zip(rows, pivots, strict=False):
        for entry, coefficients in enumerate(result):
            coefficients[column] = row[unknowns + entry]
    return result, pivots
