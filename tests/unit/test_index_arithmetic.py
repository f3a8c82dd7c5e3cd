"""Sums and products of indices in C: no needless signs, the same value."""

from __future__ import annotations

import random
import re

import pytest

from polyir.target.abi import Scalar
from polyir.target.c.expression_printer import ExpressionPrinter
from polyir.target.c.index_arithmetic import difference_of, opposite_of, product, sum_of
from polyir.target.c.syntax import Expression, Name, Variable, literal

A, B, C = (Name(Scalar.INT64, Variable(name)) for name in "abc")
ZERO, ONE = literal(0), literal(1)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (difference_of(ZERO, difference_of(A, B)), "b - a"),
        (difference_of(ZERO, sum_of(difference_of(A, B), literal(8))), "b - a - 8"),
        (sum_of(A, product(B, literal(-1))), "a - b"),
        (sum_of(product(literal(-1), A), B), "b - a"),
        (difference_of(A, product(B, literal(-8))), "a + 8 * b"),
        (product(A, ONE), "a"),
        (product(A, ZERO), "0"),
        (sum_of(ZERO, A), "a"),
        (difference_of(A, ZERO), "a"),
        (opposite_of(opposite_of(A)), "a"),
        (opposite_of(sum_of(A, B)), "-(a + b)"),
        (difference_of(difference_of(A, literal(3)), literal(-8)), "a + 5"),
        (difference_of(A, difference_of(B, C)), "a - (b - c)"),
        (product(literal(-1), difference_of(A, sum_of(B, C))), "b + c - a"),
        (difference_of(literal(4), product(literal(-1), A)), "4 + a"),
    ],
)
def test_text(expression: Expression, expected: str) -> None:
    assert ExpressionPrinter().expression(expression) == expected


def test_values() -> None:
    """Random expressions have the value that Python computes, and no double signs."""
    random.seed(7)
    values = {"a": 11, "b": -5, "c": 3}
    leaves = [(A, 11), (B, -5), (C, 3), *((literal(n), n) for n in (-9, -1, 0, 1, 8))]
    printer = ExpressionPrinter()
    for _ in range(2000):
        known = list(leaves)
        for _ in range(6):
            (left, one), (right, other) = random.choices(known, k=2)
            known += [
                (sum_of(left, right), one + other),
                (difference_of(left, right), one - other),
                (product(left, random.choice(leaves[3:])[0]), 0),
                (opposite_of(left), -one),
            ]
            factor = random.choice(leaves[3:])
            known[-2] = (product(left, factor[0]), one * factor[1])
        for expression, value in known[len(leaves) :]:
            text = printer.expression(expression)
            assert eval(text.replace("(long)", ""), {}, values) == value, text
            assert not re.search(r"[-+] ?-|\b1 \* |\b0 [-+]|[-+] 0\b", text), text
