"""Affine expressions, maps and sets as text, with no more parentheses than they need."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
    AffineSymExpr,
)

# How tightly the parts of a sum and of a product must hold together.
_IN_SUM, _LEFT_OF_PRODUCT, _RIGHT_OF_PRODUCT = range(3)


def expression_text(
    expression: AffineExpr, dimensions: Sequence[str], symbols: Sequence[str]
) -> str:
    """`expression` with these names of its dimensions and symbols."""
    return _text(expression, dimensions, symbols, _IN_SUM)


def map_text(affine_map: AffineMap) -> str:
    """`(d0, d1)[s0] -> (d0 + s0, d1 - 1)`."""
    dimensions, symbols = _names(affine_map)
    results = ", ".join(
        expression_text(result, dimensions, symbols) for result in affine_map.results
    )
    return f"{_space_text(dimensions, symbols)} -> ({results})"


def set_text(affine_set: AffineSet) -> str:
    """`(d0)[s0] : (s0 - d0 - 1 >= 0, d0 == 0)`."""
    dimensions, symbols = _names(affine_set)
    constraints = ", ".join(
        f"{expression_text(constraint.lhs, dimensions, symbols)} {constraint.kind.value} "
        f"{expression_text(constraint.rhs, dimensions, symbols)}"
        for constraint in affine_set.constraints
    )
    return f"{_space_text(dimensions, symbols)} : ({constraints})"


def _names(space: AffineMap | AffineSet) -> tuple[list[str], list[str]]:
    return (
        [f"d{position}" for position in range(space.num_dims)],
        [f"s{position}" for position in range(space.num_symbols)],
    )


def _space_text(dimensions: Sequence[str], symbols: Sequence[str]) -> str:
    brackets = f"[{', '.join(symbols)}]" if symbols else ""
    return f"({', '.join(dimensions)}){brackets}"


def _text(
    expression: AffineExpr, dimensions: Sequence[str], symbols: Sequence[str], place: int
) -> str:
    if isinstance(expression, AffineConstantExpr):
        text = str(expression.value)
        return f"({text})" if expression.value < 0 and place == _LEFT_OF_PRODUCT else text
    if isinstance(expression, AffineDimExpr):
        return dimensions[expression.position]
    if isinstance(expression, AffineSymExpr):
        return symbols[expression.position]
    assert isinstance(expression, AffineBinaryOpExpr)
    if expression.kind is AffineBinaryOpKind.Add:
        text = _sum_text(expression, dimensions, symbols)
        return text if place == _IN_SUM else f"({text})"
    left = _text(expression.lhs, dimensions, symbols, _LEFT_OF_PRODUCT)
    right = _text(expression.rhs, dimensions, symbols, _RIGHT_OF_PRODUCT)
    text = f"{left} {expression.kind.get_token()} {right}"
    return f"({text})" if place == _RIGHT_OF_PRODUCT else text


def _sum_text(
    expression: AffineBinaryOpExpr, dimensions: Sequence[str], symbols: Sequence[str]
) -> str:
    """`a + b`, or `a - b` where the right side has a negative constant factor."""
    left = _text(expression.lhs, dimensions, symbols, _IN_SUM)
    subtrahend = _negated(expression.rhs)
    if subtrahend is None:
        return f"{left} + {_text(expression.rhs, dimensions, symbols, _IN_SUM)}"
    # As on the left of a product: a sum needs parentheses here, a product does not.
    return f"{left} - {_text(subtrahend, dimensions, symbols, _LEFT_OF_PRODUCT)}"


def _negated(expression: AffineExpr) -> AffineExpr | None:
    """`-expression`, if the expression is a negative constant or has such a factor."""
    if isinstance(expression, AffineConstantExpr):
        # The most negative integer has no counterpart of 64 bits.
        negative = -(2**63) < expression.value < 0
        return AffineConstantExpr(-expression.value) if negative else None
    if (
        isinstance(expression, AffineBinaryOpExpr)
        and expression.kind is AffineBinaryOpKind.Mul
        and isinstance(expression.rhs, AffineConstantExpr)
        and expression.rhs.value < 0
    ):
        factor = -expression.rhs.value
        if factor == 1:
            return expression.lhs
        return AffineBinaryOpExpr(
            AffineBinaryOpKind.Mul, expression.lhs, AffineConstantExpr(factor)
        )
    return None
