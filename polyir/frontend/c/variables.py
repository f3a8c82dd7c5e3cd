"""The variables of a region: its own, those of its loops, and those declared around it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pycparser import c_ast
from xdsl.dialects import arith
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import Operation, SSAValue

from polyir.frontend.c.builder import Builder
from polyir.frontend.c.errors import refuse, refuse_call
from polyir.frontend.c.moving_pointers import MovingPointer
from polyir.frontend.c.names import RegionNames, assigned_in, key_of
from polyir.frontend.c.places import BaseObject, LValue, Places, SourceArguments
from polyir.frontend.c.scopes import DeclaredVariable, EnumConstant, Scopes
from polyir.frontend.c.types import INT, LONG, Arithmetic, CArrayType, CType, Pointer
from polyir.frontend.c.values import Conversions, Value, difference
from polyir.model.index_expressions import IndexExpression

Subscript = Callable[[c_ast.Node], IndexExpression]
"""Reads the subscript of an array as an index."""


@dataclass(eq=False)
class Local:
    """A variable represented by its value.

    It is a loop counter, is assigned in a single block, or, `is_tracked`, has a value at each
    place that is a function of counters and parameters; `None` where this value is not known.
    """

    type: Arithmetic
    value: Value | None
    is_counter: bool = False
    is_tracked: bool = False


@dataclass(frozen=True)
class OutsideVariable:
    """A tracked variable that stands for the variable `name` that is declared around the region.

    `start` is its value before the region, `None` if it is not used; `target` begins an assignment
    of a value to `name`.
    """

    name: str
    variable: Local
    start: Value | None
    target: str


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


def give_name(value: Value | None, name: str) -> None:
    """Name a computed value after the first variable that has it, if it has no name."""
    ssa = None if value is None else value.ssa
    if ssa is not None and ssa.name_hint is None and isinstance(ssa.owner, Operation):
        ssa.name_hint = None if isinstance(ssa.owner, arith.ConstantOp) else name


def is_trackable(type: Arithmetic) -> bool:
    """Whether variables of a type can be tracked: it is an integer type."""
    return not (type.is_float or type.is_bool)


class NotTrackedError(Exception):
    """The value of the variable `name` is needed at a place where it is not known."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class Branches:
    """The tracked variables in parts of a program of which one is executed."""

    def __init__(self, variables: Variables) -> None:
        self._variables = variables
        self._before = variables.tracked_values()
        self._ends: list[dict[Local, Value | None]] = []

    @contextmanager
    def one(self) -> Iterator[None]:
        """One of the parts."""
        for variable, value in self._before.items():
            variable.value = value
        yield
        self._ends.append(self._variables.tracked_values())

    def join(self, has_other: bool) -> None:
        """What follows the parts, and, if it `has_other`, another one that changes nothing."""
        ends = [*self._ends, *([self._before] if has_other else [])]
        for variable in self._before:
            first, *rest = (end[variable] for end in ends)
            variable.value = first if all(_are_same(first, each) for each in rest) else None


def _are_same(one: Value | None, other: Value | None) -> bool:
    if one is None or other is None:
        return one is other
    return difference(one, other) == IndexExpression()


class Variables:
    """Resolves the lvalues of the region.

    Variables in `tracked` are tracked as far as they are integers. Where this is not possible,
    `NotTrackedError` is raised: the whole region has to be translated without tracking them.
    """

    def __init__(
        self,
        builder: Builder,
        scopes: Scopes,
        names: RegionNames,
        live: frozenset[str],
        tracked: Collection[str],
    ) -> None:
        self.scopes = scopes
        self.tracked = tracked
        self.from_outside: dict[str, OutsideVariable] = {}
        self.names = names
        self.arguments = SourceArguments(builder)
        self._builder = builder
        self._conversions = Conversions(builder)
        self._places = Places(scopes, names)
        self._live = live
        self._own: list[dict[str, Local | Cell]] = [{}]
        self._known: dict[tuple[str, Cell | None], Value] = {}

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
        if isinstance(variable, Local):
            give_name(variable.value, name)

    def own(self, name: str) -> Local | Cell | None:
        """The variable of the region with this name."""
        return next((scope[name] for scope in reversed(self._own) if name in scope), None)

    def type_of(self, name: str) -> CType | None:
        """The type of a variable, of the region or around it; `None` for other names."""
        own = self.own(name)
        if not isinstance(own, Cell):
            return self.scopes.type_of_variable(name) if own is None else own.type
        assert isinstance(own.memory.type, MemRefType)
        type: CType = own.type
        for extent in reversed(own.memory.type.get_shape()[: own.rank]):
            type = CArrayType(type, None if extent == DYNAMIC_INDEX else extent)
        return type

    def track(self, name: str) -> None:
        """Track an integer that is declared around the region, from its value there on."""
        meaning = self.scopes.meaning(name)
        if not isinstance(meaning, DeclaredVariable) or meaning.is_volatile:
            return
        if isinstance(meaning.type, Arithmetic) and is_trackable(meaning.type):
            place = self._places.resolve(c_ast.ID(name))
            start = self.arguments.scalar(place, meaning.type)
            variable = Local(meaning.type, start, is_tracked=True)
            self.from_outside[name] = OutsideVariable(name, variable, start, f"{name} =")
            self.declare(name, variable)

    def track_pointer(self, pointer: MovingPointer) -> None:
        """Track the counter of a pointer that is declared around the region."""
        start = Value(LONG, index=IndexExpression()) if pointer.is_own else None
        variable = Local(LONG, start, is_tracked=True)
        outside = OutsideVariable(pointer.name, variable, start, pointer.target)
        self.from_outside[pointer.counter] = outside
        self.declare(pointer.counter, variable)

    def tracked_in(self, names: Collection[str]) -> dict[str, Local]:
        """The tracked variables with these names."""
        found = {name: self.own(name) for name in names}
        return {
            name: own for name, own in found.items() if isinstance(own, Local) and own.is_tracked
        }

    def tracked_values(self) -> dict[Local, Value | None]:
        """The values of all tracked variables here."""
        variables = (own for scope in self._own for own in scope.values())
        return {own: own.value for own in variables if isinstance(own, Local) and own.is_tracked}

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
            if own.value is None and own.is_tracked:
                raise NotTrackedError(node.name)
            if own.value is None:
                raise refuse(node, f"'{node.name}', which has no value yet", name="variable-use")
            return own.value
        known = self._known.get((node.name, own))
        if known is not None or own is not None:
            return known
        meaning = self.scopes.meaning(node.name)
        if isinstance(meaning, EnumConstant):
            return Value(INT, index=IndexExpression((), meaning.value))
        if not isinstance(meaning, DeclaredVariable):
            raise refuse(
                node, f"'{node.name}', which is not declared as a variable", name="undeclared"
            )
        if not isinstance(meaning.type, Arithmetic):
            raise refuse(
                node, f"'{node.name}', whose type is not supported", name="unsupported-type"
            )
        if self.is_memory(node.name):
            return None
        if meaning.value is not None:
            return Value(meaning.type, index=IndexExpression((), meaning.value))
        place = self._places.resolve(node)
        return self.arguments.scalar(place, meaning.type)

    def set_known(self, name: str, value: Value) -> None:
        """From here on, a scalar in memory has a value, until it is set again."""
        own = self.own(name)
        assert not isinstance(own, Local)
        if value.index is not None and not value.type.is_float:
            self._known[name, own] = value
        else:
            self._known.pop((name, own), None)

    def forget(self, statement: c_ast.Node) -> None:
        """From here on, `statement` may have been executed, or not."""
        names = {key[0] for key in map(key_of, assigned_in(statement)) if key is not None}
        for key in tuple(self._known):
            if key[0] in names:
                del self._known[key]

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

    def _is_stored(self, place: LValue) -> bool:
        """Whether the region assigns to an object that a place is part of, or to a part of it."""
        return any(
            place.key[: len(key)] == key or key[: len(place.key)] == place.key
            for key in self.names.stored
        )

    def _constant_element(self, place: LValue, type: Arithmetic) -> Value | None:
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

    def _place(self, node: c_ast.Node) -> LValue | None:
        """The place of an lvalue; `None` for what the region declares."""
        key = key_of(node)
        if key is not None and self.own(key[0]) is not None:
            return None
        if key is not None and key[0] in self.from_outside:
            # A function that is inlined accesses it.
            raise NotTrackedError(key[0])
        return self._places.resolve(node)

    def element(self, node: c_ast.Node, subscript: Subscript) -> ElementInMemory:
        """The element that an lvalue denotes; `subscript` reads a subscript as an index."""
        place = self._place(node)
        if place is None:
            return self._own_element(node, subscript)
        if not isinstance(place.type, Arithmetic):
            raise refuse(
                node, f"'{place.key[-1]}', whose type is not supported", name="unsupported-type"
            )
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
                raise refuse(node, "an address that is not always the same", name="pointer")
            text, origin = self._address(node.left)
            return f"{text} {node.op} {offset}", origin
        is_taken = isinstance(node, c_ast.UnaryOp) and node.op == "&"
        target = node.expr if is_taken else node
        key = key_of(target)
        if key is not None and self.own(key[0]) is not None:
            raise refuse(
                node, f"the address of '{key[0]}', which the region declares", name="pointer"
            )
        place = self._places.resolve(target)
        if not is_taken and not isinstance(place.type, CArrayType | Pointer):
            raise refuse_call(node, "this argument of a call")
        texts = [self._fixed_text(part) for part in place.subscripts]
        if any(text is None for text in texts):
            raise refuse(node, "an address that is not always the same", name="pointer")
        assigned = self.names.assigned
        if not is_taken and any(place.key[: len(key)] == key for key in assigned):
            raise refuse(
                node, f"the pointer '{place.key[-1]}', which the region changes", name="pointer"
            )
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
            raise refuse(node, "this use of a variable of the region", name="variable-use")
        return ElementInMemory(own.type, own.memory, tuple(subscript(part) for part in subscripts))

    def counter_cell(self, node: c_ast.Node, name: str) -> ElementInMemory | None:
        """Where to store the last value of a counter that is declared outside its loop."""
        own = self.own(name)
        if isinstance(own, Cell):
            is_used = name in self.names.used_outside or (name,) in self.names.assigned
            return ElementInMemory(own.type, own.memory, ()) if is_used else None
        if own is not None:
            raise refuse(
                node, f"the loop counter '{name}', which is also set elsewhere", name="loop-counter"
            )
        if not self.is_kept(name):
            return None
        place = self._places.resolve(c_ast.ID(name, node.coord))
        assert isinstance(place.type, Arithmetic)
        return ElementInMemory(place.type, self.arguments.array(place, place.type), ())
