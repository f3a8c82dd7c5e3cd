"""Expressions of isl's AST as index expressions, constraints and arithmetic.

An expression is read as affine where it is (`affine`, `bounds`, `constraints`); these raise
`NotAffineError` otherwise, and `value` and `condition` compute it with `arith` operations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

import islpy as isl
from xdsl.builder import Builder
from xdsl.dialects import affine, arith
from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpKind

from polyir.model.affine import NotAffineError
from polyir.model.index_expressions import Constraint, IndexExpression, combine, map_of

Operator = isl.ast_expr_op_type

# Members whose names are Python's own words are missing from islpy's stub.
_AND, _OR = isl.ast_expr_op_type["and_"], isl.ast_expr_op_type["or_"]

_DIVISIONS = {
    # Rounded down; rounded towards zero with a dividend that isl knows not to be negative;
    # exact. All three are `floordiv`.
    Operator.fdiv_q: AffineBinaryOpKind.FloorDiv,
    Operator.pdiv_q: AffineBinaryOpKind.FloorDiv,
    Operator.div: AffineBinaryOpKind.FloorDiv,
    # The remainder of a dividend that is not negative; one that is only compared with zero.
    Operator.pdiv_r: AffineBinaryOpKind.Mod,
    Operator.zdiv_r: AffineBinaryOpKind.Mod,
}

_OPPOSITE = {Operator.min: Operator.max, Operator.max: Operator.min}


def operator_of(expression: isl.AstExpr) -> isl.ast_expr_op_type | None:
    """The operator of an expression, `None` for an identifier or a number."""
    if isl.ast_expr_type(expression.get_type()) is not isl.ast_expr_type.op:
        return None
    return isl.ast_expr_op_type(expression.get_op_type())


def arguments_of(expression: isl.AstExpr) -> tuple[isl.AstExpr, ...]:
    """The arguments of an operation."""
    return tuple(expression.get_op_arg(n) for n in range(expression.get_op_n_arg()))


def identifiers_of(expression: isl.AstExpr) -> tuple[str, ...]:
    """The names of the parameters and iterators in an expression."""
    kind = isl.ast_expr_type(expression.get_type())
    if kind is isl.ast_expr_type.op:
        arguments = arguments_of(expression)
        return tuple(name for argument in arguments for name in identifiers_of(argument))
    name = expression.get_id().get_name() if kind is isl.ast_expr_type.id else None
    return () if name is None else (name,)


def has_operator(expression: isl.AstExpr, operators: Sequence[isl.ast_expr_op_type]) -> bool:
    """Whether one of `operators` is used somewhere in an expression."""
    operator = operator_of(expression)
    return operator in operators or (
        operator is not None and any(has_operator(a, operators) for a in arguments_of(expression))
    )


class AstExpressionReader:
    """Reads isl's AST expressions; `values` gives what its identifiers stand for."""

    def __init__(self, values: Mapping[str, IndexExpression]) -> None:
        self._values = values

    def affine(self, expression: isl.AstExpr) -> IndexExpression:
        """The expression as an affine one; raises `NotAffineError` if it is not."""
        kind = isl.ast_expr_type(expression.get_type())
        if kind is isl.ast_expr_type.int:
            return IndexExpression((), int(expression.get_val().to_python()))
        if kind is isl.ast_expr_type.id:
            return self._values[expression.get_id().get_name()]
        operands = [self.affine(argument) for argument in arguments_of(expression)]
        match operator_of(expression), operands:
            case Operator.add, [left, right]:
                return left + right
            case Operator.sub, [left, right]:
                return left - right
            case Operator.minus, [operand]:
                return operand.negate_quotient()
            case Operator.mul, [left, right]:
                return combine(AffineBinaryOpKind.Mul, left, right)
            case operator, [left, right] if operator in _DIVISIONS:
                return combine(_DIVISIONS[operator], left, right)
            case operator, _:
                raise NotAffineError(f"isl's operator {operator} is not affine")

    def bounds(
        self, expression: isl.AstExpr, combination: isl.ast_expr_op_type
    ) -> tuple[IndexExpression, ...]:
        """Affine expressions whose `combination` (max or min) is `expression`.

        Raises `NotAffineError` where there are none.
        """
        operator = operator_of(expression)
        if operator is None:
            return (self.affine(expression),)
        arguments = arguments_of(expression)
        if operator is combination:
            return tuple(b for argument in arguments for b in self.bounds(argument, combination))
        match operator, arguments:
            case Operator.add, (left, right):
                return tuple(
                    one + other
                    for one in self.bounds(left, combination)
                    for other in self.bounds(right, combination)
                )
            case Operator.sub, (left, right):
                return tuple(
                    one - other
                    for one in self.bounds(left, combination)
                    for other in self.bounds(right, _OPPOSITE[combination])
                )
            case Operator.minus, (operand,):
                bounds = self.bounds(operand, _OPPOSITE[combination])
                return tuple(bound.negate_quotient() for bound in bounds)
            case _:
                return (self.affine(expression),)

    def constraints(self, condition: isl.AstExpr) -> tuple[Constraint, ...]:
        """Affine constraints whose conjunction is `condition`; `NotAffineError` if none are."""
        operator, arguments = operator_of(condition), arguments_of(condition)
        match operator, arguments:
            case _, (left, right) if operator in (Operator.and_then, _AND):
                return self.constraints(left) + self.constraints(right)
            case Operator.eq, (left, right):
                return (Constraint(self.affine(left) - self.affine(right), True),)
            case Operator.ge, (left, right):
                return self._not_negative(left, right, 0)
            case Operator.gt, (left, right):
                return self._not_negative(left, right, -1)
            case Operator.le, (left, right):
                return self._not_negative(right, left, 0)
            case Operator.lt, (left, right):
                return self._not_negative(right, left, -1)
            case _:
                raise NotAffineError(f"isl's operator {operator} is no affine constraint")

    def _not_negative(
        self, large: isl.AstExpr, small: isl.AstExpr, constant: int
    ) -> tuple[Constraint, ...]:
        """`large - small + constant >= 0`."""
        return tuple(
            Constraint((one - other).shift(constant), False)
            for one in self.bounds(large, Operator.min)
            for other in self.bounds(small, Operator.max)
        )

    def value(self, expression: isl.AstExpr, builder: Builder) -> SSAValue:
        """Compute the expression where `builder` stands, whatever its operators."""
        try:
            return materialize(self.affine(expression), builder)
        except NotAffineError:
            arguments = arguments_of(expression)
        match operator_of(expression), arguments:
            case ((Operator.cond | Operator.select), (condition, true, false)):
                return builder.insert(
                    arith.SelectOp(
                        self.condition(condition, builder),
                        self.value(true, builder),
                        self.value(false, builder),
                    )
                ).result
            case operator, (operand,) if operator is Operator.minus:
                zero = materialize(IndexExpression(), builder)
                return builder.insert(arith.SubiOp(zero, self.value(operand, builder))).result
            case operator, _ if operator in _ARITHMETIC:
                operands = [self.value(argument, builder) for argument in arguments]
                return _fold(builder, _ARITHMETIC[operator], operands)
            case operator, (left, right) if operator in _DIVISIONS:
                # The dividend is not affine, the quotient is affine in it.
                dividend = IndexExpression.of(self.value(left, builder))
                divided = combine(_DIVISIONS[operator], dividend, self.affine(right))
                return materialize(divided, builder)
            case operator, _:
                raise AssertionError(f"isl's operator {operator} is no index arithmetic")

    def condition(self, condition: isl.AstExpr, builder: Builder) -> SSAValue:
        """Compute a condition, whatever its operators, as an `i1`.

        Both sides of `and_then` and `or_else` are evaluated: index arithmetic has no effects,
        and isl divides by constants only.
        """
        operator, arguments = operator_of(condition), arguments_of(condition)
        if operator in _COMPARISONS:
            left, right = (self.value(argument, builder) for argument in arguments)
            return builder.insert(arith.CmpiOp(left, right, _COMPARISONS[operator])).result
        if operator is None:
            # What isl found to hold always, or never, where parts of a tiling overlap.
            holds = not condition.get_val().is_zero()
            return builder.insert(arith.ConstantOp.from_int_and_width(int(holds), 1)).result
        operands = [self.condition(argument, builder) for argument in arguments]
        return _fold(builder, _LOGIC[operator], operands)


_Binary = Callable[[SSAValue, SSAValue], Operation]

_ARITHMETIC: Mapping[isl.ast_expr_op_type | None, _Binary] = {
    Operator.add: arith.AddiOp,
    Operator.sub: arith.SubiOp,
    Operator.mul: arith.MuliOp,
    Operator.min: arith.MinSIOp,
    Operator.max: arith.MaxSIOp,
}
_LOGIC: Mapping[isl.ast_expr_op_type | None, _Binary] = {
    _AND: arith.AndIOp,
    Operator.and_then: arith.AndIOp,
    _OR: arith.OrIOp,
    Operator.or_else: arith.OrIOp,
}
_COMPARISONS: Mapping[isl.ast_expr_op_type | None, str] = {
    Operator.eq: "eq",
    Operator.lt: "slt",
    Operator.le: "sle",
    Operator.gt: "sgt",
    Operator.ge: "sge",
}


def _fold(builder: Builder, operation: _Binary, operands: list[SSAValue]) -> SSAValue:
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
