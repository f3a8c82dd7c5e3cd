"""Dependences between points of variables, and whether a point depends on itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import islpy as isl

from polyir.base import budgets
from polyir.base.limits import within_operations
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
from polyir.schedule.components import strongly_connected_components
from polyir.sets.lists import maps_of, sets_of, union_map

_LONGEST_CYCLE = 6
"""Cycles of up to so many dependences are found even where the transitive closure is not exact."""

_MOST_PIECES = 24
"""Longer cycles are not looked for in relations of more basic maps: isl's operations on these take
long, and it counts only those that allocate memory."""


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
    if within_operations(budgets.EQUATION_CYCLES, lambda: _has_schedule(relation)):
        return []
    if within_operations(
        budgets.EQUATION_CYCLES, lambda: _has_schedule(_in_parts(relation, dependences, tuples))
    ):
        return []
    found = within_operations(
        budgets.EQUATION_CYCLES, lambda: _short_cycles(relation, group, tuples)
    ) or within_operations(budgets.EQUATION_CYCLES, lambda: _any_cycles(relation, group, tuples))
    return found or []


def _short_cycles(
    relation: isl.UnionMap, group: tuple[str, ...], tuples: Mapping[str, str]
) -> list[Cycle]:
    power = relation
    for _ in range(_LONGEST_CYCLE):
        found = _fixed_points(power, group, tuples)
        if found:
            return found
        if sum(each.n_basic_map() for each in maps_of(power)) > _MOST_PIECES:
            return []
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


def _in_parts(
    relation: isl.UnionMap, dependences: list[DirectDependence], tuples: Mapping[str, str]
) -> isl.UnionMap:
    """The relation with a tuple for each part of a variable that has the same dependences.

    Branches of a case may need schedules of their own: the red points of red-black relaxation are
    before the black ones of the same time.
    """
    parts: dict[str, list[isl.Set]] = {tuples[each.user]: [] for each in dependences}
    for each in dependences:
        known = parts[tuples[each.user]]
        points = each.relation.domain()
        pieces = [points.subtract(_all_of(known, points))]
        pieces += [part.intersect(points) for part in known]
        pieces += [part.subtract(points) for part in known]
        parts[tuples[each.user]] = [piece.coalesce() for piece in pieces if not piece.is_empty()]
    renamed: list[isl.Map] = []
    for name, known in parts.items():
        rest = _all_of(known, known[0]).complement()
        for number, part in enumerate((*known, rest)):
            renaming = part.set_tuple_name(name).identity()
            renamed.append(renaming.set_tuple_name(isl.dim_type.out, f"{name}_{number}"))
    to_parts = union_map(renamed, relation.get_space())
    return relation.apply_domain(to_parts).apply_range(to_parts)


def _all_of(parts: Sequence[isl.Set], like: isl.Set) -> isl.Set:
    return reduce(isl.Set.union, parts, isl.Set.empty(like.get_space()))


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
