"""How a region uses names, found from its syntax before translation."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from pycparser import c_ast

from polyir.frontend.c.scopes import DeclaredVariable, Scopes
from polyir.frontend.c.types import CArrayType, Pointer

Key = tuple[str, ...]
"""A variable and the members that lead from it to an object: `s->a[i]` has `("s", "a")`."""

STEPS: Final[Mapping[str, str]] = MappingProxyType({"++": "+", "p++": "+", "--": "-", "p--": "-"})
"""Whether an operator that steps a variable adds 1 or takes it away."""


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


def identifiers_in(node: c_ast.Node | None) -> Iterator[str]:
    """The names of variables and functions in a part of a program."""
    found = () if node is None else nodes_below(node)
    return (str(inner.name) for inner in found if isinstance(inner, c_ast.ID))


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
            case c_ast.UnaryOp(op=operator, expr=target) if operator in STEPS:
                yield target


def names_assigned_in(node: c_ast.Node) -> frozenset[str]:
    """The variables that a statement assigns to as a whole."""
    targets = assigned_in(node)
    return frozenset(str(target.name) for target in targets if isinstance(target, c_ast.ID))


def has_effects(node: c_ast.Node) -> bool:
    """Whether an expression assigns, or calls a function."""
    has_call = any(isinstance(inner, c_ast.FuncCall) for inner in nodes_below(node))
    return has_call or any(True for _ in assigned_in(node))


@dataclass(frozen=True)
class Step:
    """A statement that adds `amount` to a variable, or takes it away; 1 if it is `None`."""

    node: c_ast.Node
    target: c_ast.ID
    amount: c_ast.Node | None
    is_negative: bool

    @property
    def name(self) -> str:
        """The variable."""
        return str(self.target.name)

    def size(self, constant_of: Callable[[c_ast.Node], int | None]) -> int | None:
        """What is added; `None` if `constant_of` gives no number for the amount."""
        value = 1 if self.amount is None else constant_of(self.amount)
        return -value if value is not None and self.is_negative else value


@dataclass(frozen=True)
class LoopParts:
    """A `for` in the order of its execution: `first`, and for each iteration `body` and `last`.

    `last` is the third part of the header, and steps that the statement ends with, which are not in
    `body`. `counted` are the variables that `first` sets, that the condition or a step in `last`
    changes, and that nothing else in the loop changes.
    """

    first: tuple[c_ast.Node, ...]
    body: c_ast.Node
    last: tuple[c_ast.Node, ...]
    counted: frozenset[str]


def step_of(node: c_ast.Node) -> Step | None:
    """The step that a statement is."""
    match node:
        case c_ast.UnaryOp(op="++" | "p++" | "--" | "p--", expr=c_ast.ID() as target):
            return Step(node, target, None, node.op.endswith("--"))
        case c_ast.Assignment(op="+=" | "-=", lvalue=c_ast.ID() as target):
            return Step(node, target, node.rvalue, node.op == "-=")
        case c_ast.Assignment(
            op="=", lvalue=c_ast.ID() as target, rvalue=c_ast.BinaryOp(op="+" | "-") as sum
        ):
            amount = _summand(sum, target.name)
            return None if amount is None else Step(node, target, amount, sum.op == "-")
        case _:
            return None


def steps_below(node: c_ast.Node) -> Iterator[Step]:
    """The steps in a statement."""
    return (step for inner in nodes_below(node) if (step := step_of(inner)) is not None)


def _summand(sum: c_ast.BinaryOp, name: str) -> c_ast.Node | None:
    """What is added to (or taken from) the variable `name`."""
    if isinstance(sum.left, c_ast.ID) and sum.left.name == name:
        return sum.right
    if sum.op == "+" and isinstance(sum.right, c_ast.ID) and sum.right.name == name:
        return sum.left
    return None


def chosen_value(node: c_ast.Node | None, name: str) -> c_ast.Node | None:
    """What a variable is after a statement that does nothing but set it, or not; `None` for others.

    After `if (i < 0) i += n;`, `i` is `i < 0 ? i + n : i`.
    """
    step = None if node is None else step_of(node)
    match node:
        case None:
            return c_ast.ID(name)
        case c_ast.Compound(block_items=[inner]):
            return chosen_value(inner, name)
        case c_ast.If():
            true, false = (chosen_value(each, name) for each in (node.iftrue, node.iffalse))
            if true is None or false is None or has_effects(node.cond):
                return None
            return c_ast.TernaryOp(node.cond, true, false, node.coord)
        case _ if step is not None and step.name == name:
            one = step.amount or c_ast.Constant("int", "1", node.coord)
            operator = "-" if step.is_negative else "+"
            return c_ast.BinaryOp(operator, step.target, one, node.coord)
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=found)) if found == name:
            return None if has_effects(node.rvalue) else node.rvalue
        case _:
            return None


def parts_of(loop: c_ast.For) -> LoopParts:
    """The parts of a loop, found from its syntax."""
    first = tuple(_listed(loop.init))
    inner = {node.name for node in nodes_below(loop.stmt) if isinstance(node, c_ast.Decl)}
    changes = [key_of(target) for target in assigned_in(loop)]
    once = {
        name
        for item in first
        if (name := name_set_by(item)) is not None and name not in inner
        if changes.count((name,)) == (1 if isinstance(item, c_ast.Decl) else 2)
    }
    body, steps = _without_steps(loop.stmt, once)
    last = (*steps, *_listed(loop.next))
    own = {item.name for item in first if isinstance(item, c_ast.Decl)}
    varying = own | {key[0] for key in changes if key is not None}
    stepped = {
        step.name
        for item in last
        if (step := step_of(item)) is not None and varying.isdisjoint(identifiers_in(step.amount))
    }
    if loop.cond is not None:
        stepped |= {key[0] for target in assigned_in(loop.cond) if (key := key_of(target))}
    return LoopParts(first, body, last, frozenset(once & stepped))


def _listed(header: c_ast.Node | None) -> Iterator[c_ast.Node]:
    """The statements in a part of a loop's header."""
    match header:
        case None:
            pass
        case c_ast.DeclList():
            yield from header.decls
        case c_ast.ExprList():
            for item in header.exprs:
                yield from _listed(item)
        case c_ast.Assignment(op="=", rvalue=c_ast.Assignment(op="=") as inner) if isinstance(
            inner.lvalue, c_ast.ID
        ):
            # `i = j = 0` sets `j` first.
            yield from _listed(inner)
            yield c_ast.Assignment("=", header.lvalue, inner.lvalue, header.coord)
        case _:
            yield header


def name_set_by(item: c_ast.Node) -> str | None:
    """The variable that an assignment sets, or that a declaration initialises."""
    match item:
        case c_ast.Decl(name=name) if item.init is not None:
            return str(name)
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name)):
            return str(name)
        case _:
            return None


def _without_steps(
    statement: c_ast.Node, names: Collection[str]
) -> tuple[c_ast.Node, tuple[c_ast.Node, ...]]:
    """A statement without the steps of `names` that it ends with, which each execution reaches."""
    items = list(statement.block_items or ()) if isinstance(statement, c_ast.Compound) else []
    if any(isinstance(node, c_ast.Continue) for node in nodes_below(statement)):
        return statement, ()
    end = len(items)
    while end > 0:
        step = step_of(items[end - 1])
        is_literal = step is not None and isinstance(step.amount, c_ast.Constant | None)
        if step is None or not is_literal or step.name not in names:
            break
        end -= 1
    if end == len(items):
        return statement, ()
    return c_ast.Compound(items[:end], statement.coord), tuple(items[end:])


def counted_names(loop: c_ast.For) -> frozenset[str]:
    """The variables that a loop counts, if they are declared outside the loop."""
    parts = parts_of(loop)
    declared = {item.name for item in parts.first if isinstance(item, c_ast.Decl)}
    return parts.counted - declared


def names_set_first(loop: c_ast.For) -> frozenset[str]:
    """The variables declared outside a loop that it sets before all else."""
    return frozenset(
        name
        for item in _listed(loop.init)
        if not isinstance(item, c_ast.Decl) and (name := name_set_by(item)) is not None
    )


def region_names(statements: Sequence[c_ast.Node], scopes: Scopes) -> RegionNames:
    """Read the names of a region in `scopes`."""
    counting: dict[int, None] = {}
    counted: dict[str, None] = {}
    indexed: dict[Key, None] = {}
    mentioned: dict[str, None] = {}
    for statement in statements:
        for node in nodes_below(statement):
            match node:
                case c_ast.For():
                    names = [n for n in parts_of(node).counted if not _is_pointer(n, scopes)]
                    outer = counted_names(node)
                    counted.update((name, None) for name in names if name in outer)
                    keys = [(name,) for name in names]
                    targets = [target for target in assigned_in(node) if key_of(target) in keys]
                    counting.update((id(target), None) for target in targets)
                case c_ast.ArrayRef(name=base):
                    _add(indexed, base)
                case c_ast.UnaryOp(op="*", expr=c_ast.BinaryOp() as base):
                    _add(indexed, base)
                case c_ast.ID():
                    mentioned[node.name] = None
    stored: dict[Key, None] = {}
    assigned: dict[Key, None] = {}
    for statement in statements:
        for target in assigned_in(statement):
            if id(target) not in counting:
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


def _is_pointer(name: str, scopes: Scopes) -> bool:
    meaning = scopes.meaning(name)
    return isinstance(meaning, DeclaredVariable) and isinstance(meaning.type, Pointer | CArrayType)


def _used_outside_loops(node: c_ast.Node, counters: frozenset[str]) -> Iterator[str]:
    """The names in `node` that no loop around them counts; `counters` are those of outer loops."""
    match node:
        case c_ast.For():
            counted = counted_names(node)
            for item in parts_of(node).first:
                name = name_set_by(item)
                if name in counted:
                    yield from _used_outside_loops(item.rvalue, counters)
                    counters |= {name}
                else:
                    yield from _used_outside_loops(item, counters)
            for part in (node.cond, node.next, node.stmt):
                if part is not None:
                    yield from _used_outside_loops(part, counters)
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
