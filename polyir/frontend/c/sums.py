"""Statements that only add something to variables, found from their syntax."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pycparser import c_ast
from pycparser.c_generator import CGenerator

from polyir.frontend.c.functions import BIT_COUNTS
from polyir.frontend.c.names import identifiers_in, nodes_below, step_of
from polyir.frontend.c.scopes import FunctionName, Scopes
from polyir.frontend.c.types import Arithmetic, CType


@dataclass(frozen=True)
class Update:
    """`target operator= operand`, where an operand of 0 changes nothing."""

    target: c_ast.ID
    operator: str
    operand: c_ast.Node


def update_of(node: c_ast.Node | None) -> Update | None:
    """The update of a variable that a statement is, if it is one."""
    match node:
        case c_ast.Compound(block_items=[inner]):
            return update_of(inner)
        case c_ast.Assignment(
            op="|=" | "^=" as operator, lvalue=c_ast.ID() as target, rvalue=operand
        ):
            return Update(target, operator[:-1], operand)
        case c_ast.Node() if (step := step_of(node)) is not None:
            amount = step.amount or c_ast.Constant("int", "1", node.coord)
            return Update(step.target, "-" if step.is_negative else "+", amount)
        case _:
            return None


def extremum_in(node: c_ast.If) -> c_ast.Assignment | None:
    """The assignment in `if (x > most) most = x;`, or one of another minimum or maximum."""
    inner = node.iftrue
    if isinstance(inner, c_ast.Compound) and len(inner.block_items or ()) == 1:
        (inner,) = inner.block_items
    match node.cond, inner:
        case (
            c_ast.BinaryOp(op="<" | "<=" | ">" | ">=", left=left, right=right),
            c_ast.Assignment(op="=", lvalue=c_ast.ID() as target, rvalue=value),
        ) if node.iffalse is None:
            text = CGenerator().visit
            compared, chosen = {text(left), text(right)}, {text(target), text(value)}
            return inner if compared == chosen else None
        case _:
            return None


def sums_in(
    node: c_ast.Node, scopes: Scopes, type_of_name: Callable[[str], CType | None]
) -> tuple[str, ...]:
    """The variables that a statement only adds integers to, or takes them away from.

    `scopes`, and `type_of_name` for variables, are about what is declared around it.
    """
    own = {each.name: each for each in nodes_below(node) if isinstance(each, c_ast.Decl)}
    updates: dict[str, list[Update]] = {}
    for update in _updates(node):
        updates.setdefault(update.target.name, []).append(update)

    def type_of(name: str) -> CType | None:
        return scopes.type_of(own[name].type) if name in own else type_of_name(name)

    def is_integer(part: c_ast.Node) -> bool:
        match part:
            case c_ast.Constant():
                return "float" not in part.type and "double" not in part.type
            case c_ast.ID() | c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
                return _is_integer(scopes.type_of_lvalue(part, type_of))
            case c_ast.FuncCall(name=c_ast.ID(name=name)):
                meaning = scopes.meaning(name)
                is_known = isinstance(meaning, FunctionName) and _is_integer(meaning.type.result)
                return is_known or name in BIT_COUNTS
            case c_ast.Cast(to_type=type):
                return _is_integer(scopes.type_of(type))
            case c_ast.UnaryOp(op="!" | "sizeof"):
                return True
            case c_ast.TernaryOp():
                return is_integer(part.iftrue) and is_integer(part.iffalse)
            case c_ast.BinaryOp() | c_ast.UnaryOp():
                return all(map(is_integer, part))
            case _:
                return False

    used = Counter(identifiers_in(node))
    return tuple(
        name
        for name, found in updates.items()
        if name not in own
        and used[name] == len(found)
        and all(each.operator in ("+", "-") and is_integer(each.operand) for each in found)
    )


def _updates(node: c_ast.Node | None) -> Iterator[Update]:
    """The updates that are statements in a statement."""
    match node:
        case c_ast.Compound():
            for item in node.block_items or ():
                yield from _updates(item)
        case c_ast.If():
            yield from _updates(node.iftrue)
            yield from _updates(node.iffalse)
        case c_ast.For() | c_ast.While() | c_ast.DoWhile():
            yield from _updates(node.stmt)
        case _ if (update := update_of(node)) is not None:
            yield update


def _is_integer(type: CType | None) -> bool:
    return isinstance(type, Arithmetic) and not type.is_float
