"""Dependences between pairs of statements, and what a hyperplane does to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import islpy as isl

from polyir.isl_lists import maps_of
from polyir.schedule.farkas import NonNegativeForms, non_negative_forms
from polyir.schedule.integer_program import IntegerProgram
from polyir.schedule.layout import Layout
from polyir.schedule.problem import ScheduledStatement, SchedulingProblem, parameter_space
from polyir.schedule.tree import Hyperplane


@dataclass(frozen=True)
class Dependence:
    """The part of a dependence relation between one pair of statements, by their positions.

    `is_ordered` says that the source must come first, `is_near` that the distance is to be
    small, `is_coincident` that a loop in which it is not zero is not parallel, `is_local` that
    it must be zero.
    """

    source: int
    target: int
    relation: isl.Map
    is_ordered: bool
    is_near: bool
    is_coincident: bool = False
    is_local: bool = False

    @cached_property
    def forms(self) -> NonNegativeForms:
        """The affine forms that are non-negative on the relation."""
        return non_negative_forms(self.relation)

    def layout(self, *, signed: bool) -> Layout:
        """The unknowns that the dependence speaks of: the bound and one or two rows."""
        forms = self.forms
        depths = {self.source: forms.source_depth, self.target: forms.target_depth}
        return Layout(forms.parameter_count, depths, signed=signed)

    def constraints(self, *, signed: bool) -> IntegerProgram:
        """What the dependence demands of a hyperplane and of its bound, without redundancy.

        The cone of Farkas' lemma may have very many facets, of which the signs of the unknowns
        and the other half of the constraints make most redundant.
        """
        return self._signed_constraints if signed else self._unsigned_constraints

    @cached_property
    def _unsigned_constraints(self) -> IntegerProgram:
        return self._distance_constraints(self.layout(signed=False))

    @cached_property
    def _signed_constraints(self) -> IntegerProgram:
        return self._distance_constraints(self.layout(signed=True))

    def _distance_constraints(self, layout: Layout) -> IntegerProgram:
        program = IntegerProgram(layout.width)
        if self.is_ordered:
            self._demand_non_negative(program, layout, sign=1, bounded=False)
        if self.is_near:
            self._demand_non_negative(program, layout, sign=-1, bounded=True)
        if self.is_near and not self.is_ordered:
            self._demand_non_negative(program, layout, sign=1, bounded=True)
        return program.without_redundancies()

    def _demand_non_negative(
        self, program: IntegerProgram, layout: Layout, *, sign: int, bounded: bool
    ) -> None:
        """Demand that `sign` times the distance, plus u.n + w if `bounded`, is not negative."""
        for rows, add in (
            (self.forms.equalities, program.add_equality),
            (self.forms.inequalities, program.add_inequality),
        ):
            for row in rows:
                add(
                    layout.distance_row(
                        self.forms, row, self.source, self.target, sign=sign, bounded=bounded
                    )
                )

    def distance_facets(self, layout: Layout) -> list[list[int]]:
        """The products of the distance with the facets of its cone, in the unknowns of `layout`."""
        return [
            layout.distance_row(self.forms, row, self.source, self.target, sign=1, bounded=False)
            for row in self.forms.inequalities
        ]

    def has_zero_distance(self, hyperplane: Hyperplane) -> bool:
        """Whether source and target always lie on the same instance of `hyperplane`."""
        return self.vanishes_on(hyperplane) or self.relation.is_subset(
            self._zero_distance(hyperplane)
        )

    def is_respected_by(self, hyperplane: Hyperplane) -> bool:
        """Whether the distance is nowhere negative by Farkas' lemma: sufficient."""
        return self.forms.contains(self._distance_form(hyperplane, 1))

    def is_carried_by(self, hyperplane: Hyperplane, sign: int = 1) -> bool:
        """Whether `sign` times the distance is at least 1 by Farkas' lemma: sufficient."""
        at_least_one = self._distance_form(hyperplane, sign)
        at_least_one[0] -= 1
        return self.forms.contains(at_least_one)

    def uncarried_by(self, hyperplanes: Sequence[Hyperplane]) -> Dependence | None:
        """The part with distance zero on all `hyperplanes`; `None` if it is empty.

        Where the distance is nowhere negative, this is the part that is still to be ordered.
        """
        relation = self.relation
        for hyperplane in hyperplanes:
            if self.vanishes_on(hyperplane):
                continue
            if self.is_carried_by(hyperplane):
                return None
            relation = relation.intersect(self._zero_distance(hyperplane))
        if relation is self.relation:
            return self
        return None if relation.is_empty() else replace(self, relation=relation.coalesce())

    def vanishes_on(self, hyperplane: Hyperplane) -> bool:
        """Whether the distance is zero by Farkas' lemma: cheap, sufficient, nearly exact."""
        return all(self.forms.contains(self._distance_form(hyperplane, sign)) for sign in (1, -1))

    def _distance_form(self, hyperplane: Hyperplane, sign: int) -> list[int]:
        """`sign` times phi_target - phi_source, in the order that `NonNegativeForms` has."""
        source, target = hyperplane[self.source], hyperplane[self.target]
        parameters = [0] * self.relation.dim(isl.dim_type.param)
        for row, factor in ((target, sign), (source, -sign)):
            for place, coefficient in enumerate(row.parameters):
                parameters[place] += factor * coefficient
        return [
            sign * (target.constant - source.constant),
            *parameters,
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
            (kinds.param, form[1:first_source]),
            (kinds.in_, form[first_source:first_target]),
            (kinds.out, form[first_target:]),
        ):
            for iterator, coefficient in enumerate(entries):
                equality = equality.set_coefficient_val(kind, iterator, coefficient)
        return isl.Map.from_basic_map(isl.BasicMap.from_constraint(equality))


@dataclass(frozen=True)
class StatementImage:
    """Statements as parts of others, known by `numbers`, through maps of their `instances`."""

    numbers: Mapping[int, int]
    instances: Mapping[int, isl.Map]

    def of(self, dependence: Dependence) -> Dependence:
        """The dependence between the images of what it relates."""
        relation = dependence.relation.apply_domain(self.instances[dependence.source])
        return replace(
            dependence,
            source=self.numbers[dependence.source],
            target=self.numbers[dependence.target],
            relation=relation.apply_range(self.instances[dependence.target]),
        )


@dataclass(frozen=True)
class DependenceGraph:
    """What has to be ordered and what is to be near, between pairs of statements."""

    dependences: tuple[Dependence, ...]

    def ordered_edges(self) -> tuple[tuple[int, int], ...]:
        """The pairs of statements with a dependence that must be kept."""
        return tuple((each.source, each.target) for each in self.dependences if each.is_ordered)

    def edges(self) -> tuple[tuple[int, int], ...]:
        """The pairs of statements with any dependence."""
        return tuple((each.source, each.target) for each in self.dependences)

    def within(self, statements: Sequence[int]) -> DependenceGraph:
        """The dependences with both ends among `statements`."""
        return DependenceGraph(
            tuple(
                each
                for each in self.dependences
                if each.source in statements and each.target in statements
            )
        )

    def uncarried_by(self, hyperplanes: Sequence[Hyperplane]) -> DependenceGraph:
        """What the hyperplanes leave at distance zero."""
        remaining = (each.uncarried_by(hyperplanes) for each in self.dependences)
        return DependenceGraph(tuple(each for each in remaining if each is not None))


def dependence_graph(
    problem: SchedulingProblem, statements: Sequence[ScheduledStatement]
) -> DependenceGraph:
    """The dependences of `problem`, restricted to its context and domain, pair by pair."""
    validity = pairs_of(problem.validity, problem, statements)
    proximity = pairs_of(problem.proximity, problem, statements)
    ordered: list[Dependence] = []
    near: list[Dependence] = []
    for (source, target), relation in validity.items():
        wanted = proximity.pop((source, target), None)
        if wanted is None or not is_bounded(wanted):
            ordered.append(Dependence(source, target, relation, is_ordered=True, is_near=False))
            continue
        covered = relation.is_subset(wanted)
        ordered.append(Dependence(source, target, relation, is_ordered=True, is_near=covered))
        rest = wanted.subtract(relation).coalesce() if covered else wanted
        if not rest.is_empty():
            near.append(Dependence(source, target, rest, is_ordered=False, is_near=True))
    for (source, target), relation in proximity.items():
        if is_bounded(relation):
            near.append(Dependence(source, target, relation, is_ordered=False, is_near=True))
    return DependenceGraph((*ordered, *near))


def pairs_of(
    relation: isl.UnionMap, problem: SchedulingProblem, statements: Sequence[ScheduledStatement]
) -> dict[tuple[int, int], isl.Map]:
    """`relation` by pairs of statement positions, ascending, empty ones left out."""
    kinds = isl.dim_type
    parameters = parameter_space(problem)
    context = problem.context.align_params(parameters)
    position = {statement.name: statement.position for statement in statements}
    pairs: dict[tuple[int, int], isl.Map] = {}
    for piece in maps_of(relation):
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


def is_bounded(relation: isl.Map) -> bool:
    """Whether, for fixed parameters, only finitely many instances are related.

    Otherwise no affine form in the parameters bounds the distance (paper 000, lemma 3).
    """
    return relation.wrap().is_bounded()
