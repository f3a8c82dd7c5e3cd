"""Conditions of C: affine tests, tests of data, and combinations of them."""

from __future__ import annotations

from dataclasses import dataclass

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


def is_static(condition: Condition) -> bool:
    """Whether a condition consists of affine tests only."""
    match condition:
        case Junction(parts=parts):
            return all(is_static(part) for part in parts)
        case _:
            return isinstance(condition, Test)
