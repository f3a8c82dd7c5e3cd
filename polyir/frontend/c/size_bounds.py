"""Between which numbers integers are expected to be in a region, as conditions before it say.

assert(n < 100);        if (n > 99) return;        if (n < 100) { ... }
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pycparser import c_ast
from pycparser.c_generator import CGenerator

from polyir.frontend.c.scopes import Meaning, Scopes

_MIRRORED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_OPPOSITE: Final = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}

_NEVER_RETURN: Final = frozenset(
    (
        *("abort", "exit", "_exit", "_Exit", "quick_exit", "longjmp", "__builtin_abort"),
        *("__builtin_trap", "__builtin_unreachable", "__assert_fail", "__assert", "__assert_rtn"),
    )
)


@dataclass(frozen=True)
class SizeBounds:
    """The least and the greatest number that an integer may be, and what its name means there."""

    least: int | None
    most: int | None
    root: str
    meaning: Meaning | None

    def also(self, other: SizeBounds | None) -> SizeBounds:
        """What both say, if they are about the same integer."""
        if other is None or other.meaning is not self.meaning:
            return self
        least = [each for each in (self.least, other.least) if each is not None]
        most = [each for each in (self.most, other.most) if each is not None]
        return SizeBounds(
            max(least, default=None), min(most, default=None), self.root, self.meaning
        )


Bounds = Mapping[str, SizeBounds]
"""The bounds of integers by their spelling."""


def bounds_where(condition: c_ast.Node, holds: bool, scopes: Scopes) -> Bounds:
    """What integers are where a condition holds, or does not hold."""
    found: dict[str, SizeBounds] = {}
    for name, bounds in _bounds(condition, holds, scopes):
        found[name] = bounds.also(found.get(name))
    return found


def bounds_after(item: c_ast.Node, scopes: Scopes) -> Bounds:
    """What integers are after a statement that does not end for other numbers."""
    match item:
        case (
            c_ast.If(cond=condition, iftrue=first, iffalse=second)
            | c_ast.TernaryOp(cond=condition, iftrue=first, iffalse=second)
        ):
            if _leaves(first) or _leaves(second):
                return bounds_where(condition, _leaves(second), scopes)
        case c_ast.Cast(expr=inner):
            return bounds_after(inner, scopes)
        case c_ast.ExprList(exprs=items) | c_ast.Compound(block_items=items):
            found: Bounds = {}
            for each in items or ():
                found = both(found, bounds_after(each, scopes))
            return found
    return {}


def both(bounds: Bounds, others: Bounds) -> Bounds:
    """What two bounds say together; where names mean others, what the second ones say."""
    return {**bounds, **{name: each.also(bounds.get(name)) for name, each in others.items()}}


def _bounds(node: c_ast.Node, holds: bool, scopes: Scopes) -> Iterator[tuple[str, SizeBounds]]:
    match node:
        case c_ast.UnaryOp(op="!", expr=inner):
            yield from _bounds(inner, not holds, scopes)
        case c_ast.BinaryOp(op="&&" | "||" as op, left=left, right=right):
            if (op == "&&") == holds:
                yield from _bounds(left, holds, scopes)
                yield from _bounds(right, holds, scopes)
        case c_ast.BinaryOp(op=op, left=left, right=right) if op in _OPPOSITE:
            operator = op if holds else _OPPOSITE[op]
            for name, number, compared in (
                (left, right, operator),
                (right, left, _MIRRORED[operator]),
            ):
                root, value = _root(name), scopes.constant(number)
                if root is not None and value is not None:
                    ends = _ends(compared, value)
                    meaning = scopes.meaning(root)
                    yield CGenerator().visit(name), SizeBounds(*ends, root, meaning)


def _ends(operator: str, value: int) -> tuple[int | None, int | None]:
    """The least and the greatest number for which a comparison with another one holds."""
    least = {">": value + 1, ">=": value, "==": value}.get(operator)
    most = {"<": value - 1, "<=": value, "==": value}.get(operator)
    return least, most


def _root(node: c_ast.Node) -> str | None:
    """The variable that an integer is, or is a member of."""
    if isinstance(node, c_ast.StructRef):
        return _root(node.name)
    return str(node.name) if isinstance(node, c_ast.ID) else None


def _leaves(node: c_ast.Node | None) -> bool:
    """Whether nothing after a statement is executed."""
    match node:
        case c_ast.Return() | c_ast.Goto() | c_ast.Break() | c_ast.Continue():
            return True
        case c_ast.FuncCall(name=c_ast.ID(name=name)):
            return name in _NEVER_RETURN
        case c_ast.Compound(block_items=[*_, last]) | c_ast.ExprList(exprs=[*_, last]):
            return _leaves(last)
        case c_ast.Cast(expr=inner):
            return _leaves(inner)
    return False
