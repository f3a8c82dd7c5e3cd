"""Copies of C syntax trees with parts replaced."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy

from pycparser import c_ast


def rebuilt(node: c_ast.Node, change: Callable[[c_ast.Node], c_ast.Node]) -> c_ast.Node:
    """A copy of `node` whose children are what `change` makes of them."""
    result = copy(node)
    for slot in node.__slots__:
        value = None if slot in ("coord", "__weakref__") else getattr(node, slot)
        if isinstance(value, c_ast.Node):
            setattr(result, slot, change(value))
        elif isinstance(value, list):
            parts = [change(item) if isinstance(item, c_ast.Node) else item for item in value]
            setattr(result, slot, parts)
    return result


def declared_in(items: Sequence[c_ast.Node]) -> Iterator[str]:
    """The names that statements of a block declare in it."""
    for item in items:
        if isinstance(item, c_ast.Decl) and item.name is not None:
            yield item.name


def identifiers_in(node: c_ast.Node) -> Iterator[c_ast.ID | c_ast.IdentifierType]:
    """The names of variables, functions and types below `node`; not those of members."""
    if isinstance(node, c_ast.ID) or (
        isinstance(node, c_ast.IdentifierType) and len(node.names) == 1
    ):
        yield node
    for child in node:
        if isinstance(node, c_ast.StructRef) and child is node.field:
            continue
        yield from identifiers_in(child)


def renamed(node: c_ast.Node, names: Mapping[str, c_ast.Node]) -> c_ast.Node:
    """`node` with expressions in place of names; a declaration of one gets the name's new name.

    No name that is declared inside `node`, in an inner block, may hide one of `names`, or be used
    in the expressions.
    """
    match node:
        case c_ast.ID():
            return names.get(node.name, node)
        case c_ast.StructRef():
            return c_ast.StructRef(renamed(node.name, names), node.type, node.field, node.coord)
        case c_ast.Decl():
            result = rebuilt(node, lambda child: renamed(child, names))
            new = names.get(node.name)
            if isinstance(new, c_ast.ID):
                result.name = new.name
            return result
        case _:
            return rebuilt(node, lambda child: renamed(child, names))
