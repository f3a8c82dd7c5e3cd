"""Steps inside expressions as statements of their own.

`a[t++] = b[++u];` is `u++; a[t] = b[u]; t++;`: C does not say when a step takes effect before the
end of the statement, so that a variable that is stepped has no other use in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from pycparser import c_ast

from polyir.frontend.c.names import STEPS, has_effects, identifiers_in
from polyir.frontend.c.rewriting import rebuilt


def with_steps_apart(items: Sequence[c_ast.Node]) -> list[c_ast.Node]:
    """The statements of a block, whose expressions step no variable if they are always evaluated.

    What the comma operator joins is several statements.
    """
    return [part for item in items for part in _apart(item)]


def _apart(node: c_ast.Node) -> Iterator[c_ast.Node]:
    match node:
        case c_ast.Compound():
            yield c_ast.Compound(with_steps_apart(node.block_items or ()), node.coord)
        case c_ast.For():
            body = _block([node.stmt])
            yield c_ast.For(node.init, node.cond, node.next, body, node.coord)
        case c_ast.While() | c_ast.DoWhile():
            yield type(node)(node.cond, _block([node.stmt]), node.coord)
        case c_ast.If():
            steps = _Steps(node.cond)
            condition = steps.replaced(node.cond)
            true = _block([*steps.after, node.iftrue])
            rest = [*steps.after, *([] if node.iffalse is None else [node.iffalse])]
            yield from steps.before
            yield c_ast.If(condition, true, _block(rest) if rest else None, node.coord)
        case c_ast.ExprList():
            yield from with_steps_apart(node.exprs)
        case c_ast.UnaryOp(op=operator, expr=c_ast.ID()) if operator in STEPS:
            yield node
        case c_ast.Decl(init=c_ast.Node() as initial):
            steps = _Steps(initial)
            new = rebuilt(node, lambda each: steps.replaced(each) if each is initial else each)
            yield from (*steps.before, new, *steps.after)
        case c_ast.Assignment() | c_ast.UnaryOp() | c_ast.FuncCall() | c_ast.Cast():
            steps = _Steps(node)
            new = steps.replaced(node)
            is_needed = has_effects(new) or not (steps.before or steps.after)
            yield from (*steps.before, *([new] if is_needed else []), *steps.after)
        case _:
            yield node


def _block(items: Sequence[c_ast.Node]) -> c_ast.Node:
    """The statement that some are, with their steps apart."""
    parts = with_steps_apart(items)
    return parts[0] if len(parts) == 1 else c_ast.Compound(parts, items[0].coord)


class _Steps:
    """The steps inside an expression: those to execute before it, and those to execute after it."""

    def __init__(self, expression: c_ast.Node) -> None:
        self.before: list[c_ast.Node] = []
        self.after: list[c_ast.Node] = []
        names = list(identifiers_in(expression))
        self._movable: Collection[int] = {
            id(step) for step in _evaluated_steps(expression) if names.count(step.expr.name) == 1
        }

    def replaced(self, node: c_ast.Node) -> c_ast.Node:
        """The expression, or a part of it, without the steps."""
        if not self._movable:
            return node
        if id(node) in self._movable:
            assert isinstance(node, c_ast.UnaryOp)
            (self.after if node.op.startswith("p") else self.before).append(node)
            return node.expr
        return rebuilt(node, self.replaced)


def _evaluated_steps(node: c_ast.Node) -> Iterator[c_ast.UnaryOp]:
    """The steps of variables below `node` that each evaluation of it executes."""
    match node:
        case c_ast.UnaryOp(op=operator, expr=c_ast.ID()) if operator in STEPS:
            yield node
        case c_ast.BinaryOp(op="&&" | "||"):
            yield from _evaluated_steps(node.left)
        case c_ast.TernaryOp():
            yield from _evaluated_steps(node.cond)
        case c_ast.ExprList() | c_ast.UnaryOp(op="sizeof") | c_ast.Typename():
            pass
        case c_ast.FuncCall(args=c_ast.ExprList(exprs=arguments)):
            for argument in arguments:
                yield from _evaluated_steps(argument)
        case _:
            for child in node:
                yield from _evaluated_steps(child)
