"""The operators of equations, by their names in the text."""

from __future__ import annotations

from typing import Final

UNARY_OPERATORS: Final = ("-", "not")

ORDER_OPERATORS: Final = ("=", "!=", ">=", ">", "<", "<=")
"""They compare numbers; their values are booleans."""

REDUCTION_OPERATORS: Final = ("+", "*", "min", "max", "and", "or", "xor")
"""Associative and commutative; they take any number of operands."""

OPERATORS: Final = (*REDUCTION_OPERATORS, *ORDER_OPERATORS, "-", "/", "not")


def accepts(operator: str, count: int) -> bool:
    """Whether an operator of `OPERATORS` takes so many operands."""
    if operator in REDUCTION_OPERATORS:
        return count >= 1
    return (count == 2 and operator != "not") or (count == 1 and operator in UNARY_OPERATORS)
