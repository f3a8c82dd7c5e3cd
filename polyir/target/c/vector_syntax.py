"""The expressions that only vectors have, and how they are written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polyir.target.c.expression_printer import ExpressionPrinter, Precedence
from polyir.target.c.helpers import Helper
from polyir.target.c.syntax import Cast, Element, Expression, Name, VectorExpression
from polyir.target.c.types import Vector
from polyir.target.c.vector_helpers import is_passed_by_address, passed, typedef


@dataclass(frozen=True)
class VectorLiteral(VectorExpression):
    """`(polyir_f64x2){a, b}`."""

    values: tuple[Expression, ...]

    def operands(self) -> tuple[Expression, ...]:
        return self.values


@dataclass(frozen=True)
class VectorElement(VectorExpression):
    """What is in memory from an element on: `*(polyir_f64x2_in_memory *)&A[i]`."""

    first: Element

    def operands(self) -> tuple[Expression, ...]:
        return (self.first,)


@dataclass(frozen=True)
class Pointer(VectorExpression):
    """The address of an element, `&A[i]`; `type` is that of the element.

    If it `may_be_outside` of the array, nothing is accessed there, but compilers check subscripts.
    """

    target: Element
    may_be_outside: bool = False

    def operands(self) -> tuple[Expression, ...]:
        return (self.target,)


@dataclass(frozen=True)
class Lane(VectorExpression):
    """One element of a vector, `v[i]`."""

    vector: Expression
    position: Expression

    def operands(self) -> tuple[Expression, ...]:
        return (self.vector, self.position)


@dataclass(frozen=True)
class SameBits(VectorExpression):
    """A vector of another type with the same bits."""

    operand: Expression

    def operands(self) -> tuple[Expression, ...]:
        return (self.operand,)


@dataclass(frozen=True)
class Shuffle(VectorExpression):
    """`__builtin_shufflevector(a, b, 0, 1)`."""

    left: Expression
    right: Expression
    positions: tuple[int, ...]

    def operands(self) -> tuple[Expression, ...]:
        return (self.left, self.right)


@dataclass(frozen=True)
class HelperCall(VectorExpression):
    """A call of a helper that is not one of `helpers.py`."""

    helper: Helper
    arguments: tuple[Expression, ...]

    def operands(self) -> tuple[Expression, ...]:
        return self.arguments


def helpers_of(expression: VectorExpression) -> Sequence[Helper]:
    """What must be defined before an expression, but for what its operands need."""
    match expression:
        case HelperCall(helper=helper):
            return (helper,)
        case VectorLiteral(type=Vector() as type) | SameBits(type=Vector() as type):
            return (typedef(type),)
        case VectorElement(type=Vector() as type):
            return (typedef(type), typedef(type, in_memory=True))
        case _:
            return ()


def vector_text(printer: ExpressionPrinter, expression: VectorExpression) -> tuple[str, Precedence]:
    """The text of an expression, and how tightly it binds."""
    match expression:
        case VectorLiteral(type=type, values=values):
            return f"({printer.spell(type)}){{{_list(printer, values)}}}", Precedence.POSTFIX
        case VectorElement(type=Vector() as type, first=first):
            address = f"&{printer.inside(first, Precedence.UNARY)}"
            return f"*({type.memory_name} *){address}", Precedence.UNARY
        case Pointer(type=type, target=target, may_be_outside=True):
            return printer.far_address(target, type)
        case Pointer(target=target):
            return f"&{printer.inside(target, Precedence.UNARY)}", Precedence.UNARY
        case Lane(vector=vector, position=position):
            text = printer.inside(vector, Precedence.POSTFIX)
            return f"{text}[{printer.expression(position)}]", Precedence.POSTFIX
        case SameBits(type=type, operand=operand):
            text = printer.inside(operand, Precedence.UNARY)
            return f"({printer.spell(type)}){text}", Precedence.UNARY
        case Shuffle(left=left, right=right, positions=positions):
            arguments = f"{_list(printer, (left, right))}, {', '.join(map(str, positions))}"
            return f"__builtin_shufflevector({arguments})", Precedence.POSTFIX
        case HelperCall(helper=helper, arguments=arguments_):
            list_ = ", ".join(_argument(printer, each) for each in arguments_)
            return f"{helper.name}({list_})", Precedence.POSTFIX
        case _:
            raise TypeError(f"unknown expression {expression!r}")


def _argument(printer: ExpressionPrinter, argument: Expression) -> str:
    """What is passed to a helper: a long vector by its address."""
    text = printer.expression(argument)
    if not isinstance(argument.type, Vector) or not is_passed_by_address(argument.type):
        return text
    return f"&{text}" if isinstance(argument, Name) else passed(argument.type, text)


def _list(printer: ExpressionPrinter, expressions: Sequence[Expression]) -> str:
    return ", ".join(map(printer.expression, expressions))


def conversion_text(printer: ExpressionPrinter, expression: Cast) -> tuple[str, Precedence]:
    """A conversion of each element; between integers of one width, the bits stay."""
    type, operand = expression.type, expression.operand
    source = operand.type
    if type.width == source.width and not (type.is_float or source.is_float):
        return f"({printer.spell(type)}){printer.inside(operand, Precedence.UNARY)}", (
            Precedence.UNARY
        )
    arguments = f"{printer.expression(operand)}, {printer.spell(type)}"
    return f"__builtin_convertvector({arguments})", Precedence.POSTFIX
