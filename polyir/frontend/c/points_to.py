"""What the pointers of a function may point to, as far as its own text shows.

A points-to analysis after Andersen (Program Analysis and Specialization for the C Programming
Language, 1994), without the order of statements, for one function. What it does not see, other
functions and memory, is one object, OUTSIDE. An object whose address gets there has escaped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pycparser import c_ast

from polyir.frontend.c.names import nodes_below
from polyir.frontend.c.places import BaseObject
from polyir.frontend.c.scopes import DeclaredVariable, EnumConstant, FunctionName, Scopes
from polyir.frontend.c.types import Arithmetic, CArrayType, CType, Pointer, Record


@dataclass(frozen=True)
class Object:
    """Some memory: a variable, the result of a call of `malloc`, what only one `restrict` pointer
    leads to, or all that the function does not show."""

    kind: str
    name: str = ""


OUTSIDE: Final = Object("outside")
_NOWHERE: Final[frozenset[Object]] = frozenset()
_ANYWHERE: Final = frozenset({OUTSIDE})

_ALLOCATORS: Final = ("malloc", "calloc", "aligned_alloc", "alloca", "__builtin_alloca")
_CAPTURE_NOTHING: Final = (
    *("free", "printf", "fprintf", "sprintf", "snprintf", "puts", "fputs", "scanf", "fscanf"),
    *("memset", "memcmp", "fread", "fwrite", "qsort", "strlen", "strcmp", "posix_memalign"),
)


@dataclass(frozen=True)
class Start:
    """A pointer is the address of `root`, of a part of it, or a copy of the pointer `root`.

    `is_exact` says that nothing is added; `node` is where the pointer gets this value.
    """

    root: str
    is_exact: bool
    node: c_ast.Node | None


class PointsTo:
    """The analysis of `function`, whose names mean at the region what `scopes` says."""

    def __init__(self, function: c_ast.FuncDef, scopes: Scopes) -> None:
        self._scopes = scopes
        self._declared: dict[str, list[c_ast.Decl]] = {}
        arguments = function.decl.type.args
        self._parameters = {
            parameter.name: None
            for parameter in (arguments.params if arguments is not None else ())
            if isinstance(parameter, c_ast.Decl)
        }
        self._nodes = tuple(nodes_below(function.body))
        for node in (*(arguments.params if arguments is not None else ()), *self._nodes):
            if isinstance(node, c_ast.Decl) and node.name is not None:
                self._declared.setdefault(node.name, []).append(node)
        self._taken = {
            node.expr.name: None
            for node in self._nodes
            if isinstance(node, c_ast.UnaryOp)
            and node.op == "&"
            and isinstance(node.expr, c_ast.ID)
        }
        self._values: dict[str, list[c_ast.Node | None]] = {}
        for node in self._nodes:
            self._note_value(node)
        self._points: dict[str, frozenset[Object]] = {}
        self._escaped: frozenset[Object] = frozenset()
        self._solve()

    # What is asked

    def objects(self, origin: BaseObject) -> frozenset[Object]:
        """The objects in which a place may lie."""
        if origin.pointer is None:
            return frozenset({Object("variable", origin.root)})
        if origin.pointer == origin.root:
            return self._of_variable(origin.root)
        return _ANYWHERE

    def may_overlap(self, first: frozenset[Object], second: frozenset[Object]) -> bool:
        """Whether two sets of objects may have memory in common."""
        return any(self._may_be_same(one, other) for one in first for other in second)

    def start(self, pointer: str, depth: int = 0) -> Start | None:
        """Where the pointer variable starts, if it has one value in the whole function."""
        values = self._values.get(pointer, [])
        is_single = len(values) == 1 and pointer not in self._parameters
        if not self._is_tracked(pointer) or not is_single or values[0] is None or depth > 20:
            return None
        value = values[0]
        while isinstance(value, c_ast.Cast):
            value = value.expr
        if isinstance(value, c_ast.ID):
            further = self.start(value.name, depth + 1)
            if further is not None:
                return Start(further.root, further.is_exact, values[0])
            is_fixed = isinstance(self._type_of(value), CArrayType) or (
                self._is_tracked(value.name) and not self._changes(value.name)
            )
            return Start(value.name, True, values[0]) if is_fixed else None
        root = self._root(value)
        is_exact = isinstance(value, c_ast.UnaryOp) and isinstance(value.expr, c_ast.ID)
        return None if root is None else Start(root, is_exact, values[0])

    def _changes(self, pointer: str) -> bool:
        """Whether a pointer gets a value more than once."""
        return len(self._values.get(pointer, [])) + (pointer in self._parameters) > 1

    def _root(self, value: c_ast.Node) -> str | None:
        """The declared object that an address lies in, if no pointer leads there."""
        match value:
            case c_ast.UnaryOp(op="&", expr=inner):
                return self._root_of_lvalue(inner)
            case c_ast.BinaryOp(op="+", left=left, right=right):
                return self._root(left) or self._root(right)
            case c_ast.BinaryOp(op="-", left=left):
                return self._root(left)
            case c_ast.ID() | c_ast.ArrayRef() | c_ast.StructRef():
                is_array = isinstance(self._type_of(value), CArrayType)
                return self._root_of_lvalue(value) if is_array else None
            case _:
                return None

    def _root_of_lvalue(self, node: c_ast.Node) -> str | None:
        match node:
            case c_ast.ID():
                return str(node.name)
            case c_ast.ArrayRef(name=base):
                is_array = isinstance(self._type_of(base), CArrayType)
                return self._root_of_lvalue(base) if is_array else None
            case c_ast.StructRef(type=".", name=base):
                return self._root_of_lvalue(base)
            case _:
                return None

    # Objects

    def _may_be_same(self, one: Object, other: Object) -> bool:
        if one == other:
            return True
        if OUTSIDE in (one, other):
            return self._is_exposed(other if one == OUTSIDE else one)
        return False

    def _is_exposed(self, item: Object) -> bool:
        """Whether a pointer from outside may lead to an object."""
        if item in self._escaped:
            return True
        is_hidden = item.kind == "variable" and self._scopes.is_global(item.name)
        is_local = item.name in self._declared and not self._is_ambiguous(item.name)
        return item.kind != "heap" and (is_hidden or not is_local)

    def _is_ambiguous(self, name: str) -> bool:
        """Whether a name stands for several variables in the function.

        A parameter hides the variable of the file that has its name everywhere.
        """
        is_local = name in self._declared and name not in self._parameters
        return len(self._declared.get(name, [])) > 1 or (is_local and self._scopes.is_global(name))

    def _is_tracked(self, name: str) -> bool:
        """Whether all assignments to a pointer variable are in sight."""
        if name not in self._declared or self._is_ambiguous(name) or name in self._taken:
            return False
        is_static = {"static", "extern"} & {*(self._declared[name][0].storage or ())}
        return not is_static and isinstance(self._type_of(c_ast.ID(name)), Pointer)

    def values_of(self, pointer: c_ast.Node) -> frozenset[Object]:
        """The objects that a pointer may lead to, given as an expression."""
        return self._of_value(pointer)

    # The constraints

    def _note_value(self, node: c_ast.Node) -> None:
        """Remember the value that a node gives to a variable; `None` if it is changed."""
        match node:
            case c_ast.Decl(name=str(name), init=init) if init is not None:
                self._values.setdefault(name, []).append(init)
            case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name), rvalue=value):
                self._values.setdefault(name, []).append(value)
            case c_ast.Assignment(lvalue=c_ast.ID(name=name)):
                self._values.setdefault(name, []).append(None)
            case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--", expr=c_ast.ID(name=name)):
                self._values.setdefault(name, []).append(None)
            case _:
                pass

    def _solve(self) -> None:
        for name in self._parameters:
            self._points[name] = _ANYWHERE
        while True:
            before = (dict(self._points), self._escaped)
            for node in self._nodes:
                self._apply(node)
            if (self._points, self._escaped) == before:
                return

    def _apply(self, node: c_ast.Node) -> None:
        match node:
            case c_ast.Decl(name=str(name), init=init) if init is not None:
                self._assign(name, init)
            case c_ast.Assignment(lvalue=c_ast.ID(name=name), rvalue=value):
                self._assign(name, value)
            case c_ast.Assignment(rvalue=value) | c_ast.Return(expr=value) if value is not None:
                self._escape(value)
            case c_ast.FuncCall(args=arguments) if arguments is not None:
                if self._library_function(node) not in _CAPTURE_NOTHING:
                    for argument in arguments.exprs:
                        self._escape(argument)
            case c_ast.CompoundLiteral(init=init):
                self._escape(init)
            case _:
                pass

    def _assign(self, name: str, value: c_ast.Node) -> None:
        if self._is_tracked(name):
            known = self._points.get(name, _NOWHERE)
            self._points[name] = known | self._of_value(value)
        else:
            self._escape(value)

    def _escape(self, value: c_ast.Node) -> None:
        self._escaped |= self._of_value(value)

    def _library_function(self, call: c_ast.FuncCall) -> str | None:
        """The name of a called function that the file does not define."""
        if not isinstance(call.name, c_ast.ID):
            return None
        meaning = self._scopes.meaning(call.name.name)
        is_own = isinstance(meaning, FunctionName) and meaning.definition is not None
        return None if is_own else str(call.name.name)

    # The values of expressions

    def _of_variable(self, name: str) -> frozenset[Object]:
        """What the pointer variable `name` may point to."""
        found = self._points.get(name, _NOWHERE) if self._is_tracked(name) else _ANYWHERE
        type = self._type_of(c_ast.ID(name))
        if isinstance(type, Pointer) and type.is_restrict and OUTSIDE in found:
            found = found - _ANYWHERE | {Object("restrict", name)}
        return found

    def _of_value(self, node: c_ast.Node) -> frozenset[Object]:
        """The objects whose addresses the value of an expression may hold."""
        match node:
            case c_ast.ID():
                return self._of_name(node)
            case c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
                return self._of_element(node)
            case c_ast.UnaryOp(op="&", expr=inner):
                return self._of_address(inner)
            case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--", expr=inner):
                return self._of_value(inner)
            case c_ast.BinaryOp(op="+" | "-", left=left, right=right):
                return self._of_value(left) | self._of_value(right)
            case c_ast.TernaryOp(iftrue=left, iffalse=right):
                return self._of_value(left) | self._of_value(right)
            case c_ast.Assignment(lvalue=left, rvalue=right):
                return self._of_value(right) if node.op == "=" else self._of_value(left)
            case c_ast.Cast(expr=inner):
                found = self._of_value(inner)
                is_pointer = isinstance(self._type_of(node), Pointer)
                return found | _ANYWHERE if is_pointer and self._is_number(inner) else found
            case c_ast.ExprList() | c_ast.InitList():
                return frozenset().union(*(self._of_value(part) for part in node.exprs))
            case c_ast.NamedInitializer(expr=inner):
                return self._of_value(inner)
            case c_ast.FuncCall():
                is_new = self._library_function(node) in _ALLOCATORS
                return frozenset({Object("heap", str(id(node)))}) if is_new else _ANYWHERE
            case c_ast.Constant():
                return _ANYWHERE if node.type == "string" else _NOWHERE
            case c_ast.BinaryOp() | c_ast.UnaryOp():
                return _NOWHERE
            case _:
                return _ANYWHERE

    def _is_number(self, node: c_ast.Node) -> bool:
        """Whether an expression may be a number other than 0, which leads anywhere as a pointer."""
        match node:
            case c_ast.Constant() | c_ast.FuncCall() | c_ast.UnaryOp(op="&"):
                return False
            case c_ast.BinaryOp(op="+" | "-", left=left, right=right):
                return self._is_number(left) and self._is_number(right)
            case _:
                return not isinstance(self._type_of(node), CArrayType | Pointer)

    def _of_name(self, node: c_ast.ID) -> frozenset[Object]:
        variable = frozenset({Object("variable", node.name)})
        if self._is_ambiguous(node.name):
            return variable | _ANYWHERE
        match self._type_of(node):
            case CArrayType():
                return variable
            case Pointer():
                return self._of_variable(node.name)
            case Arithmetic() | Record():
                return _NOWHERE
            case _ if isinstance(self._scopes.meaning(node.name), EnumConstant):
                return _NOWHERE
            case _:
                return variable | _ANYWHERE

    def _of_element(self, node: c_ast.Node) -> frozenset[Object]:
        match self._type_of(node):
            case CArrayType():
                return self._of_address(node)
            case Pointer():
                return _ANYWHERE
            case Arithmetic() | Record():
                return _NOWHERE
            case _:
                return self._of_address(node) | _ANYWHERE

    def _of_address(self, node: c_ast.Node) -> frozenset[Object]:
        """The objects in which an lvalue may lie."""
        match node:
            case c_ast.ID():
                return frozenset({Object("variable", node.name)})
            case c_ast.ArrayRef(name=base) | c_ast.UnaryOp(op="*", expr=base):
                return self._of_value(base)
            case c_ast.StructRef(type=".", name=base):
                return self._of_address(base)
            case c_ast.StructRef(name=base):
                return self._of_value(base)
            case _:
                return _ANYWHERE

    # Types

    def _type_of(self, node: c_ast.Node) -> CType | None:
        """The type of an lvalue; `None` if it is not known."""
        return self._scopes.type_of_lvalue(node, self._type_of_name)

    def _type_of_name(self, name: str) -> CType | None:
        if self._is_ambiguous(name):
            return None
        declared = self._declared.get(name)
        if declared is None or name in self._parameters:
            meaning = self._scopes.meaning(name)
            return meaning.type if isinstance(meaning, DeclaredVariable) else None
        return self._scopes.type_of(declared[0].type)
