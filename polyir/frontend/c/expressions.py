"""Expressions of C as operations: the same operations in the same order, typed as C types them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from pycparser import c_ast
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineBinaryOpKind

from polyir.frontend.c.builder import Builder
from polyir.frontend.c.calls import Calls
from polyir.frontend.c.conditions import (
    NEVER,
    Condition,
    DataTest,
    Junction,
    Test,
    comparison,
    conjunction,
    is_static,
    opposite,
)
from polyir.frontend.c.errors import refuse
from polyir.frontend.c.operators import Operators
from polyir.frontend.c.pieces import Piece, Pieces, PiecewiseValues
from polyir.frontend.c.preprocess import IMAGINARY
from polyir.frontend.c.scopes import integer_constant
from polyir.frontend.c.types import (
    DOUBLE,
    FLOAT,
    INT,
    LLONG,
    LONG,
    UINT,
    ULLONG,
    ULONG,
    Arithmetic,
    common_type,
    promoted,
)
from polyir.frontend.c.values import Conversions, Value
from polyir.frontend.c.variables import Local, Variables
from polyir.model.index_expressions import Constraint, IndexExpression

MOST_TURNS: Final = 3
"""A remainder is taken apart where the quotient is below this: `(i - 1 + n) % n`, `(i + j) % n`."""

_COMPARISONS: Final = ("<", "<=", ">", ">=", "==", "!=")
_OPPOSITES: Final = MappingProxyType(
    {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
)
_ROUNDINGS: Final = MappingProxyType(
    {"floor": AffineBinaryOpKind.FloorDiv, "ceil": AffineBinaryOpKind.CeilDiv}
)


class Expressions:
    """Translates expressions at the builder's current place."""

    def __init__(self, builder: Builder, variables: Variables, calls: Calls) -> None:
        self._builder = builder
        self._variables = variables
        self._calls = calls
        self._piecewise = PiecewiseValues(builder)
        self.conversions = Conversions(builder)
        self.operators = Operators(builder, self.conversions, self._piecewise)

    def value(self, node: c_ast.Node) -> Value:
        """The value of an expression; raises `NotModelledError`."""
        with self._builder.at(node):
            return self._value(node)

    def index(self, node: c_ast.Node) -> IndexExpression:
        """The value of an integer expression as a subscript."""
        value = self.value(node)
        if value.type.is_float:
            raise refuse(node, f"a subscript of type {value.type.name}", name="unsupported-type")
        return value.bits or self.conversions.index(value)

    def _value(self, node: c_ast.Node) -> Value:
        match node:
            case c_ast.Constant():
                return self._constant(node)
            case c_ast.ID(name=name) if name == IMAGINARY:
                raise refuse(node, "an imaginary constant")
            case c_ast.ID():
                known = self._variables.known(node)
                return self._load(node) if known is None else known
            case c_ast.ArrayRef() | c_ast.UnaryOp(op="*"):
                fixed = self._variables.constant_element(node)
                return self._load(node) if fixed is None else fixed
            case c_ast.StructRef():
                member = self._variables.constant_member(node)
                return self._load(node) if member is None else member
            case c_ast.UnaryOp():
                return self._unary(node)
            case c_ast.BinaryOp(op=operator) if operator in (*_COMPARISONS, "&&", "||"):
                return self._truth_value(self.condition(node))
            case c_ast.BinaryOp() if (count := self._element_count(node)) is not None:
                return Value(ULONG, index=IndexExpression((), count))
            case c_ast.BinaryOp():
                left, right = self.value(node.left), self.value(node.right)
                wrapped = self._wrapped(left, right) if node.op == "%" else None
                return wrapped or self.operators.binary(node, node.op, left, right)
            case c_ast.TernaryOp():
                return self._ternary(node)
            case c_ast.Cast():
                return self._cast(node)
            case c_ast.FuncCall():
                expected = _expected(node)
                if expected is not None:
                    return self.conversions.convert(self.value(expected), LONG)
                return self._call(node)
            case c_ast.Assignment():
                raise refuse(node, "an assignment inside an expression")
            case c_ast.ExprList():
                raise refuse(node, "the comma operator")
            case _:
                raise refuse(node, f"an expression of the form {type(node).__name__}")

    # Leaves

    def _constant(self, node: c_ast.Constant) -> Value:
        if "float" in node.type or "double" in node.type:
            text = node.value.lower()
            if _is_long_double(node):
                raise refuse(node, "a constant of type long double", name="unsupported-type")
            is_hexadecimal = text.startswith("0x")
            is_single = text.endswith("f") and (not is_hexadecimal or "p" in text)
            digits = text.rstrip("f") if is_single else text
            number = float.fromhex(digits) if is_hexadecimal else float(digits)
            type = FLOAT if is_single else DOUBLE
            is_integer = not is_single and number.is_integer() and number <= 1 << 53
            index = IndexExpression((), int(number)) if is_integer else None
            return Value(type, self._builder.constant(number, type.ir), index)
        if node.type == "string":
            raise refuse(node, "a string")
        number, suffix = integer_constant(node)
        is_decimal = not node.value.startswith("0")
        return self.conversions.integer(_constant_type(number, suffix, is_decimal), number)

    def _load(self, node: c_ast.Node) -> Value:
        element = self._variables.element(node, self.index)
        return Value(element.type, self._builder.load(element.memory, element.indices))

    def _truth_value(self, condition: Condition) -> Value:
        """C's 0 or 1."""
        op = arith.ExtUIOp(self.truth(condition), INT.ir)  # type: ignore[arg-type]
        value = Value(INT, self._builder.insert_invariant(op).result)
        numbers = (self._piecewise.of(IndexExpression((), number)) for number in (1, 0))
        return self.operators.with_pieces(value, self._piecewise.choice(condition, *numbers))

    # Operators

    def _unary(self, node: c_ast.UnaryOp) -> Value:
        match node.op:
            case "+":
                value = self.value(node.expr)
                return self.conversions.convert(value, promoted(value.type))
            case "-":
                return self._negated(node)
            case "~":
                value = self.value(node.expr)
                if value.type.is_float:
                    raise refuse(node, "'~' of a floating-point value")
                minus_one = Value(INT, index=IndexExpression((), -1))
                return self.operators.binary(node, "^", value, minus_one)
            case "!":
                return self._truth_value(self.condition(node))
            case "sizeof":
                return Value(ULONG, index=IndexExpression((), self._size(node)))
            case "++" | "--" | "p++" | "p--":
                raise refuse(node, f"'{node.op.removeprefix('p')}' inside an expression")
            case "&":
                raise refuse(node, "the address of an object", name="pointer")
            case _:
                raise refuse(node, f"the operator '{node.op}'")

    def _size(self, node: c_ast.UnaryOp) -> int:
        """The number of bytes that `sizeof` gives; its operand is not evaluated."""
        size = self._variables.scopes.size_of(node.expr, self._variables.type_of)
        values = (c_ast.BinaryOp, c_ast.TernaryOp, c_ast.Cast, c_ast.Constant, c_ast.FuncCall)
        if size is None and isinstance(node.expr, values):
            size = max(1, self._type_of(node.expr).width // 8)
        if size is None:
            raise refuse(node, "sizeof of what has no constant size", name="unsupported-type")
        return size

    def _element_count(self, node: c_ast.BinaryOp) -> int | None:
        return self._variables.scopes.element_count(node, self._variables.type_of)

    def _wrapped(self, left: Value, right: Value) -> Value | None:
        """`left % right` without a division, where it takes `right` away a few times at most.

        `(i + 1) % n`, for `i` from 0 to `n - 1`, is `i + 1 < n ? i + 1 : i + 1 - n`.
        """
        type = common_type(left.type, right.type)
        if type.is_float or right.constant is not None:
            return None
        dividend, divisor = (self.conversions.convert(each, type).index for each in (left, right))
        builder = self._builder
        if dividend is None or divisor is None or not builder.is_affine(dividend - divisor):
            return None
        limits = divisor.shift(-1), dividend, divisor.scale(MOST_TURNS) - dividend.shift(1)
        if not all(map(builder.proves_nonnegative, limits)):
            return None
        pieces: list[Piece] = []
        for turns in range(MOST_TURNS):
            rest = dividend - divisor.scale(turns)
            within = Constraint(rest, False), Constraint(divisor - rest.shift(1), False)
            if builder.is_possible(within):
                pieces.append(Piece(within, rest))
        *first, last = pieces
        result = last.value
        for piece in reversed(first):
            result = self._index_selection(Test(piece.constraints[1]), piece.value, result)
        builder.assume(result, divisor - result.shift(1))
        found = Value(type, index=result)
        return self.operators.with_pieces(found, tuple(pieces) if type.is_signed else None)

    def _negated(self, node: c_ast.UnaryOp) -> Value:
        value = self.value(node.expr)
        if value.type.is_float:
            data = self.conversions.data(value)
            return Value(value.type, self._builder.insert(arith.NegfOp(data)).result)
        zero = Value(INT, index=IndexExpression())
        return self.operators.binary(node, "-", zero, value)

    def _cast(self, node: c_ast.Cast) -> Value:
        type = self._variables.scopes.type_of(node.to_type)
        if not isinstance(type, Arithmetic):
            raise refuse(node, "a cast to an unsupported type", name="unsupported-type")
        if type == DOUBLE and _is_long_double(node.expr):
            number = _as_double(node.expr.value)
            if number is not None:
                return self._constant(c_ast.Constant("double", repr(number), node.expr.coord))
        return self.conversions.convert(self.value(node.expr), type)

    # Calls

    def _rounding(self, node: c_ast.FuncCall) -> AffineBinaryOpKind | None:
        """How a call of `floor` or `ceil` rounds; `None` for other functions."""
        if not isinstance(node.name, c_ast.ID) or node.name.name not in _ROUNDINGS:
            return None
        return _ROUNDINGS[node.name.name] if self._calls.is_library(node) else None

    def _rounded_quotient(
        self, node: c_ast.FuncCall, kind: AffineBinaryOpKind
    ) -> IndexExpression | None:
        """`floor` or `ceil` of the quotient of an integer and a constant, as an integer.

        It is that of the exact quotient: integers of at most 32 bits are too few for rounding the
        quotient to give the next integer.
        """
        argument = node.args.exprs[0] if node.args is not None else None
        if not isinstance(argument, c_ast.BinaryOp) or argument.op != "/":
            return None
        left, right = self._tried(argument.left), self._tried(argument.right)
        divisor = right.constant
        is_exact = DOUBLE in (left.type, right.type) and left.type in (DOUBLE, INT, UINT)
        if not is_exact or left.index is None or divisor is None or divisor <= 0:
            return None
        return left.index.divide(kind, divisor) if self._builder.is_affine(left.index) else None

    def _call(self, node: c_ast.FuncCall) -> Value:
        rounding = self._rounding(node)
        if rounding is not None:
            index = self._rounded_quotient(node, rounding)
            return replace(self._operation(node), index=index)
        inlined = self._calls.inlined(node)
        if inlined is None:
            return self._operation(node)
        arguments = [self.value(argument) for argument in (node.args.exprs if node.args else ())]
        with self._variables.inside_function():
            for (name, type), argument in zip(inlined.parameters, arguments, strict=True):
                converted = self.conversions.convert(argument, type)
                self._variables.declare(name, Local(type, converted))
            with self._calls.entered(inlined):
                for name, type, initial in inlined.variables:
                    converted = self.conversions.convert(self.value(initial), type)
                    self._variables.declare(name, Local(type, converted))
                result = self.value(inlined.result)
        return self.conversions.convert(result, inlined.type)

    def _operation(self, node: c_ast.FuncCall) -> Value:
        """A call that is an operation on scalars and on pointers that do not change."""
        callee = self._calls.callee(node)
        operands: list[SSAValue] = []
        arguments: Sequence[c_ast.Node] = node.args.exprs if node.args is not None else ()
        for argument, type in zip(arguments, callee.parameters, strict=True):
            if isinstance(type, Arithmetic):
                value = self.conversions.convert(self.value(argument), type)
                operands.append(self.conversions.data(value))
            else:
                operands.append(self._variables.pointer(argument))
        return self.conversions.of_data(callee.result, self._calls.operation(callee, operands))

    # Conditions

    def condition(self, node: c_ast.Node, negated: bool = False) -> Condition:
        """The condition that an expression is not zero (is zero, if `negated`)."""
        match node:
            case c_ast.UnaryOp(op="!", expr=inner):
                return self.condition(inner, not negated)
            case c_ast.BinaryOp(op="&&" | "||" as operator):
                is_all = (operator == "&&") != negated
                left = self.condition(node.left, negated)
                with self._builder.under(left if is_all else opposite(left)):
                    right = self.condition(node.right, negated)
                return Junction(is_all, (left, right))
            case c_ast.BinaryOp(op=operator) if operator in _COMPARISONS:
                return self._comparison(
                    node, _OPPOSITES[operator] if negated else operator, negated
                )
            case c_ast.FuncCall() if (expected := _expected(node)) is not None:
                return self.condition(expected, negated)
            case _:
                return self._comparison_with_zero(node, "==" if negated else "!=", negated)

    def _comparison_with_zero(self, node: c_ast.Node, operator: str, negated: bool) -> Condition:
        remainder = self._tested_remainder(node)
        if remainder is not None:
            return comparison(operator, remainder, IndexExpression())
        value = self._attempt(lambda: self.value(node))
        if value is None:
            return DataTest(node, negated)
        if value.index is not None and self._builder.is_affine(value.index):
            return comparison(operator, value.index, IndexExpression())
        zero = Value(INT, index=IndexExpression())
        return self.operators.comparison_of_pieces(operator, value, zero) or DataTest(node, negated)

    def _tested_remainder(self, node: c_ast.Node) -> IndexExpression | None:
        """A remainder by a positive number of which only matters whether it is 0, not its sign."""
        if not isinstance(node, c_ast.BinaryOp) or node.op != "%":
            return None
        pair = self._attempt(lambda: (self.value(node.left), self.value(node.right)))
        if pair is None or pair[0].index is None:
            return None
        type = common_type(pair[0].type, pair[1].type)
        dividend, divisor = (self.conversions.convert(each, type) for each in pair)
        number = divisor.constant
        if type.is_float or dividend.index is None or number is None or number <= 0:
            return None
        return dividend.index.divide(AffineBinaryOpKind.Mod, number)

    def _comparison(self, node: c_ast.BinaryOp, operator: str, negated: bool) -> Condition:
        if operator in ("==", "!=") and getattr(node.right, "value", None) == "0":
            remainder = self._tested_remainder(node.left)
            if remainder is not None:
                return comparison(operator, remainder, IndexExpression())

        def read() -> tuple[Value, Value]:
            left, right = self.value(node.left), self.value(node.right)
            type = common_type(left.type, right.type)
            convert = self.conversions.convert
            return convert(left, type), convert(right, type)

        pair = self._attempt(read)
        if pair is None:
            return DataTest(node, negated)
        left, right = (value.index for value in pair)
        if left is not None and right is not None and self._builder.is_affine(left - right):
            if (left - right).wide_number is not None:
                return DataTest(node, negated)
            return comparison(operator, left, right)
        return self.operators.comparison_of_pieces(operator, *pair) or DataTest(node, negated)

    def _attempt(self, read: Callable[[], Value | tuple[Value, Value]]):  # type: ignore[no-untyped-def]
        """The result of `read` if it is affine; otherwise `None`, and nothing is inserted."""
        block = self._builder.block
        last = block.last_op
        found = read()
        values = found if isinstance(found, tuple) else (found,)
        if all(self.operators.pieces(value) is not None for value in values):
            return found
        # What is invariant stays: it stands before `last`, or at the end of the entry block.
        kept = (last, self._builder.entry_end)
        while (op := block.last_op) is not None and op not in kept:
            block.erase_op(op)
        return None

    def truth(self, condition: Condition) -> SSAValue:
        """An `i1` that says whether a condition holds."""
        match condition:
            case Test(constraint=constraint):
                return self._test(constraint)
            case DataTest(node=node, negated=negated):
                with self._builder.at(node):
                    return self._data_test(node, negated)
            case Junction(is_all=is_all, parts=parts):
                result = self.truth(parts[0])
                for position, part in enumerate(parts[1:], start=1):
                    before = Junction(is_all, parts[:position])
                    with self._builder.under(before if is_all else opposite(before)):
                        result = self._joined(is_all, result, part)
                return result

    def _joined(self, is_all: bool, left: SSAValue, part: Condition) -> SSAValue:
        """The conjunction or disjunction of two conditions, with short-circuit evaluation."""
        if self._is_safe(part):
            kind = arith.AndIOp if is_all else arith.OrIOp
            return self._builder.insert_invariant(kind(left, self.truth(part))).result

        def known() -> SSAValue:
            return self._builder.constant(0 if is_all else 1, i1)

        def other() -> SSAValue:
            return self.truth(part)

        arms = (other, known) if is_all else (known, other)
        return self._choice(left, i1, *arms)

    def _is_safe(self, condition: Condition) -> bool:
        """Whether a condition may be evaluated although C would not."""
        match condition:
            case Test():
                return True
            case DataTest(node=node):
                return self._is_safe_node(node)
            case Junction(parts=parts):
                return all(self._is_safe(part) for part in parts)

    def _is_safe_node(self, node: c_ast.Node) -> bool:
        """Whether an expression reads no array and divides by nothing that may be zero."""
        match node:
            case c_ast.UnaryOp(op="sizeof"):
                return True
            case c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
                return False
            case c_ast.FuncCall():
                is_safe = self._rounding(node) is not None or self._calls.is_safe(node)
                return is_safe and (node.args is None or self._is_safe_node(node.args))
            case c_ast.BinaryOp(op="/" | "%", right=divisor):
                operands = (node.left, divisor)
                if not all(self._is_safe_node(operand) for operand in operands):
                    return False
                known = self._tried(divisor)
                return known.type.is_float or bool(known.constant)
            case _:
                return all(self._is_safe_node(part) for part in node)

    def _test(self, constraint: Constraint) -> SSAValue:
        positive = IndexExpression(
            tuple(term for term in constraint.expression.terms if term[1] > 0),
            max(0, constraint.expression.constant),
        )
        negative = positive - constraint.expression
        left, right = self._builder.index_value(positive), self._builder.index_value(negative)
        predicate = "eq" if constraint.is_equality else "sge"
        return self._builder.insert_invariant(arith.CmpiOp(left, right, predicate)).result

    def _data_test(self, node: c_ast.Node, negated: bool) -> SSAValue:
        if isinstance(node, c_ast.BinaryOp) and node.op in _COMPARISONS:
            compared = self.operators.compared(
                node.op, self.value(node.left), self.value(node.right)
            )
        else:
            compared = self.conversions.truth(self.value(node))
        if not negated:
            return compared
        true = self._builder.constant(1, i1)
        return self._builder.insert_invariant(arith.XOrIOp(compared, true)).result

    def _ternary(self, node: c_ast.TernaryOp) -> Value:
        condition = self.condition(node.cond)
        if self._is_safe_node(node.iftrue) and self._is_safe_node(node.iffalse):
            return self._selection(node, condition)
        types = [self._type_of(arm) for arm in (node.iftrue, node.iffalse)]
        type = common_type(*types)

        def arm(part: c_ast.Node, reached: Condition) -> Callable[[], SSAValue]:
            def computed() -> SSAValue:
                with self._builder.under(reached):
                    return self.conversions.data(self.conversions.convert(self.value(part), type))

            return computed

        arms = (arm(node.iftrue, condition), arm(node.iffalse, opposite(condition)))
        return Value(type, self._choice(self.truth(condition), type.ir, *arms))

    def _selection(self, node: c_ast.TernaryOp, condition: Condition) -> Value:
        """A choice between two values that may both be computed."""
        true = self._value_under(condition, node.iftrue)
        false = self._value_under(opposite(condition), node.iffalse)
        type = common_type(true.type, false.type)
        true, false = (self.conversions.convert(value, type) for value in (true, false))
        first, second = self.operators.pieces(true), self.operators.pieces(false)
        pieces: Pieces | None = None
        if first is not None and second is not None and not type.is_bool:
            pieces = self._piecewise.choice(condition, first, second)
            index = None if pieces is None else self.operators.index_of(pieces)
            if index is not None and not type.is_float:
                return Value(type, index=index)
        if true.index is not None and false.index is not None and not type.is_float:
            are_affine = map(self._builder.is_affine, (true.index, false.index))
            if is_static(condition) and all(are_affine):
                selected = self._index_selection(condition, true.index, false.index)
                found = Value(type, index=selected)
                return self.operators.with_pieces(found, pieces if type.is_signed else None)
            if pieces and is_static(condition) and type.is_signed:
                found = Value(type, index=self._selected(pieces))
                return self.operators.with_pieces(found, pieces)
        operands = (self.conversions.data(true), self.conversions.data(false))
        op = arith.SelectOp(self.truth(condition), *operands)
        if type.is_float:
            return self.operators.with_pieces(Value(type, self._builder.insert(op).result), pieces)
        value = self.conversions.of_data(type, self._builder.insert_invariant(op).result)
        return self.operators.with_pieces(value, pieces if type.is_signed else None)

    def _value_under(self, condition: Condition, node: c_ast.Node) -> Value:
        """The value of an expression, which is only used if a condition holds."""
        with self._builder.assuming():
            for constraint in conjunction(condition) or ():
                self._builder.assume_constraint(constraint)
            return self.value(node)

    def _index_selection(
        self, condition: Condition, true: IndexExpression, false: IndexExpression
    ) -> IndexExpression:
        """One of two indices. Affine maps cannot use it, but its cases are known."""
        operands = (self._builder.index_value(true), self._builder.index_value(false))
        op = arith.SelectOp(self.truth(condition), *operands)
        result = self._builder.insert_invariant(op).result
        if not self._builder.is_invariant(result):
            self._builder.note_data(result)
        return IndexExpression.of(result)

    def _selected(self, pieces: Pieces) -> IndexExpression:
        """The index that has some pieces, of which the constraints of one hold."""
        *first, last = pieces
        result = last.value
        for piece in reversed(first):
            needed = list(piece.constraints)
            for each in piece.constraints:
                others = [other for other in needed if other is not each]
                negated = Constraint(each.expression.scale(-1).shift(-1), False)
                if not each.is_equality and not self._builder.is_possible((*others, negated)):
                    needed = others
            if not needed:
                return piece.value
            condition = Junction(True, tuple(map(Test, needed)))
            result = self._index_selection(condition, piece.value, result)
        return result

    def where(self, condition: Condition, node: c_ast.Node) -> Value:
        """The value of an integer expression where a condition holds, and otherwise 0."""
        type = self._type_of(node)

        def value() -> SSAValue:
            with self._builder.under(condition):
                return self.conversions.data(self.conversions.convert(self.value(node), type))

        def zero() -> SSAValue:
            return self._builder.constant(0, type.ir)

        truth = self.truth(condition)
        if not self._is_safe_node(node):
            return Value(type, self._choice(truth, type.ir, value, zero))
        return Value(type, self._builder.insert(arith.SelectOp(truth, value(), zero())).result)

    def is_integer(self, node: c_ast.Node) -> bool:
        """Whether the value of an expression is an integer."""
        type = self._type_of(node)
        return not (type.is_float or type.is_bool)

    def constant(self, node: c_ast.Node) -> int | None:
        """The number that an integer expression is wherever it stands in its block, if any."""
        return self._tried(node).constant

    def _type_of(self, node: c_ast.Node) -> Arithmetic:
        return self._tried(node).type

    def _tried(self, node: c_ast.Node) -> Value:
        """What is known about an expression; operations inserted to find it are removed again."""
        block = Block()
        with self._builder.inside(block), self._builder.under(NEVER):
            value = self.value(node)
        for op in reversed(tuple(block.ops)):
            block.erase_op(op)
        return value

    def _choice(
        self,
        condition: SSAValue,
        type: Attribute,
        true: Callable[[], SSAValue],
        false: Callable[[], SSAValue],
    ) -> SSAValue:
        """One of two values; only the chosen one is computed."""
        blocks = (Block(), Block())
        op = self._builder.insert(scf.IfOp(condition, [type], Region(blocks[0]), Region(blocks[1])))
        for block, arm in zip(blocks, (true, false), strict=True):
            with self._builder.inside(block):
                self._builder.insert(scf.YieldOp(arm()))
        return op.results[0]


def _is_long_double(node: c_ast.Node) -> bool:
    """Whether an expression is a constant of type `long double`, in decimal or not."""
    if not isinstance(node, c_ast.Constant) or not {"float", "double"} & {*node.type.split()}:
        return False
    return node.value.lower().endswith("l") or "long" in node.type


def _as_double(constant: str) -> float | None:
    """A constant of type `long double`, such as in `DBL_MAX`, as a `double`.

    `None` if that depends on the bits of the longer type, which rounds it first.
    """
    with suppress(ValueError, OverflowError):
        exact = Fraction(constant.rstrip("lL"))
        low, high = (float(exact * (1 + sign * Fraction(1, 1 << 63))) for sign in (-1, 1))
        return low if low == high else None
    return None


def _constant_type(number: int, suffix: str, is_decimal: bool) -> Arithmetic:
    """The first type in C's list that can represent the number (C11, 6.4.4.1)."""
    count = suffix.count("l")
    candidates = ((INT, UINT), (LONG, ULONG), (LLONG, ULLONG))[count:]
    for signed, unsigned in candidates:
        if "u" not in suffix and number < 1 << (signed.width - 1):
            return signed
        if ("u" in suffix or not is_decimal) and number < 1 << unsigned.width:
            return unsigned
    return ULLONG


def _expected(node: c_ast.FuncCall) -> c_ast.Node | None:
    """The value of which `__builtin_expect` says what it probably is."""
    arguments: list[c_ast.Node] = node.args.exprs if node.args is not None else []
    is_hint = isinstance(node.name, c_ast.ID) and node.name.name == "__builtin_expect"
    return arguments[0] if is_hint and len(arguments) == 2 else None
