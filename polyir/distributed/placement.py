"""Places of iterations that stay near the elements that they write, from step to step.

The tiles of a time-skewed loop move through space: in each time step, those with `s = 2 t + i` in
a block write other elements, so that a rank with the block accesses nearly all of an array in the
end. But which rank runs an iteration may depend on the step. With the wavefronts `w = t + s` around
the loop, `3 s - 2 w` is `i`, but for what tiles round off. A rank with a block of such places has a
part of the array, and the same neighbours in all steps; and more ranks are busy in a step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import reduce
from math import gcd, lcm

import islpy as isl

from polyir.distributed.linear_systems import solved
from polyir.model.scop import Scop
from polyir.model.statements import AccessKind, Statement
from polyir.sets.lists import pieces_of, sets_of
from polyir.sets.values import isl_value

Row = tuple[Fraction, ...]
"""A linear function: coefficients of the iterators of a statement, or factors of loops."""


def places_in_space(
    scop: Scop,
    domain: isl.UnionSet,
    parallel: Sequence[isl.UnionPwAff],
    around: Sequence[isl.UnionPwAff],
    count: int,
) -> tuple[tuple[isl.UnionPwAff, ...], bool]:
    """Functions of the instances in `domain` that say how `count` parallel loops are divided.

    They are for the first loops. Each is the loop itself, or a sum of multiples of the `parallel`
    loops and of those `around` them that is, but for a bounded number, a subscript of what every
    statement writes. In one step, instances with different places are in different iterations of
    parallel loops. The second result tells whether there is a subscript for each of them.

    Of several functions, each sum has one of the parallel loops: isl is slow to generate code for
    several bounds that are on two loops each.
    """
    loops = (*parallel, *around)
    statements = [
        linear
        for statement in scop.statements
        for here in sets_of(domain)
        if here.get_tuple_name() == statement.name
        for linear in [_Linear(statement, here, loops)]
        if linear.subscripts
    ]
    chosen = [tuple(Fraction(place == at) for place in range(len(loops))) for at in range(count)]
    for position, unit in enumerate(chosen):
        if _are_near(statements, unit):
            continue
        others = [each for at, each in enumerate(chosen) if at != position]
        for found in _candidates(statements):
            if count > 1 and sum(map(bool, found[: len(parallel)])) > 1:
                continue
            if _are_near(statements, found) and _differ([*others, found], len(parallel)):
                chosen[position] = found
                break
    is_near = all(_are_near(statements, each) for each in chosen)
    return tuple(_sum(each, loops) for each in chosen), is_near


class _Linear:
    """The linear parts of loops, and of the subscripts of what a statement writes."""

    def __init__(
        self, statement: Statement, domain: isl.Set, loops: Sequence[isl.UnionPwAff]
    ) -> None:
        self.loops = [_of_loop(domain, each) for each in loops]
        writes = (each for each in statement.accesses if each.kind is not AccessKind.READ)
        rows = [row for each in writes for row in _subscripts(each.relation)]
        self.subscripts = tuple(dict.fromkeys(row for row in rows if any(row)))

    def value(self, factors: Row) -> Row | None:
        """The linear part of a sum of multiples of the loops, if it is known."""
        used = [(factor, row) for factor, row in zip(factors, self.loops, strict=True) if factor]
        if any(row is None for _, row in used):
            return None
        columns = zip(*([factor * each for each in row or ()] for factor, row in used), strict=True)
        return tuple(sum(column, Fraction(0)) for column in columns)


def _are_near(statements: Sequence[_Linear], factors: Row) -> bool:
    """Whether a sum of loops is a multiple of a subscript in each statement."""
    values = [(each, each.value(factors)) for each in statements]
    return all(
        value is not None and any(_are_parallel(value, row) for row in each.subscripts)
        for each, value in values
    )


def _are_parallel(one: Row, other: Row) -> bool:
    pairs = [*zip(one, other, strict=True)]
    return all(a * d == b * c for a, b in pairs for c, d in pairs)


def _candidates(statements: Sequence[_Linear]) -> Iterator[Row]:
    """Sums of loops that are a subscript of a statement which determines all factors."""
    for each in statements:
        rows = [row for row in each.loops if row is not None]
        if len(rows) < len(each.loops):
            continue
        for subscript in each.subscripts:
            equations = [[*column] for column in zip(*rows, subscript, strict=True)]
            found = solved(equations, len(rows))
            if found is not None and len(found[1]) == len(rows):
                yield _whole(found[0][0])


def _whole(factors: Sequence[Fraction]) -> Row:
    """The least multiples that are whole numbers, with the same signs."""
    scale = Fraction(lcm(*(each.denominator for each in factors)))
    scale /= gcd(*(int(each * scale) for each in factors))
    return tuple(each * scale for each in factors)


def _differ(chosen: Sequence[Row], parallel: int) -> bool:
    """Whether in one step, parallel loops have as many dimensions of places as are chosen."""
    found = solved([list(each[:parallel]) for each in chosen], parallel)
    return found is not None and len(found[1]) == len(chosen)


def _of_loop(domain: isl.Set, loop: isl.UnionPwAff) -> Row | None:
    """The linear part of a loop in a statement; `None` if it has several ones."""
    functions = loop.intersect_domain(isl.UnionSet.from_set(domain)).get_pw_aff_list()
    if functions.n_pw_aff() != 1:
        return None
    function = isl.PwMultiAff.from_pw_aff(functions.get_at(0))
    rows = {_of_function(piece.get_at(0)) for _, piece in pieces_of(function)}
    return rows.pop() if len(rows) == 1 else None


def _of_function(function: isl.Aff) -> Row:
    """Coefficients of the iterators; a floor is its argument, but for a bounded number."""
    count = function.dim(isl.dim_type.in_)
    row = [_number(function.get_coefficient_val(isl.dim_type.in_, at)) for at in range(count)]
    for place in range(function.dim(isl.dim_type.div)):
        factor = _number(function.get_coefficient_val(isl.dim_type.div, place))
        if factor:
            inner = _of_function(function.get_div(place))
            row = [each + factor * other for each, other in zip(row, inner, strict=True)]
    return tuple(row)


def _number(value: isl.Val) -> Fraction:
    return Fraction(value.to_str())


def _subscripts(access: isl.Map) -> Iterator[Row]:
    """The linear parts of the subscripts of an access, if they are functions."""
    if access.is_empty() or not access.is_single_valued():
        return
    for _, piece in pieces_of(isl.PwMultiAff.from_map(access)):
        for place in range(piece.dim(isl.dim_type.out)):
            yield _of_function(piece.get_at(place))


def _sum(factors: Row, loops: Sequence[isl.UnionPwAff]) -> isl.UnionPwAff:
    terms = [
        loop if factor == 1 else loop.scale_val(isl_value(int(factor)))
        for factor, loop in zip(factors, loops, strict=True)
        if factor
    ]
    return reduce(isl.UnionPwAff.add, terms)
