"""Facts about index values as isl sets: what parameters must be for more to hold."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Final

import islpy as isl
from xdsl.ir import SSAValue

from polyir.frontend.c.conditions import Condition, Junction, Test
from polyir.model.affine import pw_aff_of
from polyir.model.index_expressions import Constraint, IndexExpression, Numbering
from polyir.sets.boxes import most_values
from polyir.sets.lists import basic_sets_of

_MOST_CASES: Final = 4
"""Conditions with more cases than this are not worth testing at run time."""

_FEW: Final = 16
"""Loops with fewer iterations than this are not worth a version of their own."""

_SET: Final = isl.dim_type.set
_PARAMETERS: Final = isl.dim_type.param


class _Reader:
    """Reads expressions as functions of the values in all of them, those of `first` first."""

    def __init__(
        self, expressions: Sequence[IndexExpression], first: Sequence[SSAValue] = ()
    ) -> None:
        front = [IndexExpression.of(value) for value in first]
        self._numbering = Numbering.over([*front, *expressions], dimensions_only=True)
        self.count = len(self._numbering.dimensions)
        self._space = isl.Space.set_alloc(isl.DEFAULT_CONTEXT, 0, self.count)
        self._dimensions = [
            isl.PwAff.var_on_domain(self._space, _SET, position) for position in range(self.count)
        ]

    def where(self, facts: Sequence[IndexExpression]) -> isl.Set:
        """Where no fact is negative."""
        sets = (self._read(fact).nonneg_set() for fact in facts)
        return reduce(isl.Set.intersect, sets, isl.Set.universe(self._space))

    def where_negative(self, expressions: Sequence[IndexExpression]) -> isl.Set:
        """Where one of some expressions is negative."""
        sets = (self._read(each).neg().pos_set() for each in expressions)
        return reduce(isl.Set.union, sets, isl.Set.empty(self._space))

    def values(self, expression: IndexExpression, domain: isl.Set) -> isl.Map:
        """Maps the points of `domain` to the values of an expression."""
        return isl.Map.from_pw_aff(self._read(expression)).intersect_domain(domain)

    def _read(self, item: IndexExpression) -> isl.PwAff:
        return pw_aff_of(self._numbering.expression(item), self._dimensions, (), self._space)


def condition_for(
    expressions: Sequence[IndexExpression],
    facts: Sequence[IndexExpression],
    general_facts: Sequence[IndexExpression],
    parameters: Sequence[SSAValue],
) -> Condition | None:
    """The condition on parameters for which expressions are not negative.

    They are so wherever `facts` and `general_facts` are not negative. `None` if there is no simple
    condition, or if with it, loops that may have many iterations by `facts` have few.
    """
    count = len(parameters)
    reader = _Reader([*expressions, *facts, *general_facts], parameters)
    others = reader.count - count
    local = reader.where(facts)
    domain = local.intersect(reader.where(general_facts))
    negative = domain.intersect(reader.where_negative(expressions))
    known = domain.project_out(_SET, count, others)
    allowed = negative.project_out(_SET, count, others).complement()
    condition = allowed.gist(known).coalesce()
    if allowed.is_disjoint(known) or _limits_loops(local, condition, count):
        return None
    return _as_condition(condition, parameters)


def varies_less_than(
    limit: int,
    expression: IndexExpression,
    facts: Sequence[IndexExpression],
    parameters: Sequence[SSAValue],
) -> bool:
    """Whether values of an expression for the same parameters are less than `limit` apart.

    That is where no fact is negative.
    """
    reader = _Reader([expression, *facts], parameters)
    return _is_within(limit, reader.values(expression, reader.where(facts)), len(parameters))


def _limits_loops(domain: isl.Set, allowed: isl.Set, count: int) -> bool:
    """Whether a dimension after the first `count` has few values in `allowed`, and else not."""
    others = domain.dim(_SET) - count
    inside = domain.intersect(allowed.insert_dims(_SET, count, others))
    return any(
        _is_within(_FEW, _values_of(inside, count + position), count)
        and not _is_within(_FEW, _values_of(domain, count + position), count)
        for position in range(others)
    )


def _values_of(domain: isl.Set, position: int) -> isl.Map:
    """Maps the points of a set to one of their coordinates."""
    return isl.Map.from_aff(
        isl.Aff.var_on_domain(domain.get_space(), _SET, position)
    ).intersect_domain(domain)


def _is_within(limit: int, values: isl.Map, count: int) -> bool:
    """Whether points with the same first `count` coordinates map to less than `limit` apart."""
    others = values.dim(isl.dim_type.in_) - count
    most = most_values(values.project_out(isl.dim_type.in_, count, others))
    return most is not None and most <= limit


def _as_condition(allowed: isl.Set, values: Sequence[SSAValue]) -> Condition | None:
    """A set over some values as a condition on them; `None` if it is not simple."""
    cases: list[Condition] = []
    for part in basic_sets_of(allowed):
        if part.dim(isl.dim_type.div) > 0:
            return None
        tests: list[Condition] = []
        for constraint in part.get_constraints():
            coefficients = [
                (value, constraint.get_coefficient_val(_SET, position).to_python())
                for position, value in enumerate(values)
            ]
            terms = tuple((value, number) for value, number in coefficients if number != 0)
            expression = IndexExpression(terms, constraint.get_constant_val().to_python())
            tests.append(Test(Constraint(expression, constraint.is_equality())))
        cases.append(Junction(True, tuple(tests)))
    if not 0 < len(cases) <= _MOST_CASES:
        return None
    return cases[0] if len(cases) == 1 else Junction(False, tuple(cases))
