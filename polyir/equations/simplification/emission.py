"""From the plan of a reduction to equations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

import islpy as isl

from polyir.equations.rewriting import moved
from polyir.equations.simplification.plans import (
    Keep,
    Nested,
    Plan,
    Recurrence,
    Same,
    Together,
)
from polyir.equations.simplification.reductions import Reduction, names_of, shift
from polyir.equations.system import (
    ORDER_OPERATORS,
    Case,
    Constant,
    Declaration,
    Dependence,
    Equation,
    Expression,
    Operation,
    Restrict,
    Role,
    Variable,
)
from polyir.sets.hulls import simplified
from polyir.sets.lists import pieces_of

MOST_SINGLE = 4
"""Of how many single values a reduction is written as an operation on them."""

_OF_BOOLEANS: Final = ("and", "or", "xor")
"""They take all numbers but 0 for true, and give booleans."""


@dataclass
class Emission:
    """Equations for plans, with new local variables.

    `fresh` returns a name like the given one that is no variable's.
    """

    fresh: Callable[[str], str]
    declarations: list[Declaration] = field(default_factory=list)
    equations: list[Equation] = field(default_factory=list)
    _names: dict[str, str] = field(default_factory=dict)

    def results(self, plan: Plan, name: str) -> Expression:
        """An expression of the results of a plan: defined where its reduction has one.

        `name` is that of the variable whose results they are, or that of the variable to declare
        for them where they need one.
        """
        match plan:
            case Keep():
                return self._kept(plan.reduction)
            case Recurrence():
                return self._recurrence(plan, name)
            case Together():
                return self._together(plan, name)
            case Nested():
                if plan.name not in self._names:
                    self._names[plan.name] = self._declared(plan.inner, f"{name}_part")
                return self.results(plan.outer, name)
            case Same():
                return self.results(plan.simpler, name)
        raise AssertionError(plan)

    def _kept(self, reduction: Reduction) -> Expression:
        named = replace(reduction, value=self._named(reduction.value))
        singles = _singles(named)
        if singles is None:
            return named.as_expression()
        expression, points = singles[0]
        for other, more in singles[1:]:
            expression = _combined(expression, other, points, more, named.operator)
            points = points.union(more)
        return expression

    def _recurrence(self, plan: Recurrence, name: str) -> Expression:
        back = shift(plan.reduction.results.get_space(), [-entry for entry in plan.move])
        previous: Expression = Dependence(Variable(name), back)
        everywhere = plan.recurring
        value: Expression = Restrict(previous, everywhere)
        if plan.added is not None:
            added = self._used(plan.added, f"{name}_add")
            entering = plan.added.reduction.results
            operator = plan.reduction.operator
            value = _on_parts(previous, added, everywhere, entering, operator)
        if plan.subtracted is not None:
            assert plan.inverse is not None
            taken = self._used(plan.subtracted, f"{name}_sub")
            leaving = plan.subtracted.reduction.results
            value = _on_parts(value, taken, everywhere, leaving, plan.inverse)
        if plan.initial is None:
            return value
        initial = self._used(plan.initial, f"{name}_first")
        return _case([initial, value])

    def _together(self, plan: Together, name: str) -> Expression:
        first = self._used(plan.first, f"{name}_one")
        second = self._used(plan.second, f"{name}_two")
        points, more = plan.first.reduction.results, plan.second.reduction.results
        return _combined(first, second, points, more, plan.operator)

    def _used(self, plan: Plan, name: str) -> Expression:
        """The results of a plan where they are used more than once: a variable, or few values."""
        if isinstance(plan, Keep):
            kept = self._kept(plan.reduction)
            if _is_short(kept):
                return kept
        return Variable(self._declared(plan, name))

    def _declared(self, plan: Plan, name: str) -> str:
        name = self.fresh(name)
        expression = self.results(plan, name)
        domain = plan.reduction.results
        self.declarations.append(Declaration(name, domain, Role.LOCAL))
        names = [each for each in names_of(domain.get_space()) if each is not None]
        is_named = len(set(names)) == domain.dim(isl.dim_type.set)
        indices = tuple(names) if is_named else None
        self.equations.append(Equation(name, expression, indices))
        return name

    def _named(self, value: Expression) -> Expression:
        """The value with the variables that stand for results of other plans."""

        def rule(each: Expression) -> Expression:
            if isinstance(each, Variable) and each.name in self._names:
                return replace(each, name=self._names[each.name])
            return each

        return value.rewritten(rule)


def _singles(reduction: Reduction) -> list[tuple[Expression, isl.Set]] | None:
    """The values of a reduction whose results have one each, or one in each of few parts.

    Each value is an expression at the points that come with it.
    """
    disjoint = reduction.domain.make_disjoint().coalesce()
    pieces = disjoint.get_basic_sets()
    if len(pieces) > MOST_SINGLE:
        return None
    value = reduction.value
    if reduction.operator in _OF_BOOLEANS and not reduction.is_external:
        value = _as_boolean(value)
    found: list[tuple[Expression, isl.Set]] = []
    projection = isl.Map.from_multi_aff(reduction.projection)
    remaining = disjoint
    for piece in pieces:
        points = isl.Set.from_basic_set(piece).intersect(remaining)
        remaining = remaining.subtract(points)
        if points.is_empty():
            continue
        back = projection.intersect_domain(points).reverse()
        if not back.is_single_valued():
            return None
        function = _only_function(back.as_pw_multi_aff().coalesce())
        if function is None:
            return None
        where = back.domain().coalesce()
        found.append((Restrict(moved(value, function), where), where))
    return found


def _as_boolean(value: Expression) -> Expression:
    """The result of `and`, `or` or `xor` over one value."""
    match value:
        case Constant(value=bool()):
            return value
        case Operation(operator=operator, is_external=False) if operator in (
            *ORDER_OPERATORS,
            "not",
        ) or (operator in _OF_BOOLEANS and len(value.parts) > 1):
            return value
        case _:
            return Operation((value, Constant(0)), "!=")


def _only_function(parts: isl.PwMultiAff) -> isl.MultiAff | None:
    """The function of all parts, if it is one without divisions."""
    pieces = pieces_of(parts)
    function = pieces[0][1]
    return function if len(pieces) == 1 and not function.involves_locals() else None


def _combined(
    first: Expression, second: Expression, points: isl.Set, more: isl.Set, operator: str
) -> Expression:
    """Two expressions, defined at some points each, combined where both are."""
    both = points.intersect(more)
    return _case(
        [
            *_restricted(first, points.subtract(more)),
            *_restricted(Operation((first, second), operator), both),
            *_restricted(second, more.subtract(points)),
        ]
    )


def _on_parts(
    value: Expression, other: Expression, where: isl.Set, more: isl.Set, operator: str
) -> Expression:
    """The value at the points `where`, combined with another one where that is defined."""
    branches = []
    # The branches of a value that is a case already are split, so that cases do not nest.
    for branch, points in _branches(value, where):
        branches += _restricted(Operation((branch, other), operator), points.intersect(more))
        branches += _restricted(branch, points.subtract(more))
    return _case(branches)


def _branches(value: Expression, where: isl.Set) -> list[tuple[Expression, isl.Set]]:
    match value:
        case Case(parts=parts):
            return [pair for part in parts for pair in _branches(part, where)]
        case Restrict(operand=operand, domain=domain):
            return [(operand, domain)]
        case _:
            return [(value, where)]


def _restricted(value: Expression, points: isl.Set) -> list[Expression]:
    return [] if points.is_empty() else [Restrict(_bare(value), simplified(points))]


def _bare(value: Expression) -> Expression:
    """The value without a restriction around it, which another one is to replace."""
    match value:
        case Restrict(operand=operand):
            return operand
        case Operation(parts=parts):
            return replace(value, parts=tuple(_bare(part) for part in parts))
        case _:
            return value


def _case(branches: list[Expression]) -> Expression:
    flat: list[Expression] = []
    for branch in branches:
        flat += branch.parts if isinstance(branch, Case) else (branch,)
    return flat[0] if len(flat) == 1 else Case(tuple(flat))


def _is_short(expression: Expression) -> bool:
    """Whether an expression is one restricted value: it may stand in another one as it is."""
    return isinstance(expression, Restrict)
