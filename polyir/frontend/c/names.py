"""How a region uses names, found from its syntax before translation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pycparser import c_ast

Key = tuple[str, ...]
"""A variable and the members that lead from it to an object: `s->a[i]` has `("s", "a")`."""

_STEPS = ("++", "--", "p++", "p--")


@dataclass(frozen=True)
class RegionNames:
    """How the statements of a region use names.

    `stored` are the objects that it assigns to as a whole or in part, except for loop counters;
    `assigned` those that are assigned to as a whole; `counted` the loop counters that are declared
    outside their loop; `used_outside` the names that it uses outside of loops that count them;
    `indexed` the pointers of which it accesses elements other than the first; `mentioned` are all
    names.
    """

    stored: frozenset[Key]
    assigned: frozenset[Key]
    counted: frozenset[str]
    used_outside: frozenset[str]
    indexed: frozenset[Key]
    mentioned: tuple[str, ...]


def nodes_below(node: c_ast.Node) -> Iterator[c_ast.Node]:
    """A node and all below it, in the order of the text."""
    yield node
    for child in node:
        yield from nodes_below(child)


def key_of(node: c_ast.Node) -> Key | None:
    """The object that an lvalue is part of; `None` for other expressions."""
    match node:
        case c_ast.ID():
            return (node.name,)
        case c_ast.ArrayRef(name=base) | c_ast.Cast(expr=base):
            return key_of(base)
        case c_ast.UnaryOp(op="*" | "&", expr=base):
            return key_of(base)
        case c_ast.StructRef():
            base = key_of(node.name)
            return None if base is None else (*base, node.field.name)
        case c_ast.BinaryOp(op="+" | "-"):
            return key_of(node.left) or key_of(node.right)
        case _:
            return None


def assigned_in(node: c_ast.Node) -> Iterator[c_ast.Node]:
    """The lvalues that a statement assigns to, including loop counters."""
    for inner in nodes_below(node):
        match inner:
            case c_ast.Assignment(lvalue=target):
                yield target
            case c_ast.UnaryOp(op=operator, expr=target) if operator in _STEPS:
                yield target


def has_effects(node: c_ast.Node) -> bool:
    """Whether an expression assigns, or calls a function."""
    has_call = any(isinstance(inner, c_ast.FuncCall) for inner in nodes_below(node))
    return has_call or any(True for _ in assigned_in(node))


def counted_name(loop: c_ast.For) -> str | None:
    """The variable that a loop sets first, if it is declared outside the loop."""
    match loop.init:
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name)):
            return str(name)
        case _:
            return None


def region_names(statements: Sequence[c_ast.Node]) -> RegionNames:
    """Read the names of a region."""
    counting: list[c_ast.Node] = []
    counted: dict[str, None] = {}
    indexed: dict[Key, None] = {}
    mentioned: dict[str, None] = {}
    for statement in statements:
        for node in nodes_below(statement):
            match node:
                case c_ast.For():
                    name = counted_name(node)
                    if name is not None:
                        counted[name] = None
                    headers = (node.init, node.cond, node.next)
                    steps = [part for part in headers if part is not None]
                    counting += [target for part in steps for target in assigned_in(part)]
                case c_ast.ArrayRef(name=base):
                    _add(indexed, base)
                case c_ast.UnaryOp(op="*", expr=c_ast.BinaryOp() as base):
                    _add(indexed, base)
                case c_ast.ID():
                    mentioned[node.name] = None
    places = {id(target) for target in counting}
    stored: dict[Key, None] = {}
    assigned: dict[Key, None] = {}
    for statement in statements:
        for target in assigned_in(statement):
            if id(target) not in places:
                _add(stored, target)
                if isinstance(target, c_ast.ID | c_ast.StructRef):
                    _add(assigned, target)
    return RegionNames(
        frozenset(stored),
        frozenset(assigned),
        frozenset(counted),
        frozenset(name for each in statements for name in _used_outside_loops(each, frozenset())),
        frozenset(indexed),
        tuple(mentioned),
    )


def _used_outside_loops(node: c_ast.Node, counters: frozenset[str]) -> Iterator[str]:
    """The names in `node` that no loop around them counts; `counters` are those of outer loops."""
    match node:
        case c_ast.For():
            name = counted_name(node)
            first = node.init if name is None else node.init.rvalue
            if first is not None:
                yield from _used_outside_loops(first, counters)
            inside = counters if name is None else counters | {name}
            for part in (node.cond, node.next, node.stmt):
                if part is not None:
                    yield from _used_outside_loops(part, inside)
        case c_ast.ID():
            if node.name not in counters:
                yield node.name
        case _:
            for child in node:
                yield from _used_outside_loops(child, counters)


def _add(keys: dict[Key, None], node: c_ast.Node) -> None:
    key = key_of(node)
    if key is not None:
        keys[key] = None
