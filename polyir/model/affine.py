"""Affine expressions of IR as isl's piecewise quasi-affine expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

import islpy as isl
from xdsl.dialects import affine, arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
    AffineSymExpr,
)

from polyir.dialects.affine_extra import MaxOp
from polyir.sets.values import isl_value


class NotAffineError(ValueError):
    """An index expression that is not a quasi-affine expression of iterators and parameters."""


Resolve = Callable[[SSAValue], isl.PwAff | None]
"""Gives the expression of an SSA value that is an iterator or parameter, else `None`."""


def constant(space: isl.Space, value: int) -> isl.PwAff:
    """A constant on the set space `space`."""
    return isl.PwAff.from_aff(isl.Aff.val_on_domain(space, isl_value(value)))


def constant_value(expression: isl.PwAff) -> int | None:
    """The value of a constant expression of one piece, else `None`."""
    pieces = expression.get_pieces()
    if len(pieces) != 1 or not expression.is_cst():
        return None
    return int(pieces[0][1].get_constant_val().to_python())


def pw_aff_of(
    expression: AffineExpr,
    dimensions: Sequence[isl.PwAff],
    symbols: Sequence[isl.PwAff],
    space: isl.Space,
) -> isl.PwAff:
    """`expression` on the set space `space`, with its dimensions and symbols replaced.

    `mod`, `floordiv` and `ceildiv` have MLIR's meaning: they round towards minus (plus)
    infinity, and `mod` is never negative. Raises `NotAffineError` for products of two
    variables and for division by anything but a positive constant.
    """
    match expression:
        case AffineConstantExpr(value=value):
            return constant(space, value)
        case AffineDimExpr(position=position):
            return dimensions[position]
        case AffineSymExpr(position=position):
            return symbols[position]
        case AffineBinaryOpExpr(kind=kind, lhs=lhs, rhs=rhs):
            left = pw_aff_of(lhs, dimensions, symbols, space)
            right = pw_aff_of(rhs, dimensions, symbols, space)
            return _binary(kind, left, right)
        case _:
            raise NotAffineError(f"unknown affine expression {expression}")


def _binary(kind: AffineBinaryOpKind, left: isl.PwAff, right: isl.PwAff) -> isl.PwAff:
    if kind is AffineBinaryOpKind.Add:
        return left.add(right)
    if kind is AffineBinaryOpKind.Mul:
        if not (left.is_cst() or right.is_cst()):
            raise NotAffineError("product of two variables")
        return left.mul(right)
    divisor = constant_value(right)
    if divisor is None or divisor <= 0:
        raise NotAffineError(f"{kind.get_token()} by something other than a positive constant")
    match kind:
        case AffineBinaryOpKind.Mod:
            return left.mod_val(isl_value(divisor))
        case AffineBinaryOpKind.FloorDiv:
            return left.scale_down_val(isl_value(divisor)).floor()
        case AffineBinaryOpKind.CeilDiv:
            return left.scale_down_val(isl_value(divisor)).ceil()


class IndexReader:
    """Reads values of type `index` as expressions on one set space.

    `resolve` knows iterators and parameters; what `affine.apply`, `affine.min`, `affine.max`,
    constants and `arith` compute from them is followed. As in MLIR's affine dialect, `index`
    arithmetic is taken not to overflow.
    """

    def __init__(self, space: isl.Space, resolve: Resolve) -> None:
        self.space = space
        self._resolve = resolve

    def read(self, value: SSAValue) -> isl.PwAff:
        """The expression of `value`; raises `NotAffineError` where it has none."""
        known = self._resolve(value)
        if known is not None:
            return known
        if not isinstance(value.type, IndexType):
            raise NotAffineError(f"a value of type {value.type} is not an index")
        match value.owner:
            case arith.ConstantOp(value=IntegerAttr(value=number)):
                return constant(self.space, number.data)
            case affine.ApplyOp() as apply:
                return self.read_map(apply.map.data, apply.mapOperands)[0]
            case affine.MinOp() as minimum:
                return reduce(isl.PwAff.min, self.read_map(minimum.map.data, minimum.arguments))
            case MaxOp() as maximum:
                return reduce(isl.PwAff.max, self.read_map(maximum.map.data, maximum.arguments))
            case arith.MinSIOp(lhs=lhs, rhs=rhs):
                return self.read(lhs).min(self.read(rhs))
            case arith.MaxSIOp(lhs=lhs, rhs=rhs):
                return self.read(lhs).max(self.read(rhs))
            case arith.SelectOp(cond=condition, lhs=lhs, rhs=rhs):
                holds = self.read_truth(condition)
                chosen = self.read(lhs).intersect_domain(holds)
                return chosen.union_add(self.read(rhs).intersect_domain(holds.complement()))
            case arith.AddiOp(lhs=lhs, rhs=rhs):
                return self.read(lhs).add(self.read(rhs))
            case arith.SubiOp(lhs=lhs, rhs=rhs):
                return self.read(lhs).sub(self.read(rhs))
            case arith.MuliOp(lhs=lhs, rhs=rhs):
                return _binary(AffineBinaryOpKind.Mul, self.read(lhs), self.read(rhs))
            case _:
                name = "an index" if value.name_hint is None else f"%{value.name_hint}"
                raise NotAffineError(
                    f"{name} is not an affine function of iterators and parameters"
                )

    def read_truth(self, value: SSAValue) -> isl.Set:
        """Where an `i1` is true: comparisons of indices, and conjunctions and disjunctions."""
        match value.owner:
            case arith.CmpiOp(predicate=predicate, lhs=lhs, rhs=rhs):
                compare = _COMPARISONS.get(predicate.value.data)
                if compare is not None:
                    return compare(self.read(lhs), self.read(rhs))
            case arith.AndIOp(lhs=lhs, rhs=rhs):
                return self.read_truth(lhs).intersect(self.read_truth(rhs))
            case arith.OrIOp(lhs=lhs, rhs=rhs):
                return self.read_truth(lhs).union(self.read_truth(rhs))
        raise NotAffineError("a condition that is not affine")

    def read_map(self, map: AffineMap, operands: Sequence[SSAValue]) -> list[isl.PwAff]:
        """The results of `map` applied to `operands` (dimensions first, then symbols)."""
        values = [self.read(operand) for operand in operands]
        dimensions, symbols = values[: map.num_dims], values[map.num_dims :]
        return [pw_aff_of(result, dimensions, symbols, self.space) for result in map.results]

    def read_set(self, condition: AffineSet, operands: Sequence[SSAValue]) -> isl.Set:
        """Where `condition` holds for `operands` (dimensions first, then symbols)."""
        values = [self.read(operand) for operand in operands]
        dimensions, symbols = values[: condition.num_dims], values[condition.num_dims :]
        holds = isl.Set.universe(self.space)
        for constraint in condition.constraints:
            left = pw_aff_of(constraint.lhs, dimensions, symbols, self.space)
            right = pw_aff_of(constraint.rhs, dimensions, symbols, self.space)
            holds = holds.intersect(_CONSTRAINTS[constraint.kind](left, right))
        return holds


_COMPARISONS: Mapping[int, Callable[[isl.PwAff, isl.PwAff], isl.Set]] = {
    0: isl.PwAff.eq_set,
    1: isl.PwAff.ne_set,
    2: isl.PwAff.lt_set,
    3: isl.PwAff.le_set,
    4: isl.PwAff.gt_set,
    5: isl.PwAff.ge_set,
}
"""The signed predicates of `arith.cmpi`."""

_CONSTRAINTS = {
    AffineConstraintKind.ge: isl.PwAff.ge_set,
    AffineConstraintKind.le: isl.PwAff.le_set,
    AffineConstraintKind.eq: isl.PwAff.eq_set,
}
