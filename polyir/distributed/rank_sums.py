"""Sums over many ranks of functions that are polynomials of the rank, but for a few ranks.

The ranks in the middle are equal up to a shift: what they do is a polynomial of the number of the
rank and of its first tile, as long as the blocks around have the same sizes. So a sum over 100,000
ranks needs the function at a few dozen of them. The polynomial is found by exact interpolation and
checked at further ranks. That is not a proof: `Total.is_exact` says whether all ranks were visited
or the checks passed. A sum for which no polynomial is found is estimated, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from typing import Final

from polyir.distributed.linear_systems import solved

Vector = tuple[int, ...]

EDGE: Final = 2
"""The first and the last ranks, which are always visited."""

DEGREE: Final = 4
"""The greatest degree of a polynomial that is looked for."""

CHECKS: Final = 3
"""The further ranks at which a polynomial is checked."""

PEELS: Final = 3
"""How often the ranks at both ends are counted apart, until the others obey one polynomial."""

ENDS: Final = 16
"""The part of the ranks that is counted apart at each end."""


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
    """Ranks in order, and what is the same for those that are equal up to a shift.

    `shape` is the same for such ranks, and `place` is the first tile of a rank.
    """

    members: Sequence[int]
    shape: Callable[[int], object]
    place: Callable[[int], int]


def summed(function: Callable[[int], Vector], ranks: Ranks, width: int) -> Total:
    """The sum of a function, whose values have `width` entries, over ranks."""
    if not ranks.members:
        return Total((0,) * width, (0,) * width)
    return _Sum(function, ranks, width).total()


class _Sum:
    def __init__(self, function: Callable[[int], Vector], ranks: Ranks, width: int) -> None:
        self._function, self._ranks, self._width = function, ranks, width
        self._known: dict[int, Vector] = {}

    def total(self) -> Total:
        everyone = self._ranks.members
        edges = sorted({*everyone[:EDGE], *everyone[-EDGE:]})
        total = self._visited(edges)
        classes: dict[object, list[int]] = {}
        for rank in everyone[EDGE:-EDGE]:
            classes.setdefault(self._ranks.shape(rank), []).append(rank)
        return reduce(Total.__add__, (self._peeled(c, PEELS) for c in classes.values()), total)

    def _value(self, rank: int) -> Vector:
        if rank not in self._known:
            self._known[rank] = self._function(rank)
        return self._known[rank]

    def _visited(self, members: Sequence[int]) -> Total:
        columns = list(zip(*map(self._value, members), strict=True))
        return Total(tuple(map(sum, columns)), tuple(map(max, columns)))

    def _peeled(self, members: Sequence[int], peels: int) -> Total:
        """The sum over ranks of one shape, of which those at the ends may be special."""
        found = self._polynomial_sum(members)
        if found is not None:
            return found
        if not peels:
            return self._estimated(members)
        end = max(len(members) // ENDS, EDGE)
        parts = members[:end], members[end:-end], members[-end:]
        sums = (self._peeled(part, peels - 1) for part in parts if part)
        return reduce(Total.__add__, sums)

    def _polynomial_sum(self, members: Sequence[int]) -> Total | None:
        """The sum if few ranks can be visited or if the function is a polynomial, else `None`."""
        place = self._ranks.place
        few = DEGREE + 1 + CHECKS
        if len(members) <= 2 * few:
            return self._visited(members)
        samples = _spread(members, few)
        values = [self._value(rank) for rank in samples]
        checks = _between(members, CHECKS)
        checked = [self._value(rank) for rank in checks]
        greatest = tuple(map(max, zip(*values, *checked, strict=True)))
        if len({*values, *checked}) == 1:
            return Total(tuple(each * len(members) for each in values[0]), greatest)
        for with_place in (False, True):
            powers = _powers(with_place)
            if with_place:
                samples = _spread(members, len(powers) + CHECKS)
                values = [self._value(rank) for rank in samples]
            points = [(rank, place(rank)) for rank in samples]
            found = _interpolated(points, values, powers)
            if found is not None and all(
                _evaluated(found, powers, rank, place(rank)) == value
                for rank, value in zip(checks, checked, strict=True)
            ):
                moments = [sum(r**i * place(r) ** j for r in members) for i, j in powers]
                return Total(tuple(map(int, _dot(found, moments))), greatest)
        return None

    def _estimated(self, members: Sequence[int]) -> Total:
        """As if the function were linear between the visited ranks."""
        chosen = [(k, self._known[r]) for k, r in enumerate(members) if r in self._known]
        columns = list(zip(*(value for _, value in chosen), strict=True))
        sums = []
        for column in columns:
            total = Fraction(column[0] + column[-1], 2)
            for (a, x), (b, y) in pairwise(zip((k for k, _ in chosen), column, strict=True)):
                total += Fraction((x + y) * (b - a), 2)
            sums.append(round(total))
        return Total(tuple(sums), tuple(map(max, columns)), is_exact=False)


def _spread(members: Sequence[int], count: int) -> list[int]:
    """So many of the members, from the first to the last one, or all."""
    if len(members) <= count:
        return list(members)
    return [members[k * (len(members) - 1) // (count - 1)] for k in range(count)]


def _between(members: Sequence[int], count: int) -> list[int]:
    """Members at parts of the way that are not simple fractions."""
    golden = 0.6180339887498949
    return [members[int(len(members) * (golden * (k + 1) % 1))] for k in range(count)]


def _powers(with_place: bool) -> list[tuple[int, int]]:
    """The powers of the rank and of its first tile in each term."""
    if not with_place:
        return [(power, 0) for power in range(DEGREE + 1)]
    return [(i, total - i) for total in range(DEGREE) for i in range(total + 1)]


def _evaluated(
    found: Sequence[Sequence[Fraction]], powers: Sequence[tuple[int, int]], rank: int, place: int
) -> Vector:
    return tuple(map(int, _dot(found, [rank**i * place**j for i, j in powers])))


def _dot(rows: Sequence[Sequence[Fraction]], vector: Sequence[int]) -> Iterator[Fraction]:
    for row in rows:
        yield sum((a * b for a, b in zip(row, vector, strict=True)), Fraction(0))


def _interpolated(
    points: Sequence[tuple[int, int]], values: Sequence[Vector], powers: Sequence[tuple[int, int]]
) -> list[list[Fraction]] | None:
    """The coefficients of a polynomial for each entry; `None` if no polynomial has the values."""
    rows = [
        [*(Fraction(x**i * y**j) for i, j in powers), *map(Fraction, value)]
        for (x, y), value in zip(points, values, strict=True)
    ]
    found = solved(rows, len(powers))
    return None if found is None else found[0]
