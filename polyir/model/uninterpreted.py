"""Relations with uninterpreted functions: subscripts that come out of index arrays.

W. Pugh, D. Wonnacott, "Nonlinear array dependence analysis" (1994): an element `p[e]` of an
index array is an application `p(e)` of a function of which nothing is known but that equal
arguments have equal results. Here, a set has one more dimension for the value of each
application, as in M. Mohammadi and others, "Sparse computation data dependence simplification for
efficient compiler-generated inspectors" (PLDI 2019), and facts about a function are instantiated
for each two of its applications.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations
from typing import Final

import islpy as isl

from polyir.base import budgets
from polyir.base.limits import within_operations
from polyir.dialects.dependence import Dependence
from polyir.model.index_arrays import IndexFunction
from polyir.model.statements import Access, SymbolicAccess

MOST_PAIRS: Final = 24
"""Facts are instantiated for so many pairs of applications: each may double the pieces of a set."""


@dataclass(frozen=True)
class Application:
    """`f(arguments)`: the value of dimension `result` of the points of a set.

    The arguments are functions of the points, of dimensions before `result`.
    """

    function: IndexFunction
    arguments: tuple[isl.Aff, ...]
    result: int

    def shifted(self, first: int, count: int) -> Application:
        """The application where the set has `count` more dimensions in front of `first`."""
        arguments = tuple(
            each.insert_dims(isl.dim_type.in_, first, count) for each in self.arguments
        )
        return Application(
            self.function, arguments, self.result + (count if self.result >= first else 0)
        )

    def without(self, first: int, count: int) -> Application:
        """The application where the set lacks dimensions behind all that it uses."""
        arguments = tuple(each.drop_dims(isl.dim_type.in_, first, count) for each in self.arguments)
        return replace(self, arguments=arguments)


@dataclass(frozen=True)
class SymbolicSet:
    """`{ [x] : x in points, and x_r = f(arguments(x)) for each application }`.

    `points` is a set of one unnamed space.
    """

    points: isl.Set
    applications: tuple[Application, ...]

    def shifted(self, first: int, count: int) -> SymbolicSet:
        """The same with `count` free dimensions in front of `first`."""
        points = self.points.insert_dims(isl.dim_type.set, first, count)
        applications = (each.shifted(first, count) for each in self.applications)
        return SymbolicSet(points, tuple(applications))

    def intersect(self, other: SymbolicSet) -> SymbolicSet:
        """The points of both, in one space."""
        points = self.points.intersect(other.points)
        return SymbolicSet(points, self.applications + other.applications)

    def possible(self) -> isl.Set:
        """The points that may be in the set, whatever the functions are, within the facts.

        An over-approximation, as only facts about each two applications are used, and none if they
        take isl too many operations.
        """
        found = within_operations(budgets.FACTS, self._narrowed)
        return self.points if found is None else found

    def _narrowed(self) -> isl.Set:
        points = self.points
        for each in self.applications:
            if each.function.range is not None:
                points = points.intersect(_within_range(each, each.function.range, points))
        pairs = (
            (left, right)
            for left, right in combinations(self.applications, 2)
            if left.function.name == right.function.name
        )
        for (left, right), _ in zip(pairs, range(MOST_PAIRS), strict=False):
            for holds in _implied(left, right):
                if not points.is_subset(holds):
                    points = points.intersect(holds).coalesce()
        return points


def _within_range(application: Application, range: isl.Set, like: isl.Set) -> isl.Set:
    """The points whose value of an application is in a range."""
    count = like.dim(isl.dim_type.set)
    wider = range.insert_dims(isl.dim_type.set, 0, application.result)
    wider = wider.add_dims(isl.dim_type.set, count - application.result - 1)
    return wider.align_params(like.get_space())


def _implied(left: Application, right: Application) -> Iterator[isl.Set]:
    """What is known of two applications of one function."""
    function = left.function
    results = _value(left), _value(right)
    arguments = [
        (isl.PwAff.from_aff(a), isl.PwAff.from_aff(b))
        for a, b in zip(left.arguments, right.arguments, strict=True)
    ]
    same_result = results[0].eq_set(results[1])
    same_arguments = reduce(isl.Set.intersect, [a.eq_set(b) for a, b in arguments])
    yield _implies(same_arguments, same_result)
    if function.is_injective or function.direction in ("increasing", "decreasing"):
        yield _implies(same_result, same_arguments)
    if function.direction is None:
        return
    first, second = arguments[0]
    if function.direction in ("decreasing", "nonincreasing"):
        results = results[1], results[0]
    is_strict = function.is_injective or function.direction in ("increasing", "decreasing")
    compare = isl.PwAff.lt_set if is_strict else isl.PwAff.le_set
    yield _implies(first.lt_set(second), compare(results[0], results[1]))
    yield _implies(second.lt_set(first), compare(results[1], results[0]))


def _value(application: Application) -> isl.PwAff:
    return isl.PwAff.var_on_domain(
        application.arguments[0].get_domain_space(), isl.dim_type.set, application.result
    )


def _implies(condition: isl.Set, holds: isl.Set) -> isl.Set:
    return condition.complement().union(holds)


@dataclass(frozen=True)
class SymbolicPairs:
    """`{ S[i] -> T[j] }`: pairs of instances that access one element, by the values of functions.

    The dimensions of `terms` are those of i, the terms of the source, j, the terms of the target.
    A term is the value of an application or the counter of a loop inside a statement.
    `source` and `target` are the accesses.
    """

    source: SymbolicAccess
    target: SymbolicAccess
    terms: SymbolicSet

    @property
    def is_affine(self) -> bool:
        """Whether there are no terms."""
        return not (self.source.terms or self.target.terms)

    def possible(self) -> isl.Map:
        """The pairs that the facts about the functions allow, `{ S[i] -> T[j] }`."""
        return self.without_terms(self.terms.possible())

    def without_terms(self, points: isl.Set) -> isl.Map:
        """`{ S[i] -> T[j] }` for points of the space of `terms`."""
        source, target = self.source, self.target
        start = source.rank + source.terms + target.rank
        pairs = points.project_out(isl.dim_type.set, start, target.terms)
        return self.between_instances(
            pairs.project_out(isl.dim_type.set, source.rank, source.terms)
        )

    def between_instances(self, pairs: isl.Set) -> isl.Map:
        """`{ S[i] -> T[j] }` for a set of `[i, j]`."""
        return _as_map(pairs, self.source.rank, self.source.statement, self.target.statement)


def _as_map(pairs: isl.Set, rank: int, source: str, target: str) -> isl.Map:
    """`{ source[i] -> target[j] }` for a set of `[i, j]`, `rank` dimensions of i."""
    relation = isl.Map.from_range(pairs)
    relation = relation.move_dims(isl.dim_type.in_, 0, isl.dim_type.out, 0, rank)
    relation = relation.set_tuple_name(isl.dim_type.in_, source)
    return relation.set_tuple_name(isl.dim_type.out, target)


def possible_elements(access: SymbolicAccess, array: str) -> isl.Map:
    """The elements of an array that the facts allow, `{ S[i] -> array[a] }`."""
    points = access.elements.possible()
    points = points.project_out(isl.dim_type.set, access.rank, access.terms)
    return _as_map(points, access.rank, access.statement, array).coalesce()


def pairs_of(source: SymbolicAccess, target: SymbolicAccess, among: isl.Map) -> SymbolicPairs:
    """The pairs `among` `{ S[i] -> T[j] }` in which both access the same element."""
    left = source.rank + source.terms
    right = target.rank + target.terms
    both = source.elements.shifted(left, right).intersect(target.elements.shifted(0, left))
    # The elements are the last dimensions, and no application uses them.
    points = both.points.project_out(isl.dim_type.set, left + right, source.element_rank)
    applications = (each.without(left + right, source.element_rank) for each in both.applications)
    instances = among.wrap().flatten().reset_tuple_id()
    instances = instances.insert_dims(isl.dim_type.set, source.rank, source.terms)
    instances = instances.add_dims(isl.dim_type.set, target.terms)
    return SymbolicPairs(
        source, target, SymbolicSet(points.intersect(instances), tuple(applications))
    )


def symbolic_form(access: Access, statement: str) -> SymbolicAccess:
    """An access with its terms; an affine access, or an unknown one, has none."""
    if access.symbolic is not None:
        return access.symbolic
    relation = access.relation
    return SymbolicAccess(
        statement,
        relation.dim(isl.dim_type.in_),
        0,
        relation.dim(isl.dim_type.out),
        SymbolicSet(relation.wrap().flatten().reset_tuple_id(), ()),
    )


def without_impossible(
    dependence: Dependence, sources: Sequence[Access], targets: Sequence[Access]
) -> Dependence:
    """A dependence without the pairs that facts about index arrays exclude.

    `sources` and `targets` are the accesses at its ends. If that takes isl too many operations, the
    dependence stays as it is.
    """

    def narrowed() -> Dependence:
        relation = dependence.relation
        possible = isl.Map.empty(relation.get_space())
        for each in symbolic_pairs(dependence, sources, targets):
            possible = possible.union(each.possible())
        if relation.is_subset(possible):
            return dependence
        return replace(dependence, relation=relation.intersect(possible).coalesce())

    return within_operations(budgets.FACTS, narrowed) or dependence


def symbolic_pairs(
    dependence: Dependence, sources: Sequence[Access], targets: Sequence[Access]
) -> Iterator[SymbolicPairs]:
    """The pairs of a dependence for each access at its source with each at its target."""
    for source in sources:
        for target in targets:
            yield pairs_of(
                symbolic_form(source, dependence.source),
                symbolic_form(target, dependence.target),
                dependence.relation,
            )
