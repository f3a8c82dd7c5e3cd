"""What an AST executes, by an interpreter of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from polyir.codegen.ast import (
    AstBlock,
    AstExpression,
    AstFor,
    AstIf,
    AstInstance,
    AstLet,
    AstMark,
    AstName,
    AstNode,
    AstNumber,
    Operator,
)


def value(expression: AstExpression, names: Mapping[str, int]) -> int:
    """The value of an expression, where names have these values."""
    match expression:
        case AstNumber(number):
            return number
        case AstName(name):
            return names[name]
    arguments = [value(argument, names) for argument in expression.arguments]
    match expression.operator, arguments:
        case Operator.SELECT, [condition, true, false]:
            return true if condition else false
        case Operator.MINUS, [operand]:
            return -operand
        case Operator.MIN, _:
            return min(arguments)
        case Operator.MAX, _:
            return max(arguments)
        case operator, [left, right]:
            return {
                Operator.ADD: lambda: left + right,
                Operator.SUB: lambda: left - right,
                Operator.MUL: lambda: left * right,
                Operator.FLOORDIV: lambda: left // right,
                Operator.MOD: lambda: left % right,
                Operator.EQ: lambda: int(left == right),
                Operator.LE: lambda: int(left <= right),
                Operator.LT: lambda: int(left < right),
                Operator.GE: lambda: int(left >= right),
                Operator.GT: lambda: int(left > right),
            }[operator]()
    raise AssertionError(expression)


def executed(node: AstNode, names: Mapping[str, int]) -> Iterator[tuple[int, ...]]:
    """The values of the arguments and subscripts of each instance, in order."""
    match node:
        case AstFor():
            last = value(node.bound, names) + int(node.inclusive)
            for number in range(value(node.first, names), last, node.step):
                yield from executed(node.body, {**names, node.iterator: number})
        case AstLet():
            yield from executed(node.body, {**names, node.iterator: value(node.value, names)})
        case AstIf():
            if value(node.condition, names):
                yield from executed(node.then, names)
        case AstBlock():
            for child in node.children:
                yield from executed(child, names)
        case AstMark():
            yield from executed(node.body, names)
        case AstInstance():
            subscripts = tuple(each for local in node.local for each in local.subscripts)
            yield tuple(value(each, names) for each in node.arguments + subscripts)
