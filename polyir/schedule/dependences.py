"""Dependences between pairs of statements, and what a hyperplane does to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import islpy as isl

from polyir.schedule.farkas import NonNegativeForms, non_negative_forms
from polyir.schedule.linear import dot
from polyir.schedule.problem import ScheduledStatement, SchedulingProblem, parameter_space
from polyir.schedule.tree import Hyperplane


@dataclass(frozen=True)
class Dependence:
    """The part of a dependence relation between one pair of statements, by their positions.

    `is_near` says that its distance is to be small as well.
    """

    source: int
    target: int
    relation: isl.Map
    is_near: bool

    @cached_property
    def forms(self) -> NonNegativeForms:
        """The affine forms that are non-negative on the relation."""
        return non_negative_forms(self.relation)

    def has_zero_distance(self, hyperplane: Hyperplane) -> bool:
        """Whether source and target always lie on the same instance of `hyperplane`."""
        backward = self._distance_form(hyperplane, -1)
        forward = self._distance_form(hyperplane, 1)
        if self.forms.contains(backward) and self.forms.contains(forward):
            return True
        return self.relation.is_subset(self._zero_distance(hyperplane))

    def uncarried_by(self, hyperplanes: Sequence[Hyperplane]) -> Dependence | None:
        """The part with distance zero on all `hyperplanes`; `None` if it is empty.

        Where the distance is nowhere negative, this is the part that is still to be ordered.
        """
        relation = self.relation
        for hyperplane in hyperplanes:
            backward = list(self._distance_form(hyperplane, -1))
            if self.forms.contains(backward):
                if self.forms.contains(self._distance_form(hyperplane, 1)):
                    continue
            forward = list(self._distance_form(hyperplane, 1))
            forward[0] -= 1
            if self.forms.contains(forward):
                return None
            relation = relation.intersect(self._zero_distance(hyperplane))
        if relation is self.relation:
            return self
        return None if relation.is_empty() else replace(self, relation=relation.coalesce())

    def _distance_form(self, hyperplane: Hyperplane, sign: int) -> list[int]:
        """`sign` times phi_target - phi_source, in the order that `NonNegativeForms` has."""
        source, target = hyperplane[self.source], hyperplane[self.target]
        return [
            sign * (target.constant - source.constant),
            *[0] * self.relation.dim(isl.dim_type.param),
            *(-sign * coefficient for coefficient in source.coefficients),
            *(sign * coefficient for coefficient in target.coefficients),
        ]

    def _zero_distance(self, hyperplane: Hyperplane) -> isl.Map:
        """All pairs of instances of the two statements with distance zero."""
        kinds = isl.dim_type
        form = self._distance_form(hyperplane, 1)
        equality = isl.Constraint.alloc_equality(
            isl.LocalSpace.from_space(self.relation.get_space())
        ).set_constant_val(form[0])
        first_source = 1 + self.relation.dim(kinds.param)
        first_target = first_source + self.relation.dim(kinds.in_)
        for kind, entries in (
            (kinds.in_, form[first_source:first_target]),
            (kinds.out, form[first_target:]),
        ):
            for iterator, coefficient in enumerate(entries):
                equality = equality.set_coefficient_val(kind, iterator, coefficient)
        return isl.Map.from_basic_map(isl.BasicMap.from_constraint(equality))


@dataclass(frozen=True)
class DependenceGraph:
    """What has to be ordered and what is to be near, between pairs of statements.

    `proximity` holds the pairs of instances that are to be near though none must come first.
    """

    validity: tuple[Dependence, ...]
    proximity: tuple[Dependence, ...]

    def validity_edges(self) -> tuple[tuple[int, int], ...]:
        """The pairs of statements with a dependence that must be kept."""
        return tuple((each.source, each.target) for each in self.validity)

    def edges(self) -> tuple[tuple[int, int], ...]:
        """The pairs of statements with any dependence."""
        return self.validity_edges() + tuple((each.source, each.target) for each in self.proximity)

    def within(self, statements: Sequence[int]) -> DependenceGraph:
        """The dependences with both ends among `statements`."""
        inside = frozenset(statements)
        return DependenceGraph(
            tuple(d for d in self.validity if d.source in inside and d.target in inside),
            tuple(d for d in self.proximity if d.source in inside and d.target in inside),
        )

    def uncarried_by(self, hyperplanes: Sequence[Hyperplane]) -> DependenceGraph:
        """What the hyperplanes leave at distance zero."""
        validity = (each.uncarried_by(hyperplanes) for each in self.validity)
        proximity = (each.uncarried_by(hyperplanes) for each in self.proximity)
        return DependenceGraph(
            tuple(each for each in validity if each is not None),
            tuple(each for each in proximity if each is not None),
        )


def dependence_graph(
    problem: SchedulingProblem, statements: Sequence[ScheduledStatement]
) -> DependenceGraph:
    """The dependences of `problem`, restricted to its context and domain, pair by pair."""
    validity = _pairs(problem.validity, problem, statements)
    proximity = _pairs(problem.proximity, problem, statements)
    ordered: list[Dependence] = []
    near: list[Dependence] = []
    for (source, target), relation in validity.items():
        wanted = proximity.pop((source, target), None)
        if wanted is None or not _is_bounded(wanted):
            ordered.append(Dependence(source, target, relation, is_near=False))
            continue
        covered = relation.is_subset(wanted)
        ordered.append(Dependence(source, target, relation, is_near=covered))
        rest = wanted.subtract(relation).coalesce() if covered else wanted
        if not rest.is_empty():
            near.append(Dependence(source, target, rest, is_near=True))
    for (source, target), relation in proximity.items():
        if _is_bounded(relation):
            near.append(Dependence(source, target, relation, is_near=True))
    return DependenceGraph(tuple(ordered), tuple(near))


def _pairs(
    relation: isl.UnionMap, problem: SchedulingProblem, statements: Sequence[ScheduledStatement]
) -> dict[tuple[int, int], isl.Map]:
    """`relation` by pairs of statement positions, ascending, empty ones left out."""
    kinds = isl.dim_type
    parameters = parameter_space(problem)
    context = problem.context.align_params(parameters)
    position = {statement.name: statement.position for statement in statements}
    pieces = relation.get_map_list()
    pairs: dict[tuple[int, int], isl.Map] = {}
    for index in range(pieces.n_map()):
        piece = pieces.get_at(index)
        source = position.get(piece.get_tuple_name(kinds.in_) or "")
        target = position.get(piece.get_tuple_name(kinds.out) or "")
        if source is None or target is None:
            continue
        restricted = (
            piece.align_params(parameters)
            .intersect_params(context)
            .intersect_domain(statements[source].domain)
            .intersect_range(statements[target].domain)
            .coalesce()
        )
        if not restricted.is_empty():
            pairs[source, target] = restricted
    return dict(sorted(pairs.items()))


def _is_bounded(relation: isl.Map) -> bool:
    """Whether, for fixed parameters, only finitely many instances are related.

    Otherwise no affine form in the parameters bounds the distance (paper 000, lemma 3).
    """
    return relation.wrap().is_bounded()
