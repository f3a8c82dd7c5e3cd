"""Conditions of C: affine tests, tests of data, and combinations of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, product
from typing import Final

from pycparser import c_ast

from polyir.model.index_expressions import Constraint, IndexExpression


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


def negation(condition: Condition) -> Condition:
    """The condition that holds where `condition` does not."""
    match condition:
        case Junction(is_all=is_all, parts=parts):
            return Junction(not is_all, tuple(map(negation, parts)))
        case DataTest(node=node, negated=negated):
            return DataTest(node, not negated)
        case Test(Constraint(expression, is_equality)):
            below = _not_negative(expression.scale(-1).shift(-1))
            if not is_equality:
                return below
            return Junction(False, (below, _not_negative(expression.shift(-1))))


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


def alternatives(condition: Condition) -> list[tuple[Constraint, ...]] | None:
    """Conjunctions of which one holds where a condition does; `None` if it tests data."""
    match condition:
        case Test(constraint=constraint):
            return [(constraint,)]
        case Junction(is_all=is_all, parts=parts):
            found = [alternatives(part) for part in parts]
            known = [each for each in found if each is not None]
            if len(known) < len(found):
                return None
            if not is_all:
                return [each for part in known for each in part]
            return [tuple(chain(*each)) for each in product(*known)]
        case DataTest():
            return None


def is_static(condition: Condition) -> bool:
    """Whether a condition consists of affine tests only."""
    match condition:
        case Junction(parts=parts):
            return all(is_static(part) for part in parts)
        case _:
            return isinstance(condition, Test)
