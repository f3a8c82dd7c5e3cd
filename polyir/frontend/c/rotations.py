"""Pointers and integers that each iteration of a loop exchanges, as a loop with longer steps.

    for (t = 0; t < T; t++) {             for (t = 0; t < T; t += 2) {
      step(b, a);                           step(b, a);
      tmp = a; a = b; b = tmp;     is       if (t + 1 < T) step(a, b);
    }                                     }

The left loop leaves other pointers. A loop with nothing but the exchanges does that, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from pycparser import c_ast

from polyir.frontend.c.jumps import MOST_COPIES, has_jump
from polyir.frontend.c.names import (
    STEPS,
    assigned_in,
    has_effects,
    identifiers_in,
    key_of,
    name_set_by,
    nodes_below,
    parts_of,
    step_of,
)
from polyir.frontend.c.rewriting import rebuilt
from polyir.frontend.c.scopes import DeclaredVariable, Scopes
from polyir.frontend.c.types import INT, SCHAR, Arithmetic, CType, Pointer


def without_exchanges(
    items: Sequence[c_ast.Node], scopes: Scopes
) -> tuple[list[c_ast.Node], list[c_ast.For]]:
    """The statements of a region without the exchanges of its loops, if these are understood.

    The loops that are the second result are to exchange after the region.
    """
    found, after = list(items), list[c_ast.For]()
    for position, item in enumerate(items):
        if not isinstance(item, c_ast.For):
            continue
        others = (*items[:position], *items[position + 1 :])
        rotation = _rotated(item, others, scopes)
        later = {name for each in items[position + 1 :] for name in identifiers_in(each)}
        if rotation is not None and later.isdisjoint(rotation.exchanged):
            found[position] = rotation.loop
            after += rotation.after
    return found, after


@dataclass(frozen=True)
class _Rotation:
    """A loop with a copy of its body for each order, the variables `exchanged`, and a loop after it
    that sets them, unless nothing there uses them."""

    loop: c_ast.For
    exchanged: frozenset[str]
    after: tuple[c_ast.For, ...]


def _rotated(loop: c_ast.For, others: Sequence[c_ast.Node], scopes: Scopes) -> _Rotation | None:
    """A loop with a copy of its body for each order; `others` are the region's other statements."""
    step = _step_of(loop, others, scopes)
    if step is None:
        return None
    counter, size = step
    parts, place = parts_of(loop), loop.coord
    around = {node.name for each in others for node in nodes_below(each) if _declares(node)}
    exchanges = _Exchanges(parts.body, counter, scopes, around)
    copies: list[c_ast.Node] = []
    try:
        while not copies or not exchanges.are_undone():
            if not exchanges.types or len(copies) == MOST_COPIES:
                return None
            copies.append(exchanges.copied(parts.body, size * len(copies)))
    except _OtherUseError:
        return None
    if len(copies) == 1:
        return None
    inner: list[c_ast.Node] = []
    for number in reversed(range(1, len(copies))):
        goes_on = exchanges.replaced(loop.cond, size * number)
        inner = [c_ast.If(goes_on, c_ast.Compound([copies[number], *inner], place), None, place)]
    amount = c_ast.Constant("int", str(abs(size) * len(copies)), place)
    longer = c_ast.Assignment("+=" if size > 0 else "-=", c_ast.ID(counter, place), amount, place)
    body = c_ast.Compound([copies[0], *inner], place)
    new = c_ast.For(loop.init, loop.cond, longer, body, place)
    names = frozenset(path[0] for path in exchanges.types) - exchanges.own
    if names <= around:
        # Nothing after the region uses what it declares.
        return _Rotation(new, names, ())
    if names & around:
        return None
    rest = c_ast.Compound(list(exchanges.alone(parts.body)), place)
    return _Rotation(new, names, (c_ast.For(loop.init, loop.cond, parts.last[0], rest, place),))


def _step_of(
    loop: c_ast.For, others: Sequence[c_ast.Node], scopes: Scopes
) -> tuple[str, int] | None:
    """The counter and what each iteration adds to it, of a loop that can be repeated in parts."""
    parts = parts_of(loop)
    if len(parts.first) != 1 or len(parts.last) != 1 or loop.cond is None:
        return None
    (first,), step = parts.first, step_of(parts.last[0])
    counter, is_own = name_set_by(first), isinstance(first, c_ast.Decl)
    if step is None or step.name != counter or counter not in parts.counted:
        return None
    type = scopes.type_of(first.type) if is_own else scopes.type_of_variable(counter)
    if not isinstance(type, Arithmetic) or type.is_float or type.rank < INT.rank:
        return None
    header = [node for part in (first, loop.cond) for node in nodes_below(part)]
    read = {key_of(node) for node in header if isinstance(node, c_ast.ID | c_ast.StructRef)}
    read -= {(counter,)}
    members = {key[-1] for key in read if key is not None and len(key) > 1}
    for key in (key_of(target) for each in (loop, *others) for target in assigned_in(each)):
        if key is None or key in read or (len(key) > 1 and key[-1] in members):
            return None
    if any(isinstance(node, c_ast.ArrayRef | c_ast.UnaryOp) for node in header):
        return None
    if any(isinstance(node, c_ast.BinaryOp) and node.op in ("!=", "==") for node in header):
        # A longer step may go past the end.
        return None
    if has_effects(loop.cond) or any(counter in identifiers_in(each) for each in others):
        return None
    inside = list(nodes_below(parts.body))
    if any(isinstance(node, c_ast.Return | c_ast.Goto | c_ast.Label) for node in inside):
        return None
    if any(has_jump(parts.body, kind) for kind in (c_ast.Break, c_ast.Continue)):
        return None
    if any(_declares(node) and node.name == counter for node in inside):
        return None
    size = step.size(scopes.constant)
    return (counter, size) if size else None


Path = tuple[str, ...]
"""A variable, and the operators and members that lead from it to a pointer or an integer."""


@dataclass(frozen=True)
class _Value:
    """What `node` was before the loop; with a constant in `minuend`, that minus it."""

    path: Path
    node: c_ast.Node
    minuend: int | None = None

    def subtracted_from(self, constant: int) -> _Value:
        """A constant minus the value."""
        if self.minuend is None:
            return _Value(self.path, self.node, constant)
        if self.minuend != constant:
            raise _OtherUseError
        return _Value(self.path, self.node)

    def is_first_of(self, path: Path) -> bool:
        """Whether it is what a path was before the loop."""
        return self.path == path and self.minuend is None

    def expression(self) -> c_ast.Node:
        """The value in C."""
        if self.minuend is None:
            return self.node
        constant = c_ast.Constant("int", str(self.minuend), self.node.coord)
        return c_ast.BinaryOp("-", constant, self.node, self.node.coord)


@dataclass(frozen=True)
class _Exchange:
    """A statement that sets a path to another one's value, or to a constant minus that."""

    path: Path
    source: Path
    node: c_ast.Node
    minuend: int | None


class _OtherUseError(Exception):
    """What is exchanged is used in a way that is not understood."""


class _Exchanges:
    """The exchanges that each iteration of a loop makes, and the values that they lead to.

    `types` are those of what they set, `own` the variables that the loop declares.
    """

    def __init__(
        self, body: c_ast.Node, counter: str, scopes: Scopes, around: Collection[str]
    ) -> None:
        self._counter = counter
        self._scopes = scopes
        self._values: dict[Path, _Value] = {}
        self._set: dict[Path, None] = {}
        self._needed: dict[Path, None] = {}
        self.types: dict[Path, CType] = {}
        inside = list(nodes_below(body))
        self.own = frozenset(node.name for node in inside if _declares(node))
        self._exchanges = {id(node): each for node, each in self._found_in(body)}
        changed = {
            path_of(target)
            for node in inside
            if id(node) not in self._exchanges and (target := _changed_by(node)) is not None
        }
        changed |= {
            (name,)
            for name in (counter, *self.own)
            if name == counter
            or name in around
            or isinstance(scopes.meaning(name), DeclaredVariable)
        }
        while left := {
            each.path for each in self._exchanges.values() if self._is_left(each, changed, inside)
        }:
            changed |= left
            self._exchanges = {
                key: each for key, each in self._exchanges.items() if each.path not in left
            }
            self.types = {path: type for path, type in self.types.items() if path not in left}

    def _is_left(
        self, exchange: _Exchange, changed: Collection[Path | None], inside: Sequence[c_ast.Node]
    ) -> bool:
        """Whether an exchange is one of what `changed`, or may be through other names."""
        for path in (exchange.path, exchange.source):
            if any(path[:length] in changed for length in range(1, len(path) + 1)):
                return True
            if len(path) > 1 and any(
                isinstance(node, c_ast.StructRef)
                and node.field.name == path[-1]
                and path_of(node) not in self.types
                for node in inside
            ):
                return True
        return exchange.source[0] in self.own and exchange.source not in self.types

    def _found_in(self, node: c_ast.Node) -> Iterator[tuple[c_ast.Node, _Exchange]]:
        """The statements of a block that may be exchanges; `types` gets what they set."""
        match node:
            case c_ast.Compound():
                for item in node.block_items or ():
                    yield from self._found_in(item)
                return
            case c_ast.Decl(init=value) if value is not None and not node.storage:
                type: CType | None = self._scopes.type_of(node.type)
            case c_ast.Assignment(op="=", lvalue=target, rvalue=value):
                type = self._type_of(target)
            case _:
                return
        path = path_of(getattr(node, "lvalue", node))
        minuend = None
        if isinstance(value, c_ast.BinaryOp) and value.op == "-":
            minuend, value = self._scopes.constant(value.left), value.right
            if minuend is None:
                return
        source = path_of(value)
        if path is None or source is None:
            return
        known = self.types.get(source) or self._type_of(value)
        # A difference of narrow integers is one of `int`, which an assignment makes narrow again.
        least = SCHAR.rank if minuend is None else INT.rank
        is_integer = isinstance(type, Arithmetic) and type.is_signed and type.rank >= least
        is_pointer = isinstance(type, Pointer) and isinstance(known, Pointer) and minuend is None
        if type is not None and (is_pointer or (is_integer and known == type)):
            self.types[path] = type
            yield node, _Exchange(path, source, value, minuend)

    def _type_of(self, node: c_ast.Node) -> CType | None:
        return self._scopes.type_of_lvalue(node, self._scopes.type_of_variable)

    def are_undone(self) -> bool:
        """Whether what iterations need is again what it was before the loop."""
        return all(self._values[path].is_first_of(path) for path in self._needed)

    def copied(self, body: c_ast.Node, offset: int) -> c_ast.Node:
        """The next iteration without its exchanges, where the counter has `offset` more."""
        self._set = {}
        return self._copied(body, offset)

    def _copied(self, node: c_ast.Node, offset: int) -> c_ast.Node:
        if isinstance(node, c_ast.Compound):
            items = [self._copied(each, offset) for each in node.block_items or ()]
            return c_ast.Compound(items, node.coord)
        exchange = self._exchanges.get(id(node))
        if exchange is None:
            return self.replaced(node, offset)
        value = self._read(exchange.source, exchange.node)
        if exchange.minuend is not None:
            value = value.subtracted_from(exchange.minuend)
        self._values[exchange.path] = value
        self._set[exchange.path] = None
        return c_ast.EmptyStatement(node.coord)

    def _read(self, path: Path, node: c_ast.Node) -> _Value:
        if path in self.types and path not in self._set:
            self._needed[path] = None
        return self._values.get(path) or _Value(path, node)

    def replaced(self, node: c_ast.Node, offset: int) -> c_ast.Node:
        """A part of the loop, with the values that variables have in an iteration."""
        path = path_of(node) if isinstance(node, c_ast.ID | c_ast.StructRef) else None
        if path is not None and path in self.types:
            value = self._read(path, node)
            if self.types[path] != (self.types.get(value.path) or self._type_of(value.node)):
                raise _OtherUseError
            return value.expression()
        match node:
            case c_ast.ID(name=name) if name == self._counter and offset:
                amount = c_ast.Constant("int", str(abs(offset)), node.coord)
                return c_ast.BinaryOp("+" if offset > 0 else "-", node, amount, node.coord)
            case c_ast.StructRef(name=base):
                base = self.replaced(base, offset)
                return c_ast.StructRef(base, node.type, node.field, node.coord)
            case c_ast.NamedInitializer(expr=value):
                return c_ast.NamedInitializer(node.name, self.replaced(value, offset), node.coord)
            case _:
                return rebuilt(node, lambda child: self.replaced(child, offset))

    def alone(self, node: c_ast.Node) -> Iterator[c_ast.Node]:
        """The exchanges in a block, without all else."""
        sources = {each.source: None for each in self._exchanges.values()}
        for item in node.block_items or () if isinstance(node, c_ast.Compound) else (node,):
            exchange = self._exchanges.get(id(item))
            if isinstance(item, c_ast.Compound):
                yield c_ast.Compound(list(self.alone(item)), item.coord)
            elif exchange is not None and (
                exchange.path[0] not in self.own or exchange.path in sources
            ):
                yield item


def path_of(node: c_ast.Node) -> Path | None:
    """The path that an expression or a declaration is; `None` for all else."""
    match node:
        case c_ast.ID(name=str(name)) | c_ast.Decl(name=str(name)):
            return (name,)
        case c_ast.StructRef(name=base, type=operator, field=c_ast.ID(name=member)):
            path = path_of(base)
            return None if path is None else (*path, operator, member)
        case _:
            return None


def _changed_by(node: c_ast.Node) -> c_ast.Node | None:
    """What a node itself declares, assigns to, or takes the address of."""
    match node:
        case c_ast.Assignment(lvalue=target):
            return target
        case c_ast.UnaryOp(op=operator, expr=target) if operator in ("&", *STEPS):
            return target
        case c_ast.Decl(name=str()):
            return node
        case _:
            return None


def _declares(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.Decl) and node.name is not None
