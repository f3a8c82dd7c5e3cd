"""What functions of a file do to memory: found bottom-up over the calls.

A function *only reads* if it writes nothing but its own variables, and calls only such functions.
Its loops are taken to end, as C11 allows (6.8.5), unless a condition is constant. What it reads is
over-approximated.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from pycparser import c_ast

from polyir.frontend.c.errors import NotModelledError, refuse, refuse_call
from polyir.frontend.c.functions import is_library_function
from polyir.frontend.c.names import nodes_below
from polyir.frontend.c.preprocess import IMAGINARY, Promise
from polyir.frontend.c.scopes import DeclaredVariable, EnumConstant, FunctionName, Scopes
from polyir.frontend.c.types import Arithmetic, CArrayType, CType, Pointer, Record


@dataclass(frozen=True)
class Reads:
    """The memory that calls of a function may read, and that is not its own.

    `variables` are those of the file; `arguments` says that it follows its pointer arguments,
    `anything` that it may read whatever a pointer can lead to.
    """

    variables: frozenset[str] = frozenset()
    arguments: bool = False
    anything: bool = False

    def __or__(self, other: Reads) -> Reads:
        return Reads(
            self.variables | other.variables,
            self.arguments or other.arguments,
            self.anything or other.anything,
        )


_NOTHING: Final = Reads()


class Functions:
    """The functions of a file; `scopes` has all of its declarations outside functions."""

    def __init__(
        self,
        scopes: Scopes,
        definitions: Mapping[str, c_ast.FuncDef],
        promises: Mapping[str, Promise],
        macros: Collection[str],
    ) -> None:
        self.definitions = definitions
        self.macros = frozenset(macros)
        """The names that are a macro somewhere in the file."""
        self._scopes = scopes
        self._promises = promises
        self._known: dict[str, Reads | NotModelledError] = {}
        self._entered: dict[str, None] = {}

    def is_declared(self, name: str) -> bool:
        """Whether the file declares a name outside functions."""
        return self._scopes.is_global(name)

    def reads(self, name: str) -> Reads | NotModelledError:
        """What the function reads, or where and why it may do more than that."""
        if name not in self._known:
            found = self._find(name)
            if self._entered and isinstance(found, NotModelledError):
                # It may depend on what is being found out about its callers.
                return found
            self._known[name] = found
        return self._known[name]

    def _find(self, name: str) -> Reads | NotModelledError:
        promise = self._promises.get(name)
        definition = self.definitions.get(name)
        if promise is not None:
            return Reads(arguments=True, anything=True) if promise == "pure" else _NOTHING
        if definition is None:
            is_known = is_library_function(name)
            return _NOTHING if is_known else refuse_call(None, "its definition is not known")
        if name in self._entered:
            return refuse_call(definition.decl, f"'{name}' calls itself")
        self._entered[name] = None
        try:
            with self._scopes.outside_functions(), self._scopes.nested():
                return _Walk(self, self._scopes, definition).reads()
        except NotModelledError as error:
            return error
        finally:
            del self._entered[name]


class _Walk:
    """One walk over the body of a function."""

    def __init__(self, functions: Functions, scopes: Scopes, definition: c_ast.FuncDef) -> None:
        self._functions = functions
        self._scopes = scopes
        self._definition = definition
        self._found = _NOTHING

    def reads(self) -> Reads:
        """What the function reads; raises `NotModelledError` if it does more."""
        for node in nodes_below(self._definition):
            if "volatile" in (getattr(node, "quals", None) or ()):
                raise refuse(node, "a volatile object", name="volatile-or-static")
        self._scopes.declare_parameters(self._definition)
        parameters = self._scopes.parameter_types(self._definition)
        if not all(isinstance(type, Arithmetic | Pointer) for type in parameters):
            self._found |= Reads(anything=True)
        self._visit(self._definition.body)
        return self._found

    def _visit(self, node: c_ast.Node) -> None:
        match node:
            case c_ast.Compound():
                with self._scopes.nested():
                    self._visit_below(node)
            case c_ast.For() | c_ast.While() | c_ast.DoWhile():
                if node.cond is None or self._scopes.constant(node.cond):
                    raise refuse(node, "a loop without a condition may not end", name="loop-form")
                with self._scopes.nested():
                    self._visit_below(node)
            case c_ast.Goto():
                raise refuse(node, "goto", name="jump")
            case c_ast.Decl():
                self._declare(node)
            case c_ast.Typedef():
                self._scopes.declare(node)
            case c_ast.Struct() | c_ast.Union() | c_ast.Enum() | c_ast.Pragma():
                pass
            case _:
                self._visit_expression(node)

    def _visit_below(self, node: c_ast.Node) -> None:
        for child in node:
            self._visit(child)

    def _declare(self, node: c_ast.Decl) -> None:
        self._scopes.declare(node)
        meaning = None if node.name is None else self._scopes.meaning(node.name)
        if isinstance(meaning, DeclaredVariable) and "static" in (node.storage or ()):
            is_constant = "const" in (node.quals or ()) and not isinstance(meaning.type, Pointer)
            if not is_constant:
                raise refuse(node, f"the static variable '{node.name}'", name="volatile-or-static")
            return
        if node.init is not None:
            self._visit(node.init)
        declared = node.type
        while isinstance(declared, c_ast.ArrayDecl):
            if declared.dim is not None:
                self._visit(declared.dim)
            declared = declared.type

    # Expressions

    def _visit_expression(self, node: c_ast.Node) -> None:
        match node:
            case c_ast.ID():
                self._name(node)
            case c_ast.FuncCall():
                self._call(node)
                return
            case c_ast.Assignment(lvalue=target):
                self._check_target(target)
            case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--", expr=target):
                self._check_target(target)
            case c_ast.UnaryOp(op="sizeof" | "_Alignof"):
                return
            case c_ast.UnaryOp(op="*", expr=base) | c_ast.ArrayRef(name=base):
                self._access(node, base)
            case c_ast.StructRef(name=base):
                if node.type == "->":
                    self._access(node, base)
                self._visit(base)
                return
            case c_ast.NamedInitializer(expr=value) | c_ast.CompoundLiteral(init=value):
                self._visit(value)
                return
            case c_ast.Cast(to_type=type, expr=value):
                if isinstance(self._scopes.type_of(type), Pointer):
                    self._found |= Reads(anything=True)
                self._visit(value)
                return
            case _:
                pass
        self._visit_below(node)

    def _name(self, node: c_ast.ID) -> None:
        if node.name == IMAGINARY:
            return
        meaning = self._scopes.meaning(node.name)
        match meaning:
            case DeclaredVariable(type=type, is_local=is_local, is_volatile=is_volatile):
                if is_volatile:
                    raise refuse(
                        node, f"the volatile variable '{node.name}'", name="volatile-or-static"
                    )
                if not is_local:
                    anything = not isinstance(_element(type), Arithmetic)
                    self._found |= Reads(frozenset({node.name}), anything=anything)
            case EnumConstant() | FunctionName():
                pass
            case _:
                raise refuse(node, f"'{node.name}', which is not declared", name="undeclared")

    def _access(self, node: c_ast.Node, base: c_ast.Node) -> None:
        """An access to what `base` leads to, or is part of."""
        if isinstance(self._type_of(base), CArrayType):
            return
        is_last = isinstance(_element(self._type_of(node)), Arithmetic)
        self._found |= Reads(arguments=True, anything=not is_last)

    def _call(self, node: c_ast.FuncCall) -> None:
        meaning = self._scopes.meaning(node.name.name) if isinstance(node.name, c_ast.ID) else None
        if not isinstance(node.name, c_ast.ID) or isinstance(meaning, DeclaredVariable):
            raise refuse_call(node, "a call through a pointer")
        name = node.name.name
        reads = self._functions.reads(name)
        if isinstance(reads, NotModelledError):
            raise refuse_call(node, f"a call of '{name}', which may have side effects")
        result = meaning.type.result if isinstance(meaning, FunctionName) else None
        if isinstance(result, Pointer | Record):
            reads |= Reads(anything=True)
        self._found |= reads
        if node.args is not None:
            self._visit_below(node.args)

    def _check_target(self, node: c_ast.Node) -> None:
        """Refuse assignments to anything but local variables."""
        match node:
            case c_ast.ID():
                if not self._scopes.is_local(node.name):
                    raise refuse(
                        node,
                        f"an assignment to '{node.name}', which is not local",
                        name="undeclared",
                    )
            case c_ast.ArrayRef(name=base) if isinstance(self._type_of(base), CArrayType):
                self._check_target(base)
            case c_ast.StructRef(type=".", name=base):
                self._check_target(base)
            case _:
                raise refuse(node, "a store through a pointer", name="pointer")

    def _type_of(self, node: c_ast.Node) -> CType | None:
        return self._scopes.type_of_lvalue(node, self._scopes.type_of_variable)


def _element(type: CType | None) -> CType | None:
    """The type of the elements of arrays of arrays."""
    while isinstance(type, CArrayType):
        type = type.element
    return type
