"""Loops whose counters step by a parameter, as loops that step by one.

    for (int i = a; i < n; i += s)        for (int k = 0; k < (n - a + s - 1) / max(s, 1); k++) {
      b[i] = 0;                      is     int i = a + k * s;
                                            b[i] = 0;
                                          }

A step that is not positive makes a loop run for ever, or until its counter overflows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pycparser import c_ast

from polyir.frontend.c.names import (
    assigned_in,
    identifiers_in,
    key_of,
    name_set_by,
    nodes_below,
    parts_of,
    step_of,
)
from polyir.frontend.c.rewriting import cast_to, rebuilt
from polyir.frontend.c.scopes import Scopes
from polyir.frontend.c.types import Arithmetic, CType


def with_unit_steps(items: Sequence[c_ast.Node], scopes: Scopes) -> list[c_ast.Node]:
    """The statements of a region, whose loops do not step by parameters if that can be said."""
    below = [node for item in items for node in nodes_below(item)]
    taken: dict[str | None, None] = {
        node.name: None for node in below if isinstance(node, c_ast.ID | c_ast.Decl)
    }
    declarations = [node for node in below if isinstance(node, c_ast.Decl)]
    declared = {node.name: True for node in declarations}
    for node in declarations:
        declared[node.name] &= _is_signed(scopes.type_of(node.type))

    def is_signed(node: c_ast.Node) -> bool:
        """Whether a leaf of an expression is a signed integer."""
        match node:
            case c_ast.ID(name=name):
                return declared.get(name, _is_signed(scopes.type_of_variable(name)))
            case c_ast.Cast(to_type=type):
                return _is_signed(scopes.type_of(type))
            case c_ast.Constant():
                return node.type in ("int", "long int")
            case _:
                return isinstance(node, _OTHERS)

    def changed(node: c_ast.Node) -> c_ast.Node:
        node = rebuilt(node, changed)
        if not isinstance(node, c_ast.For):
            return node
        return _with_unit_step(node, scopes, is_signed, taken)

    return [changed(item) for item in items]


def _with_unit_step(
    loop: c_ast.For,
    scopes: Scopes,
    is_signed: Callable[[c_ast.Node], bool],
    taken: dict[str | None, None],
) -> c_ast.For:
    """A loop that counts its iterations if its step is a sum or product of parameters."""
    parts, test, place = parts_of(loop), loop.cond, loop.coord
    step = step_of(parts.last[0]) if len(parts.last) == 1 else None
    first = parts.first[0] if len(parts.first) == 1 else None
    if step is None or step.is_negative or not isinstance(first, c_ast.Decl):
        return loop
    is_counted = name_set_by(first) == step.name and step.name in parts.counted
    is_bounded = (
        isinstance(test, c_ast.BinaryOp)
        and test.op in ("<", "<=")
        and isinstance(test.left, c_ast.ID)
        and test.left.name == step.name
    )
    amount = step.amount
    if not is_counted or not is_bounded or amount is None or scopes.constant(amount) is not None:
        return loop
    steady = (amount, test.right, first.init)
    if not all(is_signed(node) for part in (*steady, test.left) for node in nodes_below(part)):
        return loop
    if any(isinstance(node, c_ast.BinaryOp) and node.op in "/%" for node in nodes_below(amount)):
        # A loop without iterations does not divide.
        return loop
    read = {name for part in steady for name in identifiers_in(part)}
    keys = [key_of(target) for target in assigned_in(parts.body)]
    if step.name in read or any(key is None or key[0] in read for key in keys):
        return loop
    if any(isinstance(node, c_ast.Decl) and node.name in read for node in nodes_below(parts.body)):
        return loop
    counter = scopes.unused_name(f"{step.name}_step", taken)
    taken[counter] = None

    def both(operator: str, left: c_ast.Node, right: c_ast.Node) -> c_ast.BinaryOp:
        return c_ast.BinaryOp(operator, left, right, place)

    one, name = c_ast.Constant("int", "1", place), c_ast.ID(counter, place)
    length = both("+", both("-", cast_to("long", test.right, place), first.init), amount)
    if test.op == "<":
        length = both("-", length, one)
    positive = c_ast.TernaryOp(both(">", amount, one), amount, one, place)
    start = rebuilt(first, lambda child: child if child is not first.init else _zero(child))
    start.name = counter
    inside = rebuilt(
        first,
        lambda child: both("+", child, both("*", name, amount)) if child is first.init else child,
    )
    body = c_ast.Compound([inside, parts.body], place)
    return c_ast.For(
        c_ast.DeclList([start], place),
        both("<", name, both("/", length, cast_to("long", positive, place))),
        c_ast.UnaryOp("p++", name, place),
        body,
        place,
    )


_OTHERS = (c_ast.BinaryOp, c_ast.Typename, c_ast.TypeDecl, c_ast.IdentifierType)
"""What else may be in steps and bounds."""


def _is_signed(type: CType | None) -> bool:
    return isinstance(type, Arithmetic) and type.is_signed and not type.is_float


def _zero(node: c_ast.Node) -> c_ast.Constant:
    return c_ast.Constant("int", "0", node.coord)
