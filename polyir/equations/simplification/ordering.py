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
from polyir.schedule.linear import Row


class Ordering:
    """What the points of a variable of a system depend on, and whether more dependences fit."""

    def __init__(self, system: System, body: Body, variable: str) -> None:
        self._domain = system.variables[variable].domain
        self._variable = variable
        cycle = _cycle(body, variable)
        finder = Domains(system)
        maps = [
            relation
            for equation in body.equations
            if equation.variable in cycle
            for relation in _relations(system, finder, equation, cycle)
        ]
        self._relation = reduce(isl.UnionMap.union, maps) if maps else None
        self._known: dict[Row, bool] = {}

    def allows(self, move: Row) -> bool:
        """Whether each point of the variable may depend on that which is `move` before it."""
        if self._relation is None or not any(move):
            return True
        if move not in self._known:
            self._known[move] = self.allows_all([move])
        return self._known[move]

    def allows_all(self, moves: list[Row]) -> bool:
        """Whether it may depend on all those."""
        if self._relation is None:
            return True
        relation = self._relation
        for move in moves:
            if any(move):
                relation = relation.union(isl.UnionMap.from_map(self._step(move)))
        closure, _ = relation.transitive_closure()
        # The closure may have too many pairs: then an order that exists is not found.
        return bool(closure.intersect(closure.domain().identity()).is_empty())

    def _step(self, move: Row) -> isl.Map:
        back = shift(self._domain.get_space(), [-entry for entry in move])
        step = isl.Map.from_multi_aff(back)
        step = step.intersect_domain(self._domain).intersect_range(self._domain)
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
    system: System, finder: Domains, equation: Equation, cycle: frozenset[str]
) -> Iterator[isl.UnionMap]:
    domain = system.variables[equation.variable].domain
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
