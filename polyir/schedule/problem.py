"""What a scheduler is asked: statement instances and the order that must be kept among them.

A scheduling problem knows nothing of IR, arrays or loops: it is isl objects and names only, so
that every scheduler in this package can be called, tested and compared without a program.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import islpy as isl

from polyir.diagnostics import PolyirError
from polyir.isl_lists import sets_of
from polyir.schedule.coalescing import coefficient_limits


class SchedulingError(PolyirError):
    """No schedule of the form that was asked for exists, or none was found."""


@dataclass(frozen=True)
class SchedulingProblem:
    """The input of a scheduler.

    `domain` holds all statement instances and `context` what is known of the parameters.
    `validity` maps a source instance to every target instance that must come after it (flow,
    anti and output dependences, instance-wise). `proximity` maps instances whose distance is to
    be small: usually the validity relation, and input dependences when reuse of read-only data
    counts too. `statements` names every statement, in program order.
    """

    domain: isl.UnionSet
    context: isl.Set
    validity: isl.UnionMap
    proximity: isl.UnionMap
    statements: tuple[str, ...]


@dataclass(frozen=True)
class ScheduledStatement:
    """A statement as the schedulers see it.

    `position` is its place in program order; `affine_hull` the iterator parts of the equalities
    that hold for all its instances: directions in which it does not extend, hence in which no
    schedule row is needed.
    """

    position: int
    name: str
    domain: isl.Set
    affine_hull: tuple[tuple[int, ...], ...]

    @property
    def depth(self) -> int:
        """The number of iterators."""
        return self.domain.dim(isl.dim_type.set)

    @cached_property
    def coefficient_limits(self) -> tuple[int | None, ...]:
        """The largest coefficient of each iterator that does not coalesce loops."""
        return coefficient_limits(self.domain)


def parameter_space(problem: SchedulingProblem) -> isl.Space:
    """The space of all parameters of `problem`, in one order for everything."""
    space = problem.context.get_space().params()
    for part in (problem.domain, problem.validity, problem.proximity):
        space = space.align_params(part.get_space().params())
    return space


def statements_of(problem: SchedulingProblem) -> tuple[ScheduledStatement, ...]:
    """The statements of `problem` in program order, with its context applied.

    Raises `SchedulingError` when the names and the domain do not fit together.
    """
    parameters = parameter_space(problem)
    context = problem.context.align_params(parameters)
    by_name: dict[str, isl.Set] = {}
    for instances in sets_of(problem.domain):
        piece = instances.align_params(parameters).intersect_params(context)
        by_name[piece.get_tuple_name() or ""] = piece
    for name in by_name:
        if name not in problem.statements:
            raise SchedulingError(f"the domain has instances of '{name}', which is no statement")
    return tuple(
        ScheduledStatement(position, name, by_name[name], equality_directions(by_name[name]))
        for position, name in enumerate(each for each in problem.statements if each in by_name)
    )


def equality_directions(domain: isl.Set) -> tuple[tuple[int, ...], ...]:
    """The iterator parts of the equalities that hold on `domain`, existentials left out."""
    hull = domain.affine_hull().remove_divs()
    kinds = isl.dim_type
    matrix = hull.equalities_matrix(kinds.set, kinds.div, kinds.param, kinds.cst)
    depth = domain.dim(kinds.set)
    return tuple(
        tuple(matrix.get_element_val(row, column).to_python() for column in range(depth))
        for row in range(matrix.rows())
    )
