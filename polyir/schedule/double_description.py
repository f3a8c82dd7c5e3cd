"""The generators of a polyhedral cone from its constraints, by the double description method.

Motzkin, Raiffa, Thompson, Thrall: The Double Description Method (Contributions to the Theory of
Games II, 1953), with lines as in Le Verge: A Note on Chernikova's Algorithm (IRISA, 1992), which
PolyLib has. Constraints are added one at a time; a constraint keeps the rays on its side, and adds
one where a two-dimensional face of the cone so far crosses its hyperplane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polyir.schedule.linear import Row, primitive


@dataclass(frozen=True)
class Ray:
    """A ray, and the inequalities that it satisfies as equalities, as bits of a number."""

    row: Row
    tight: int


def generators(
    equalities: Sequence[Row], inequalities: Sequence[Row], width: int, most: int
) -> tuple[list[Row], list[Row]] | None:
    """The lines and the extreme rays of `{ y : e.y = 0, a.y >= 0 }` for all given rows.

    Every element of the cone is a sum of lines and of non-negative multiples of rays. Rows have
    `width` entries. `None` if there are more than `most` rays at some point.
    """
    lines = [tuple(int(i == j) for j in range(width)) for i in range(width)]
    rays: list[Ray] = []
    for row in equalities:
        lines = _orthogonal_lines(lines, row)[0]
    dimensions = len(lines)
    for number, row in enumerate(inequalities):
        bit = 1 << number
        lines, first = _orthogonal_lines(lines, row)
        if first is None:
            rays = _cut(rays, row, bit, least=dimensions - len(lines) - 2)
        else:
            # All constraints so far hold for a line as equalities.
            (factor,) = _products(row, [first])
            values = _products(row, [ray.row for ray in rays])
            rays = [
                Ray(_eliminated(ray.row, value, first, factor), ray.tight | bit)
                for ray, value in zip(rays, values, strict=True)
            ]
            rays.append(Ray(first, bit - 1))
        if len(rays) > most:
            return None
    return lines, [ray.row for ray in rays]


def _orthogonal_lines(lines: Sequence[Row], row: Row) -> tuple[list[Row], Row | None]:
    """A basis of the lines with `row.y = 0`; also a line with `row.y > 0`, if there is one."""
    values = _products(row, lines)
    place = next((number for number, value in enumerate(values) if value), None)
    if place is None:
        return list(lines), None
    first, factor = lines[place], values[place]
    if factor < 0:
        first, factor = tuple(-entry for entry in first), -factor
    rest = [
        _eliminated(line, value, first, factor) for line, value in zip(lines, values, strict=True)
    ]
    del rest[place]
    return rest, first


def _products(row: Row, vectors: Sequence[Row]) -> list[int]:
    """The scalar products of `row`, which mostly has few entries, with `vectors`."""
    entries = [(place, entry) for place, entry in enumerate(row) if entry]
    return [sum([entry * vector[place] for place, entry in entries]) for vector in vectors]


def _eliminated(vector: Row, value: int, other: Row, factor: int) -> Row:
    """A sum of a positive multiple of `vector` and of a multiple of `other` with product zero.

    `value` is the product of some row with `vector`, the positive `factor` that with `other`.
    """
    if not value:
        return vector
    return primitive([factor * a - value * b for a, b in zip(vector, other, strict=True)])


def _cut(rays: Sequence[Ray], row: Row, bit: int, least: int) -> list[Ray]:
    """The extreme rays of the part of a cone with `row.y >= 0`.

    All rays of a two-dimensional face satisfy at least `least` inequalities as equalities.
    """
    values = _products(row, [ray.row for ray in rays])
    inside = [(ray, value) for ray, value in zip(rays, values, strict=True) if value > 0]
    outside = [(ray, value) for ray, value in zip(rays, values, strict=True) if value < 0]
    on = [
        Ray(ray.row, ray.tight | bit) for ray, value in zip(rays, values, strict=True) if value == 0
    ]
    tight = [ray.tight for ray in rays]
    crossing: list[Ray] = []
    for first, positive in inside:
        for second, negative in outside:
            common = first.tight & second.tight
            if common.bit_count() >= least and _is_edge(tight, common):
                entries = zip(first.row, second.row, strict=True)
                between = primitive([positive * b - negative * a for a, b in entries])
                crossing.append(Ray(between, common | bit))
    return [ray for ray, _ in inside] + on + crossing


def _is_edge(tight: Sequence[int], common: int) -> bool:
    """Whether only two rays, of those that satisfy `tight`, satisfy all that these have in common.

    Then the sums of the two are a face.
    """
    count = 0
    for each in tight:
        if each & common == common:
            count += 1
            if count > 2:
                return False
    return True
