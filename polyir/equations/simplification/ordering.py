"""Whether results may be computed from their neighbours although values depend on results.

Where the values of a reduction depend on its own results at other points, as in dynamic
programming, a recurrence adds a dependence of each result on a neighbour. There must still be an
order in which all points can be computed: none may depend on itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce

import islpy as isl

from polyir.equations.domains import Domains
from polyir.equations.simplification.reductions import shift
from polyir.equations.system import (
    Body,
    Case,
    Dependence,
    Equation,
    Expression,
    Reduce,
    Restrict,
    System,
    Variable,
)
from polyir.schedule.constraints import ScheduleConstraints, SchedulingError
from polyir.schedule.feautrier import FeautrierOptions, feautrier_schedule
from polyir.schedule.linear import Row


class Ordering:
    """What the points of a variable of a system depend on, and whether more dependences fit."""

    def __init__(self, system: System, body: Body, variable: str) -> None:
        self._context = system.context.intersect(body.context)
        self._variable = variable
        cycle = _cycle(body, variable)
        finder = Domains(system)
        self._domains = {
            name: system.variables[name].domain.intersect_params(self._context).set_tuple_name(name)
            for name in sorted(cycle)
        }
        defined = {each.variable for each in body.equations}
        maps = [
            relation
            for equation in body.equations
            if equation.variable in cycle
            for relation in _relations(system, body, finder, equation, cycle)
        ]
        # Inputs and outputs of a system that is used may be in the cycle: nothing is known of it.
        self._is_known = all(each in defined for each in cycle)
        self._order = reduce(isl.UnionMap.union, maps).reverse() if maps else None
        self._known: dict[Row, bool] = {}

    def allows(self, move: Row) -> bool:
        """Whether each point of the variable may depend on that which is `move` before it."""
        if not self._domains or not any(move):
            return True
        if move not in self._known:
            self._known[move] = self.allows_all([move])
        return self._known[move]

    def allows_all(self, moves: list[Row]) -> bool:
        """Whether it may depend on all those: whether there is a schedule, an affine one."""
        if not self._domains:
            return True
        if self._order is None or not self._is_known:
            return False
        order = self._order
        for move in moves:
            if any(move):
                order = order.union(isl.UnionMap.from_map(self._step(move)))
        domains = map(isl.UnionSet.from_set, self._domains.values())
        constraints = ScheduleConstraints(
            reduce(isl.UnionSet.union, domains),
            self._context,
            order,
            order,
            tuple(self._domains),
            order,
        )
        try:
            feautrier_schedule(constraints, FeautrierOptions())
        except SchedulingError:
            return False
        return True

    def _step(self, move: Row) -> isl.Map:
        """From each point of the variable to the one that comes next."""
        domain = self._domains[self._variable]
        points = domain.reset_tuple_id()
        step = isl.Map.from_multi_aff(shift(points.get_space(), move))
        step = step.intersect_domain(points).intersect_range(points)
        return _named(step, self._variable, self._variable)


def _cycle(body: Body, variable: str) -> frozenset[str]:
    """The variables that depend on `variable` and on which it depends; none but in a cycle."""
    uses: dict[str, set[str]] = {}
    users: dict[str, set[str]] = {}
    for equation in body.equations:
        for each in equation.expression.walk():
            if isinstance(each, Variable):
                uses.setdefault(equation.variable, set()).add(each.name)
                users.setdefault(each.name, set()).add(equation.variable)
    for use in body.uses:
        inputs = {e.name for one in use.inputs for e in one.walk() if isinstance(e, Variable)}
        outputs = {e.name for one in use.outputs for e in one.walk() if isinstance(e, Variable)}
        for output in outputs:
            uses.setdefault(output, set()).update(inputs)
        for name in inputs:
            users.setdefault(name, set()).update(outputs)
    return frozenset(_reached(uses, variable) & _reached(users, variable))


def _reached(edges: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for target in edges.get(waiting.pop(), set()) - found:
            found.add(target)
            waiting.append(target)
    return found


def _relations(
    system: System, body: Body, finder: Domains, equation: Equation, cycle: frozenset[str]
) -> Iterator[isl.UnionMap]:
    domain = system.variables[equation.variable].domain
    domain = domain.intersect_params(system.context).intersect_params(body.context)
    start = isl.Map.identity(domain.get_space().map_from_set()).intersect_domain(domain)
    for name, relation in _reads(finder, equation.expression, start):
        if name in cycle:
            yield isl.UnionMap.from_map(_named(relation, equation.variable, name))


def _reads(
    finder: Domains, expression: Expression, points: isl.Map
) -> Iterator[tuple[str, isl.Map]]:
    """The variables in an expression, each with the points read for each point of `points`."""
    dimensions = points.dim(isl.dim_type.out)
    match expression:
        case Variable(name=name):
            yield name, points
        case Dependence(operand=operand, function=function):
            further = points.apply_range(isl.Map.from_multi_aff(function))
            yield from _reads(finder, operand, further)
        case Reduce(operand=operand, projection=projection):
            body = finder.of(operand, projection.dim(isl.dim_type.in_))
            back = isl.Map.from_multi_aff(projection).intersect_domain(body).reverse()
            yield from _reads(finder, operand, points.apply_range(back))
        case Restrict(operand=operand, domain=domain):
            yield from _reads(finder, operand, points.intersect_range(domain))
        case Case():
            domains = finder.of_branches(expression, dimensions)
            for branch, domain in zip(expression.parts, domains, strict=True):
                yield from _reads(finder, branch, points.intersect_range(domain))
        case _:
            for operand in expression.operands:
                yield from _reads(finder, operand, points)


def _named(relation: isl.Map, source: str, target: str) -> isl.Map:
    named = relation.set_tuple_name(isl.dim_type.in_, source)
    return named.set_tuple_name(isl.dim_type.out, target)
