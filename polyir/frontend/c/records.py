"""Variables of structure types as variables of their members.

    vec3 d = {x, y};                float d_x = x, d_y = y, d_z = 0;
    if (s > 0)                      if (s > 0) {
      p[i].v = d;             =>      p[i].v.x = d_x; p[i].v.y = d_y; p[i].v.z = d_z;
                                    }

An array of structures is an array for each member. So values of structure types that functions
take and return, once these are inlined, are numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pycparser import c_ast

from polyir.frontend.c.errors import refuse
from polyir.frontend.c.names import nodes_below
from polyir.frontend.c.rewriting import counting_loop, rebuilt
from polyir.frontend.c.scopes import Scopes, designator_of
from polyir.frontend.c.types import Arithmetic, CArrayType, CType, Record

MOST_ELEMENTS: Final = 64
"""An array in a structure that is assigned has at most so many elements: each is an assignment."""


@dataclass(frozen=True)
class _Member:
    """A number, or an array of numbers, in a structure: the names that lead to it, and its type."""

    path: tuple[str, ...]
    extents: tuple[int, ...]
    type: Arithmetic


def _members(
    type: CType, node: c_ast.Node, path: tuple[str, ...] = (), extents: tuple[int, ...] = ()
) -> Iterator[_Member]:
    """The members of a variable declared at `node`; those of arrays in it are arrays."""
    match type:
        case Arithmetic():
            yield _Member(path, extents, type)
        case CArrayType(element=element, extent=int(extent)):
            yield from _members(element, node, path, (*extents, extent))
        case Record(members=members):
            for name, member in members.items():
                yield from _members(member, node, (*path, name), extents)
        case _:
            what = ".".join(path)
            raise refuse(node, f"'{what}', whose type is not supported", name="unsupported-type")


@dataclass(frozen=True)
class _Variable:
    """A variable of the region, and the variables that its members have become."""

    type: CType
    members: dict[tuple[str, ...], str]


def without_records(items: Sequence[c_ast.Node], scopes: Scopes) -> list[c_ast.Node]:
    """The statements of a block, without structures as values; raises `NotModelledError`."""
    names = {
        str(node.name)
        for item in items
        for node in nodes_below(item)
        if isinstance(node, c_ast.ID | c_ast.Decl)
    }
    return _Rewriter(scopes, names).block(items)


class _Rewriter:
    """Rewrites statements in order; `taken` are the names that are used."""

    def __init__(self, scopes: Scopes, taken: set[str]) -> None:
        self._scopes = scopes
        self._taken = taken
        self._own: list[dict[str, _Variable]] = [{}]

    def block(self, items: Sequence[c_ast.Node]) -> list[c_ast.Node]:
        """The statements of a block, which has a scope."""
        self._own.append({})
        found = [new for item in items for new in self._statement(item)]
        self._own.pop()
        return found

    def _statement(self, node: c_ast.Node) -> list[c_ast.Node]:
        match node:
            case c_ast.Decl(name=str(name)):
                return self._declaration(node, name)
            case c_ast.Assignment(op="=") if self._is_record(node.lvalue):
                return self._assigned(node.lvalue, node.rvalue)
            case c_ast.Compound():
                return [c_ast.Compound(self.block(node.block_items or ()), node.coord)]
            case c_ast.For() | c_ast.While() | c_ast.DoWhile() | c_ast.If():
                self._own.append({})
                new = rebuilt(node, self._part)
                self._own.pop()
                return [new]
            case _:
                return [self._expression(node)]

    def _part(self, node: c_ast.Node) -> c_ast.Node:
        """An expression, the header of a loop, or a statement in place of one."""
        match node:
            case c_ast.DeclList():
                declared = [new for each in node.decls for new in self._statement(each)]
                return c_ast.DeclList(declared, node.coord)
            case (
                c_ast.Compound()
                | c_ast.If()
                | c_ast.For()
                | c_ast.While()
                | c_ast.DoWhile()
                | c_ast.Assignment()
            ):
                found = self._statement(node)
                return found[0] if len(found) == 1 else c_ast.Compound(found, node.coord)
            case _:
                return self._expression(node)

    def _declaration(self, node: c_ast.Decl, name: str) -> list[c_ast.Node]:
        type = self._scopes.type_of(node.type)
        if not _holds_records(type) or node.storage:
            self._own[-1][name] = _Variable(type, {})
            if not isinstance(node.init, c_ast.InitList) or not isinstance(type, CArrayType):
                return [rebuilt(node, self._expression)]
            initial = node.init
            declaration = rebuilt(node, lambda child: child)
            declaration.init = None
            target = c_ast.ID(name, node.coord)
            if all(isinstance(each, c_ast.Constant) and _is_zero(each) for each in initial.exprs):
                return [declaration, self._zeroed(target, type)]
            return [declaration, *self._initialised(target, initial, type)]
        members = tuple(_members(type, node))
        names = {each.path: self._fresh("_".join((name, *each.path))) for each in members}
        self._own[-1][name] = _Variable(type, names)
        declared: list[c_ast.Node] = [
            _declaration(names[each.path], each, node.coord) for each in members
        ]
        if node.init is None:
            return declared
        return [*declared, *self._initialised(c_ast.ID(name, node.coord), node.init, type)]

    # Assignments

    def _assigned(self, target: c_ast.Node, source: c_ast.Node) -> list[c_ast.Node]:
        """`target = source`, for structures."""
        source, type = self._uncast(source), self._type_of(target)
        assert type is not None
        match source:
            case c_ast.Assignment(op="=", lvalue=first):
                return [*self._statement(source), *self._assigned(target, first)]
            case c_ast.TernaryOp(cond=condition, iftrue=true, iffalse=false):
                arms = (c_ast.Compound(self._assigned(target, each)) for each in (true, false))
                return [c_ast.If(self._expression(condition), *arms, source.coord)]
            case c_ast.CompoundLiteral(type=literal, init=initial):
                # Its values may use what is assigned to.
                kept = c_ast.ID(self._fresh("value"), source.coord)
                declaration = c_ast.Decl(
                    kept.name, [], [], [], [], literal.type, initial, None, source.coord
                )
                return [
                    *self._declaration(declaration, kept.name),
                    *self._assigned(target, kept),
                ]
            case _ if isinstance(self._type_of(source), Record):
                return self._copied(target, source, type)
            case _:
                raise refuse(
                    source, "a structure that is not in a variable", name="unsupported-type"
                )

    def _uncast(self, node: c_ast.Node) -> c_ast.Node:
        """A value without the casts to the type of a structure that inlining leaves."""
        while isinstance(node, c_ast.Cast) and _holds_records(self._scopes.type_of(node.to_type)):
            node = node.expr
        return node

    def _copied(self, target: c_ast.Node, source: c_ast.Node, type: CType) -> list[c_ast.Node]:
        """Assign all numbers in `source` to those in `target`."""
        if isinstance(type, Arithmetic):
            value = self._expression(source)
            return [c_ast.Assignment("=", self._expression(target), value, source.coord)]
        return [
            new
            for part, inner in _parts(type, source)
            for new in self._copied(_inside(target, part), _inside(source, part), inner)
        ]

    def _initialised(
        self, target: c_ast.Node, initial: c_ast.Node | None, type: CType
    ) -> list[c_ast.Node]:
        """Assign an initialiser; what it has no value for is zero."""
        coord = target.coord if initial is None else initial.coord
        is_list = isinstance(initial, c_ast.InitList)
        if isinstance(type, Arithmetic):
            value = initial.exprs[0] if isinstance(initial, c_ast.InitList) else initial
            value = c_ast.Constant("int", "0", coord) if value is None else self._expression(value)
            return [c_ast.Assignment("=", self._expression(target), value, coord)]
        if isinstance(type, Record) and initial is not None and not is_list:
            return self._assigned(target, initial)
        given = self._given(initial, type) if initial is not None else {}
        return [
            new
            for part, inner in _parts(type, target)
            for new in self._initialised(_inside(target, part), given.get(part), inner)
        ]

    def _zeroed(self, target: c_ast.Node, type: CType) -> c_ast.Node:
        """Loops that set all elements of an array to zero."""
        place = target.coord
        if not isinstance(type, CArrayType) or type.extent is None:
            return c_ast.Assignment("=", target, c_ast.Constant("int", "0", place), place)
        counter = c_ast.ID(self._fresh("element"), place)
        extent = c_ast.Constant("int", str(type.extent), place)
        body = self._zeroed(c_ast.ArrayRef(target, counter, place), type.element)
        return counting_loop("int", counter, extent, body, place)

    def _given(self, initial: c_ast.Node, type: CType) -> dict[str | int, c_ast.Node]:
        """The initialisers of the parts of an array or a structure."""
        types = dict(_parts(type, initial))
        parts = list(types)
        items = initial.exprs if isinstance(initial, c_ast.InitList) else []
        given: dict[str | int, c_ast.Node] = {}
        position = 0 if items else len(parts)
        for item in items or [initial]:
            value = item
            if isinstance(item, c_ast.NamedInitializer):
                name, value = designator_of(item), item.expr
                part = name.name if isinstance(name, c_ast.ID) else self._scopes.constant(name)
                if part is None or part not in types or len(item.name) > 1:
                    raise refuse(item, "an initialiser in braces", name="unsupported-type")
                position = parts.index(part)
            if position >= len(parts):
                raise refuse(item, "an initialiser in braces", name="unsupported-type")
            is_number = isinstance(types[parts[position]], Arithmetic)
            if not is_number and isinstance(value, c_ast.Constant) and len(items) == 1:
                # `{0}` has no braces around the first number of the first part.
                value = c_ast.InitList([value], value.coord)
            given[parts[position]] = value
            position += 1
        return given

    # Expressions

    def _expression(self, node: c_ast.Node) -> c_ast.Node:
        """An expression, whose members of variables are variables."""
        found = self._member(node)
        if found is not None:
            return found
        match node:
            case c_ast.StructRef():
                base = self._expression(node.name)
                return c_ast.StructRef(base, node.type, node.field, node.coord)
            case c_ast.UnaryOp(op="&" | "sizeof", expr=inner) if self._place(inner) is not None:
                raise refuse(node, f"'{node.op}' of a structure", name="pointer")
            case _:
                return rebuilt(node, self._expression)

    def _member(self, node: c_ast.Node) -> c_ast.Node | None:
        """The variable that a member has become, with its subscripts; `None` for all else."""
        place = self._place(node)
        if place is None:
            return None
        variable, path, subscripts = place
        name = variable.members.get(path)
        if name is None:
            raise refuse(node, "a structure as a whole", name="unsupported-type")
        found: c_ast.Node = c_ast.ID(name, node.coord)
        for subscript in subscripts:
            found = c_ast.ArrayRef(found, self._expression(subscript), node.coord)
        return found

    def _place(
        self, node: c_ast.Node
    ) -> tuple[_Variable, tuple[str, ...], tuple[c_ast.Node, ...]] | None:
        """A part of a variable with members, as names and subscripts; `None` for all else."""
        match node:
            case c_ast.ID(name=name):
                variable = self._variable(name)
                return (variable, (), ()) if variable is not None and variable.members else None
            case c_ast.StructRef(type=".", name=base, field=field):
                place = self._place(base)
                return None if place is None else (place[0], (*place[1], field.name), place[2])
            case c_ast.ArrayRef(name=base, subscript=subscript):
                place = self._place(base)
                return None if place is None else (*place[:2], (*place[2], subscript))
            case c_ast.Cast() if (inner := self._uncast(node)) is not node:
                return self._place(inner)
            case _:
                return None

    def _variable(self, name: str) -> _Variable | None:
        return next((scope[name] for scope in reversed(self._own) if name in scope), None)

    def _type_of(self, node: c_ast.Node) -> CType | None:
        def type_of_name(name: str) -> CType | None:
            own = self._variable(name)
            return self._scopes.type_of_variable(name) if own is None else own.type

        return self._scopes.type_of_lvalue(node, type_of_name)

    def _is_record(self, node: c_ast.Node) -> bool:
        return isinstance(self._type_of(node), Record)

    def _fresh(self, name: str) -> str:
        new = self._scopes.unused_name(name, self._taken)
        self._taken.add(new)
        return new


def _holds_records(type: CType) -> bool:
    """Whether a type is that of a structure, or of an array of structures."""
    while isinstance(type, CArrayType):
        type = type.element
    return isinstance(type, Record)


def _is_zero(number: c_ast.Constant) -> bool:
    return number.value.strip("0.") in ("", *"fFlLuU")


def _parts(type: CType, node: c_ast.Node) -> list[tuple[str | int, CType]]:
    """The members of a structure, or the elements of an array, and their types."""
    match type:
        case Record(members=members):
            return list(members.items())
        case CArrayType(element=element, extent=int(extent)) if extent <= MOST_ELEMENTS:
            return [(position, element) for position in range(extent)]
        case _:
            raise refuse(node, "a structure with a member of another type", name="unsupported-type")


def _inside(node: c_ast.Node, part: str | int) -> c_ast.Node:
    """A part of an lvalue."""
    if isinstance(part, str):
        return c_ast.StructRef(node, ".", c_ast.ID(part), node.coord)
    return c_ast.ArrayRef(node, c_ast.Constant("int", str(part)), node.coord)


def _declaration(name: str, member: _Member, coord: object) -> c_ast.Decl:
    """The declaration of the variable that a member becomes."""
    words = c_ast.IdentifierType(member.type.name.split())
    type: c_ast.Node = c_ast.TypeDecl(name, [], None, words)
    for extent in reversed(member.extents):
        type = c_ast.ArrayDecl(type, c_ast.Constant("int", str(extent)), [])
    return c_ast.Decl(name, [], [], [], [], type, None, None, coord)
