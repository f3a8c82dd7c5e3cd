"""Expressions of the AST as index expressions, constraints and arithmetic.

`affine`, `bounds` and `constraints` read affine expressions, and raise `NotAffineError` for
others; `value` and `condition` compute any expression with `arith` operations.
"""

from __future__ import annotations

import operator as operators
from collections.abc import Callable, Mapping, Sequence
from functools import reduce

from xdsl.builder import Builder
from xdsl.dialects import affine, arith
from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpKind

from polyir.codegen.ast import AstExpression, AstName, AstNumber, AstOperation, Operator
from polyir.model.affine import NotAffineError
from polyir.model.index_expressions import Constraint, IndexExpression, combine, map_of

_DIVISIONS = {
    Operator.FLOORDIV: AffineBinaryOpKind.FloorDiv,
    Operator.MOD: AffineBinaryOpKind.Mod,
}

_OPPOSITE = {Operator.MIN: Operator.MAX, Operator.MAX: Operator.MIN}


class AstExpressionReader:
    """Reads expressions; `values` gives the meaning of their names."""

    def __init__(self, values: Mapping[str, IndexExpression]) -> None:
        self._values = values

    def affine(self, expression: AstExpression) -> IndexExpression:
        """The expression as an affine one; raises `NotAffineError` if it is not."""
        match expression:
            case AstNumber(value):
                return IndexExpression((), value)
            case AstName(name):
                return self._values[name]
        operands = [self.affine(argument) for argument in expression.arguments]
        match expression.operator, operands:
            case Operator.ADD, [left, right]:
                return left + right
            case Operator.SUB, [left, right]:
                return left - right
            case Operator.MINUS, [operand]:
                return operand.negate_quotient()
            case Operator.MUL, [left, right]:
                return combine(AffineBinaryOpKind.Mul, left, right)
            case operator, [left, right] if operator in _DIVISIONS:
                return combine(_DIVISIONS[operator], left, right)
            case operator, _:
                raise NotAffineError(f"the operator {operator.value} is not affine")

    def bounds(
        self, expression: AstExpression, combination: Operator
    ) -> tuple[IndexExpression, ...]:
        """Affine expressions whose `combination` (`MAX` or `MIN`) is `expression`.

        Raises `NotAffineError` where there are none.
        """
        match expression:
            case AstOperation(operator, arguments) if operator is combination:
                return tuple(b for each in arguments for b in self.bounds(each, combination))
            case AstOperation(Operator.ADD, (left, right)):
                return tuple(
                    one + other
                    for one in self.bounds(left, combination)
                    for other in self.bounds(right, combination)
                )
            case AstOperation(Operator.SUB, (left, right)):
                return tuple(
                    one - other
                    for one in self.bounds(left, combination)
                    for other in self.bounds(right, _OPPOSITE[combination])
                )
            case AstOperation(Operator.MINUS, (operand,)):
                bounds = self.bounds(operand, _OPPOSITE[combination])
                return tuple(bound.negate_quotient() for bound in bounds)
            case _:
                return (self.affine(expression),)

    def constraints(self, condition: AstExpression) -> tuple[Constraint, ...]:
        """Affine constraints whose conjunction is `condition`; `NotAffineError` if none are."""
        match condition:
            case AstOperation(Operator.AND, arguments):
                return tuple(each for part in arguments for each in self.constraints(part))
            case AstOperation(Operator.EQ, (left, right)):
                return (Constraint(self.affine(left) - self.affine(right), True),)
            case AstOperation(Operator.GE, (left, right)):
                return self._not_negative(left, right, 0)
            case AstOperation(Operator.GT, (left, right)):
                return self._not_negative(left, right, -1)
            case AstOperation(Operator.LE, (left, right)):
                return self._not_negative(right, left, 0)
            case AstOperation(Operator.LT, (left, right)):
                return self._not_negative(right, left, -1)
            case _:
                raise NotAffineError("the condition is not a conjunction of affine constraints")

    def _not_negative(
        self, large: AstExpression, small: AstExpression, constant: int
    ) -> tuple[Constraint, ...]:
        """`large - small + constant >= 0`."""
        return tuple(
            Constraint((one - other).shift(constant), False)
            for one in self.bounds(large, Operator.MIN)
            for other in self.bounds(small, Operator.MAX)
        )

    def value(self, expression: AstExpression, builder: Builder) -> SSAValue:
        """Compute any expression at the builder's insertion point."""
        try:
            return materialize(self.affine(expression), builder)
        except NotAffineError:
            assert isinstance(expression, AstOperation)
        match expression:
            case AstOperation(Operator.SELECT, (condition, true, false)):
                return builder.insert(
                    arith.SelectOp(
                        self.condition(condition, builder),
                        self.value(true, builder),
                        self.value(false, builder),
                    )
                ).result
            case AstOperation(Operator.MINUS, (operand,)):
                zero = materialize(IndexExpression(), builder)
                return builder.insert(arith.SubiOp(zero, self.value(operand, builder))).result
            case AstOperation(operator, arguments) if operator in _ARITHMETIC:
                operands = [self.value(argument, builder) for argument in arguments]
                return _fold(builder, _ARITHMETIC[operator], operands)
            case AstOperation(operator, (left, right)) if operator in _DIVISIONS:
                # The dividend is not affine, the quotient is affine in it.
                dividend = IndexExpression.of(self.value(left, builder))
                divided = combine(_DIVISIONS[operator], dividend, self.affine(right))
                return materialize(divided, builder)
            case _:
                raise AssertionError(f"{expression.operator} is not index arithmetic")

    def condition(self, condition: AstExpression, builder: Builder) -> SSAValue:
        """Compute any condition, as an `i1`.

        Both sides of a conjunction or disjunction are evaluated: index arithmetic has no
        effects, and isl divides by constants only. What always or never holds is left out.
        """
        known = self._truth(condition)
        if known is not None:
            constant = arith.ConstantOp.from_int_and_width(int(known), 1)
            return builder.insert(constant).result
        match condition:
            case AstOperation(operator, (left, right)) if operator in _COMPARISONS:
                operands = (self.value(left, builder), self.value(right, builder))
                comparison = arith.CmpiOp(*operands, _COMPARISONS[operator])
                return builder.insert(comparison).result
            case AstOperation(operator, arguments):
                unknown = [each for each in arguments if self._truth(each) is None]
                values = [self.condition(argument, builder) for argument in unknown]
                return _fold(builder, _LOGIC[operator], values)
            case _:
                raise AssertionError(f"{condition} is not a condition")

    def _truth(self, condition: AstExpression) -> bool | None:
        """Whether a condition always (never) holds; `None` if its text does not show it.

        isl leaves such conditions where parts of a tiling overlap, and where loops run once.
        """
        match condition:
            case AstNumber(value):
                return value != 0
            case AstOperation(operator, (left, right)) if operator in _COMPARISONS:
                try:
                    difference = self.affine(left) - self.affine(right)
                except NotAffineError:
                    return None
                return _HOLDS[operator](difference.constant, 0) if difference.is_constant else None
            case AstOperation((Operator.AND | Operator.OR) as operator, arguments):
                known = [self._truth(argument) for argument in arguments]
                deciding = operator is Operator.OR
                if deciding in known:
                    return deciding
                return None if None in known else not deciding
            case _:
                return None


_Binary = Callable[[SSAValue, SSAValue], Operation]

_ARITHMETIC: Mapping[Operator, _Binary] = {
    Operator.ADD: arith.AddiOp,
    Operator.SUB: arith.SubiOp,
    Operator.MUL: arith.MuliOp,
    Operator.MIN: arith.MinSIOp,
    Operator.MAX: arith.MaxSIOp,
}
_LOGIC: Mapping[Operator, _Binary] = {Operator.AND: arith.AndIOp, Operator.OR: arith.OrIOp}
_COMPARISONS: Mapping[Operator, str] = {
    Operator.EQ: "eq",
    Operator.LT: "slt",
    Operator.LE: "sle",
    Operator.GT: "sgt",
    Operator.GE: "sge",
}

_HOLDS: Mapping[Operator, Callable[[int, int], bool]] = {
    Operator.EQ: operators.eq,
    Operator.LT: operators.lt,
    Operator.LE: operators.le,
    Operator.GT: operators.gt,
    Operator.GE: operators.ge,
}


def _fold(builder: Builder, operation: _Binary, operands: Sequence[SSAValue]) -> SSAValue:
    return reduce(lambda left, right: builder.insert(operation(left, right)).results[0], operands)


def materialize(expression: IndexExpression, builder: Builder) -> SSAValue:
    """An SSA value of `expression`: itself, a constant, or the result of an `affine.apply`."""
    if expression.value is not None:
        return expression.value
    if expression.is_constant:
        number = IntegerAttr.from_index_int_value(expression.constant)
        return builder.insert(arith.ConstantOp(number)).result
    map, operands = map_of([expression])
    return builder.insert(affine.ApplyOp(operands, AffineMapAttr(map))).result
