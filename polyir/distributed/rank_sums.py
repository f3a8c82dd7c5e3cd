"""Sums over many ranks of functions that are polynomials of the rank, but for a few ranks.

The ranks in the middle are equal up to a shift: what they do is a polynomial of the number of the
rank and of its first tile, as long as the blocks around have the same sizes. So a sum over 100,000
ranks needs the function at a few dozen of them. The polynomial is found by exact interpolation and
checked at further ranks. That is no proof: `Total.is_exact` says whether all ranks were visited or
the checks passed. A sum for which no polynomial is found is estimated, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Final

Vector = tuple[int, ...]

EDGE: Final = 3
"""The first and the last ranks, which are always visited."""

DEGREE: Final = 4
"""The greatest degree of a polynomial that is looked for."""

CHECKS: Final = 3
"""The further ranks at which a polynomial is checked."""

SPLITS: Final = 5
"""How often ranks are halved until they obey one polynomial."""


@dataclass(frozen=True)
class Total:
    """A sum over ranks, and the greatest value of each entry at the visited ranks."""

    sums: Vector
    greatest: Vector
    is_exact: bool = True

    def __add__(self, other: Total) -> Total:
        return Total(
            tuple(a + b for a, b in zip(self.sums, other.sums, strict=True)),
            tuple(max(a, b) for a, b in zip(self.greatest, other.greatest, strict=True)),
            self.is_exact and other.is_exact,
        )


@dataclass(frozen=True)
class Ranks:
    """Neighbouring ranks: what is the same for those that are equal up to a shift.

    `shape` is the same for such ranks, and `place` is the first tile of a rank.
    """

    first: int
    last: int
    shape: Callable[[int], object]
    place: Callable[[int], int]


def summed(function: Callable[[int], Vector], ranks: Ranks, width: int) -> Total:
    """The sum of a function, whose values have `width` entries, over ranks."""
    total = Total((0,) * width, (0,) * width)
    if ranks.last < ranks.first:
        return total
    visited: dict[int, Vector] = {}

    def value(rank: int) -> Vector:
        if rank not in visited:
            visited[rank] = function(rank)
        return visited[rank]

    classes: dict[object, list[int]] = {}
    for rank in range(ranks.first, ranks.last + 1):
        is_edge = rank < ranks.first + EDGE or rank > ranks.last - EDGE
        key = ("edge", rank) if is_edge else ranks.shape(rank)
        classes.setdefault(key, []).append(rank)
    for members in classes.values():
        total += _class_sum(value, members, ranks.place, SPLITS)
    return total


def _class_sum(
    value: Callable[[int], Vector],
    members: Sequence[int],
    place: Callable[[int], int],
    splits: int,
) -> Total:
    points = [(rank, place(rank)) for rank in members]
    # The first tile says nothing new where it is an affine function of the rank.
    steps = {(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(points)}
    powers = _powers(with_place=len({Fraction(y, x) for x, y in steps}) > 1)
    samples = len(powers) + CHECKS
    if len(members) <= samples:
        return _visited(value, members)
    chosen = [points[k * (len(points) - 1) // (samples - 1)] for k in range(samples)]
    values = [value(rank) for rank, _ in chosen]
    greatest = tuple(map(max, zip(*values, strict=True)))
    if len(set(values)) == 1:
        return Total(tuple(each * len(members) for each in values[0]), greatest)
    found = _interpolated(chosen, values, powers)
    if found is not None:
        moments = [sum(x**i * y**j for x, y in points) for i, j in powers]
        sums = (
            sum((c * m for c, m in zip(coefficients, moments, strict=True)), Fraction(0))
            for coefficients in found
        )
        return Total(tuple(map(int, sums)), greatest)
    if splits:
        middle = len(members) // 2
        halves = members[:middle], members[middle:]
        one, other = (_class_sum(value, half, place, splits - 1) for half in halves)
        return one + other
    return _estimated(members, [rank for rank, _ in chosen], values)


def _visited(value: Callable[[int], Vector], members: Sequence[int]) -> Total:
    values = [value(rank) for rank in members]
    columns = list(zip(*values, strict=True))
    return Total(tuple(map(sum, columns)), tuple(map(max, columns)))


def _estimated(members: Sequence[int], chosen: Sequence[int], values: Sequence[Vector]) -> Total:
    """As if the function were linear between the chosen ranks."""
    position = {rank: number for number, rank in enumerate(members)}
    sums = []
    for column in zip(*values, strict=True):
        total = Fraction(column[0] + column[-1], 2)
        for (a, x), (b, y) in pairwise(zip(chosen, column, strict=True)):
            total += Fraction((x + y) * (position[b] - position[a]), 2)
        sums.append(round(total))
    return Total(tuple(sums), tuple(map(max, zip(*values, strict=True))), is_exact=False)


def _powers(with_place: bool) -> list[tuple[int, int]]:
    """The powers of the rank and of its first tile in each term."""
    if not with_place:
        return [(power, 0) for power in range(DEGREE + 1)]
    return [(i, total - i) for total in range(DEGREE) for i in range(total + 1)]


def _interpolated(
    points: Sequence[tuple[int, int]], values: Sequence[Vector], powers: Sequence[tuple[int, int]]
) -> list[list[Fraction]] | None:
    """The coefficients of a polynomial for each entry; `None` if no polynomial has the values."""
    rows = [
        [*(Fraction(x**i * y**j) for i, j in powers), *map(Fraction, value)]
        for (x, y), value in zip(points, values, strict=True)
    ]
    pivots: list[int] = []
    for column in range(len(powers)):
        row = next((r for r in range(len(pivots), len(rows)) if rows[r][column]), None)
        if row is None:
            continue
        target = len(pivots)
        rows[target], rows[row] = rows[row], rows[target]
        pivot = rows[target][column]
        rows[target] = [each / pivot for each in rows[target]]
        for other, entries in enumerate(rows):
            if other != target and entries[column]:
                factor = entries[column]
                rows[other] = [
                    a - factor * b for a, b in zip(entries, rows[target], strict=True)
                ]
        pivots.append(column)
    if any(any(row[len(powers) :]) for row in rows[len(pivots) :]):
        return None
    result = [[Fraction(0)] * len(powers) for _ in values[0]]
    for row, column in zip(rows, pivots, strict=False):
        for entry, coefficients in enumerate(result):
            coefficients[column] = row[len(powers) + entry]
    return result


