"""Calls of `memset`, `memcpy` and `memmove` as loops over elements.

    memset(row, 0, n * sizeof *row);     is     for (long k = 0; k < (long)n; k++) row[k] = 0;
    memcpy(a, b, sizeof a);                     for (...) for (...) a[k][l] = b[k][l];

A call stays where its size is not a number of elements, or where it copies elements of another
type.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Final

from pycparser import c_ast

from polyir.frontend.c.names import key_of, nodes_below
from polyir.frontend.c.rewriting import cast_to, counting_loop, rebuilt
from polyir.frontend.c.scopes import FunctionName, Scopes, size_of_type
from polyir.frontend.c.types import Arithmetic, CArrayType, CType, Pointer

_CALLS: Final = ("memset", "memcpy", "memmove")


def without_block_copies(items: Sequence[c_ast.Node], scopes: Scopes) -> list[c_ast.Node]:
    """The statements of a region, with loops for these calls."""
    below = [node for item in items for node in nodes_below(item)]
    if not any(isinstance(node, c_ast.ID) and node.name in _CALLS for node in below):
        return list(items)
    rewriter = _Rewriter(scopes, below)
    return [rewriter.changed(item) for item in items]


class _Rewriter:
    """Rewrites statements; `below` are all nodes of the region."""

    def __init__(self, scopes: Scopes, below: Sequence[c_ast.Node]) -> None:
        self._scopes = scopes
        self._taken: dict[str | None, None] = {}
        self._own: dict[str, CType | None] = {}
        for node in below:
            if isinstance(node, c_ast.Decl | c_ast.ID):
                self._taken[node.name] = None
            if isinstance(node, c_ast.Decl):
                # Two variables of one name may have different types.
                type = scopes.type_of_declared(node)
                is_same = self._own.get(node.name, type) == type
                is_same &= scopes.type_of_variable(node.name) in (None, type)
                self._own[node.name] = type if is_same else None

    def changed(self, node: c_ast.Node) -> c_ast.Node:
        """A statement without such calls where they can be loops."""
        match node:
            case c_ast.FuncCall(name=c_ast.ID(name=name)) if name in _CALLS:
                meaning = self._scopes.meaning(name)
                is_library = isinstance(meaning, FunctionName) and meaning.definition is None
                loops = self._loops(name, node) if is_library else None
                return node if loops is None else loops
            case c_ast.Cast(expr=c_ast.FuncCall() as call):
                new = self.changed(call)
                return node if new is call else new
            case c_ast.Compound():
                return rebuilt(node, self.changed)
            case c_ast.For(stmt=inner) | c_ast.While(stmt=inner) | c_ast.DoWhile(stmt=inner):
                return rebuilt(node, lambda child: self.changed(child) if child is inner else child)
            case c_ast.If():
                arms = (node.iftrue, node.iffalse)
                return rebuilt(node, lambda child: self.changed(child) if child in arms else child)
            case _:
                return node

    def _loops(self, name: str, call: c_ast.FuncCall) -> c_ast.Node | None:
        arguments: Sequence[c_ast.Node] = call.args.exprs if call.args is not None else ()
        if len(arguments) != 3:
            return None
        target, source, size = arguments
        type = self._pointed_to(target)
        if type is None:
            return None
        count = self._count(size, type)
        if count is None:
            return None
        if name == "memset":
            return self._filled(target, source, type, count)
        if self._pointed_to(source) != type:
            return None
        if name == "memmove" and key_of(target) == key_of(source):
            return None

        def copied(element: c_ast.Node, index: Callable[[c_ast.Node], c_ast.Node]) -> c_ast.Node:
            return c_ast.Assignment("=", element, index(source), call.coord)

        return self._over_elements(target, type, count, copied)

    def _filled(
        self, target: c_ast.Node, value: c_ast.Node, type: CType, count: c_ast.Node
    ) -> c_ast.Node | None:
        """Loops that set all bytes of elements to a value."""
        scalar = type
        while isinstance(scalar, CArrayType):
            scalar = scalar.element
        number = self._scopes.constant(value)
        if not isinstance(scalar, Arithmetic):
            return None
        is_integer = not (scalar.is_float or scalar.is_bool)
        is_byte = is_integer and scalar.width == 8 and isinstance(value, c_ast.ID | c_ast.Constant)
        if number != 0 and not is_byte and not (is_integer and number == -1):
            return None

        def filled(element: c_ast.Node, index: Callable[[c_ast.Node], c_ast.Node]) -> c_ast.Node:
            return c_ast.Assignment("=", element, value, target.coord)

        return self._over_elements(target, type, count, filled)

    def _over_elements(
        self,
        target: c_ast.Node,
        type: CType,
        count: c_ast.Node,
        assigned: Callable[[c_ast.Node, Callable[[c_ast.Node], c_ast.Node]], c_ast.Node],
    ) -> c_ast.Node | None:
        """Loops around the assignment to an element; `assigned` makes it.

        It is given the element, and what makes the same element of another pointer.
        """
        extents = [count]
        while isinstance(type, CArrayType):
            if type.extent is None:
                return None
            extents.append(c_ast.Constant("int", str(type.extent), target.coord))
            type = type.element
        counters = [self._fresh(target) for _ in extents]

        def element(pointer: c_ast.Node) -> c_ast.Node:
            place, first = _first(pointer)
            index = (
                counters[0]
                if first is None
                else c_ast.BinaryOp("+", first, counters[0], first.coord)
            )
            found: c_ast.Node = c_ast.ArrayRef(place, index, pointer.coord)
            for counter in counters[1:]:
                found = c_ast.ArrayRef(found, counter, pointer.coord)
            return found

        body = assigned(element(target), element)
        for counter, extent in zip(reversed(counters), reversed(extents), strict=True):
            body = counting_loop("long", counter, extent, body, target.coord)
        return body

    def _pointed_to(self, node: c_ast.Node) -> CType | None:
        """The type of what a pointer leads to, or of the elements of an array."""
        while isinstance(node, c_ast.Cast):
            node = node.expr
        if isinstance(node, c_ast.UnaryOp) and node.op == "&":
            found = self._type_of(node.expr)
            is_element = isinstance(node.expr, c_ast.ArrayRef)
            return found if is_element and _is_plain(found) else None
        match self._type_of(node):
            case CArrayType(element=found) | Pointer(target=found) if _is_plain(found):
                return found
            case _:
                return None

    def _type_of(self, node: c_ast.Node) -> CType | None:
        return self._scopes.type_of_lvalue(node, self._type_of_name)

    def _type_of_name(self, name: str) -> CType | None:
        return self._own[name] if name in self._own else self._scopes.type_of_variable(name)

    def _count(self, size: c_ast.Node, type: CType) -> c_ast.Node | None:
        """How many elements of a type have a size in bytes, as a `long`."""
        bytes_of_element = size_of_type(type)
        if bytes_of_element is None:
            return None
        factors = _factors(size)
        numbers = [
            self._scopes.size_of(each.expr, self._type_of_name)
            if isinstance(each, c_ast.UnaryOp) and each.op == "sizeof"
            else self._scopes.constant(each)
            for each in factors
        ]
        known = reduce(lambda one, other: one * other, (n for n in numbers if n is not None), 1)
        if known % bytes_of_element:
            return None
        others = [part for part, n in zip(factors, numbers, strict=True) if n is None]
        if any(isinstance(node, c_ast.FuncCall) for part in others for node in nodes_below(part)):
            return None
        if any(isinstance(each, c_ast.UnaryOp) and each.op == "sizeof" for each in others):
            return None
        parts: list[c_ast.Node] = [cast_to("long", part, part.coord) for part in others]
        if known != bytes_of_element or not parts:
            parts.insert(0, c_ast.Constant("int", str(known // bytes_of_element), size.coord))
        return reduce(lambda one, other: c_ast.BinaryOp("*", one, other, size.coord), parts)

    def _fresh(self, node: c_ast.Node) -> c_ast.ID:
        name = self._scopes.unused_name("element", self._taken)
        self._taken[name] = None
        return c_ast.ID(name, node.coord)


def _is_plain(type: CType | None) -> bool:
    """Whether a type is that of numbers, or of arrays of them."""
    while isinstance(type, CArrayType):
        type = type.element
    return isinstance(type, Arithmetic)


def _first(pointer: c_ast.Node) -> tuple[c_ast.Node, c_ast.Node | None]:
    """An array or a pointer, and the subscript of the element that another pointer leads to."""
    while isinstance(pointer, c_ast.Cast):
        pointer = pointer.expr
    if isinstance(pointer, c_ast.UnaryOp) and isinstance(pointer.expr, c_ast.ArrayRef):
        return pointer.expr.name, pointer.expr.subscript
    return pointer, None


def _factors(node: c_ast.Node) -> Sequence[c_ast.Node]:
    """The factors of a product, without casts to other integers."""
    match node:
        case c_ast.BinaryOp(op="*"):
            return [*_factors(node.left), *_factors(node.right)]
        case c_ast.Cast(expr=inner):
            return _factors(inner)
        case _:
            return [node]
