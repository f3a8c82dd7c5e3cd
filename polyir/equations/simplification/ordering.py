"""Whether results may be computed from their neighbours although values depend on results.

Where the values of a reduction depend on its own results at other points, as in dynamic
programming, a recurrence adds a dependence of each result on a neighbour. There must still be an
order in which all points can be computed: none may depend on itself.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

import islpy as isl

from polyir.equations.cycles import direct_dependences
from polyir.equations.simplification.reductions import shift
from polyir.equations.system import Body, Expression, System, Variable
from polyir.schedule.constraints import ScheduleConstraints, SchedulingError
from polyir.schedule.feautrier import FeautrierOptions, feautrier_schedule
from polyir.schedule.linear import Row


class Ordering:
    """What the points of a variable of a system depend on, and whether more dependences fit."""

    def __init__(self, system: System, body: Body, variable: str) -> None:
        self._context = system.context.intersect(body.context)
        self._variable = variable
        cycle = _cycle(body, variable)
        self._domains = {
            name: system.variables[name].domain.intersect_params(self._context).set_tuple_name(name)
            for name in sorted(cycle)
        }
        own = [each for each in body.equations if each.variable in cycle]
        # Inputs and outputs of a system that is used may be in the cycle: nothing is known of it.
        self._is_known = {each.variable for each in own} == cycle
        part = replace(body, context=self._context, equations=tuple(own), uses=())
        self._order = isl.UnionMap.empty(self._context.get_space())
        for each in direct_dependences(replace(system, bodies=(part,))):
            if each.used in cycle:
                relation = _named(each.relation.reverse(), each.used, each.user)
                self._order = self._order.union(isl.UnionMap.from_map(relation))
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
        if not self._is_known:
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
    for equation in body.equations:
        uses.setdefault(equation.variable, set()).update(_variables(equation.expression))
    for use in body.uses:
        inputs = {name for each in use.inputs for name in _variables(each)}
        for output in use.outputs:
            for name in _variables(output):
                uses.setdefault(name, set()).update(inputs)
    reached = _reached(uses, variable)
    return frozenset(each for each in reached if variable in _reached(uses, each))


def _variables(expression: Expression) -> set[str]:
    return {each.name for each in expression.walk() if isinstance(each, Variable)}


def _reached(edges: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for target in edges.get(waiting.pop(), set()) - found:
            found.add(target)
            waiting.append(target)
    return found


def _named(relation: isl.Map, source: str, target: str) -> isl.Map:
    named = relation.set_tuple_name(isl.dim_type.in_, source)
    return named.set_tuple_name(isl.dim_type.out, target)
