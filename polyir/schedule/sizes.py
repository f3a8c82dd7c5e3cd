"""Large constants as parameters: schedules do not depend on how large a problem is.

A loop up to 2000 puts 2000 into the constraints of the domains and the dependences, and through
Farkas' lemma into the coefficients of the integer programs, where such numbers make the search
long. With a parameter in its place, the coefficients are those of the program's structure. What
is legal for every value of the parameter is legal for 2000.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeVar

import islpy as isl

from polyir.schedule.problem import SchedulingProblem

LEAST_SIZE: Final = 6
"""Constants below this are kept: they are offsets of subscripts. The parameters are no less."""

NEARNESS: Final = 4
"""Constants that differ by no more are one parameter and an offset."""


def with_sizes_as_parameters(problem: SchedulingProblem) -> SchedulingProblem:
    """`problem` with a parameter for each cluster of large constants in its domains' constraints.

    Those of the dependences become the same parameters, once or twice, and offsets; one that is
    near none of these stays: it comes from the subscripts, and a program may have very many
    such. Every schedule of the result is one of `problem`.
    """
    # What the context rules out is seen only while its constants are numbers, too.
    problem = replace(
        problem,
        validity=problem.validity.intersect_params(problem.context.params()),
        proximity=problem.proximity.intersect_params(problem.context.params()),
    )
    found = {size for piece in _basic_sets(problem.domain) for size in _sizes(piece)}
    bases = _clusters(sorted(found))
    if not bases:
        return problem
    sizes = _Sizes(bases)
    return replace(
        problem,
        domain=sizes.in_set(problem.domain),
        validity=sizes.in_map(problem.validity),
        proximity=sizes.in_map(problem.proximity),
        context=sizes.context(problem.context),
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
    """The large constants of a piece without its sign."""
    found = [abs(_constant(constraint)) for constraint in piece.get_constraints()]
    return [size for size in found if size >= LEAST_SIZE]


def _constant(constraint: isl.Constraint) -> int:
    return int(constraint.get_constant_val().to_python())


def _clusters(sizes: Sequence[int]) -> tuple[int, ...]:
    """The least size of each cluster of sizes that are near each other."""
    bases: list[int] = []
    for size in sizes:
        if not bases or size - bases[-1] > NEARNESS:
            bases.append(size)
    return tuple(bases)


class _Sizes:
    """Puts a parameter in the place of each base, and of what is a little more than it."""

    def __init__(self, bases: Sequence[int]) -> None:
        self._bases = tuple(bases)
        self._names = tuple(f"__size_{base}" for base in bases)

    def context(self, context: isl.Set) -> isl.Set:
        """`context`, and that the parameters are large."""
        context = context.align_params(self._space(context.get_space()))
        for name in self._names:
            position = context.find_dim_by_name(isl.dim_type.param, name)
            context = context.lower_bound_val(isl.dim_type.param, position, isl.Val(LEAST_SIZE))
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
        constraint = constraint.set_constant_val(isl.Val(rest))
        return constraint.set_coefficient_val(isl.dim_type.param, position, isl.Val(factor))

    def _space(self, space: isl.Space) -> isl.Space:
        """The space of the parameters of `space` and of the sizes."""
        space = space.params()
        for name in self._names:
            count = space.dim(isl.dim_type.param)
            space = space.add_dims(isl.dim_type.param, 1)
            space = space.set_dim_name(isl.dim_type.param, count, name)
        return space
