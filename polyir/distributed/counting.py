"""How many points a bounded set of integers has, without visiting each.

Barvinok's algorithm counts the points of any polyhedron; isl has it only where it is built with
that library. Here the sets are simple: blocks of tiles and the elements that statements access.
They are split into independent parts, whose counts are multiplied. In a part, variables are
summed over one by one, as Tawbi, "Estimation of nested loops execution time by integer arithmetic
in convex polyhedra" (IPPS 1994), does it: where a variable has bounds with the coefficient 1, the
sum of a polynomial over it is a polynomial, by Faulhaber's formula, for each choice of the
greatest lower and the least upper bound. The values of a variable with other bounds are visited.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import comb, gcd, inf, lcm, prod
from operator import add
from typing import Final

import islpy as isl

from polyir.base.diagnostics import PolyirError
from polyir.schedule.linear import Row, constraint_rows
from polyir.sets.boxes import ends_of
from polyir.sets.lists import basic_sets_of
from polyir.sets.maps import at_sizes

MOST_VISITED: Final = 200_000
"""The values that are visited one by one for one set, at most."""


class CountingError(PolyirError):
    """A set with too many points to visit, or with infinitely many."""

    name = "too-complex"


def number_of_points(points: isl.Set) -> int:
    """How many points a set has; it must have no parameters.

    Raises `CountingError` if it is not bounded, or if more than `MOST_VISITED` values of variables
    without simple bounds would have to be visited.
    """
    lifted = points.compute_divs().make_disjoint()
    counter = _Counter()
    return sum(counter.piece(piece) for piece in basic_sets_of(lifted))


# --------------------------------------------------------------------------------- polynomials

Term = tuple[int, ...]
Polynomial = dict[Term, int]
"""The coefficient of each product of powers of variables.

A common denominator is kept beside it: integers are ten times as fast as fractions.
"""


def _times(one: Polynomial, other: Polynomial) -> Polynomial:
    result: Polynomial = {}
    for first, factor in one.items():
        for second, other_factor in other.items():
            term = tuple(map(add, first, second))
            result[term] = result.get(term, 0) + factor * other_factor
    return result


def _add(one: Polynomial, other: Polynomial, scale: int) -> None:
    """Add `other` times `scale` to `one`."""
    for term, factor in other.items():
        one[term] = one.get(term, 0) + scale * factor


def _without_zeros(function: Polynomial) -> Polynomial:
    return {term: factor for term, factor in function.items() if factor}


def _constant(value: int, width: int) -> Polynomial:
    return {(0,) * width: value} if value else {}


def _affine(row: Row) -> Polynomial:
    """`row` is a constant and the coefficients of the variables."""
    width = len(row) - 1
    result = _constant(row[0], width)
    for place, factor in enumerate(row[1:]):
        if factor:
            result[tuple(int(place == other) for other in range(width))] = factor
    return result


@lru_cache(32)
def _power_sum(power: int) -> tuple[Fraction, ...]:
    """The coefficients of `1^power + ... + n^power` as a polynomial of n."""
    # (n + 1)^(power + 1) - 1 = sum over k <= power of comb(power + 1, k) * (1^k + ... + n^k)
    total = [Fraction(comb(power + 1, degree)) for degree in range(power + 2)]
    total[0] -= 1
    for lower in range(power):
        for degree, factor in enumerate(_power_sum(lower)):
            total[degree] -= comb(power + 1, lower) * factor
    return tuple(each / (power + 1) for each in total)


@lru_cache(32)
def _integer_power_sums(greatest: int) -> tuple[tuple[tuple[int, ...], ...], int]:
    """`_power_sum` up to a power, times a common denominator, which is the second result."""
    sums = [_power_sum(power) for power in range(greatest + 1)]
    denominator = lcm(*(each.denominator for row in sums for each in row))
    return tuple(tuple(int(each * denominator) for each in row) for row in sums), denominator


def _sum_over(function: Polynomial, place: int, lower: Row, upper: Row) -> tuple[Polynomial, int]:
    """The sum of `function` over a variable from `lower` to `upper`, times the second result."""
    width = len(lower) - 1
    by_power: dict[int, Polynomial] = {}
    for term, factor in function.items():
        rest = (*term[:place], 0, *term[place + 1 :])
        by_power.setdefault(term[place], {})[rest] = factor
    sums, denominator = _integer_power_sums(max(by_power))
    # Sums from 1 on, to the upper bound and to the one before the lower bound: they hold for
    # negative bounds, too.
    ends = _affine(upper), _affine((lower[0] - 1, *lower[1:]))
    differences: list[Polynomial] = [{} for _ in sums]
    for end, sign in zip(ends, (1, -1), strict=True):
        raised = _constant(1, width)
        for degree in range(len(sums) + 1):
            for power in by_power:
                if degree < len(sums[power]) and sums[power][degree]:
                    _add(differences[power], raised, sign * sums[power][degree])
            raised = _times(raised, end)
    result: Polynomial = {}
    for power, rest_of_it in by_power.items():
        _add(result, _times(rest_of_it, differences[power]), 1)
    return _without_zeros(result), denominator


# ------------------------------------------------------------------------------------- counting


class _Counter:
    def __init__(self) -> None:
        self._visited = 0

    def piece(self, piece: isl.BasicSet) -> int:
        """The points of a basic set; the integer divisions are further variables."""
        polyhedron = piece.lift().flatten()
        if polyhedron.is_empty():
            return 0
        equalities, inequalities = constraint_rows(polyhedron)
        width = polyhedron.dim(isl.dim_type.set)
        rows, left = _substituted(equalities, inequalities, width)
        reduced = _tightened(rows)
        if reduced is None:
            return 0
        free = left - {column for row in reduced for column in left if row[column]}
        if free:
            raise CountingError(f"a set that is not bounded cannot be counted: {piece}")
        return prod(self._part(each, width) for each in _parts(reduced, left))

    def _part(self, rows: tuple[Row, ...], width: int) -> int:
        """The points of a polyhedron whose variables depend on one another."""
        return int(self._sum(rows, _constant(1, width), 1, width))

    def _sum(
        self, rows: tuple[Row, ...], function: Polynomial, denominator: int, width: int
    ) -> Fraction:
        """The sum of a polynomial over the points of a polyhedron."""
        tightened = _tightened(rows)
        if tightened is None or not function:
            return Fraction(0)
        columns = _variables(tightened)
        if not columns:
            return Fraction(function.get((0,) * width, 0), denominator)
        simple = [column for column in columns if all(abs(row[column]) <= 1 for row in tightened)]
        if not simple:
            return self._visit(tightened, function, denominator, width)
        column = min(simple, key=lambda each: _choices(tightened, each))
        lower, upper, others = _bounds(tightened, column)
        total = Fraction(0)
        for low, high in product(range(len(lower)), range(len(upper))):
            chosen = [*others, *_greatest(lower, low), *_least(upper, high)]
            chosen.append(_difference(upper[high], lower[low]))
            if not _is_empty(chosen, width):
                inner, factor = _sum_over(function, column - 1, lower[low], upper[high])
                total += self._sum(tuple(chosen), inner, denominator * factor, width)
        return total

    def _visit(
        self, rows: tuple[Row, ...], function: Polynomial, denominator: int, width: int
    ) -> Fraction:
        """The sum over the values of the variable that has the fewest."""
        ranges = {column: _extent(rows, column, width) for column in _variables(rows)}
        column = min(ranges, key=lambda each: ranges[each][1] - ranges[each][0])
        first, last = ranges[column]
        if last - first == inf:
            raise CountingError("a set that is not bounded cannot be counted")
        total = Fraction(0)
        for value in range(int(first), int(last) + 1):
            self._visited += 1
            if self._visited > MOST_VISITED:
                raise CountingError(f"a set needs more than {MOST_VISITED} visits to be counted")
            fixed = tuple(_fixed(row, column, value) for row in rows)
            total += self._sum(fixed, _at(function, column - 1, value), denominator, width)
        return total


def _variables(rows: Sequence[Row]) -> list[int]:
    """The columns of the variables that have a coefficient."""
    return [
        column for column in range(1, len(rows[0]) if rows else 0) if any(r[column] for r in rows)
    ]


def _substituted(
    equalities: Iterable[Row], inequalities: Iterable[Row], width: int
) -> tuple[list[Row], set[int]]:
    """Inequalities without the variables that equalities determine, and the variables left."""
    rows = list(inequalities)
    todo = list(equalities)
    left = set(range(1, width + 1))
    while todo:
        found = next(
            ((row, c) for row in todo for c in range(1, width + 1) if abs(row[c]) == 1), None
        )
        if found is None:
            # No variable is an integer function of others: both inequalities, and all are visited.
            return [*rows, *todo, *(tuple(-each for each in row) for row in todo)], left
        row, column = found
        todo.remove(row)
        todo = [_eliminated(each, row, column) for each in todo]
        rows = [_eliminated(each, row, column) for each in rows]
        todo = [each for each in todo if any(each)]
        left.discard(column)
    return rows, left


def _eliminated(row: Row, equality: Row, column: int) -> Row:
    """`row` without a variable that has the coefficient 1 or -1 in `equality`."""
    factor = row[column] * equality[column]
    return tuple(a - factor * b for a, b in zip(row, equality, strict=True))


def _tightened(rows: Iterable[Row]) -> tuple[Row, ...] | None:
    """Rows divided by the common divisor of their coefficients; `None` if one is never true."""
    strongest: dict[Row, int] = {}
    for row in rows:
        divisor = gcd(*row[1:])
        if divisor == 0:
            if row[0] < 0:
                return None
            continue
        key = tuple(each // divisor for each in row[1:])
        bound = row[0] // divisor
        strongest[key] = min(bound, strongest.get(key, bound))
    for key, bound in strongest.items():
        opposite = strongest.get(tuple(-each for each in key))
        if opposite is not None and bound + opposite < 0:
            return None
    return tuple((bound, *key) for key, bound in strongest.items())


def _parts(rows: tuple[Row, ...], columns: set[int]) -> Iterator[tuple[Row, ...]]:
    """The rows in groups that have no variable in common."""
    left = set(columns)
    while left:
        group = {left.pop()}
        while True:
            inside = [row for row in rows if any(row[column] for column in group)]
            more = {column for row in inside for column in left if row[column]}
            if not more:
                break
            group |= more
            left -= more
        yield tuple(inside)


def _choices(rows: Iterable[Row], column: int) -> int:
    above = sum(row[column] > 0 for row in rows)
    below = sum(row[column] < 0 for row in rows)
    return above * below


def _bounds(rows: Iterable[Row], column: int) -> tuple[list[Row], list[Row], list[Row]]:
    """The lower and the upper bounds of a variable as affine functions, and the other rows."""
    lower, upper, others = [], [], []
    for row in rows:
        rest = (*row[:column], 0, *row[column + 1 :])
        if row[column] > 0:
            lower.append(tuple(-each for each in rest))
        elif row[column] < 0:
            upper.append(rest)
        else:
            others.append(row)
    if not lower or not upper:
        raise CountingError("a set that is not bounded cannot be counted")
    return lower, upper, others


def _difference(one: Row, other: Row, constant: int = 0) -> Row:
    """`one - other + constant >= 0`."""
    first, *rest = (a - b for a, b in zip(one, other, strict=True))
    return (first + constant, *rest)


def _greatest(bounds: Sequence[Row], which: int) -> Iterator[Row]:
    """Where a bound is the greatest; of equal ones, the first."""
    for place, each in enumerate(bounds):
        if place != which:
            yield _difference(bounds[which], each, -1 if place < which else 0)


def _least(bounds: Sequence[Row], which: int) -> Iterator[Row]:
    for place, each in enumerate(bounds):
        if place != which:
            yield _difference(each, bounds[which], -1 if place < which else 0)


def _fixed(row: Row, column: int, value: int) -> Row:
    return (row[0] + row[column] * value, *row[1:column], 0, *row[column + 1 :])


def _at(function: Polynomial, place: int, value: int) -> Polynomial:
    """The polynomial where a variable has a value."""
    result: Polynomial = {}
    for term, factor in function.items():
        rest = (*term[:place], 0, *term[place + 1 :])
        result[rest] = result.get(rest, 0) + factor * value ** term[place]
    return _without_zeros(result)


def _polyhedron(rows: Iterable[Row], width: int) -> isl.BasicSet:
    names = [f"x{column}" for column in range(1, width + 1)]
    texts = [
        " + ".join((str(row[0]), *(f"{a} {n}" for a, n in zip(row[1:], names, strict=True) if a)))
        + " >= 0"
        for row in rows
    ]
    return isl.BasicSet(f"{{ [{', '.join(names)}] : {' and '.join(texts) or 'true'} }}")


def _is_empty(rows: Sequence[Row], width: int) -> bool:
    tightened = _tightened(rows)
    if tightened is None:
        return True
    return bool(_polyhedron(tightened, width).is_empty())


def _extent(rows: Iterable[Row], column: int, width: int) -> tuple[float, float]:
    """The least and the greatest value of a variable."""
    values = isl.Set.from_basic_set(_polyhedron(rows, width))
    least, greatest = ends_of(values, column - 1)
    if least is None or greatest is None:
        return (-inf, inf) if not values.is_empty() else (0, -1)
    return least, greatest


def fixed(points: isl.Set, values: Mapping[str, int]) -> isl.Set:
    """A set for these values of parameters, of which it keeps none of them."""
    points = at_sizes(points, values)
    for name in values:
        place = points.find_dim_by_name(isl.dim_type.param, name)
        if place >= 0:
            points = points.project_out(isl.dim_type.param, place, 1)
    return points
