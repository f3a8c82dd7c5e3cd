"""Pointers that a region changes, as arrays with a counter in their subscripts.

    while each iteration does *p++ = 0;      p[p_offset] = 0; p_offset++;

The counter is tracked like every other variable: a pointer of which it is not known how far it has
moved stays as it was, and is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pycparser import c_ast

from polyir.frontend.c.names import names_assigned_in, nodes_below, step_of
from polyir.frontend.c.rewriting import rebuilt
from polyir.frontend.c.scopes import DeclaredVariable, Scopes
from polyir.frontend.c.types import CArrayType, CType, Pointer

_SUFFIX = ".offset"
"""What the names of counters end with; no name in C does."""


@dataclass(frozen=True)
class MovingPointer:
    """A pointer, and the array or the pointer `base` that it leads into.

    `is_outside` says whether it is declared around the region.
    """

    name: str
    base: str
    is_outside: bool

    @property
    def counter(self) -> str:
        """The name of the counter."""
        return self.name + _SUFFIX

    @property
    def is_own(self) -> bool:
        """Whether the base is the pointer itself, as it is before the region."""
        return self.base == self.name

    @property
    def target(self) -> str:
        """The beginning of an assignment that moves the pointer from its base on."""
        return f"{self.name} +=" if self.is_own else f"{self.name} = {self.base} +"


class _OtherUseError(Exception):
    """A pointer is used in a way that has no subscript."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def with_offsets(
    statements: Sequence[c_ast.Node], scopes: Scopes, excluded: frozenset[str]
) -> tuple[list[c_ast.Node], tuple[MovingPointer, ...]]:
    """The statements without changes of pointers, and the pointers that they change.

    Pointers whose names or whose counters' names are in `excluded`, and those with other uses than
    accesses and steps, stay.
    """
    excluded = frozenset(name.removesuffix(_SUFFIX) for name in excluded)
    changed = {name: None for item in statements for name in names_assigned_in(item)}
    while True:
        outside = [name for name in changed if name not in excluded]
        rewriter = _Rewriter(scopes, frozenset(changed), excluded)
        try:
            pointers = tuple(rewriter.from_outside(statements, outside))
            return rewriter.rewritten(statements, pointers), tuple(rewriter.found)
        except _OtherUseError as error:
            excluded |= {error.name}


class _Rewriter:
    """Rewrites statements; `changed` are the variables that they assign to."""

    def __init__(self, scopes: Scopes, changed: frozenset[str], excluded: frozenset[str]) -> None:
        self._scopes = scopes
        self._changed = changed
        self._excluded = excluded
        self._pointers: dict[str, MovingPointer | None] = {}
        self.found: list[MovingPointer] = []
        """The pointers that are replaced."""

    def from_outside(
        self, statements: Sequence[c_ast.Node], names: Sequence[str]
    ) -> Iterator[MovingPointer]:
        """The pointers with these names that are declared around the region."""
        for name in names:
            type = self._scopes.type_of_variable(name)
            if isinstance(type, Pointer):
                yield MovingPointer(name, self._base_of_all(name, type, statements), True)

    def _base_of_all(self, name: str, type: Pointer, statements: Sequence[c_ast.Node]) -> str:
        """What all assignments set a pointer to; the pointer itself if there is none."""
        bases = {
            place[0] if (place := self._place(node.rvalue, type.target)) is not None else None
            for item in statements
            for node in nodes_below(item)
            if isinstance(node, c_ast.Assignment) and node.op == "=" and step_of(node) is None
            if isinstance(node.lvalue, c_ast.ID) and node.lvalue.name == name
        } or {name}
        base = bases.pop()
        if base is None or bases:
            raise _OtherUseError(name)
        return base

    def rewritten(
        self, statements: Sequence[c_ast.Node], pointers: Sequence[MovingPointer]
    ) -> list[c_ast.Node]:
        """The statements with subscripts instead of the pointers."""
        self._pointers = {pointer.name: pointer for pointer in pointers}
        self.found += pointers
        return [self._node(item) for item in statements]

    def _node(self, node: c_ast.Node) -> c_ast.Node:
        match node:
            case c_ast.Compound() | c_ast.For():
                outer = dict(self._pointers)
                result = rebuilt(node, self._node)
                self._pointers = outer
                return result
            case c_ast.Decl():
                return self._declaration(node)
            case c_ast.ID(name=name):
                if self._pointer(node) is not None:
                    raise _OtherUseError(name)
                return node
            case c_ast.StructRef(type="->", name=c_ast.ID() as base) if (
                pointer := self._pointer(base)
            ) is not None:
                return c_ast.StructRef(_element(pointer, base), ".", node.field, node.coord)
            case c_ast.StructRef():
                return c_ast.StructRef(self._node(node.name), node.type, node.field, node.coord)
            case c_ast.ArrayRef(name=base, subscript=subscript):
                return self._access(node, base, subscript)
            case c_ast.UnaryOp(op="*", expr=base):
                return self._access(node, base, None)
            case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--", expr=c_ast.ID() as target):
                pointer = self._pointer(target)
                return (
                    node
                    if pointer is None
                    else c_ast.UnaryOp(node.op, _counter(pointer, target), node.coord)
                )
            case c_ast.Assignment(lvalue=c_ast.ID() as target):
                return self._assignment(node, target)
            case c_ast.BinaryOp(op="<" | "<=" | ">" | ">=" | "!=" | "=="):
                return self._comparison(node)
            case _:
                return rebuilt(node, self._node)

    def _pointer(self, node: c_ast.Node) -> MovingPointer | None:
        return self._pointers.get(node.name) if isinstance(node, c_ast.ID) else None

    def _declaration(self, node: c_ast.Decl) -> c_ast.Node:
        """A declaration, which hides an outer variable of its name."""
        for pointer in self._pointers.values():
            if pointer is not None and pointer.base == node.name != pointer.name:
                raise _OtherUseError(pointer.name)
        type = self._scopes.type_of(node.type)
        place = None
        if isinstance(type, Pointer) and node.name not in self._excluded and node.init is not None:
            place = self._address(node.init, type.target)
        if place is None:
            new = rebuilt(node, lambda each: each if each is node.type else self._node(each))
            self._pointers[node.name] = None
            return new
        base, offset = place
        pointer = MovingPointer(node.name, base, False)
        self._pointers[node.name] = pointer
        self.found.append(pointer)
        declarator = c_ast.TypeDecl(pointer.counter, [], None, c_ast.IdentifierType(["long"]))
        return c_ast.Decl(pointer.counter, [], [], [], [], declarator, offset, None, node.coord)

    def _access(
        self, node: c_ast.Node, base: c_ast.Node, subscript: c_ast.Node | None
    ) -> c_ast.Node:
        """`*base`, or `base[subscript]`."""
        place = self._moved(base)
        if place is None:
            return rebuilt(node, self._node)
        pointer, offset = place
        if subscript is not None:
            offset = c_ast.BinaryOp("+", offset, self._node(subscript), node.coord)
        return c_ast.ArrayRef(c_ast.ID(pointer.base, node.coord), offset, node.coord)

    def _moved(self, node: c_ast.Node) -> tuple[MovingPointer, c_ast.Node] | None:
        """A moving pointer, with what is added to it, and the subscript that this is."""
        match node:
            case c_ast.ID():
                pointer = self._pointer(node)
                return None if pointer is None else (pointer, _counter(pointer, node))
            case c_ast.BinaryOp(op="+" | "-", left=left, right=right):
                place = self._moved(left)
                if place is not None:
                    moved = c_ast.BinaryOp(node.op, place[1], self._node(right), node.coord)
                    return place[0], moved
                place = self._moved(right) if node.op == "+" else None
                if place is None:
                    return None
                return place[0], c_ast.BinaryOp("+", self._node(left), place[1], node.coord)
            case _:
                return None

    def _assignment(self, node: c_ast.Assignment, target: c_ast.ID) -> c_ast.Node:
        pointer = self._pointer(target)
        if pointer is None:
            return rebuilt(node, self._node)
        counter = _counter(pointer, target)
        if node.op in ("+=", "-="):
            return c_ast.Assignment(node.op, counter, self._node(node.rvalue), node.coord)
        if node.op != "=":
            raise _OtherUseError(pointer.name)
        type = self._scopes.type_of_variable(pointer.name)
        place = self._address(node.rvalue, type.target if isinstance(type, Pointer) else None)
        if place is None or place[0] != pointer.base:
            raise _OtherUseError(pointer.name)
        return c_ast.Assignment("=", counter, place[1], node.coord)

    def _comparison(self, node: c_ast.BinaryOp) -> c_ast.Node:
        """A comparison, which may be one of two pointers into one array."""
        moved = [found for side in (node.left, node.right) if (found := self._moved(side))]
        if not moved:
            return rebuilt(node, self._node)
        places = [self._address(side, None) for side in (node.left, node.right)]
        if any(place is None or place[0] != moved[0][0].base for place in places):
            raise _OtherUseError(moved[0][0].name)
        offsets = [place[1] for place in places if place is not None]
        return c_ast.BinaryOp(node.op, *offsets, node.coord)

    def _address(self, node: c_ast.Node, element: CType | None) -> tuple[str, c_ast.Node] | None:
        """An array or pointer that the region does not change, and what is added to it."""
        moved = self._moved(node)
        if moved is not None:
            return moved[0].base, moved[1]
        place = self._place(node, element)
        return None if place is None else (place[0], self._node(place[1]))

    def _place(self, node: c_ast.Node, element: CType | None) -> tuple[str, c_ast.Node] | None:
        """An address in an array or behind a pointer that the region does not change.

        The elements must have the type `element`, if that is given.
        """
        match node:
            case c_ast.ID(name=name):
                meaning = self._scopes.meaning(name)
                is_declared = name in self._pointers and self._pointers[name] is None
                if name in self._changed or is_declared:
                    return None
                if not isinstance(meaning, DeclaredVariable):
                    return None
                match meaning.type:
                    case CArrayType(element=found) | Pointer(target=found):
                        is_same = element is None or found == element
                        zero = c_ast.Constant("int", "0", node.coord)
                        return (name, zero) if is_same else None
                    case _:
                        return None
            case c_ast.UnaryOp(op="&", expr=c_ast.ArrayRef(name=base, subscript=subscript)):
                return _added(self._place(base, element), "+", subscript)
            case c_ast.BinaryOp(op="+" | "-" as operator, left=left, right=right):
                place = self._place(left, element)
                if place is None and operator == "+":
                    return _added(self._place(right, element), "+", left)
                return _added(place, operator, right)
            case _:
                return None


def _added(
    place: tuple[str, c_ast.Node] | None, operator: str, offset: c_ast.Node
) -> tuple[str, c_ast.Node] | None:
    if place is None:
        return None
    return place[0], c_ast.BinaryOp(operator, place[1], offset, offset.coord)


def _counter(pointer: MovingPointer, node: c_ast.Node) -> c_ast.ID:
    return c_ast.ID(pointer.counter, node.coord)


def _element(pointer: MovingPointer, node: c_ast.Node) -> c_ast.ArrayRef:
    return c_ast.ArrayRef(c_ast.ID(pointer.base, node.coord), _counter(pointer, node), node.coord)
