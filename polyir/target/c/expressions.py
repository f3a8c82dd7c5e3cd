"""Typed C expressions, and the one table of precedences by which they are printed.

A target of the C family subclasses `ExpressionPrinter` where its spelling differs.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from types import MappingProxyType
from typing import Final

from polyir.target.c.types import Scalar


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

_COMPARISONS: Final = ("==", "!=", "<", "<=", ">", ">=")


@dataclass(frozen=True)
class Spelling:
    """How an element of an array is written where that is not `A[i][j]`.

    `parts` are text and the numbers of subscripts, which stand there in brackets: `s->a[i]` is
    `("s->a", 0)`. With `strides` the last part is the number of the first of several subscripts
    that are one in the text, `A[i * n + j]`; they are the factors of all but the last of these.
    """

    parts: tuple[str | int, ...]
    strides: tuple[str, ...] = ()


class Variable:
    """A C variable. Its identity counts: variables of different scopes may share a name.

    `declared` is its type where that is not the one of the expressions that name it; it has the
    same values there. `spelling` is set for an array whose elements are written in another way.
    """

    def __init__(
        self, name: str, declared: Scalar | None = None, spelling: Spelling | None = None
    ) -> None:
        self.name = name
        self.declared = declared
        self.spelling = spelling


@dataclass(frozen=True)
class Expression:
    """A C expression whose value has the type `type`."""

    type: Scalar


@dataclass(frozen=True)
class Name(Expression):
    """The value of a variable that does not change while the expression may be evaluated."""

    variable: Variable


@dataclass(frozen=True)
class IntegerLiteral(Expression):
    value: int


@dataclass(frozen=True)
class FloatLiteral(Expression):
    value: float


@dataclass(frozen=True)
class Unary(Expression):
    operator: str
    operand: Expression


@dataclass(frozen=True)
class Binary(Expression):
    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Conditional(Expression):
    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True)
class Cast(Expression):
    operand: Expression


@dataclass(frozen=True)
class Call(Expression):
    """A call of a pure function: of the C library, or of a helper of `helpers.py`."""

    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True)
class Element(Expression):
    """What lies in memory: `A[i][j]`, `*A` for a pointer without indices, or a plain `A`."""

    array: Variable
    indices: tuple[Expression, ...]
    is_pointer: bool


def parts(expression: Expression) -> tuple[Expression, ...]:
    """The operands of an expression, from left to right."""
    match expression:
        case Unary(operand=operand) | Cast(operand=operand):
            return (operand,)
        case Binary(left=left, right=right):
            return (left, right)
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            return (condition, then, otherwise)
        case Call(arguments=arguments):
            return arguments
        case Element(indices=indices):
            return indices
        case _:
            return ()


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and all that it is made of."""
    yield expression
    for part in parts(expression):
        yield from walk(part)


def variables_of(expression: Expression) -> Iterator[Variable]:
    """The variables that occur in an expression."""
    for part in walk(expression):
        if isinstance(part, Name):
            yield part.variable
        elif isinstance(part, Element):
            yield part.array


def reads_memory(expression: Expression) -> bool:
    return any(isinstance(part, Element) for part in walk(expression))


def cast(type: Scalar, operand: Expression) -> Expression:
    """`operand` converted to `type`.

    A conversion in between that drops no bit which the result has is left out.
    """
    if operand.type is type:
        return operand
    if isinstance(operand, Name) and operand.variable.declared is type:
        return Name(type, operand.variable)
    if isinstance(operand, Cast):
        inner, between = operand.operand, operand.type
        integers = not (inner.type.is_float or between.is_float or type.is_float)
        if integers and between.width >= type.width > 1:
            return cast(type, inner)
    return Cast(type, operand)


def is_narrow(expression: Expression) -> bool:
    """Whether C computes the expression in `int` although its type is a 64-bit one."""
    match expression:
        case IntegerLiteral():
            return True
        case Name(type=type, variable=variable):
            declared = variable.declared
            return declared is not None and declared.width < type.width
        case Conditional(then=then, otherwise=otherwise):
            return is_narrow(then) and is_narrow(otherwise)
        case Unary(operator="-", operand=operand):
            return is_narrow(operand)
        case _:
            return False


def arithmetic(operator: str, left: Expression, right: Expression) -> Expression:
    """`left operator right` in the type of `left`, which C is made to compute in that type.

    To add a negative number is written as a subtraction.
    """
    if left.type.width == 64 and not left.type.is_float and is_narrow(left) and is_narrow(right):
        left = Cast(left.type, left)
    if operator == "+" and isinstance(right, IntegerLiteral) and -(2**63) < right.value < 0:
        operator, right = "-", IntegerLiteral(right.type, -right.value)
    return Binary(left.type, operator, left, right)


def compare(operator: str, left: Expression, right: Expression) -> Expression:
    return Binary(Scalar.BOOL, operator, left, right)


def negate(condition: Expression) -> Expression:
    return Unary(Scalar.BOOL, "!", condition)


class ExpressionPrinter:
    """Prints expressions in C99 with the parentheses that C needs and gcc asks for."""

    def spell(self, type: Scalar) -> str:
        """The name of a type."""
        return type.value

    def print(self, expression: Expression) -> str:
        """The text of an expression."""
        return self._print(expression)[0]

    def _print(self, expression: Expression) -> tuple[str, Precedence]:
        match expression:
            case Name(variable=variable):
                return variable.name, Precedence.POSTFIX
            case IntegerLiteral(type=type, value=value):
                return self.integer_literal(value, type)
            case FloatLiteral(type=type, value=value):
                return self.float_literal(value, type)
            case Unary(operator=operator, operand=operand):
                text = self._inside(operand, Precedence.UNARY)
                space = " " if text.startswith(operator) else ""
                return f"{operator}{space}{text}", Precedence.UNARY
            case Cast(type=type, operand=operand):
                text = self._inside(operand, Precedence.UNARY)
                return f"({self.spell(type)}){text}", Precedence.UNARY
            case Binary():
                return self._binary(expression)
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                above = Precedence.LOGICAL_OR
                texts = [self._inside(part, above) for part in (condition, then, otherwise)]
                return "{} ? {} : {}".format(*texts), Precedence.CONDITIONAL
            case Call(function=function, arguments=arguments):
                listed = ", ".join(self.print(argument) for argument in arguments)
                return f"{function}({listed})", Precedence.POSTFIX
            case Element(array=array, indices=indices, is_pointer=is_pointer):
                return self._element(array, indices, is_pointer)
            case _:
                raise TypeError(f"no C for {expression!r}")

    def _inside(self, expression: Expression, at_least: Precedence) -> str:
        text, precedence = self._print(expression)
        return text if precedence >= at_least else f"({text})"

    def _binary(self, expression: Binary) -> tuple[str, Precedence]:
        precedence = BINARY_OPERATORS[expression.operator]
        if Precedence.BITWISE_OR <= precedence <= Precedence.SHIFT:
            # Nobody remembers these; gcc asks for parentheses under -Wparentheses.
            left_limit = right_limit = Precedence.UNARY
            if expression.operator in _COMPARISONS:
                left_limit = right_limit = Precedence.ADDITIVE
        elif precedence is Precedence.LOGICAL_OR:
            left_limit = right_limit = Precedence.BITWISE_OR
        else:
            left_limit, right_limit = precedence, Precedence(precedence + 1)
        left = self._inside(expression.left, left_limit)
        right = self._inside(expression.right, right_limit)
        return f"{left} {expression.operator} {right}", precedence

    def _element(
        self, array: Variable, indices: tuple[Expression, ...], is_pointer: bool
    ) -> tuple[str, Precedence]:
        if array.spelling is not None:
            return self._spelt(array.spelling, indices)
        if indices:
            subscripts = "".join(f"[{self.print(index)}]" for index in indices)
            return f"{array.name}{subscripts}", Precedence.POSTFIX
        if is_pointer:
            return f"*{array.name}", Precedence.UNARY
        return array.name, Precedence.POSTFIX

    def _spelt(self, spelling: Spelling, indices: tuple[Expression, ...]) -> tuple[str, Precedence]:
        """An element as the source writes it."""
        text = ""
        for part in spelling.parts:
            if isinstance(part, str):
                text += part
            elif spelling.strides and part is spelling.parts[-1]:
                text += f"[{self._linear(spelling.strides, indices[part:])}]"
            else:
                text += f"[{self.print(indices[part])}]"
        return text, Precedence.POSTFIX

    def _linear(self, strides: tuple[str, ...], indices: tuple[Expression, ...]) -> str:
        """The one subscript that several stand for."""
        terms = [
            f"{self._inside(index, Precedence.MULTIPLICATIVE)} * {stride}"
            for stride, index in zip(strides, indices, strict=False)
        ]
        return " + ".join((*terms, self._inside(indices[-1], Precedence.MULTIPLICATIVE)))

    def integer_literal(self, value: int, type: Scalar) -> tuple[str, Precedence]:
        if type is Scalar.BOOL:
            return ("true" if value else "false"), Precedence.POSTFIX
        if value == -(2**63):
            return "INT64_MIN", Precedence.UNARY
        if value == -(2**31):
            # The literal 2147483648 is no int, and its negation would not be either.
            return "INT32_MIN", Precedence.UNARY
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


def _short_single(value: float) -> str:
    """A short decimal, with a point or an exponent, that C reads as this single-precision number.

    The decimal is nearer to the number than 0.4 of the distance to its neighbours, so that
    neither rounding once, as a C compiler does, nor twice can end at another.
    """
    spacing = math.ldexp(1.0, max(math.frexp(value)[1], -125) - 24)
    texts = (f"{value:.{digits}g}" for digits in range(1, 10))
    text = next((text for text in texts if abs(float(text) - value) < 0.4 * spacing), repr(value))
    return text if "." in text or "e" in text else f"{text}.0"


def is_special(expression: Expression) -> bool:
    """Whether a literal needs a macro of `math.h`."""
    return isinstance(expression, FloatLiteral) and not math.isfinite(expression.value)


def is_usual_nan(value: float) -> bool:
    """Whether a NaN is the one that `NAN` or `-NAN` gives."""
    bits = int.from_bytes(struct.pack("<d", value), "little")
    return bits & (2**63 - 1) == 0x7FF8 << 48
