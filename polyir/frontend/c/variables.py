"""The variables of a region: its own, those of its loops, and those declared around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pycparser import c_ast
from xdsl.ir import SSAValue

from polyir.frontend.c.builder import Builder
from polyir.frontend.c.errors import refuse
from polyir.frontend.c.names import RegionNames, key_of
from polyir.frontend.c.places import BaseObject, Place, Places, SourceArguments
from polyir.frontend.c.scopes import DeclaredVariable, EnumConstant, Scopes
from polyir.frontend.c.types import INT, Arithmetic, CArrayType, Pointer
from polyir.frontend.c.values import Conversions, Value
from polyir.model.index_expressions import IndexExpression

Subscript = Callable[[c_ast.Node], IndexExpression]
"""Reads the subscript of an array as an index."""


@dataclass
class Local:
    """A variable represented by its value: a loop counter, or one assigned in a single block."""

    type: Arithmetic
    value: Value | None
    is_counter: bool = False


@dataclass(frozen=True)
class Cell:
    """A variable or array of the region that is in memory."""

    type: Arithmetic
    memory: SSAValue
    rank: int = 0


@dataclass(frozen=True)
class ElementInMemory:
    """An element of memory that can be read and written."""

    type: Arithmetic
    memory: SSAValue
    indices: tuple[IndexExpression, ...]


class Variables:
    """Resolves the lvalues of the region."""

    def __init__(
        self, builder: Builder, scopes: Scopes, names: RegionNames, live: frozenset[str]
    ) -> None:
        self.scopes = scopes
        self.names = names
        self.arguments = SourceArguments(builder)
        self._builder = builder
        self._conversions = Conversions(builder)
        self._places = Places(scopes, names)
        self._live = live
        self._own: list[dict[str, Local | Cell]] = [{}]

    @contextmanager
    def nested(self) -> Iterator[None]:
        """A scope for the region's own variables."""
        self._own.append({})
        try:
            yield
        finally:
            self._own.pop()

    @contextmanager
    def inside_function(self) -> Iterator[None]:
        """A scope for the parameters of a function that is inlined."""
        outer, self._own = self._own, [{}]
        try:
            yield
        finally:
            self._own = outer

    def declare(self, name: str, variable: Local | Cell) -> None:
        """Add a variable of the region."""
        self._own[-1][name] = variable

    def own(self, name: str) -> Local | Cell | None:
        """The variable of the region with this name."""
        return next((scope[name] for scope in reversed(self._own) if name in scope), None)

    def is_kept(self, name: str) -> bool:
        """Whether the last value of a counter that is declared around the region matters."""
        is_used = name in self.names.used_outside or name in self._live
        return is_used or (name,) in self.names.assigned

    def is_memory(self, name: str) -> bool:
        """Whether a scalar declared around the region is written in it."""
        return (name,) in self.names.assigned or name in self.names.counted

    def known(self, node: c_ast.ID) -> Value | None:
        """The value of a name that is not in memory; `None` if it is."""
        own = self.own(node.name)
        if isinstance(own, Local):
            if own.value is None:
                raise refuse(node, f"'{node.name}', which has no value yet")
            return own.value
        if own is not None:
            return None
        meaning = self.scopes.meaning(node.name)
        if isinstance(meaning, EnumConstant):
            return Value(INT, index=IndexExpression((), meaning.value))
        if not isinstance(meaning, DeclaredVariable):
            raise refuse(node, f"'{node.name}', which is not declared as a variable")
        if not isinstance(meaning.type, Arithmetic):
            raise refuse(node, f"'{node.name}', whose type is not supported")
        if self.is_memory(node.name):
            return None
        if meaning.value is not None:
            return Value(meaning.type, index=IndexExpression((), meaning.value))
        place = self._places.resolve(node)
        return self.arguments.scalar(place, meaning.type)

    def constant_member(self, node: c_ast.Node) -> Value | None:
        """The value of a scalar in a structure that the region does not change."""
        place = self._place(node)
        if place is None or not isinstance(place.type, Arithmetic) or self._is_stored(place):
            return None
        if place.subscripts:
            return self._constant_element(place, place.type)
        return self.arguments.scalar(place, place.type)

    def constant_element(self, node: c_ast.Node) -> Value | None:
        """The value of an integer that the region does not change, at a place that is fixed."""
        place = self._place(node)
        if place is None or not isinstance(place.type, Arithmetic) or self._is_stored(place):
            return None
        return self._constant_element(place, place.type)

    def _is_stored(self, place: Place) -> bool:
        """Whether the region assigns to an object that a place is part of, or to a part of it."""
        return any(
            place.key[: len(key)] == key or key[: len(place.key)] == place.key
            for key in self.names.stored
        )

    def _constant_element(self, place: Place, type: Arithmetic) -> Value | None:
        if type.is_float or type.is_bool:
            return None
        texts = [self._fixed_text(part) for part in place.subscripts]
        if any(text is None for text in texts):
            return None
        is_constant = all(text is not None and text.isdigit() for text in texts)
        if not is_constant and self._builder.block is not self._builder.entry:
            # What is read only under a condition may be out of bounds where this does not hold.
            return None
        return self.arguments.scalar(place, type, [text for text in texts if text is not None])

    def _fixed_text(self, node: c_ast.Node | None) -> str | None:
        """A subscript that is a number or a variable that the region does not change."""
        match node:
            case None:
                return "0"
            case c_ast.ID(name=name) if self.own(name) is None and not self.is_memory(name):
                meaning = self.scopes.meaning(name)
                if isinstance(meaning, EnumConstant):
                    return str(meaning.value)
                if not isinstance(meaning, DeclaredVariable):
                    return None
                return str(name) if isinstance(meaning.type, Arithmetic) else None
            case _:
                value = self.scopes.constant(node)
                return None if value is None else str(value)

    def _place(self, node: c_ast.Node) -> Place | None:
        """The place of an lvalue; `None` for what the region declares."""
        key = key_of(node)
        if key is not None and self.own(key[0]) is not None:
            return None
        return self._places.resolve(node)

    def element(self, node: c_ast.Node, subscript: Subscript) -> ElementInMemory:
        """The element that an lvalue denotes; `subscript` reads a subscript as an index."""
        place = self._place(node)
        if place is None:
            return self._own_element(node, subscript)
        if not isinstance(place.type, Arithmetic):
            raise refuse(node, f"'{place.key[-1]}', whose type is not supported")
        indices = tuple(
            IndexExpression() if part is None else subscript(part) for part in place.subscripts
        )
        return ElementInMemory(place.type, self.arguments.array(place, place.type), indices)

    def pointer(self, node: c_ast.Node) -> SSAValue:
        """The address of an array, or a pointer, that is the same in the whole region."""
        text, origin = self._address(node)
        return self.arguments.pointer(text, origin)

    def _address(self, node: c_ast.Node) -> tuple[str, BaseObject]:
        """The spelling of a pointer."""
        if isinstance(node, c_ast.BinaryOp) and node.op in ("+", "-"):
            offset = self._fixed_text(node.right)
            if offset is None:
                raise refuse(node, "an address that is not always the same")
            text, origin = self._address(node.left)
            return f"{text} {node.op} {offset}", origin
        is_taken = isinstance(node, c_ast.UnaryOp) and node.op == "&"
        target = node.expr if is_taken else node
        key = key_of(target)
        if key is not None and self.own(key[0]) is not None:
            raise refuse(node, f"the address of '{key[0]}', which the region declares")
        place = self._places.resolve(target)
        if not is_taken and not isinstance(place.type, CArrayType | Pointer):
            raise refuse(node, "this argument of a call")
        texts = [self._fixed_text(part) for part in place.subscripts]
        if any(text is None for text in texts):
            raise refuse(node, "an address that is not always the same")
        assigned = self.names.assigned
        if not is_taken and any(place.key[: len(key)] == key for key in assigned):
            raise refuse(node, f"the pointer '{place.key[-1]}', which the region changes")
        parts = (part if isinstance(part, str) else f"[{texts[part]}]" for part in place.parts)
        return "".join(("&" if is_taken else "", *parts)), place.origin

    def _own_element(self, node: c_ast.Node, subscript: Subscript) -> ElementInMemory:
        subscripts: list[c_ast.Node] = []
        base = node
        while isinstance(base, c_ast.ArrayRef):
            subscripts.insert(0, base.subscript)
            base = base.name
        own = self.own(base.name) if isinstance(base, c_ast.ID) else None
        if not isinstance(own, Cell) or own.rank != len(subscripts):
            raise refuse(node, "this use of a variable of the region")
        return ElementInMemory(own.type, own.memory, tuple(subscript(part) for part in subscripts))

    def counter_cell(self, node: c_ast.Node, name: str) -> ElementInMemory | None:
        """Where to store the last value of a counter that is declared outside its loop."""
        own = self.own(name)
        if isinstance(own, Cell):
            is_used = name in self.names.used_outside or (name,) in self.names.assigned
            return ElementInMemory(own.type, own.memory, ()) if is_used else None
        if own is not None:
            raise refuse(node, f"the loop counter '{name}', which is also set elsewhere")
        if not self.is_kept(name):
            return None
        place = self._places.resolve(c_ast.ID(name, node.coord))
        assert isinstance(place.type, Arithmetic)
        return ElementInMemory(place.type, self.arguments.array(place, place.type), ())
