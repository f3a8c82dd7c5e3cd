"""C text of expressions: C99, with the parentheses that C needs and gcc asks for.

For another language of the C family, the printer takes a `Dialect` with what is spelt differently.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from enum import IntEnum
from types import MappingProxyType
from typing import Final

from polyir.target.abi import Scalar
from polyir.target.c.dialect import C99, Dialect
from polyir.target.c.syntax import (
    Address,
    Argument,
    Array,
    Binary,
    Call,
    Cast,
    Conditional,
    Element,
    Expression,
    FloatLiteral,
    IntegerLiteral,
    Name,
    Spelling,
    StringLiteral,
    Succeeds,
    Unary,
    Variable,
    VectorExpression,
    literal,
)
from polyir.target.c.types import CType, Vector


class Precedence(IntEnum):
    """How tightly an operator binds, loosest first (C99, section 6.5)."""

    CONDITIONAL = 1
    LOGICAL_OR = 2
    LOGICAL_AND = 3
    BITWISE_OR = 4
    BITWISE_XOR = 5
    BITWISE_AND = 6
    EQUALITY = 7
    RELATIONAL = 8
    SHIFT = 9
    ADDITIVE = 10
    MULTIPLICATIVE = 11
    UNARY = 12
    POSTFIX = 13


_BITWISE: Final = (Precedence.BITWISE_OR, Precedence.BITWISE_XOR, Precedence.BITWISE_AND)
"""clang warns of such an operation in front of `?`."""

BINARY_OPERATORS: Final = MappingProxyType(
    {
        "||": Precedence.LOGICAL_OR,
        "&&": Precedence.LOGICAL_AND,
        "|": Precedence.BITWISE_OR,
        "^": Precedence.BITWISE_XOR,
        "&": Precedence.BITWISE_AND,
        "==": Precedence.EQUALITY,
        "!=": Precedence.EQUALITY,
        "<": Precedence.RELATIONAL,
        "<=": Precedence.RELATIONAL,
        ">": Precedence.RELATIONAL,
        ">=": Precedence.RELATIONAL,
        "<<": Precedence.SHIFT,
        ">>": Precedence.SHIFT,
        "+": Precedence.ADDITIVE,
        "-": Precedence.ADDITIVE,
        "*": Precedence.MULTIPLICATIVE,
        "/": Precedence.MULTIPLICATIVE,
        "%": Precedence.MULTIPLICATIVE,
    }
)

# Compilers warn of subscripts of 8 bits.
_SUBSCRIPTS: Final = (Scalar.INT16, Scalar.INT32, Scalar.UINT16, Scalar.UINT32)

_COMPARISONS: Final = ("==", "!=", "<", "<=", ">", ">=")


class ExpressionPrinter:
    """Prints literals, types and expressions."""

    def __init__(self, dialect: Dialect = C99) -> None:
        self._dialect = dialect

    # ---------------------------------------------------------------- literals and types

    def spell(self, type: CType) -> str:
        """The name of a type."""
        return type.name if isinstance(type, Vector) else self._dialect.types[type]

    def spell_memory(self, type: Scalar) -> str:
        """The name of the type of values that are passed, or are in arrays."""
        return self._dialect.memory_types[type]

    def integer_literal(self, value: int, type: Scalar) -> tuple[str, Precedence]:
        if type is Scalar.BOOL:
            return ("true" if value else "false"), Precedence.POSTFIX
        if value in (-(2**31), -(2**63)):
            # The literal 2147483648 is not an int, and its negation would not be either.
            if self._dialect.has_limit_macros:
                return f"INT{64 if value == -(2**63) else 32}_MIN", Precedence.UNARY
            return f"{value + 1}{'L' * (value == -(2**63))} - 1", Precedence.ADDITIVE
        suffix = "u" if type.value.startswith("u") else ""
        return f"{value}{suffix}", Precedence.UNARY if value < 0 else Precedence.POSTFIX

    def float_literal(self, value: float, type: Scalar) -> tuple[str, Precedence]:
        """The shortest decimal that reads back as the same bits; `INFINITY` and `NAN`."""
        negative = math.copysign(1.0, value) < 0
        precedence = Precedence.UNARY if negative else Precedence.POSTFIX
        sign = "-" if negative else ""
        if math.isnan(value):
            return f"{sign}NAN", precedence
        if math.isinf(value):
            return f"{sign}INFINITY", precedence
        if type is Scalar.FLOAT:
            return f"{_short_single(value)}f", precedence
        return repr(value), precedence

    def pointer(self, array: Array, is_restricted: bool = True) -> str:
        """The declarator of a pointer through which `array` is indexed."""
        restrict = f"{self._dialect.restrict} " if is_restricted else ""
        return self.pointer_type(array, f"{restrict}{array.variable.name}")

    def pointer_type(self, array: Array, declared: str = "") -> str:
        """The type of such a pointer, or the declaration of `declared`."""
        name = f"{self._dialect.global_space}{self.spell_memory(array.element)}"
        if len(array.extents) < 2 or array.is_linear:
            return f"{name} *{declared}"
        return f"{name} (*{declared}){self._subscripts(array.extents[1:])}"

    # ---------------------------------------------------------------- expressions

    def expression(self, expression: Expression) -> str:
        """The text of an expression."""
        return self._expression(expression)[0]

    def _expression(self, expression: Expression) -> tuple[str, Precedence]:
        match expression:
            case Name(variable=variable):
                return variable.name, Precedence.POSTFIX
            case IntegerLiteral(type=type, value=value):
                return self.integer_literal(value, type)
            case FloatLiteral(type=type, value=value):
                return self.float_literal(value, type)
            case StringLiteral(text=text):
                return _quoted(text), Precedence.POSTFIX
            case Unary(operator=operator, operand=operand):
                text = self.inside(operand, Precedence.UNARY)
                space = " " if text.startswith(operator) else ""
                return f"{operator}{space}{text}", Precedence.UNARY
            case Cast(type=Vector()):
                from polyir.target.c.vector_syntax import conversion_text

                return conversion_text(self, expression)
            case Cast(type=type, operand=operand):
                text = self.inside(operand, Precedence.UNARY)
                return f"({self.spell(type)}){text}", Precedence.UNARY
            case Binary():
                return self._binary(expression)
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                test, binds = self._expression(condition)
                if binds <= Precedence.CONDITIONAL or binds in _BITWISE:
                    test = f"({test})"
                values = [self.inside(part, Precedence.LOGICAL_OR) for part in (then, otherwise)]
                return f"{test} ? {values[0]} : {values[1]}", Precedence.CONDITIONAL
            case Call(function=function, arguments=arguments):
                return self._call(function, arguments), Precedence.POSTFIX
            case Succeeds(call=call):
                return self._call(call.function, call.arguments), Precedence.POSTFIX
            case Element(array=array, indices=indices, is_pointer=is_pointer):
                return self._element(array, indices, is_pointer)
            case VectorExpression():
                from polyir.target.c.vector_syntax import vector_text

                return vector_text(self, expression)
            case _:
                raise TypeError(f"unknown expression {expression!r}")

    def inside(self, expression: Expression, at_least: Precedence) -> str:
        """The text of an expression, in parentheses if it binds less."""
        text, precedence = self._expression(expression)
        return text if precedence >= at_least else f"({text})"

    def _binary(self, expression: Binary) -> tuple[str, Precedence]:
        precedence = BINARY_OPERATORS[expression.operator]
        if Precedence.BITWISE_OR <= precedence <= Precedence.SHIFT:
            # gcc asks for parentheses here under -Wparentheses.
            left_limit = right_limit = Precedence.UNARY
            if expression.operator in _COMPARISONS:
                left_limit = right_limit = Precedence.ADDITIVE
        elif precedence is Precedence.LOGICAL_OR:
            left_limit = right_limit = Precedence.BITWISE_OR
        else:
            left_limit, right_limit = precedence, Precedence(precedence + 1)
        left = self.inside(expression.left, left_limit)
        right = self.inside(expression.right, right_limit)
        return f"{left} {expression.operator} {right}", precedence

    def _call(self, function: str, arguments: Sequence[Argument]) -> str:
        return f"{self._function_name(function)}({', '.join(map(self.argument, arguments))})"

    def _function_name(self, function: str) -> str:
        return self._dialect.functions.get(function, function)

    def argument(self, argument: Argument) -> str:
        """What is passed to a function."""
        if not isinstance(argument, Address):
            return self.expression(argument)
        conversion = "" if argument.rows is None else f"({self.pointer_type(argument.rows)})"
        name = argument.variable.name + "[0]" * argument.indices
        return conversion + "&" * argument.is_taken + name

    def _element(
        self, array: Variable, indices: tuple[Expression, ...], is_pointer: bool
    ) -> tuple[str, Precedence]:
        if array.spelling is not None:
            return self._spelt(array.spelling, indices)
        if indices:
            return f"{array.name}{self._subscripts(indices)}", Precedence.POSTFIX
        if is_pointer:
            return f"*{array.name}", Precedence.UNARY
        return array.name, Precedence.POSTFIX

    def _subscripts(self, expressions: Sequence[Expression]) -> str:
        return "".join(f"[{self._subscript(expression)}]" for expression in expressions)

    def _subscript(self, expression: Expression) -> str:
        """A subscript, which is a number of any type."""
        match expression:
            case Cast(type=Scalar.INT64, operand=operand) if operand.type in _SUBSCRIPTS:
                return self.expression(operand)
            case _:
                return self.expression(expression)

    def _spelt(self, spelling: Spelling, indices: tuple[Expression, ...]) -> tuple[str, Precedence]:
        """An element as the source writes it."""
        text = ""
        for part in spelling.parts:
            if isinstance(part, str):
                text += part
            elif spelling.strides and part == 0:
                text += f"[{self._linear(spelling, indices)}]"
            else:
                text += f"[{self._subscript(indices[part + len(spelling.strides)])}]"
        return text, Precedence.POSTFIX

    def far_address(self, element: Element, type: CType) -> tuple[str, Precedence]:
        """The address of an element that an array may not have, without subscripts of it.

        It is a pointer to elements of `type`: those of the array may be unsigned.
        """
        array, indices = element.array, element.indices
        if array.spelling is not None:
            spelling = array.spelling
            parts, strides = list(spelling.parts), spelling.strides
            subscripts: list[str] = []
            while isinstance(part := parts[-1], int):
                subscripts.insert(
                    0,
                    f"({self._linear(spelling, indices)})"
                    if strides and part == 0
                    else self.inside(indices[part + len(strides)], Precedence.UNARY),
                )
                parts.pop()
            base = self._spelt(replace(spelling, parts=tuple(parts)), indices)[0]
        elif len(indices) < 2:
            # Pointers have no bounds that compilers know.
            address = f"&{self.inside(element, Precedence.UNARY)}"
            if element.type != type:
                address = f"({self.spell(type)} *){address}"
            return address, Precedence.UNARY
        else:
            base = array.name
            subscripts = [self.inside(index, Precedence.UNARY) for index in indices]
        index = self.spell(Scalar.INT64)
        text = f"(char *){base}"
        for depth, subscript in enumerate(subscripts, 1):
            if subscript != "0":
                text += f" + ({index})sizeof {'*' * depth}{base} * {subscript}"
        return f"({self.spell(type)} *)({text})", Precedence.UNARY

    def _linear(self, spelling: Spelling, indices: tuple[Expression, ...]) -> str:
        """The first subscripts, which are written as one."""
        terms = [
            f"{self.inside(index, Precedence.MULTIPLICATIVE)} * {stride}"
            for stride, index in zip(spelling.strides, indices, strict=False)
            if index != literal(0)
        ]
        last = indices[len(spelling.strides)]
        if not (terms or spelling.offset) or last != literal(0):
            terms.append(self.inside(last, Precedence.ADDITIVE))
        if spelling.offset:
            terms.append(spelling.offset)
        return " + ".join(terms)


def _quoted(text: str) -> str:
    """A string of C; what is not ASCII is written in octal, byte by byte."""
    parts: list[str] = []
    for byte in text.encode(errors="surrogateescape"):
        is_plain = 32 <= byte < 127 and chr(byte) not in '"\\?'
        parts.append(chr(byte) if is_plain else f"\\{byte:03o}")
    return f'"{"".join(parts)}"'


def _short_single(value: float) -> str:
    """A short decimal, with a point or an exponent, that C reads as this single-precision number.

    The decimal is nearer to the number than 0.49 of the distance to its neighbour, so that
    neither rounding once, as a C compiler does, nor twice can end at another number.
    """
    mantissa, exponent = math.frexp(value)
    spacing = math.ldexp(1.0, max(exponent, -125) - 24)

    def is_near(text: str) -> bool:
        # Below a power of two, numbers are closer to each other.
        is_closer = abs(mantissa) == 0.5 and abs(float(text)) < abs(value) and exponent > -125
        return abs(float(text) - value) < 0.49 * (spacing / 2 if is_closer else spacing)

    texts = (f"{value:.{digits}g}" for digits in range(1, 10))
    text = next(filter(is_near, texts), repr(value))
    return text if "." in text or "e" in text else f"{text}.0"
