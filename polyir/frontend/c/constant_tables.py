"""Tables of constants, whose elements are constants where their subscripts are.

    static const int dx[2] = {1, -1};               { s += a[i + 1]; }
    for (int d = 0; d < 2; d++)            is       { s += a[i - 1]; }
      s += a[i + dx[d]];

A loop over a table is written out where the table says which elements are accessed, or what is
executed: the accesses are affine then. Weights, which are only multiplied, leave loops as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from math import prod

from pycparser import c_ast

from polyir.frontend.c.jumps import has_jump, without_continue
from polyir.frontend.c.names import (
    assigned_in,
    identifiers_in,
    key_of,
    name_set_by,
    nodes_below,
    parts_of,
    step_of,
)
from polyir.frontend.c.records import MOST_ELEMENTS
from polyir.frontend.c.rewriting import Renaming, cast_to, rebuilt
from polyir.frontend.c.scopes import DeclaredVariable, Scopes, designator_of, holds
from polyir.frontend.c.types import Arithmetic, CArrayType, CType

Elements = Mapping[tuple[int, ...], c_ast.Node]


@dataclass(frozen=True)
class _Table:
    """The elements of an array that never change; those that are not there are zero."""

    type: Arithmetic
    extents: tuple[int, ...]
    elements: Elements


@dataclass(frozen=True)
class _Variable:
    """A variable of the region: its type, and its elements if it is a table."""

    type: CType
    table: _Table | None = None


def with_constant_tables(
    items: Sequence[c_ast.Node], scopes: Scopes, function: c_ast.FuncDef
) -> list[c_ast.Node]:
    """The statements of a region of `function`, with constants for elements of tables.

    An array is a table if it is `const`, or if it is declared in the function, which reads nothing
    but single elements of it. Raises `NotModelledError` as `without_continue` does.
    """
    return _Rewriter(scopes, function, items).block(items)


class _Rewriter:
    """Rewrites the statements of a region in order."""

    def __init__(
        self, scopes: Scopes, function: c_ast.FuncDef, items: Sequence[c_ast.Node]
    ) -> None:
        self._scopes = scopes
        self._function = function
        self._items = items
        self._own: list[dict[str, _Variable]] = []
        self._outer: dict[str, _Table | None] = {}
        self._deciding = _deciding_names(items)
        self._most_copies = MOST_ELEMENTS

    def block(self, items: Sequence[c_ast.Node]) -> list[c_ast.Node]:
        """The statements of a block, which has a scope."""
        with self._scope():
            return [self._changed(item) for item in items]

    @contextmanager
    def _scope(self) -> Iterator[None]:
        self._own.append({})
        yield
        self._own.pop()

    def _changed(self, node: c_ast.Node) -> c_ast.Node:
        match node:
            case c_ast.Decl(name=str(name)):
                new = rebuilt(node, self._changed)
                type = self._scopes.type_of_declared(node)
                if isinstance(type, CArrayType) and type.extent and new.type.dim is None:
                    new.type.dim = c_ast.Constant("int", str(type.extent), node.coord)
                is_table = "const" in (node.quals or ()) or not node.storage
                table = self._table(name, type, node, self._items) if is_table else None
                self._own[-1][name] = _Variable(type, table)
                if table is not None:
                    new.storage = []
                return new
            case c_ast.Compound():
                return c_ast.Compound(self.block(node.block_items or ()), node.coord)
            case c_ast.For():
                with self._scope():
                    copies = self._copies(node)
                    return rebuilt(node, self._changed) if copies is None else copies
            case c_ast.UnaryOp(op="sizeof"):
                return node
            case c_ast.UnaryOp(op="&"):
                inner = rebuilt(node.expr, self._changed)
                return c_ast.UnaryOp(node.op, inner, node.coord)
            case c_ast.ArrayRef():
                return self._element(node) or rebuilt(node, self._changed)
            case _:
                return rebuilt(node, self._changed)

    # Tables

    def _table(
        self, name: str, type: CType, node: c_ast.Decl, items: Sequence[c_ast.Node]
    ) -> _Table | None:
        """The table that a declaration makes; `items` are all statements that may change it."""
        extents: list[int] = []
        while isinstance(type, CArrayType):
            if type.extent is None:
                return None
            extents.append(type.extent)
            type = type.element
        qualifiers = node.quals or ()
        if not extents or not isinstance(type, Arithmetic) or "volatile" in qualifiers:
            return None
        if not isinstance(node.init, c_ast.InitList):
            return None
        if "const" not in qualifiers and not _is_only_read(name, len(extents), items):
            return None
        found = self._elements(node.init, extents)
        if found is None or not all(self._is_constant(each, type) for each in found.values()):
            return None
        return _Table(type, tuple(extents), found)

    def _elements(self, initial: c_ast.InitList, extents: Sequence[int]) -> Elements | None:
        """The elements that an initialiser gives, by their subscripts; `None` for some forms."""
        found: dict[tuple[int, ...], c_ast.Node] = {}
        lists = [isinstance(each, c_ast.InitList) for each in initial.exprs]
        if len(extents) > 1 and not any(lists):
            # Without inner braces, elements are in the order of memory.
            places = product(*map(range, extents))
            values = initial.exprs
            is_plain = not any(isinstance(each, c_ast.NamedInitializer) for each in values)
            fits = is_plain and len(values) <= prod(extents)
            return dict(zip(places, values, strict=False)) if fits else None
        position = 0
        for item in initial.exprs:
            value = item
            if isinstance(item, c_ast.NamedInitializer):
                known = self._scopes.constant(designator_of(item))
                if len(item.name) > 1 or known is None:
                    return None
                position, value = known, item.expr
            if not 0 <= position < extents[0]:
                return None
            if len(extents) == 1:
                found[(position,)] = value
            elif isinstance(value, c_ast.InitList):
                inner = self._elements(value, extents[1:])
                if inner is None:
                    return None
                found.update({(position, *place): each for place, each in inner.items()})
            else:
                return None
            position += 1
        return found

    def _is_constant(self, value: c_ast.Node, type: Arithmetic) -> bool:
        """Whether a value is a number that a type has."""
        if not type.is_float:
            known = self._scopes.constant(value)
            return known is not None and holds(type, known)
        return all(
            isinstance(node, c_ast.Constant)
            or (isinstance(node, c_ast.UnaryOp) and node.op in "+-")
            or (isinstance(node, c_ast.BinaryOp) and node.op in "+-*/")
            for node in nodes_below(value)
        )

    def _table_of(self, name: str) -> _Table | None:
        """The table that a name means here."""
        own = self._own_variable(name)
        if own is not None:
            return own.table
        if name not in self._outer:
            meaning = self._scopes.meaning(name)
            declared = meaning.declared if isinstance(meaning, DeclaredVariable) else None
            found = None
            if isinstance(meaning, DeclaredVariable) and declared is not None:
                is_fixed = "const" in (declared.quals or ()) or self._is_in_function(declared)
                items = [self._function.body, *self._items]
                if is_fixed:
                    found = self._table(name, meaning.type, declared, items)
            self._outer[name] = found
        return self._outer[name]

    def _is_in_function(self, declared: c_ast.Decl) -> bool:
        return any(node is declared for node in nodes_below(self._function.body))

    def _own_variable(self, name: str) -> _Variable | None:
        return next((scope[name] for scope in reversed(self._own) if name in scope), None)

    def _element(self, node: c_ast.ArrayRef) -> c_ast.Node | None:
        """The constant that an element of a table is."""
        name, subscripts = _subscripted(node)
        table = None if name is None else self._table_of(name)
        if table is None or len(subscripts) != len(table.extents):
            return None
        place: list[int] = []
        for part, extent in zip(subscripts, table.extents, strict=True):
            part = self._changed(part)
            if any(self._own_variable(each) is not None for each in identifiers_in(part)):
                return None
            known = self._scopes.constant(part)
            if known is None or not 0 <= known < extent:
                return None
            place.append(known)
        value = table.elements.get(tuple(place), c_ast.Constant("int", "0", node.coord))
        if table.type.is_float:
            return cast_to(table.type.name, value, node.coord)
        known = self._scopes.constant(value)
        assert known is not None
        return _number(table.type, known, node.coord)

    # Loops

    def _copies(self, loop: c_ast.For) -> c_ast.Compound | None:
        """A copy of the body of a loop for each iteration, if a table says what it accesses."""
        parts = parts_of(loop)
        if len(parts.first) != 1 or len(parts.last) != 1 or has_jump(loop.stmt, c_ast.Break):
            return None
        first, name = parts.first[0], name_set_by(parts.first[0])
        if name is None or name not in parts.counted or not self._chooses(loop.stmt, name):
            return None
        type: CType | None = self._scopes.type_of_variable(name)
        if isinstance(first, c_ast.Decl):
            type = self._scopes.type_of(first.type)
        elif (own := self._own_variable(name)) is not None:
            type = own.type
        values = self._values(loop, name, type) if isinstance(type, Arithmetic) else None
        if values is None or not isinstance(type, Arithmetic):
            return None
        *values, last = values
        body = parts.body
        if has_jump(body, c_ast.Continue):
            inner = without_continue(loop)
            assert isinstance(inner, c_ast.For)
            body = inner.stmt
            if has_jump(body, c_ast.Continue):
                return None
        before, self._most_copies = self._most_copies, self._most_copies // max(1, len(values))
        copies: list[c_ast.Node] = []
        for value in values:
            number = _number(type, value, loop.coord)
            copy = Renaming({name: number}, lambda new: new).applied(body)
            copies.append(self._changed(c_ast.Compound([copy], loop.coord)))
        self._most_copies = before
        if not isinstance(first, c_ast.Decl):
            end = _number(type, last, loop.coord)
            copies.append(c_ast.Assignment("=", first.lvalue, end, loop.coord))
        return c_ast.Compound(copies, loop.coord)

    def _values(self, loop: c_ast.For, name: str, type: Arithmetic) -> list[int] | None:
        """What a counter is in each iteration and after the loop, if these are a few numbers."""
        parts, test = parts_of(loop), loop.cond
        first, step = parts.first[0], step_of(parts.last[0])
        start = self._number(first.init if isinstance(first, c_ast.Decl) else first.rvalue)
        size = None if step is None else step.size(self._number)
        if start is None or not size or not isinstance(test, c_ast.BinaryOp):
            return None
        is_counter = isinstance(test.left, c_ast.ID) and test.left.name == name
        limit = self._number(test.right)
        if step is None or step.name != name or not is_counter or limit is None:
            return None
        if test.op not in ("<", "<=", ">", ">=", "!="):
            return None
        found, value = list[int](), start
        while True:
            if not holds(type, value) or len(found) > self._most_copies:
                return None
            found.append(value)
            goes_on = {
                "<": value < limit,
                "<=": value <= limit,
                ">": value > limit,
                ">=": value >= limit,
                "!=": value != limit,
            }
            if not goes_on[test.op]:
                return found
            value += size

    def _number(self, node: c_ast.Node) -> int | None:
        """The value of an integer constant expression."""
        if any(self._own_variable(each) is not None for each in identifiers_in(node)):
            return None
        return self._scopes.constant(self._changed(node))

    def _chooses(self, body: c_ast.Node, counter: str) -> bool:
        """Whether a statement reads a table at `counter` that says what is accessed or executed."""
        for node in nodes_below(body):
            if isinstance(node, c_ast.ArrayRef):
                name, subscripts = _subscripted(node)
                at_counter = any(counter in identifiers_in(part) for part in subscripts)
                if name in self._deciding and at_counter and self._table_of(name) is not None:
                    return True
        return False


def _deciding_names(items: Sequence[c_ast.Node]) -> dict[str, None]:
    """The names from which subscripts and conditions in statements are computed."""
    found: dict[str, None] = {}
    sources: list[tuple[str, tuple[str, ...]]] = []
    for node in (inner for item in items for inner in nodes_below(item)):
        match node:
            case c_ast.ArrayRef(subscript=part):
                found.update(dict.fromkeys(identifiers_in(part)))
            case c_ast.For(init=start, cond=part):
                for each in (start, part):
                    found.update(dict.fromkeys(identifiers_in(each)))
            case c_ast.If(cond=part) | c_ast.TernaryOp(cond=part) | c_ast.While(cond=part):
                found.update(dict.fromkeys(identifiers_in(part)))
            case c_ast.Decl(name=str(name), init=value) if value is not None:
                sources.append((name, tuple(identifiers_in(value))))
            case c_ast.Assignment(lvalue=c_ast.ID(name=name), rvalue=value):
                sources.append((name, tuple(identifiers_in(value))))
            case _:
                pass
    count = -1
    while count < len(found):
        count = len(found)
        for name, names in sources:
            if name in found:
                found.update(dict.fromkeys(names))
    return found


def _subscripted(node: c_ast.Node) -> tuple[str | None, tuple[c_ast.Node, ...]]:
    """The variable that is subscripted, and the subscripts."""
    subscripts: list[c_ast.Node] = []
    while isinstance(node, c_ast.ArrayRef):
        subscripts.insert(0, node.subscript)
        node = node.name
    return (node.name if isinstance(node, c_ast.ID) else None), tuple(subscripts)


def _is_only_read(name: str, rank: int, items: Sequence[c_ast.Node]) -> bool:
    """Whether statements use an array for nothing but reading elements of it."""
    uses = elements = 0
    for node in (inner for item in items for inner in nodes_below(item)):
        match node:
            case c_ast.ID(name=found):
                uses += found == name
            case c_ast.ArrayRef():
                found, subscripts = _subscripted(node)
                elements += found == name and len(subscripts) == rank
            case c_ast.UnaryOp(op="sizeof", expr=c_ast.ID(name=found)):
                elements += found == name
            case c_ast.UnaryOp(op="&", expr=target) if key_of(target) == (name,):
                return False
            case _:
                pass
    changed = (target for item in items for target in assigned_in(item))
    return uses == elements and all(key_of(target) != (name,) for target in changed)


def _number(type: Arithmetic, value: int, place: object) -> c_ast.Node:
    """A number of an integer type."""
    number: c_ast.Node = c_ast.Constant("int", str(abs(value)), place)
    if value < 0:
        number = c_ast.UnaryOp("-", number, place)
    return number if type.name == "int" else cast_to(type.name, number, place)
