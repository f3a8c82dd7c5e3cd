"""Affine expressions, maps and sets as MLIR's text, with no more parentheses than they need."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
    AffineSymExpr,
)

from polyir.target.linear import Term, difference

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
    """`(d0)[s0] : (s0 >= d0, s0 - d0 >= 32, d0 mod 2 == 0)`."""
    dimensions, symbols = _names(affine_set)
    constraints = [
        f"{expression_text(left, dimensions, symbols)} {kind} "
        f"{expression_text(right, dimensions, symbols)}"
        for left, kind, right in map(_comparison, affine_set.constraints)
    ]
    return f"{_space_text(dimensions, symbols)} : ({', '.join(constraints)})"


def _comparison(constraint: AffineConstraintExpr) -> tuple[AffineExpr, str, AffineExpr]:
    """A constraint as a person writes it: `d0 <= 5`, not `-d0 + 5 >= 0`.

    It reads back as it is, that is with its terms in the same order. MLIR has no `<`.
    """
    total = difference(constraint)
    positive, negative, constant = total.positive, total.negative, total.constant
    is_equality = constraint.kind is AffineConstraintKind.eq
    kind = AffineConstraintKind.eq if is_equality else AffineConstraintKind.ge
    if not total.terms or abs(constant) >= 2**63:
        return constraint.lhs, constraint.kind.value, constraint.rhs
    if not positive and not is_equality:
        return _sum(negative), "<=", AffineConstantExpr(constant)
    terms = total.terms
    if positive and negative and _reads_in_order(terms):
        if not constant:
            return _sum(positive), kind.value, _sum(negative)
        terms = (*positive, *((atom, -factor) for atom, factor in negative))
    return _sum(terms), kind.value, AffineConstantExpr(-constant)


def _reads_in_order(terms: Sequence[Term]) -> bool:
    """Whether the terms read back in this order if the positive ones are written first.

    A reader keeps the order, but puts a term with dimensions in front of those without.
    """
    signs = [factor > 0 for _, factor in terms]
    if signs == sorted(signs, reverse=True):
        return True
    first, *others = (atom for atom, _ in terms)
    return (
        signs == sorted(signs)
        and signs.count(False) == 1
        and bool(first.used_dims())
        and not any(atom.used_dims() for atom in others)
    )


def _sum(terms: Sequence[Term]) -> AffineExpr:
    """The sum of terms, of which there is one at least."""
    total: AffineExpr | None = None
    for atom, factor in terms:
        term = atom if factor == 1 else _binary(AffineBinaryOpKind.Mul, atom, factor)
        total = term if total is None else AffineBinaryOpExpr(AffineBinaryOpKind.Add, total, term)
    assert total is not None
    return total


def _binary(kind: AffineBinaryOpKind, left: AffineExpr, right: int) -> AffineExpr:
    return AffineBinaryOpExpr(kind, left, AffineConstantExpr(right))


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
    if expression.kind is AffineBinaryOpKind.Mul and expression.rhs == AffineConstantExpr(-1):
        text = f"-{_text(expression.lhs, dimensions, symbols, _RIGHT_OF_PRODUCT)}"
        return f"({text})" if place == _RIGHT_OF_PRODUCT else text
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
        return _binary(AffineBinaryOpKind.Mul, expression.lhs, factor)
    return None
