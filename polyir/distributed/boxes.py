"""Code for the boxes around sets of elements: the least subscripts, and how many there are.

isl has the ends of a set as functions of the parameters, with a piece for each order of what the
ends of its basic sets may be. The pieces grow much faster than the number of basic sets: five
bounds, some of them with divisions, can make 160 pieces, which take isl many seconds, or in which
it fails. So the ends of most sets are compared when the program runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import islpy as isl
from xdsl.ir import SSAValue

from polyir.codegen.ast_build import condition_of, expression_of
from polyir.codegen.ast_expressions import AstExpressionReader
from polyir.loops.code import Code
from polyir.model.index_expressions import IndexExpression
from polyir.model.scop import Scop
from polyir.sets.hulls import coalesced
from polyir.sets.lists import basic_sets_of
from polyir.sets.values import isl_value

Values = Mapping[str, SSAValue]
"""The values of parameters, by their names."""

_MOST_BASIC_SETS = 6
"""Ends of more basic sets than these are compared when the program runs."""

_MOST_PIECES = 20
"""Functions with more pieces than these are split: by basic sets, or the extent into its two ends.

isl took 0.1 s for the expression of a function of 22 pieces, and 1.5 s for one of 99.
"""

_FAR = 1 << 40
"""A subscript beyond all others: the least one where there is none."""


def extent(
    code: Code, scop: Scop, sets: Sequence[isl.Set], dimension: int, values: Values
) -> tuple[SSAValue, SSAValue]:
    """The least subscript along a dimension, and how many there are up to the greatest.

    They are for the box around all sets; if those are empty, there are none.
    """
    ends = [end for each in sets for end in _ends(each, dimension)]
    if len(ends) == 1:
        first, last = ends[0].first, ends[0].last
        extent = last.sub(first).add_constant_val(isl.Val(1))
        if _pieces(extent) <= _MOST_PIECES:
            least = value_where_defined(code, scop, first, values)
            return least, _value(code, scop, _defined_everywhere(extent, 0, scop.context), values)
    firsts = [_end(code, scop, each.first, _FAR, each, values) for each in ends]
    lasts = [_end(code, scop, each.last, -_FAR, each, values) for each in ends]
    least, greatest = reduce(code.minimum, firsts), reduce(code.maximum, lasts)
    return least, code.steps(least, code.sum(greatest, 1), 1)


def value_where_defined(code: Code, scop: Scop, function: isl.PwAff, values: Values) -> SSAValue:
    """The value of a function of parameters; any number where it is not defined."""
    return _value(code, scop, coalesced(function.gist(function.domain())), values)


@dataclass(frozen=True)
class _Ends:
    """The first and the last subscript of a set of points, as functions of the parameters."""

    points: isl.Set
    first: isl.PwAff
    last: isl.PwAff


def _ends(points: isl.Set, dimension: int) -> list[_Ends]:
    """The ends of a set, or of each of its basic sets.

    They are those of the set as long as isl has them soon, in few pieces.
    """
    count = points.n_basic_set()
    if count <= _MOST_BASIC_SETS:
        ends = _Ends(points, points.dim_min(dimension), points.dim_max(dimension))
        if count == 1 or all(_pieces(each) <= _MOST_PIECES for each in (ends.first, ends.last)):
            return [ends]
    parts = map(isl.Set.from_basic_set, basic_sets_of(points))
    return [_Ends(each, each.dim_min(dimension), each.dim_max(dimension)) for each in parts]


def _pieces(function: isl.PwAff) -> int:
    """How many convex pieces a function has."""
    counts: list[int] = []
    function.foreach_piece(lambda domain, _: counts.append(domain.n_basic_set()))
    return sum(counts)


def _end(
    code: Code, scop: Scop, end: isl.PwAff, nothing: int, ends: _Ends, values: Values
) -> SSAValue:
    """The value of one of the ends of a set, or `nothing` where that is empty."""
    if _pieces(end) <= _MOST_PIECES:
        return _value(code, scop, _defined_everywhere(end, nothing, scop.context), values)
    some = coalesced(ends.points.params())
    condition = condition_of(some, scop.context.align_params(some.get_space()))
    has_some = _reader(values).condition(condition, code.builder)
    value = value_where_defined(code, scop, end, values)
    return code.choice(has_some, value, code.constant(nothing))


def _defined_everywhere(function: isl.PwAff, otherwise: int, context: isl.Set) -> isl.PwAff:
    """A function of parameters that is a constant where it was not defined.

    With many pieces, isl takes long for it.
    """
    elsewhere = isl.Set.universe(function.get_domain_space()).subtract(function.domain())
    zero = isl.Aff.zero_on_domain(function.get_domain_space())
    rest = isl.PwAff.from_aff(zero.add_constant_val(isl_value(otherwise)))
    rest = rest.intersect_params(elsewhere.params())
    return coalesced(function.union_add(rest).gist_params(context))


def _value(code: Code, scop: Scop, function: isl.PwAff, values: Values) -> SSAValue:
    context = scop.context.align_params(function.get_domain_space())
    return _reader(values).value(expression_of(function, context), code.builder)


def _reader(values: Values) -> AstExpressionReader:
    return AstExpressionReader({n: IndexExpression.of(value) for n, value in values.items()})
