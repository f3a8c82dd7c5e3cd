"""Equal values that contribute to the same result.

Along the vectors that are in both the reuse space and the accumulation space all values are equal,
and all contribute to one result: one of them will do if the operator is idempotent, a sum is so
many times one of them, and of an exclusive or it matters whether they are an odd number (Gautam
and Rajopadhye, "Simplifying Reductions", POPL 2006: higher-order operators).
"""

from __future__ import annotations

from dataclasses import replace

import islpy as isl

from polyir.equations.rewriting import moved
from polyir.equations.simplification.decomposition import Space, quotient_of
from polyir.equations.simplification.lattices import quotient
from polyir.equations.simplification.reductions import Reduction, edges, linear_function
from polyir.equations.system import Expression, Index, Operation, Polynomial
from polyir.schedule.linear import Row
from polyir.sets.values import isl_value

MOST_PIECES = 4
"""In how many parts a count may fall before it is left one function."""


def once(reduction: Reduction) -> Reduction:
    """For an idempotent operator: one of the equal values for each result."""
    return _modulo(reduction, reduction.shared)


def shared_lines(reduction: Reduction) -> list[Row]:
    """The vectors along which it is worth while to count equal values."""
    return list(edges(reduction.shared, reduction.normals))


def times(reduction: Reduction, line: Row) -> list[Reduction] | None:
    """For a sum: the values, each as often as it occurs along `line`; disjoint parts of the sum.

    `None` where the points along the line are not a progression whose ends are known.
    """
    found = _counts(reduction, line)
    if found is None:
        return None
    simpler, counts = found
    parts = []
    pieces = counts.coalesce().get_pieces()
    if len(pieces) > MOST_PIECES or any(function.involves_locals() for _, function in pieces):
        factor: Expression = Polynomial(isl.PwQPolynomial.from_pw_aff(counts))
        return [replace(simpler, value=_product(factor, simpler.value))]
    for points, function in pieces:
        domain = simpler.domain.intersect(points)
        if not domain.is_empty():
            value = _product(Index(function), simpler.value)
            is_one = isl.PwAff.from_aff(function.add_constant_val(isl.Val(-1))).zero_set()
            single = domain.is_subset(is_one)
            parts.append(replace(simpler, domain=domain, value=simpler.value if single else value))
    return parts


def odd(reduction: Reduction, line: Row) -> Reduction | None:
    """For an exclusive or: the values that occur an odd number of times along `line`.

    Where a result would be left without any value, the others are false instead. `None` where the
    numbers are not known.
    """
    found = _counts(reduction, line)
    if found is None:
        return None
    simpler, counts = found
    remainder = counts.mod_val(isl.Val(2))
    parts = simpler.domain.subtract(remainder.zero_set())
    only = replace(simpler, domain=parts.coalesce())
    if reduction.results.is_subset(only.results):
        return only
    is_odd = Polynomial(isl.PwQPolynomial.from_pw_aff(remainder))
    return replace(simpler, value=Operation((is_odd, simpler.value), "and"))


def _product(factor: Expression, value: Expression) -> Expression:
    if isinstance(value, Operation) and value.operator == "*" and not value.is_external:
        return Operation((factor, *value.parts), "*")
    return Operation((factor, value), "*")


def _counts(reduction: Reduction, line: Row) -> tuple[Reduction, isl.PwAff] | None:
    """The reduction modulo a line, and how many points of its domain are on each parallel to it."""
    simpler = _modulo(reduction, (line,))
    along = _places(reduction, simpler, line)
    ends = [along.lexmin_pw_multi_aff(), along.lexmax_pw_multi_aff()]
    least, greatest = (end.get_at(0) for end in ends)
    for stride in _strides(along):
        if _progression(least, greatest, stride).is_equal(along):
            distance = greatest.sub(least).scale_down_val(isl_value(stride))
            return simpler, distance.add_constant_val(isl.Val(1)).coalesce()
    return None


def _modulo(reduction: Reduction, space: Space) -> Reduction:
    """The reduction with one point for all those that differ by a vector of a shared space."""
    rows, section = quotient_of(reduction, space)
    points = linear_function(reduction.domain.get_space(), rows)
    return replace(
        reduction,
        projection=reduction.projection.pullback_multi_aff(section),
        owner=reduction.owner.pullback_multi_aff(section),
        domain=reduction.domain.apply(isl.Map.from_multi_aff(points)).coalesce(),
        value=moved(reduction.value, section),
    )


def _places(reduction: Reduction, simpler: Reduction, line: Row) -> isl.Map:
    """`{ [y] -> [t] }`: the point of y, and t times the line from it, is in the domain."""
    _, vectors = quotient((line,), reduction.dimensions)
    count = len(vectors)
    space = simpler.projection.get_domain_space().add_dims(isl.dim_type.set, 1)
    function = linear_function(space, tuple(zip(*vectors, line, strict=True)))
    pairs = reduction.domain.preimage_multi_aff(function)
    return isl.Map.from_range(pairs).move_dims(isl.dim_type.in_, 0, isl.dim_type.out, 0, count)


def _strides(along: isl.Map) -> list[int]:
    found = {1}
    for piece in along.wrap().flatten().compute_divs().get_basic_sets():
        for place in range(piece.dim(isl.dim_type.div)):
            found.add(int(piece.get_div(place).get_denominator_val().to_python()))
    return sorted(found)


def _progression(least: isl.PwAff, greatest: isl.PwAff, stride: int) -> isl.Map:
    """`{ [y] -> [t] : least <= t <= greatest and t - least is a multiple of the stride }`."""
    up = isl.Map(f"{{ [a] -> [t] : t >= a and (t - a) mod {stride} = 0 }}")
    down = isl.Map("{ [b] -> [t] : t <= b }")
    return least.as_map().apply_range(up).intersect(greatest.as_map().apply_range(down))
