"""Operators of C on values: the same operation, typed as C types it, or an index expression."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Final

from pycparser import c_ast
from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpKind

from polyir.frontend.c.builder import Builder, Extremum
from polyir.frontend.c.conditions import MOST_ALTERNATIVES, Condition, Junction, Test, comparison
from polyir.frontend.c.errors import refuse
from polyir.frontend.c.pieces import Pieces, PiecewiseValues
from polyir.frontend.c.types import Arithmetic, common_type, promoted
from polyir.frontend.c.values import Conversions, Value
from polyir.model.index_expressions import IndexExpression
from polyir.model.raising.effects import may_trap

_NO_SIGNED_WRAP: Final = arith.IntegerOverflowAttr([arith.IntegerOverflowFlag.NSW])

_FLOAT_OPERATIONS: Final = MappingProxyType(
    {"+": arith.AddfOp, "-": arith.SubfOp, "*": arith.MulfOp, "/": arith.DivfOp}
)
_FLOAT_PREDICATES: Final = MappingProxyType(
    {"<": "olt", "<=": "ole", ">": "ogt", ">=": "oge", "==": "oeq", "!=": "une"}
)
_WRAPPING: Final = MappingProxyType({"+": arith.AddiOp, "-": arith.SubiOp, "*": arith.MuliOp})
_BITWISE: Final = MappingProxyType({"&": arith.AndIOp, "|": arith.OrIOp, "^": arith.XOrIOp})
_DIVISIONS: Final = MappingProxyType(
    {
        ("/", True): arith.DivSIOp,
        ("/", False): arith.DivUIOp,
        ("%", True): arith.RemSIOp,
        ("%", False): arith.RemUIOp,
    }
)
_PREDICATES: Final = MappingProxyType({"<": "lt", "<=": "le", ">": "gt", ">=": "ge"})


class Operators:
    """Applies operators at the builder's current place."""

    def __init__(
        self, builder: Builder, conversions: Conversions, piecewise: PiecewiseValues
    ) -> None:
        self._builder = builder
        self._conversions = conversions
        self._piecewise = piecewise

    def binary(self, node: c_ast.Node, operator: str, left: Value, right: Value) -> Value:
        """`left operator right` after C's conversions."""
        if operator in ("<<", ">>"):
            return self._shift(node, operator, left, right)
        type = common_type(left.type, right.type)
        left, right = (self._conversions.convert(value, type) for value in (left, right))
        value = self._converted(node, operator, left, right)
        if operator not in _WRAPPING or (left.bits is None and right.bits is None):
            return value
        # The lowest 64 bits of a result depend on those of the operands only.
        one, other = (replace(each, index=each.bits or each.index) for each in (left, right))
        return replace(value, bits=self._exact(operator, one, other))

    def _converted(self, node: c_ast.Node, operator: str, left: Value, right: Value) -> Value:
        """As `binary`, of two values of the type of the result."""
        type = left.type
        if type.is_float:
            if operator not in _FLOAT_OPERATIONS:
                raise refuse(node, f"'{operator}' of floating-point values")
            kind = _FLOAT_OPERATIONS[operator]
            op = kind(self._conversions.data(left), self._conversions.data(right))
            return Value(type, self._builder.insert(op).result)
        exact = self._exact(operator, left, right)
        if exact is not None and operator == "*" and type.width == 64 and not type.is_signed:
            # Both factors are exact, and nothing is as large as 2**63.
            self._builder.assume_everywhere(exact)
        is_exact = exact is not None and self._conversions.is_exact(type, exact)
        if is_exact and exact is not None and not type.is_signed and exact.is_constant:
            return self._conversions.integer(type, exact.constant)
        if is_exact and exact is not None and not self._is_for_large(operator, left, right):
            pieces = self._pieces_of(operator, left, right) if left.pieces or right.pieces else None
            return self.with_pieces(Value(type, index=exact), pieces)
        operands = (self._conversions.data(left), self._conversions.data(right))
        data = self._integer(node, operator, type, *operands)
        if is_exact:
            return Value(type, data, exact)
        value = self._conversions.of_data(type, data)
        return self.with_pieces(value, self._pieces_of(operator, left, right))

    def _is_for_large(self, operator: str, left: Value, right: Value) -> bool:
        """Whether data is another number than the exact index if a parameter is 2**63 or more.

        A counter does not get there, and sums that wrap around have the same bits.
        """
        if left.is_for_large or right.is_for_large:
            return True
        if operator not in ("*", "/", "%") or left.type.is_signed or left.type.width < 64:
            return False
        operands = (each.index.values() for each in (left, right) if each.index is not None)
        return any(self._builder.is_invariant(value) for values in operands for value in values)

    # Values in pieces

    def with_pieces(self, value: Value, pieces: Pieces | None) -> Value:
        """A value of which pieces are known: they may be a single affine function."""
        if pieces is None:
            return value
        index = self.index_of(pieces)
        if index is not None:
            return Value(value.type, value.ssa if value.type.is_float else None, index)
        if value.index is not None and value.index.value is not None:
            self._piecewise.note(value.index.value, pieces)
        return replace(value, pieces=pieces)

    def index_of(self, pieces: Pieces) -> IndexExpression | None:
        found = self._piecewise.simplified(pieces)
        if isinstance(found, Extremum):
            return self._builder.extremum(found.values, found.is_minimum)
        return found

    def pieces(self, value: Value) -> Pieces | None:
        """The pieces of an integer; `None` for data."""
        if value.pieces:
            return value.pieces
        if value.index is None or not self._builder.is_affine(value.index):
            return None
        return self._piecewise.of(value.index)

    def _pieces_of(self, operator: str, left: Value, right: Value) -> Pieces | None:
        """The pieces of the result of an operation on integers of one type."""
        first, second = self.pieces(left), self.pieces(right)
        divisor = right.constant
        if first is None or second is None or not left.type.is_signed:
            return None
        match operator:
            case "+" if left.pieces or right.pieces:
                return self._piecewise.combined(first, second, IndexExpression.__add__)
            case "-" if left.pieces or right.pieces:
                return self._piecewise.combined(first, second, IndexExpression.__sub__)
            case "*" if divisor is not None and left.pieces:
                return tuple(replace(each, value=each.value.scale(divisor)) for each in first)
            case "*" if left.constant is not None and right.pieces:
                factor = left.constant
                return tuple(replace(each, value=each.value.scale(factor)) for each in second)
            case "/" if divisor is not None and divisor > 0:
                return self._piecewise.quotient(first, divisor)
            case "%" if divisor is not None and divisor > 0:
                return self._piecewise.remainder(first, divisor)
            case _:
                return None

    def _exact(self, operator: str, left: Value, right: Value) -> IndexExpression | None:
        """The result as an index, if both operands and the result are indices."""
        if left.index is None or right.index is None:
            return None
        match operator:
            case "+":
                return left.index + right.index
            case "-":
                return left.index - right.index
            case "*":
                return self._builder.product(left.index, right.index)
            case "/" | "%":
                divisor = right.constant
                if divisor is None or divisor <= 0:
                    return None
                if not self._builder.proves_nonnegative(left.index):
                    return None
                is_quotient = operator == "/"
                kind = AffineBinaryOpKind.FloorDiv if is_quotient else AffineBinaryOpKind.Mod
                return left.index.divide(kind, divisor)
            case _:
                return None

    def _integer(
        self, node: c_ast.Node, operator: str, type: Arithmetic, left: SSAValue, right: SSAValue
    ) -> SSAValue:
        if operator in _WRAPPING:
            kind = _WRAPPING[operator]
            op = (
                kind(left, right, overflow=_NO_SIGNED_WRAP) if type.is_signed else kind(left, right)
            )
            return self._builder.insert_invariant(op).result
        if operator in _BITWISE:
            return self._builder.insert_invariant(_BITWISE[operator](left, right)).result
        division = _DIVISIONS.get((operator, type.is_signed))
        if division is None:
            raise refuse(node, f"the operator '{operator}'")
        quotient = division(left, right)
        # The entry must not divide by what is only known to be positive where the source divides.
        if may_trap(quotient):
            return self._builder.insert(quotient).result
        return self._builder.insert_invariant(quotient).result

    def _shift(self, node: c_ast.Node, operator: str, left: Value, right: Value) -> Value:
        if left.type.is_float or right.type.is_float:
            raise refuse(node, f"'{operator}' of floating-point values")
        type = promoted(left.type)
        left = self._conversions.convert(left, type)
        amount = right.constant
        if operator == "<<" and amount is not None and left.index is not None and type.is_signed:
            return Value(type, index=left.index.scale(1 << amount))
        amounts = self._conversions.convert(
            self._conversions.convert(right, promoted(right.type)), type
        )
        operands = (self._conversions.data(left), self._conversions.data(amounts))
        if operator == "<<":
            op: Operation = arith.ShLIOp(*operands)
        else:
            op = (arith.ShRSIOp if type.is_signed else arith.ShRUIOp)(*operands)
        return self._conversions.of_data(type, self._builder.insert_invariant(op).results[0])

    # Comparisons

    def compared(self, operator: str, left: Value, right: Value) -> SSAValue:
        type = common_type(left.type, right.type)
        convert = self._conversions.convert
        first = self._conversions.data(convert(left, type))
        second = self._conversions.data(convert(right, type))
        if type.is_float:
            predicate = _FLOAT_PREDICATES[operator]
            return self._builder.insert(arith.CmpfOp(first, second, predicate)).result
        if operator in _PREDICATES:
            predicate = ("s" if type.is_signed else "u") + _PREDICATES[operator]
        else:
            predicate = "eq" if operator == "==" else "ne"
        return self._builder.insert_invariant(arith.CmpiOp(first, second, predicate)).result

    def comparison_of_pieces(self, operator: str, left: Value, right: Value) -> Condition | None:
        """A comparison of values of which pieces are known."""
        first, second = self.pieces(left), self.pieces(right)
        if first is None or second is None or len(first) * len(second) > MOST_ALTERNATIVES:
            return None
        tests = [
            Junction(
                True,
                (
                    *(Test(each) for each in (*one.constraints, *other.constraints)),
                    comparison(operator, one.value, other.value),
                ),
            )
            for one in first
            for other in second
        ]
        return tests[0] if len(tests) == 1 else Junction(False, tuple(tests))
