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


def cast_to(type: str, node: c_ast.Node, place: object) -> c_ast.Cast:
    """The expression as a value of a type of C, such as `unsigned int`."""
    words = c_ast.TypeDecl(None, [], None, c_ast.IdentifierType(type.split()))
    return c_ast.Cast(c_ast.Typename(None, [], None, words), node, place)


def counting_loop(
    type: str, counter: c_ast.ID, end: c_ast.Node, body: c_ast.Node, place: object
) -> c_ast.For:
    """`for (type counter = 0; counter < end; counter++) body`."""
    words = c_ast.TypeDecl(counter.name, [], None, c_ast.IdentifierType([type]))
    zero = c_ast.Constant("int", "0", place)
    start = c_ast.Decl(counter.name, [], [], [], [], words, zero, None, place)
    return c_ast.For(
        c_ast.DeclList([start], place),
        c_ast.BinaryOp("<", counter, end, place),
        c_ast.UnaryOp("p++", counter, place),
        body,
        place,
    )


def declared_in(items: Sequence[c_ast.Node]) -> Iterator[str]:
    """The names that statements of a block declare in it."""
    for item in items:
        if isinstance(item, c_ast.Decl) and item.name is not None:
            yield item.name


class Renaming:
    """Replaces names in the statements of a block, in order.

    A name stands for the expression that `names` gives, until a declaration hides it. What is
    declared gets the name that `fresh` makes of its own. `check` is called for each other name.
    """

    def __init__(
        self,
        names: Mapping[str, c_ast.Node],
        fresh: Callable[[str], str],
        check: Callable[[c_ast.ID], None] = lambda _: None,
    ) -> None:
        self._names = dict(names)
        self._fresh = fresh
        self._check = check

    def applied(self, node: c_ast.Node) -> c_ast.Node:
        """A copy of the next statement, or of an expression after the last one."""
        match node:
            case c_ast.ID():
                if node.name not in self._names:
                    self._check(node)
                return self._names.get(node.name, node)
            case c_ast.StructRef():
                return c_ast.StructRef(self.applied(node.name), node.type, node.field, node.coord)
            case c_ast.NamedInitializer():
                return c_ast.NamedInitializer(node.name, self.applied(node.expr), node.coord)
            case c_ast.Compound() | c_ast.For():
                return rebuilt(node, Renaming(self._names, self._fresh, self._check).applied)
            case c_ast.Decl(name=str(name)):
                type = self.applied(node.type)
                new = self._fresh(name)
                self._names[name] = c_ast.ID(new)
                result = rebuilt(
                    node, lambda child: child if child is node.type else self.applied(child)
                )
                result.name, result.type = new, type
                while not isinstance(type, c_ast.TypeDecl | c_ast.FuncDecl):
                    type = type.type
                if isinstance(type, c_ast.TypeDecl):
                    type.declname = new
                return result
            case _:
                return rebuilt(node, self.applied)
