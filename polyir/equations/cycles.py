"""Dependences between points of variables, and whether a point depends on itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import islpy as isl

from polyir.equations.domains import Domains
from polyir.equations.system import (
    Case,
    Dependence,
    Expression,
    Reduce,
    Restrict,
    System,
    Variable,
)
from polyir.isl_lists import sets_of
from polyir.limits import within_operations
from polyir.schedule.components import strongly_connected_components

_LONGEST_CYCLE = 6
"""Cycles of up to so many dependences are found even where the transitive closure is not exact."""

_MAXIMUM_OPERATIONS = 5_000_000
"""How many operations isl may take for each of three ways to find out."""


@dataclass(frozen=True)
class DirectDependence:
    """The value of `user` at a point needs those of `used` at the points of `relation`."""

    user: str
    used: str
    relation: isl.Map


@dataclass(frozen=True)
class Cycle:
    """The value of `variable` at each of `points` depends on itself, through `others` at most."""

    variable: str
    points: isl.Set
    others: tuple[str, ...]


def direct_dependences(system: System) -> list[DirectDependence]:
    """What the equations of a system with one body, without uses, say."""
    domains = Domains(system)
    found: list[DirectDependence] = []
    for equation in system.body.equations:
        domain = system.variables[equation.variable].domain
        points = domain.intersect_params(system.body.context)
        start = isl.Map.identity(points.get_space().map_from_set()).intersect_domain(points)
        for used, relation in _uses(equation.expression, start, domains):
            if not relation.is_empty():
                found.append(DirectDependence(equation.variable, used, relation))
    return found


def cycles(system: System) -> list[Cycle]:
    """Points that depend on themselves, in a system with one body, without uses.

    All that are returned are there. They are all that there are if a schedule exists, or where the
    transitive closure of the dependences is exact.
    """
    dependences = direct_dependences(system)
    found: list[Cycle] = []
    # Copies are declared after the variables of the system itself, for which what is said is easier
    # to find.
    for group in _strong_components(list(system.variables), dependences):
        inside = [each for each in dependences if each.user in group and each.used in group]
        found += _cycles_among(group, inside)
    return found


def _uses(
    expression: Expression, reached: isl.Map, domains: Domains
) -> Iterator[tuple[str, isl.Map]]:
    """The variables in an expression: from where the equation is to where they are needed.

    `reached` leads to the points at which the expression is needed.
    """
    match expression:
        case Variable(name=name):
            yield name, reached
        case Dependence(operand=operand, function=function):
            yield from _uses(
                operand, reached.apply_range(isl.Map.from_multi_aff(function)), domains
            )
        case Reduce(operand=operand, projection=projection):
            body = domains.of(operand, projection.dim(isl.dim_type.in_))
            combined = isl.Map.from_multi_aff(projection).intersect_domain(body).reverse()
            yield from _uses(operand, reached.apply_range(combined), domains)
        case Restrict(operand=operand, domain=domain):
            yield from _uses(operand, reached.intersect_range(domain), domains)
        case Case(parts=parts):
            branches = domains.of_branches(expression, reached.dim(isl.dim_type.out))
            for part, branch in zip(parts, branches, strict=True):
                yield from _uses(part, reached.intersect_range(branch), domains)
        case _:
            for operand in expression.operands:
                yield from _uses(operand, reached, domains)


def _strong_components(
    names: Sequence[str], dependences: Sequence[DirectDependence]
) -> list[tuple[str, ...]]:
    """Variables that depend on each other, or one that does on itself, in the order of `names`."""
    numbers = {name: number for number, name in enumerate(names)}
    edges = [(numbers[each.user], numbers[each.used]) for each in dependences]
    components = strongly_connected_components(range(len(names)), edges)
    return [
        tuple(names[number] for number in component)
        for component in sorted(components)
        if len(component) > 1 or (component[0], component[0]) in edges
    ]


def _cycles_among(group: tuple[str, ...], dependences: list[DirectDependence]) -> list[Cycle]:
    tuples = {name: f"V{position}" for position, name in enumerate(group)}
    relation = _united(dependences, tuples)
    if within_operations(_MAXIMUM_OPERATIONS, lambda: _has_schedule(relation)):
        return []
    found = within_operations(
        _MAXIMUM_OPERATIONS, lambda: _short_cycles(relation, group, tuples)
    ) or within_operations(_MAXIMUM_OPERATIONS, lambda: _any_cycles(relation, group, tuples))
    return found or []


def _short_cycles(
    relation: isl.UnionMap, group: tuple[str, ...], tuples: Mapping[str, str]
) -> list[Cycle]:
    power = relation
    for _ in range(_LONGEST_CYCLE):
        found = _fixed_points(power, group, tuples)
        if found:
            return found
        power = power.apply_range(relation).coalesce()
    return []


def _any_cycles(
    relation: isl.UnionMap, group: tuple[str, ...], tuples: Mapping[str, str]
) -> list[Cycle]:
    closure, is_exact = relation.transitive_closure()
    return _fixed_points(closure, group, tuples) if is_exact else []


def _united(dependences: list[DirectDependence], tuples: Mapping[str, str]) -> isl.UnionMap:
    united = isl.UnionMap.empty(dependences[0].relation.get_space().params())
    for each in dependences:
        named = each.relation.set_tuple_name(isl.dim_type.in_, tuples[each.user])
        named = named.set_tuple_name(isl.dim_type.out, tuples[each.used])
        united = united.union(isl.UnionMap.from_map(named))
    return united.coalesce()


def _has_schedule(relation: isl.UnionMap) -> bool:
    """Whether isl finds an order in which each point comes after those that it depends on."""
    points = relation.domain().union(relation.range())
    constraints = isl.ScheduleConstraints.on_domain(points).set_validity(relation.reverse())
    try:
        schedule = constraints.compute_schedule().get_map()
    except isl.Error:
        return False
    later = schedule.lex_gt_union_map(schedule)
    return bool(relation.is_subset(later))


def _fixed_points(
    relation: isl.UnionMap, group: tuple[str, ...], tuples: Mapping[str, str]
) -> list[Cycle]:
    """A cycle for the first variable that has points related to themselves."""
    same = relation.intersect(relation.domain().identity()).domain()
    for name in group:
        for points in sets_of(same):
            if points.get_tuple_name() == tuples[name]:
                others = tuple(each for each in group if each != name)
                return [Cycle(name, points.reset_tuple_id().coalesce(), others)]
    return []
