"""Conditions of C: affine tests, tests of data, and combinations of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product
from math import prod
from typing import Final

from pycparser import c_ast

from polyir.model.index_expressions import Constraint, IndexExpression

MOST_ALTERNATIVES: Final = 32
"""A condition that is the disjunction of more conjunctions is only tested, not computed with."""


@dataclass(frozen=True)
class Test:
    """An affine test."""

    constraint: Constraint


@dataclass(frozen=True)
class DataTest:
    """Whether an expression that depends on data is not zero (is zero, if `negated`)."""

    node: c_ast.Node
    negated: bool


@dataclass(frozen=True)
class Junction:
    """All of the parts, or any of them; evaluated from left to right as far as needed."""

    is_all: bool
    parts: tuple[Condition, ...]


Condition = Test | DataTest | Junction

NEVER: Final = Junction(False, ())
"""The condition that does not hold."""


def constraints_hold(constraints: Sequence[Constraint]) -> Condition:
    """The condition that all constraints hold."""
    return Junction(True, tuple(map(Test, constraints)))


def comparison(operator: str, left: IndexExpression, right: IndexExpression) -> Condition:
    """The affine test `left operator right`."""
    match operator:
        case "<":
            return _not_negative((right - left).shift(-1))
        case "<=":
            return _not_negative(right - left)
        case ">":
            return _not_negative((left - right).shift(-1))
        case ">=":
            return _not_negative(left - right)
        case "==":
            return Test(Constraint(left - right, is_equality=True))
        case "!=":
            below, above = comparison("<", left, right), comparison(">", left, right)
            return Junction(False, (below, above))
        case _:
            raise ValueError(f"no comparison: {operator}")


def _not_negative(expression: IndexExpression) -> Test:
    return Test(Constraint(expression, is_equality=False))


def conjunction(condition: Condition) -> tuple[Constraint, ...] | None:
    """The constraints whose conjunction is a condition; `None` if it is not a conjunction."""
    match condition:
        case Test(constraint=constraint):
            return (constraint,)
        case Junction(is_all=True, parts=parts):
            found = [conjunction(part) for part in parts]
            if any(item is None for item in found):
                return None
            return tuple(constraint for item in found if item is not None for constraint in item)
        case _:
            return None


def opposite(condition: Condition) -> Condition:
    """The condition that holds where `condition` does not."""
    match condition:
        case Test(constraint=Constraint(expression, is_equality)):
            below = Test(Constraint(expression.scale(-1).shift(-1), is_equality=False))
            above = Test(Constraint(expression.shift(-1), is_equality=False))
            return Junction(False, (below, above)) if is_equality else below
        case DataTest(node=node, negated=negated):
            return DataTest(node, not negated)
        case Junction(is_all=is_all, parts=parts):
            return Junction(not is_all, tuple(opposite(part) for part in parts))


def alternatives(condition: Condition) -> tuple[tuple[Constraint, ...], ...] | None:
    """Conjunctions of which at least one holds where a condition does, and only there.

    `None` if the condition depends on data, or if there are too many.
    """
    match condition:
        case Test(constraint=constraint):
            return () if constraint.outcome is False else ((constraint,),)
        case DataTest():
            return None
        case Junction(is_all=is_all, parts=parts):
            found = [alternatives(part) for part in parts]
            known = [each for each in found if each is not None]
            if len(known) < len(found):
                return None
            if not is_all:
                return tuple(each for part in known for each in part)
            if prod(map(len, known)) > MOST_ALTERNATIVES:
                return None
            return tuple(tuple(chain(*chosen)) for chosen in product(*known))


def parts_of_conjunction(condition: Condition) -> Iterator[Condition]:
    """The conditions that must all hold for `condition` to hold."""
    if isinstance(condition, Junction) and condition.is_all:
        for part in condition.parts:
            yield from parts_of_conjunction(part)
    else:
        yield condition


def is_static(condition: Condition) -> bool:
    """Whether a condition consists of affine tests only."""
    match condition:
        case Junction(parts=parts):
            return all(is_static(part) for part in parts)
        case _:
            return isinstance(condition, Test)
