"""Functions of the file in place of calls that are statements, before a region is translated.

    init(A, i);                      { int k = i; for (int j = 0; j < N; j++) A[k][j] = 0; }

A parameter is a variable that starts as its argument; one that leads to memory is the argument
itself. All that the function declares gets a name that is new in the region.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pycparser import c_ast

from polyir.base.diagnostics import SourceLocation
from polyir.frontend.c.effects import Functions, Reads
from polyir.frontend.c.errors import NotModelledError, location_of_node, refuse, refuse_call
from polyir.frontend.c.jumps import without_return
from polyir.frontend.c.names import STEPS, assigned_in, has_effects, key_of, nodes_below
from polyir.frontend.c.rewriting import Renaming, rebuilt
from polyir.frontend.c.scopes import FunctionName, Scopes, parameters_of
from polyir.frontend.c.types import Arithmetic, CArrayType, CType, Other, Pointer, Record
from polyir.sets.names import unique_name

MOST_CALLS: Final = 200
"""How many calls of one region are replaced."""


@dataclass(frozen=True)
class _Expansion:
    """The statements that a call stands for, and the value that it has after them."""

    statements: tuple[c_ast.Node, ...]
    value: c_ast.Cast | None


class Inliner:
    """Replaces calls in `statements`, a region of `function`; `scopes` is what is declared there.

    If `with_readers`, also calls in expressions of functions without effects that read memory.
    """

    def __init__(
        self,
        function: c_ast.FuncDef,
        scopes: Scopes,
        functions: Functions,
        statements: Sequence[c_ast.Node],
        with_readers: bool,
    ) -> None:
        self._scopes = scopes
        self._functions = functions
        self._with_readers = with_readers
        self.has_readers = False
        """Whether there are calls that only an inliner `with_readers` replaces."""
        self._entered = [str(function.decl.name)]
        self._names: dict[str, str] = {}
        self._count = 0
        self._calls: dict[SourceLocation, tuple[str, c_ast.FuncCall]] = {}
        below = [node for item in statements for node in nodes_below(item)]
        self._declared = {node.name: None for node in below if isinstance(node, c_ast.Decl)}
        mentioned = {node.name: None for node in below if isinstance(node, c_ast.ID)}
        self._taken: dict[str | None, None] = {**mentioned, **self._declared}

    def expanded(self, items: Sequence[c_ast.Node]) -> list[c_ast.Node]:
        """The statements of a block, without the calls that can be replaced.

        Raises `NotModelledError` for a statement that calls a function of the file which cannot.
        """
        return [new for item in items for new in self._statement(item)]

    def explained(self, error: NotModelledError) -> NotModelledError:
        """An error in the body of a function, as an error of its call in the region."""
        call = None if error.location is None else self._calls.get(error.location)
        if call is None:
            return error
        name, node = call
        while (place := location_of_node(node)) is not None and place in self._calls:
            name, node = self._calls[place]
        words = re.split(r"(?<=')(\w+)(?=')", error.message)
        why = "".join(self._names.get(word, word) for word in words)
        return _not_inlined(node, name, f"{why} ({error.location})")

    # Statements

    def _statement(self, node: c_ast.Node) -> list[c_ast.Node]:
        match node:
            case c_ast.FuncCall():
                return self._call(node)
            case c_ast.Cast(expr=c_ast.FuncCall() as call):
                return self._call(call)
            case c_ast.Assignment(lvalue=target, rvalue=value):
                before, new = self._hoisted(value, is_whole=node.op == "=")
                _check_order(target, before)
                changed = c_ast.Assignment(node.op, node.lvalue, new, node.coord)
                return self._block(node, (*before, changed)) if before else [changed]
            case c_ast.Decl(init=value) if value is not None:
                before, new = self._hoisted(value, is_whole=True)
                declaration = rebuilt(node, lambda child: new if child is value else child)
                return [*before, declaration]
            case c_ast.Compound():
                return [c_ast.Compound(self.expanded(node.block_items or ()), node.coord)]
            case c_ast.If():
                true, false = self._body(node.iftrue), self._body(node.iffalse)
                before, condition = self._hoisted(node.cond, is_whole=True)
                branch = c_ast.If(condition, true, false, node.coord)
                return self._block(node, (*before, branch)) if before else [branch]
            case c_ast.For():
                body = self._body(node.stmt)
                return [c_ast.For(node.init, node.cond, node.next, body, node.coord)]
            case c_ast.While() | c_ast.DoWhile():
                return [type(node)(node.cond, self._body(node.stmt), node.coord)]
            case _:
                return [node]

    def _call(self, node: c_ast.FuncCall) -> list[c_ast.Node]:
        """A call whose result is not used."""
        if self._definition(node) is not None and self._is_silent(node):
            arguments = node.args if node.args is not None else c_ast.ExprList([])
            return [] if not has_effects(arguments) else [node]
        expansion = self._expansion(node)
        if expansion is None:
            return [node]
        rest = () if expansion.value is None else (expansion.value.expr,)
        used = (part for part in rest if has_effects(part))
        return self._block(node, (*expansion.statements, *used))

    def _body(self, node: c_ast.Node | None) -> c_ast.Node | None:
        """A statement in place of one, in a scope of its own."""
        if node is None:
            return None
        items = self._statement(node)
        return items[0] if len(items) == 1 else c_ast.Compound(items, node.coord)

    @staticmethod
    def _block(node: c_ast.Node, items: Sequence[c_ast.Node]) -> list[c_ast.Node]:
        return [c_ast.Compound(list(items), node.coord)]

    def _hoisted(
        self, node: c_ast.Node, is_whole: bool, is_always: bool = True
    ) -> tuple[tuple[c_ast.Node, ...], c_ast.Node]:
        """Statements before an expression, and the expression without the calls in them.

        `is_always` says that it is always evaluated. A function with effects must be all of the
        expression: otherwise they may come between the evaluations of other parts.
        """
        match node:
            case c_ast.FuncCall():
                return self._value(node, is_whole, is_always)
            case c_ast.Assignment(op="=", lvalue=target, rvalue=value) if is_whole and is_always:
                # `a = b = f(x)`
                found, new = self._hoisted(value, is_whole)
                _check_order(target, found)
                return found, c_ast.Assignment("=", target, new, node.coord)
            case c_ast.UnaryOp(op="&" | "sizeof") | c_ast.Assignment():
                return (), node
            case c_ast.TernaryOp() if is_always and (type := self._structure_of(node)):
                # A statement can copy numbers; there is no choice between structures.
                value = c_ast.ID(self._fresh("value"), node.coord)
                arms = (
                    c_ast.Assignment("=", value, arm, node.coord)
                    for arm in (node.iftrue, node.iffalse)
                )
                branch = c_ast.If(node.cond, *arms, node.coord)
                declaration = _variable(_type_named(value.name, type), value, None)
                return (declaration, *self._statement(branch)), value
        before: list[c_ast.Node] = []

        def change(child: c_ast.Node) -> c_ast.Node:
            is_first = child is next(iter(node))
            may_skip = isinstance(node, c_ast.TernaryOp) or (
                isinstance(node, c_ast.BinaryOp) and node.op in ("&&", "||")
            )
            is_reached = is_always and (is_first or not may_skip)
            # What comes first in `a && b` and `a ? b : c` is evaluated before all else.
            is_all = isinstance(node, c_ast.Cast) or (may_skip and is_first)
            more, new = self._hoisted(child, is_whole and is_all, is_reached)
            before.extend(more)
            return new

        if not any(isinstance(inner, c_ast.FuncCall) for inner in nodes_below(node)):
            return (), node
        new = rebuilt(node, change)
        return tuple(before), new

    def _value(
        self, node: c_ast.FuncCall, is_whole: bool, is_always: bool
    ) -> tuple[tuple[c_ast.Node, ...], c_ast.Node]:
        """A call whose result is used."""
        definition = self._definition(node)
        is_silent = self._is_silent(node)
        is_wanted = definition is not None and not (is_silent and self._is_operation(node))
        if is_wanted and is_silent:
            self.has_readers = True
            is_wanted = self._with_readers
        elif is_wanted:
            is_wanted = is_always and is_whole
        is_possible = is_always or (definition is not None and _is_expression(definition))
        expansion = self._expansion(node) if is_wanted and is_possible else None
        if expansion is None or expansion.value is None or (expansion.statements and not is_always):
            return self._arguments_hoisted(node, is_always)
        return expansion.statements, expansion.value

    def _arguments_hoisted(
        self, node: c_ast.FuncCall, is_always: bool
    ) -> tuple[tuple[c_ast.Node, ...], c_ast.Node]:
        """A call that stays, and statements before it for the calls in its arguments."""
        before: list[c_ast.Node] = []
        arguments: list[c_ast.Node] = []
        for argument in node.args.exprs if node.args is not None else ():
            more, new = self._hoisted(argument, is_whole=False, is_always=is_always)
            before += more
            arguments.append(new)
        if node.args is None:
            return (), node
        given = c_ast.ExprList(arguments, node.args.coord)
        return tuple(before), c_ast.FuncCall(node.name, given, node.coord)

    # Calls

    def _definition(self, node: c_ast.FuncCall) -> c_ast.FuncDef | None:
        """The definition of the function that a call names, if the file has one."""
        if not isinstance(node.name, c_ast.ID) or node.name.name in self._declared:
            return None
        is_function = isinstance(self._scopes.meaning(node.name.name), FunctionName)
        return self._functions.definitions.get(node.name.name) if is_function else None

    def _is_silent(self, node: c_ast.FuncCall) -> bool:
        """Whether a call has no effects."""
        name = node.name.name if isinstance(node.name, c_ast.ID) else ""
        return not isinstance(self._functions.reads(name), NotModelledError)

    def _structure_of(self, node: c_ast.Node) -> c_ast.TypeDecl | None:
        """The type of a call, or of a choice between calls, whose result is a structure."""
        match node:
            case c_ast.TernaryOp(iftrue=true, iffalse=false):
                return self._structure_of(true) or self._structure_of(false)
            case c_ast.FuncCall() if (definition := self._definition(node)) is not None:
                declared = definition.decl.type.type
                is_structure = isinstance(self._scopes.type_of(declared), Record)
                return declared if is_structure else None
            case _:
                return None

    def _is_operation(self, node: c_ast.FuncCall) -> bool:
        """Whether a call that has no effects is a number that depends only on its operands."""
        name = node.name.name if isinstance(node.name, c_ast.ID) else ""
        meaning = self._scopes.meaning(name)
        has_structure = isinstance(meaning, FunctionName) and isinstance(
            meaning.type.result, Record
        )
        return self._functions.reads(name) == Reads() and not has_structure

    def _expansion(self, call: c_ast.FuncCall) -> _Expansion | None:
        """What a call stands for; `None` if it stays."""
        definition = self._definition(call)
        if definition is None:
            return None
        name = str(definition.decl.name)
        self._count += 1
        if name in self._entered:
            raise refuse_call(call, f"a call of '{name}', which calls itself")
        if self._count > MOST_CALLS:
            raise refuse_call(call, f"a call of '{name}', one of more than {MOST_CALLS} to inline")
        outer = self._calls
        for node in nodes_below(definition):
            place = location_of_node(node)
            if place is not None:
                outer.setdefault(place, (name, call))
        try:
            body, result = _parts(definition)
            self._check_types(definition)
            whole = body if result is None else [*body, result]
            names, before = self._bound(call, definition, whole)
        except NotModelledError as error:
            if error.location is None:
                raise _not_inlined(call, name, error.message) from None
            raise
        renaming = Renaming(names, self._fresh, lambda node: self._check_name(node, node.name))
        own = [_simplified(renaming.applied(item)) for item in body]
        # Arguments are those of the caller, and may call the function themselves.
        before = self.expanded(before)
        self._entered.append(name)
        try:
            statements = (*before, *self.expanded(own))
            if result is None:
                return _Expansion(statements, None)
            last, value = self._hoisted(_simplified(renaming.applied(result)), is_whole=True)
        finally:
            self._entered.pop()
        type = c_ast.Typename(None, [], None, definition.decl.type.type)
        return _Expansion((*statements, *last), c_ast.Cast(type, value, call.coord))

    def _check_types(self, definition: c_ast.FuncDef) -> None:
        """Refuse a function with a name for a type that means something else at the call."""
        for node in nodes_below(definition):
            if isinstance(node, c_ast.IdentifierType) and len(node.names) == 1:
                self._check_name(node, node.names[0])

    def _check_name(self, node: c_ast.Node, name: str) -> None:
        """Refuse what is not declared, or hidden, at the call."""
        if name in self._functions.macros:
            raise refuse_call(node, f"'{name}' may be a macro at the call")
        is_other = name in self._declared or not self._scopes.means_global(name)
        if is_other and self._functions.is_declared(name):
            raise refuse_call(node, f"'{name}' is not declared at the call, or hidden there")

    # Parameters

    def _bound(
        self, call: c_ast.FuncCall, definition: c_ast.FuncDef, body: Sequence[c_ast.Node]
    ) -> tuple[Mapping[str, c_ast.Node], list[c_ast.Node]]:
        """What the parameters of a function are in its body, and statements that set them."""
        arguments: Sequence[c_ast.Node] = call.args.exprs if call.args is not None else ()
        types = self._scopes.parameter_types(definition)
        if len(types) != len(arguments):
            raise refuse_call(None, "its parameters do not match the arguments")
        assigned = {
            key[0]: None
            for item in body
            for key in map(key_of, assigned_in(item))
            if key is not None
        }
        names: dict[str, c_ast.Node] = {}
        before: list[c_ast.Node] = []
        declarations = parameters_of(definition)[: len(types)]
        for parameter, type, argument in zip(declarations, types, arguments, strict=True):
            name = parameter.name
            if name is None:
                raise refuse_call(definition.decl, "a parameter without a name")
            if (
                isinstance(type, Arithmetic)
                and _is_expression(definition)
                and not has_effects(argument)
            ):
                converted = c_ast.Typename(None, [], None, parameter.type)
                names[name] = c_ast.Cast(converted, argument, argument.coord)
            elif isinstance(type, Arithmetic | Record):
                variable = c_ast.ID(self._fresh(name), call.coord)
                names[name] = variable
                before.append(_variable(parameter.type, variable, argument))
            elif isinstance(type, Pointer):
                self._check_pointer(parameter, type, argument, body)
                names[name] = self._fixed(argument, assigned, before)
            else:
                raise refuse_call(
                    definition.decl, f"the parameter '{name}', whose type is not supported"
                )
        return names, before

    def _fresh(self, name: str) -> str:
        new = self._scopes.unused_name(name, self._taken)
        self._taken[new] = None
        self._names[new] = name
        return new

    def _check_pointer(
        self,
        parameter: c_ast.Decl | c_ast.Typename,
        type: Pointer,
        argument: c_ast.Node,
        body: Sequence[c_ast.Node],
    ) -> None:
        """Refuse a pointer that the function changes, or that leads to another type."""
        name = parameter.name
        for item in body:
            for node in nodes_below(item):
                target = node.lvalue if isinstance(node, c_ast.Assignment) else None
                if isinstance(node, c_ast.UnaryOp) and node.op in ("&", *STEPS):
                    target = node.expr
                if isinstance(target, c_ast.ID) and target.name == name:
                    raise refuse_call(node, f"the pointer '{name}' is changed")
        if key_of(argument) is None:
            raise refuse_call(
                None, f"the argument for '{name}' is not the name of an array or pointer"
            )
        known = self._target_of(argument, _is_only_followed(name, body))
        if known is not None and not _is_same(type.target, known):
            raise refuse_call(None, f"the argument for '{name}' leads to another type")

    def _target_of(self, node: c_ast.Node, is_only_followed: bool) -> CType | None:
        """What an argument leads to; `None` if that is not known. Refuses parts of rows."""
        root = key_of(node)
        is_address = isinstance(node, c_ast.UnaryOp) and node.op == "&"
        base = node.expr if is_address else node
        is_element = isinstance(base, c_ast.ArrayRef) and isinstance(base.name, c_ast.ArrayRef)
        if is_address and is_element and not is_only_followed:
            raise refuse_call(None, "the address of an element of a row may lead to other rows")
        if root is None or root[0] in self._declared:
            return None
        if is_address:
            return self._scopes.type_of_lvalue(base, self._scopes.type_of_variable)
        match self._scopes.type_of_lvalue(node, self._scopes.type_of_variable):
            case CArrayType(element=target) | Pointer(target=target):
                return target
            case _:
                return None

    def _fixed(
        self, node: c_ast.Node, assigned: Mapping[str, None], before: list[c_ast.Node]
    ) -> c_ast.Node:
        """An argument whose subscripts stay the same while the function is executed."""
        match node:
            case c_ast.ArrayRef():
                base = self._fixed(node.name, assigned, before)
                index = self._fixed_number(node.subscript, assigned, before)
                return c_ast.ArrayRef(base, index, node.coord)
            case c_ast.BinaryOp(op="+" | "-"):
                left = self._fixed(node.left, assigned, before)
                right = self._fixed_number(node.right, assigned, before)
                return c_ast.BinaryOp(node.op, left, right, node.coord)
            case c_ast.StructRef():
                base = self._fixed(node.name, assigned, before)
                return c_ast.StructRef(base, node.type, node.field, node.coord)
            case c_ast.UnaryOp(op="&" | "*"):
                inner = self._fixed(node.expr, assigned, before)
                return c_ast.UnaryOp(node.op, inner, node.coord)
            case c_ast.ID(name=name) if name not in assigned or not self._scopes.is_global(name):
                return node
            case c_ast.ID(name=name) if isinstance(self._scopes.type_of_variable(name), CArrayType):
                return node
            case _:
                raise refuse_call(None, "an argument that leads to memory is not in a simple form")

    def _fixed_number(
        self, node: c_ast.Node, assigned: Mapping[str, None], before: list[c_ast.Node]
    ) -> c_ast.Node:
        simple = (c_ast.ID, c_ast.Constant, c_ast.BinaryOp)
        inner = tuple(nodes_below(node))
        is_simple = all(isinstance(part, simple) for part in inner)
        if is_simple and not any(getattr(part, "name", None) in assigned for part in inner):
            return node
        name = c_ast.ID(self._fresh("subscript"), node.coord)
        type = c_ast.TypeDecl(name.name, [], None, c_ast.IdentifierType(["long"]))
        before.append(_variable(type, name, node))
        return name


def _not_inlined(call: c_ast.FuncCall, name: str, why: str) -> NotModelledError:
    return refuse_call(call, f"a call of '{name}', which cannot be inlined: {why}")


def _check_order(target: c_ast.Node, before: Sequence[c_ast.Node]) -> None:
    """Refuse statements that change which element is assigned to after them: C leaves it open."""
    changed = {key[0] for item in before for key in map(key_of, assigned_in(item)) if key}
    for node in nodes_below(target):
        for inner in nodes_below(node.subscript) if isinstance(node, c_ast.ArrayRef) else ():
            if isinstance(inner, c_ast.ID) and inner.name in changed:
                raise refuse_call(
                    inner, f"'{inner.name}', which a function changes that is called here"
                )


def _is_expression(definition: c_ast.FuncDef) -> bool:
    """Whether a function is one `return`."""
    items = list(definition.body.block_items or ())
    return len(items) == 1 and isinstance(items[0], c_ast.Return)


def _is_only_followed(pointer: str, body: Sequence[c_ast.Node]) -> bool:
    """Whether a function uses a pointer only as `*p` and `p->x`."""
    uses = followed = 0
    for node in (inner for item in body for inner in nodes_below(item)):
        target: c_ast.Node | None = None
        match node:
            case c_ast.ID(name=name):
                uses += name == pointer
            case c_ast.UnaryOp(op="*", expr=target) | c_ast.StructRef(type="->", name=target):
                followed += isinstance(target, c_ast.ID) and target.name == pointer
            case _:
                pass
    return uses == followed


def _parts(definition: c_ast.FuncDef) -> tuple[list[c_ast.Node], c_ast.Node | None]:
    """The statements of a function and the expression that it returns after them.

    With a `return` before the end, that is a variable that each of them sets.
    """
    items = list(definition.body.block_items or ())
    returned = [node for node in nodes_below(definition.body) if isinstance(node, c_ast.Return)]
    if all(node.expr is None for node in returned):
        return without_return(items), None
    if len(returned) == 1 and items[-1] is returned[0]:
        return items[:-1], returned[0].expr
    declared = definition.decl.type.type
    if not isinstance(declared, c_ast.TypeDecl):
        raise refuse(returned[0], "'return' of a pointer before the end", name="jump")
    taken = {
        node.name for node in nodes_below(definition) if isinstance(node, c_ast.ID | c_ast.Decl)
    }
    name = unique_name("result", taken)
    result = c_ast.ID(name, definition.coord)

    def assigning(node: c_ast.Node) -> c_ast.Node:
        if not isinstance(node, c_ast.Return) or node.expr is None:
            return rebuilt(node, assigning)
        assignment = c_ast.Assignment("=", result, node.expr, node.coord)
        return c_ast.Compound([assignment, c_ast.Return(None, node.coord)], node.coord)

    first = _variable(_type_named(name, declared), result, None)
    return [first, *without_return([assigning(item) for item in items])], result


def _type_named(name: str, type: c_ast.TypeDecl) -> c_ast.TypeDecl:
    """The type of a value, for a variable."""
    return c_ast.TypeDecl(name, [], None, type.type)


def _variable(type: c_ast.Node, name: c_ast.ID, value: c_ast.Node | None) -> c_ast.Decl:
    return c_ast.Decl(name.name, [], [], [], [], type, value, None, name.coord)


def _is_same(expected: CType, known: CType) -> bool:
    """Whether two types agree; an extent that is not constant agrees with all."""
    if isinstance(expected, CArrayType) and isinstance(known, CArrayType):
        is_open = expected.extent is None or known.extent is None
        is_equal = is_open or expected.extent == known.extent
        return is_equal and _is_same(expected.element, known.element)
    return expected == known and not isinstance(expected, Other)


def _simplified(node: c_ast.Node) -> c_ast.Node:
    """`node` without an address that is followed at once: `(&s)->x` is `s.x`, `*&x` is `x`."""
    node = rebuilt(node, _simplified)
    match node:
        case c_ast.StructRef(type="->", name=c_ast.UnaryOp(op="&", expr=base)):
            return c_ast.StructRef(base, ".", node.field, node.coord)
        case c_ast.UnaryOp(op="*", expr=c_ast.UnaryOp(op="&", expr=inner)):
            return inner
        case c_ast.ArrayRef(name=c_ast.UnaryOp(op="&", expr=c_ast.ArrayRef() as first)):
            index = c_ast.BinaryOp("+", first.subscript, node.subscript, node.coord)
            return c_ast.ArrayRef(first.name, index, node.coord)
        case _:
            return node
