"""Index expressions against the evaluation of the affine expressions that they come from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)

from polyir.model.affine import NotAffineError
from polyir.model.index_expressions import IndexExpression, compose, expression_of, map_of

VALUES = Block(arg_types=[IndexType()] * 3).args
X, Y, Z = (IndexExpression.of(value) for value in VALUES)
FLOOR, CEIL, MOD = (
    AffineBinaryOpKind.FloorDiv,
    AffineBinaryOpKind.CeilDiv,
    AffineBinaryOpKind.Mod,
)


def _leaves() -> st.SearchStrategy[AffineExpr]:
    return st.one_of(
        st.integers(0, 1).map(AffineDimExpr),
        st.just(AffineSymExpr(0)),
        st.integers(-9, 9).map(AffineConstantExpr),
    )


def _inner(children: st.SearchStrategy[AffineExpr]) -> st.SearchStrategy[AffineExpr]:
    factor = st.integers(-6, 6).map(AffineConstantExpr)
    divisor = st.integers(1, 12).map(AffineConstantExpr)
    return st.one_of(
        st.builds(AffineBinaryOpExpr, st.just(AffineBinaryOpKind.Add), children, children),
        st.builds(AffineBinaryOpExpr, st.just(AffineBinaryOpKind.Mul), children, factor),
        st.builds(AffineBinaryOpExpr, st.sampled_from((FLOOR, CEIL, MOD)), children, divisor),
    )


expressions = st.recursive(_leaves(), _inner, max_leaves=8)
numbers = st.integers(-40, 40)


@given(expressions, expressions, expressions, st.tuples(numbers, numbers, numbers))
def test_composition_keeps_the_value(
    outer: AffineExpr, first: AffineExpr, second: AffineExpr, at: tuple[int, int, int]
) -> None:
    """`outer` of `first` and `second`, evaluated in steps, is the composed map at that point."""
    inner = compose(AffineMap(2, 1, (first, second)), (X, Y, Z))
    composed, operands = map_of(compose(AffineMap(2, 1, (outer,)), (*inner, Z)))
    steps = [expression.eval(at[:2], at[2:]) for expression in (first, second)]
    numbers_of = dict(zip(VALUES, at, strict=True))
    given_operands = [numbers_of[operand] for operand in operands]
    count = composed.num_dims
    assert composed.eval(given_operands[:count], given_operands[count:]) == (
        outer.eval(steps, at[2:]),
    )
    assert len(set(operands)) == len(operands)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (X - Y, "(d0 + (d1 * -1))"),
        (Y.scale(-1) + X, "(d1 + (d0 * -1))"),
        ((X.scale(32) + Y).divide(FLOOR, 32), "(d0 + (d1 floordiv 32))"),
        ((X.scale(32) + Y).divide(MOD, 32), "(d0 mod 32)"),
        (X.scale(6).shift(9).divide(FLOOR, 12), "((d0 + 1) floordiv 2)"),
        (X.scale(32).shift(31).divide(FLOOR, 32), "d0"),
        (X.divide(FLOOR, 4).divide(FLOOR, 8), "(d0 floordiv 32)"),
        (X.scale(-1).divide(FLOOR, 8).negate_quotient(), "(d0 ceildiv 8)"),
        (X.shift(-1).divide(FLOOR, 8).successor(), "(d0 ceildiv 8)"),
        (X.scale(4).shift(2).divide(MOD, 8), "((((d0 * 2) + 1) mod 4) * 2)"),
        (X - X, "0"),
    ],
)
def test_simplified(expression: IndexExpression, text: str) -> None:
    map, _ = map_of([expression], dimensions_only=True)
    assert str(map.results[0]) == text


def test_not_affine() -> None:
    product = AffineBinaryOpExpr(AffineBinaryOpKind.Mul, AffineDimExpr(0), AffineDimExpr(1))
    with pytest.raises(NotAffineError, match=r"\* of two variables"):
        expression_of(product, (X, Y), ())
    with pytest.raises(NotAffineError, match="mod by 0, which is not positive"):
        X.divide(MOD, 0)
