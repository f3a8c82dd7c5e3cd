"""Large constants as parameters, so that schedules do not depend on the size of a problem.

A loop up to 2000 puts 2000 into the constraints of the domains and the dependences, and through
Farkas' lemma into the coefficients of the integer programs, where such numbers make the search
long. With a parameter instead, the coefficients depend only on the structure of the program. What
is legal for every value of the parameter is legal for 2000.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeVar

import islpy as isl

from polyir.schedule.constraints import ScheduleConstraints
from polyir.sets.values import isl_value

LEAST_SIZE: Final = 6
"""Smaller constants are kept: they are offsets in subscripts. No parameter is less than this."""

NEARNESS: Final = 4
"""Constants that differ by at most this much become one parameter and an offset."""


def with_sizes_as_parameters(constraints: ScheduleConstraints) -> ScheduleConstraints:
    """`constraints` with a parameter for each group of large constants in its domain.

    The relations use the same parameters, once or twice, and offsets. A constant of a relation
    that is near none of these stays: it comes from the subscripts, and a program may have very
    many of those. Every schedule of the result is a schedule of `constraints`. Conditional orders
    do not change.
    """
    found = {size for piece in _basic_sets(constraints.domain) for size in _sizes(piece)}
    bases = _bases(sorted(found))
    if not bases:
        return constraints
    sizes = _SizeParameters(bases)

    def replaced(relation: isl.UnionMap) -> isl.UnionMap:
        # What the context excludes can be seen only while its constants are still numbers.
        return sizes.in_map(relation.intersect_params(constraints.context.params()))

    validity = replaced(constraints.validity)
    proximity, coincidence = (
        # Often the same relation, of which this takes time.
        validity if relation is constraints.validity else replaced(relation)
        for relation in (constraints.proximity, constraints.coincidence)
    )
    return replace(
        constraints,
        domain=sizes.in_set(constraints.domain),
        validity=validity,
        proximity=proximity,
        coincidence=coincidence,
        context=sizes.context(constraints.context),
    )


_Kind = TypeVar("_Kind", isl.BasicSet, isl.BasicMap)


def _basic_sets(union: isl.UnionSet) -> list[isl.BasicSet]:
    pieces: list[isl.BasicSet] = []
    union.foreach_set(lambda item: item.foreach_basic_set(pieces.append))
    return pieces


def _basic_maps(union: isl.UnionMap) -> list[isl.BasicMap]:
    pieces: list[isl.BasicMap] = []
    union.foreach_map(lambda item: item.foreach_basic_map(pieces.append))
    return pieces


def _sizes(piece: isl.BasicSet | isl.BasicMap) -> list[int]:
    """The absolute values of the large constants of a piece."""
    found = [abs(_constant(constraint)) for constraint in piece.get_constraints()]
    return [size for size in found if size >= LEAST_SIZE]


def _constant(constraint: isl.Constraint) -> int:
    return int(constraint.get_constant_val().to_python())


def _bases(sizes: Sequence[int]) -> tuple[int, ...]:
    """The smallest size of each group of sizes that are near each other."""
    bases: list[int] = []
    for size in sizes:
        if not bases or size - bases[-1] > NEARNESS:
            bases.append(size)
    return tuple(bases)


class _SizeParameters:
    """Replaces each base, and what is a little larger, by a parameter."""

    def __init__(self, bases: Sequence[int]) -> None:
        self._bases = tuple(bases)
        self._names = tuple(f"__size_{base}" for base in bases)

    def context(self, context: isl.Set) -> isl.Set:
        """`context`, with a lower bound for each of the parameters."""
        context = context.align_params(self._space(context.get_space()))
        for name in self._names:
            position = context.find_dim_by_name(isl.dim_type.param, name)
            context = context.lower_bound_val(isl.dim_type.param, position, isl_value(LEAST_SIZE))
        return context

    def in_set(self, union: isl.UnionSet) -> isl.UnionSet:
        """The union with sizes replaced."""
        result = isl.UnionSet.empty(union.get_space())
        for piece in _basic_sets(union):
            result = result.union(isl.UnionSet.from_basic_set(self._replaced(piece)))
        return result

    def in_map(self, union: isl.UnionMap) -> isl.UnionMap:
        """The union with sizes replaced."""
        result = isl.UnionMap.empty(union.get_space())
        for piece in _basic_maps(union):
            result = result.union(isl.UnionMap.from_basic_map(self._replaced(piece)))
        return result

    def _replaced(self, piece: _Kind) -> _Kind:
        if not _sizes(piece):
            return piece
        aligned = piece.align_params(self._space(piece.get_space()))
        result = type(piece).universe(aligned.get_space())
        for constraint in aligned.get_constraints():
            result = result.add_constraint(self._constraint(constraint))
        return result

    def _constraint(self, constraint: isl.Constraint) -> isl.Constraint:
        constant = _constant(constraint)
        if abs(constant) < LEAST_SIZE:
            return constraint
        base, factor = min(
            ((base, factor) for factor in (1, 2) for base in self._bases),
            key=lambda choice: abs(abs(constant) - choice[0] * choice[1]),
        )
        factor = factor if constant > 0 else -factor
        rest = constant - factor * base
        if abs(rest) > NEARNESS * abs(factor):
            return constraint
        name = self._names[self._bases.index(base)]
        position = constraint.get_space().find_dim_by_name(isl.dim_type.param, name)
        constraint = constraint.set_constant_val(isl_value(rest))
        return constraint.set_coefficient_val(isl.dim_type.param, position, isl_value(factor))

    def _space(self, space: isl.Space) -> isl.Space:
        """The space of the parameters of `space` and of the sizes."""
        space = space.params()
        for name in self._names:
            count = space.dim(isl.dim_type.param)
            space = space.add_dims(isl.dim_type.param, 1)
            space = space.set_dim_name(isl.dim_type.param, count, name)
        return space
