"""Affine expressions, maps and sets, over named dimensions or over SSA values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from lark import Token
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
)

from polyir.base.diagnostics import nearest
from polyir.frontend.literals import magnitude
from polyir.frontend.source import Branch, SourceText, token, tree

_MAXIMUM_DEPTH = 200

Leaf = Callable[[str, Token], AffineExpr]
"""The expression of a leaf: its kind (the name of the node) and its token."""


def read_expression(source: SourceText, branch: Branch, leaf: Leaf, depth: int = 0) -> AffineExpr:
    """The expression of a `sum` node, its names looked up by `leaf`.

    Semi-affine expressions are read too: symbols may be factors and divisors. Raises
    `InputSyntaxError` where the expression is not even semi-affine, as a product of dimensions.
    """
    node = tree(branch)
    if depth > _MAXIMUM_DEPTH:
        source.fail(node, "affine expression is nested too deeply")
    match node.data:
        case "literal":
            value = magnitude(source, token(node.children[0]))
            if value >= 2**63:
                source.fail(node, "integer literal does not fit into 64 bits")
            return AffineExpr.constant(value)
        case "negate":
            return -read_expression(source, node.children[0], leaf, depth + 1)
        case "identifier" | "dimension_operand" | "symbol_operand":
            return leaf(node.data, token(node.children[0]))
        case operator:
            lhs = read_expression(source, node.children[0], leaf, depth + 1)
            rhs = read_expression(source, node.children[1], leaf, depth + 1)
            combined = _combine(source, node.children[1], operator, lhs, rhs)
            if any(
                isinstance(part, AffineConstantExpr) and not -(2**63) <= part.value < 2**63
                for part in (combined, getattr(combined, "rhs", None))
            ):
                source.fail(node, "a number in the affine expression does not fit into 64 bits")
            return combined


def _combine(
    source: SourceText, right: Branch, operator: str, lhs: AffineExpr, rhs: AffineExpr
) -> AffineExpr:
    if operator == "add":
        return _sum(lhs, rhs)
    if operator == "subtract":
        return _sum(lhs, -rhs)
    if operator == "multiply":
        if _has_dimension(lhs) and _has_dimension(rhs):
            source.fail(
                right, "expression is not affine: one factor of '*' must be a constant or a symbol"
            )
        if not isinstance(lhs, AffineConstantExpr) and not isinstance(rhs, AffineConstantExpr):
            factors = (rhs, lhs) if _has_dimension(rhs) else (lhs, rhs)
            return AffineBinaryOpExpr(AffineBinaryOpKind.Mul, *factors)
        return lhs * rhs
    spelling = "mod" if operator == "modulo" else operator
    if _has_dimension(rhs):
        source.fail(
            right,
            f"expression is not affine: the right side of '{spelling}' must be a constant or a "
            "symbol",
        )
    if not isinstance(rhs, AffineConstantExpr) or rhs.value <= 0:
        # MLIR reads a division by zero or by a negative number too; its result is undefined.
        return AffineBinaryOpExpr(_DIVISIONS[operator], lhs, rhs)
    match operator:
        case "modulo":
            return lhs % rhs
        case "floordiv":
            return lhs // rhs
        case _:
            return lhs.ceil_div(rhs)


_DIVISIONS: Mapping[str, AffineBinaryOpKind] = MappingProxyType(
    {
        "modulo": AffineBinaryOpKind.Mod,
        "floordiv": AffineBinaryOpKind.FloorDiv,
        "ceildiv": AffineBinaryOpKind.CeilDiv,
    }
)


def _sum(lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    """The sum in MLIR's order: nested to the left, dimensions first, a constant last."""
    if _is_sum(rhs):
        assert isinstance(rhs, AffineBinaryOpExpr)
        return _sum(_sum(lhs, rhs.lhs), rhs.rhs)
    if not _has_dimension(lhs) and _has_dimension(rhs):
        return _sum(rhs, lhs)
    if _is_sum(lhs) and not isinstance(rhs, AffineConstantExpr):
        assert isinstance(lhs, AffineBinaryOpExpr)
        if isinstance(lhs.rhs, AffineConstantExpr):
            return (lhs.lhs + rhs) + lhs.rhs
    return lhs + rhs


def _has_dimension(expression: AffineExpr) -> bool:
    return any(isinstance(part, AffineDimExpr) for part in expression.dfs())


def _is_sum(expression: AffineExpr) -> bool:
    return isinstance(expression, AffineBinaryOpExpr) and expression.kind is AffineBinaryOpKind.Add


class _Space:
    """The named dimensions and symbols of an `affine_map` or `affine_set`."""

    def __init__(self, source: SourceText, names: Branch, symbols: Branch | None) -> None:
        self._source = source
        self._expressions: dict[str, AffineExpr] = {}
        dimension_names = tree(names).children
        symbol_names = [] if symbols is None else tree(symbols).children
        for position, name in enumerate(dimension_names):
            self._add(token(name), AffineExpr.dimension(position))
        for position, name in enumerate(symbol_names):
            self._add(token(name), AffineExpr.symbol(position))
        self.num_dims = len(dimension_names)
        self.num_symbols = len(symbol_names)

    def _add(self, name: Token, expression: AffineExpr) -> None:
        if name.value in self._expressions:
            self._source.fail(name, f"redefinition of the identifier '{name}'")
        self._expressions[name.value] = expression

    def leaf(self, kind: str, name: Token) -> AffineExpr:
        if kind != "identifier":
            self._source.fail(name, "an affine map or set cannot use an SSA value")
        expression = self._expressions.get(name.value)
        if expression is None:
            hint = nearest(name.value, self._expressions)
            self._source.fail(name, f"undefined identifier '{name}'{hint}")
        return expression


def read_map(source: SourceText, branch: Branch) -> AffineMap:
    """The map of a `map` node."""
    names, symbols, *results = tree(branch).children
    space = _Space(source, names, symbols)
    expressions = tuple(read_expression(source, result, space.leaf) for result in results)
    return AffineMap(space.num_dims, space.num_symbols, expressions)


def read_set(source: SourceText, branch: Branch) -> AffineSet:
    """The set of a `set` node."""
    names, symbols, *constraints = tree(branch).children
    space = _Space(source, names, symbols)
    return AffineSet(
        space.num_dims,
        space.num_symbols,
        tuple(_read_constraint(source, constraint, space) for constraint in constraints),
    )


def _read_constraint(source: SourceText, branch: Branch, space: _Space) -> AffineConstraintExpr:
    node = tree(branch)
    lhs, rhs = (read_expression(source, side, space.leaf) for side in node.children)
    # As MLIR has it: everything on the left, and at least or equal to zero.
    if node.data == "at_most":
        lhs, rhs = rhs, lhs
    kind = AffineConstraintKind.eq if node.data == "equal" else AffineConstraintKind.ge
    return AffineConstraintExpr(kind, _sum(lhs, -rhs), AffineExpr.constant(0), canonicalize=False)


class OperandExpressions:
    """Affine expressions over SSA values, as in subscripts: collects the values that they use.

    A value becomes a dimension, or a symbol if it is in `symbol(...)`; each occurs once,
    in the order of its first use.
    """

    def __init__(self, source: SourceText) -> None:
        self._source = source
        self._dimensions: dict[str, Token] = {}
        self._symbols: dict[str, Token] = {}

    def read(self, branches: Sequence[Branch]) -> tuple[AffineExpr, ...]:
        """The expressions of `sum` nodes."""
        return tuple(read_expression(self._source, branch, self._leaf) for branch in branches)

    def map(self, results: Sequence[AffineExpr]) -> AffineMap:
        """The map with `results` over all values collected so far."""
        return AffineMap(len(self._dimensions), len(self._symbols), tuple(results))

    def operands(self) -> tuple[Token, ...]:
        """The values collected so far: dimensions, then symbols."""
        return (*self._dimensions.values(), *self._symbols.values())

    def _leaf(self, kind: str, name: Token) -> AffineExpr:
        if kind == "identifier":
            self._source.fail(name, f"expected an SSA value such as %{name}, or a constant")
        collected = self._symbols if kind == "symbol_operand" else self._dimensions
        collected.setdefault(name.value, name)
        position = tuple(collected).index(name.value)
        if kind == "symbol_operand":
            return AffineExpr.symbol(position)
        return AffineExpr.dimension(position)
