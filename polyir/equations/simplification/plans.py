"""How a reduction is computed: a tree of decisions, made before any equation is written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import islpy as isl

from polyir.equations.simplification.complexity import EMPTY, degree
from polyir.equations.simplification.reductions import Reduction
from polyir.schedule.linear import Row


@dataclass(frozen=True)
class Plan:
    """A way to compute `reduction`, where its domain has a point."""

    reduction: Reduction

    @property
    def parts(self) -> tuple[Plan, ...]:
        """The plans of which this one makes use."""
        return ()

    @cached_property
    def degree(self) -> int:
        """Of the number of operations."""
        return max([self.own_degree, *(part.degree for part in self.parts)])

    @property
    def own_degree(self) -> int:
        """Without those of the parts."""
        return self.reduction.degree

    def walk(self) -> Iterator[Plan]:
        """The plan, then those in it."""
        yield self
        for part in self.parts:
            yield from part.walk()


@dataclass(frozen=True)
class Keep(Plan):
    """The reduction as it is."""


@dataclass(frozen=True)
class Recurrence(Plan):
    """`X[x] = X[x - move] + added[x] - subtracted[x]` on `recurring`; elsewhere `initial[x]`.

    `direction` is a vector of the reuse space, `move` what the projection maps it to.
    """

    direction: Row
    move: Row
    recurring: isl.Set
    inverse: str | None
    initial: Plan | None
    added: Plan | None
    subtracted: Plan | None

    @property
    def parts(self) -> tuple[Plan, ...]:
        return tuple(
            part for part in (self.initial, self.added, self.subtracted) if part is not None
        )

    @property
    def own_degree(self) -> int:
        return degree(self.reduction.results)


@dataclass(frozen=True)
class Together(Plan):
    """The results of two reductions, combined where both have one.

    `operator` is that of the reduction, or `-`: then the second is subtracted from the first, and
    both have a result at each point.
    """

    first: Plan
    second: Plan
    operator: str

    @property
    def parts(self) -> tuple[Plan, ...]:
        return (self.first, self.second)

    @property
    def own_degree(self) -> int:
        return degree(self.reduction.results)


@dataclass(frozen=True)
class Nested(Plan):
    """`outer` reduces values in which the variable `name` stands for the results of `inner`."""

    name: str
    inner: Plan
    outer: Plan
    distributed: bool

    @property
    def parts(self) -> tuple[Plan, ...]:
        return (self.inner, self.outer)

    @property
    def own_degree(self) -> int:
        return EMPTY


@dataclass(frozen=True)
class Same(Plan):
    """`simpler` has the same results: equal values that met in one were combined along `along`."""

    along: tuple[Row, ...]
    simpler: Plan

    @property
    def parts(self) -> tuple[Plan, ...]:
        return (self.simpler,)

    @property
    def own_degree(self) -> int:
        return EMPTY
