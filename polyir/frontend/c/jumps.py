"""Jumps to the end of a block, as conditions around what they skip.

`continue` ends the body of a loop, `return` the body of a function without a result, and `break`
the block `do { } while (0)`:

    if (a) { X; continue; }   is   if (a) { X } else { Y }
    Y

`break` ends other loops, too, where a variable says whether they go on (`without_break`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import count
from typing import Final

from pycparser import c_ast

from polyir.frontend.c.errors import NotModelledError, refuse
from polyir.frontend.c.names import assigned_in, has_effects, identifiers_in, nodes_below
from polyir.frontend.c.rewriting import Renaming, declared_in, rebuilt

MOST_COPIES: Final = 8
"""How often what follows a condition may be written in both of its branches."""

_LOOPS: Final = (c_ast.For, c_ast.While, c_ast.DoWhile)
_JUMPS: Final = (c_ast.Break, c_ast.Continue)


def without_continue(node: c_ast.Node) -> c_ast.Node:
    """`node` without `continue` in the bodies of its loops.

    One in a form that is not modelled, inside `switch` for instance, stays. Raises
    `NotModelledError` if too much of a body would be copied.
    """
    if not any(isinstance(inner, c_ast.Continue) for inner in nodes_below(node)):
        return node
    node = rebuilt(node, without_continue)
    if isinstance(node, _LOOPS) and has_jump(node.stmt, c_ast.Continue):
        items = _Ending(c_ast.Continue, "continue").ended([node.stmt])
        body = c_ast.Compound(items, node.stmt.coord)
        return rebuilt(node, lambda child: body if child is node.stmt else child)
    return node


def without_break(items: Sequence[c_ast.Node]) -> list[c_ast.Node]:
    """The statements of a block, without `break` in their loops.

        for (k = a; k < b; k++)         k = a;
          if (p[k]) break;        is    int going = 1;
                                        while (going && k < b)
                                          if (p[k]) going = 0; else k++;

    One in a form that is not modelled, inside `switch` for instance, stays. A `while` loop whose
    condition steps a variable ends with `break`, too.
    """
    taken = {name: None for item in items for name in identifiers_in(item)}
    return [_without_break(item, taken) for item in items]


def _without_break(node: c_ast.Node, taken: dict[str, None]) -> c_ast.Node:
    node = _with_simple_test(rebuilt(node, lambda child: _without_break(child, taken)))
    if not isinstance(node, _LOOPS) or not has_jump(node.stmt, c_ast.Break):
        return node
    if any(isinstance(inner, c_ast.Switch) for inner in nodes_below(node.stmt)):
        return node
    name = next(each for n in count() if (each := f"going_{n}" if n else "going") not in taken)
    taken[name] = None
    going, place = c_ast.ID(name, node.coord), node.coord

    def left(inner: c_ast.Node) -> c_ast.Node:
        if isinstance(inner, c_ast.Break):
            end = c_ast.Assignment("=", going, c_ast.Constant("int", "0", place), place)
            return c_ast.Compound([end, inner], inner.coord)
        return inner if isinstance(inner, _LOOPS) else rebuilt(inner, left)

    before: list[c_ast.Node] = []
    inside = [left(without_continue(node).stmt)]
    if isinstance(node, c_ast.For):
        first = node.init
        before = list(first.decls) if isinstance(first, c_ast.DeclList) else [first]
        inside += [] if node.next is None else [node.next]
    try:
        body = c_ast.Compound(_Ending(c_ast.Break, "break").ended(inside), place)
    except NotModelledError:
        return node
    is_always = node.cond is None or (
        isinstance(node.cond, c_ast.Constant) and node.cond.value.strip("uUlL") == "1"
    )
    test = going if is_always else c_ast.BinaryOp("&&", going, node.cond, place)
    kind = c_ast.DoWhile if isinstance(node, c_ast.DoWhile) else c_ast.While
    type = c_ast.TypeDecl(name, [], None, c_ast.IdentifierType(["int"], place), place)
    one = c_ast.Constant("int", "1", place)
    flag = c_ast.Decl(name, [], [], [], [], type, one, None, place)
    parts = (each for each in (*before, flag) if each is not None)
    return c_ast.Compound([*parts, kind(test, body, place)], place)


def _with_simple_test(node: c_ast.Node) -> c_ast.Node:
    """`while (k-- > 0) X`, for instance, as `while (1) { if (!(k-- > 0)) break; X }`."""
    if not isinstance(node, c_ast.While | c_ast.DoWhile) or not any(assigned_in(node.cond)):
        return node
    place = node.cond.coord
    end = c_ast.If(c_ast.UnaryOp("!", node.cond, place), c_ast.Break(place), None, place)
    items = [end, node.stmt]
    if isinstance(node, c_ast.DoWhile):
        items = [without_continue(node).stmt, end]
    return type(node)(c_ast.Constant("int", "1", place), c_ast.Compound(items, place), node.coord)


def without_switch(node: c_ast.Node) -> c_ast.Node:
    """`node` with a chain of conditions for each `switch`.

        switch (k) {                        if (k == 1 || k == 2) { X }
          case 1: case 2: X; break;   is    else if (k == 3) { Y; Z }
          case 3: Y;                        else { Z }
          default: Z;
        }

    One in a form that is not modelled stays, and so does one whose value has effects.
    """
    if not any(isinstance(inner, c_ast.Switch) for inner in nodes_below(node)):
        return node
    node = rebuilt(node, without_switch)
    parts = node.stmt.block_items if isinstance(getattr(node, "stmt", 0), c_ast.Compound) else None
    if not isinstance(node, c_ast.Switch) or parts is None or has_effects(node.cond):
        return node
    if not all(isinstance(part, c_ast.Case | c_ast.Default) for part in parts):
        return node
    ending = _Ending(c_ast.Break, "break")
    labels: list[c_ast.Node] = []
    cases: list[tuple[c_ast.Node | None, c_ast.Node]] = []
    for place, part in enumerate(parts):
        labels.append(part)
        if not part.stmts:
            continue
        try:
            # It goes on with the next ones up to a break.
            body = ending.ended([item for each in parts[place:] for item in each.stmts or ()])
        except NotModelledError:
            return node
        tests = [
            c_ast.BinaryOp("==", node.cond, each.expr, each.coord)
            for each in labels
            if isinstance(each, c_ast.Case)
        ]
        is_default = len(tests) < len(labels)
        test = (
            reduce(lambda one, other: c_ast.BinaryOp("||", one, other, one.coord), tests)
            if tests
            else None
        )
        cases.append((None if is_default else test, c_ast.Compound(body, part.coord)))
        labels = []
    if any(has_jump(body, c_ast.Break) for _, body in cases):
        return node
    result = next((body for test, body in cases if test is None), None)
    for test, body in reversed(cases):
        if test is not None:
            result = c_ast.If(test, body, result, body.coord)
    return c_ast.EmptyStatement(node.coord) if result is None else result


def with_blocks(node: c_ast.Node) -> c_ast.Node:
    """`node` with `do { } while (0)` as a block, and `break` and `continue` in it as conditions.

    One with a jump in a form that is not modelled stays.
    """
    if not any(_runs_once(inner) for inner in nodes_below(node)):
        return node
    node = rebuilt(node, with_blocks)
    if not _runs_once(node):
        return node
    items = [node.stmt]
    try:
        for kind, name in ((c_ast.Break, "break"), (c_ast.Continue, "continue")):
            items = _Ending(kind, name).ended(items)
    except NotModelledError:
        return node
    is_block = not any(has_jump(item, kind) for item in items for kind in _JUMPS)
    return c_ast.Compound(items, node.coord) if is_block else node


def _runs_once(node: c_ast.Node) -> bool:
    return (
        isinstance(node, c_ast.DoWhile)
        and isinstance(node.cond, c_ast.Constant)
        and node.cond.value.rstrip("uUlL") == "0"
    )


def without_return(items: Sequence[c_ast.Node]) -> list[c_ast.Node]:
    """The statements of a function without a result, without `return` outside its loops."""
    return _Ending(c_ast.Return, "return").ended(items)


class _Ending:
    """Replaces jumps of one kind, which are called `name`."""

    def __init__(self, kind: type[c_ast.Node], name: str) -> None:
        self._kind = kind
        self._name = name
        self._copies = 0

    def ended(self, items: Sequence[c_ast.Node]) -> list[c_ast.Node]:
        """`items`, of which none jumps."""
        for position, item in enumerate(items):
            if isinstance(item, self._kind):
                return list(items[:position])
            if has_jump(item, self._kind):
                return [*items[:position], *self._joined(item, items[position + 1 :])]
        return list(items)

    def _joined(self, item: c_ast.Node, rest: Sequence[c_ast.Node]) -> list[c_ast.Node]:
        """`item`, in which there are jumps, and `rest`, which they skip."""
        match item:
            case c_ast.Compound():
                return [c_ast.Compound(self._flattened(item, rest), item.coord)]
            case c_ast.If():
                return self._branches(item, rest)
            case _:
                return [item, *self.ended(rest)]

    def _branches(self, item: c_ast.If, rest: Sequence[c_ast.Node]) -> list[c_ast.Node]:
        if rest and self._falls_through(item.iftrue) and self._falls_through(item.iffalse):
            self._copies += 1
            if self._copies > MOST_COPIES:
                raise refuse(item, f"'{self._name}' under too many conditions", name="jump")
        true, false = self._flattened(item.iftrue, rest), self._flattened(item.iffalse, rest)
        if not true and not false:
            return []
        if not true:
            negated = c_ast.UnaryOp("!", item.cond, item.cond.coord)
            return [c_ast.If(negated, c_ast.Compound(false, item.coord), None, item.coord)]
        other = c_ast.Compound(false, item.coord) if false else None
        return [c_ast.If(item.cond, c_ast.Compound(true, item.coord), other, item.coord)]

    def _flattened(self, part: c_ast.Node | None, rest: Sequence[c_ast.Node]) -> list[c_ast.Node]:
        """The statements of a block or branch, and after them `rest`."""
        if part is None or not has_jump(part, self._kind):
            return [*([] if part is None else [part]), *self.ended(rest)]
        items = list(part.block_items or ()) if isinstance(part, c_ast.Compound) else [part]
        return self.ended([*_apart(items, rest), *rest])

    def _falls_through(self, node: c_ast.Node | None) -> bool:
        """Whether what follows `node` may be executed after it."""
        match node:
            case c_ast.Compound():
                return all(self._falls_through(item) for item in node.block_items or ())
            case c_ast.If():
                return self._falls_through(node.iftrue) or self._falls_through(node.iffalse)
            case _:
                return not isinstance(node, self._kind)


def _apart(items: list[c_ast.Node], rest: Sequence[c_ast.Node]) -> list[c_ast.Node]:
    """`items`, whose declarations do not hide what `rest` names."""
    used = {
        inner.name: None
        for item in (*items, *rest)
        for inner in nodes_below(item)
        if isinstance(inner, c_ast.ID | c_ast.Decl)
    }
    named = {name: None for item in rest for name in identifiers_in(item)}

    def fresh(name: str) -> str:
        new, number = name, 0
        while name in named and new in used:
            number += 1
            new = f"{name}_{number}"
        used[new] = None
        return new

    if not any(name in named for name in declared_in(items)):
        return items
    renaming = Renaming({}, fresh)
    return [renaming.applied(item) for item in items]


def has_jump(node: c_ast.Node, kind: type[c_ast.Node]) -> bool:
    """Whether `node` holds a jump to the end of what is around it."""
    if isinstance(node, kind):
        return True
    if isinstance(node, _LOOPS):
        return False
    return any(has_jump(child, kind) for child in node)
