"""The meaning of names in a C file: types, constants, variables, functions."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from pycparser import c_ast

from polyir.frontend.c.errors import NotModelledError, refuse
from polyir.frontend.c.types import (
    INT,
    SCHAR,
    ULONG,
    Arithmetic,
    CArrayType,
    CFunctionType,
    CType,
    Other,
    Pointer,
    Record,
    arithmetic_type,
)


@dataclass(frozen=True)
class TypeName:
    """A name for a type."""

    type: CType


@dataclass(frozen=True)
class EnumConstant:
    """A name for a number."""

    value: int


@dataclass(frozen=True)
class DeclaredVariable:
    """A variable or parameter that was declared outside the region at hand.

    `value` is the number that a `const` integer is; an array that starts with certain elements is
    `declared` by them.
    """

    name: str
    type: CType
    is_local: bool
    is_volatile: bool = False
    value: int | None = None
    declared: c_ast.Decl | None = None


@dataclass(frozen=True)
class FunctionName:
    """A function, with its definition if there is one."""

    type: CFunctionType
    definition: c_ast.FuncDef | None


_HAVE_VALUES = (EnumConstant, DeclaredVariable)

Meaning = TypeName | EnumConstant | DeclaredVariable | FunctionName


@dataclass
class Scopes:
    """The declarations in scope at one place of a file, innermost last."""

    plain_char: Arithmetic = SCHAR
    _names: list[dict[str, Meaning]] = field(default_factory=lambda: [{}])
    _tags: list[dict[str, CType]] = field(default_factory=lambda: [{}])

    @contextmanager
    def nested(self) -> Iterator[None]:
        """A scope for the declarations inside the `with` block."""
        self._names.append({})
        self._tags.append({})
        try:
            yield
        finally:
            self._names.pop()
            self._tags.pop()

    def meaning(self, name: str) -> Meaning | None:
        """What `name` means here; `None` if it is not declared."""
        return next((scope[name] for scope in reversed(self._names) if name in scope), None)

    def means(self, meanings: Mapping[str, Meaning | None]) -> bool:
        """Whether names mean here what they meant elsewhere: no block declares others."""
        return all(self.meaning(name) is meaning for name, meaning in meanings.items())

    @contextmanager
    def outside_functions(self) -> Iterator[None]:
        """Inside the `with` block, the scope is that of the file."""
        names, tags = self._names, self._tags
        self._names, self._tags = names[:1], tags[:1]
        try:
            yield
        finally:
            self._names, self._tags = names, tags

    def is_local(self, name: str) -> bool:
        """Whether `name` means a local variable here."""
        meaning = self.meaning(name)
        return isinstance(meaning, DeclaredVariable) and meaning.is_local

    def is_global(self, name: str) -> bool:
        """Whether `name` means something outside functions."""
        return name in self._names[0]

    def means_global(self, name: str) -> bool:
        """Whether `name` means here what it means outside functions."""
        found = next((scope for scope in reversed(self._names) if name in scope), None)
        return found is self._names[0]

    def declare(self, node: c_ast.Node) -> None:
        """Add a declaration."""
        match node:
            case c_ast.Typedef():
                self._names[-1][node.name] = TypeName(self.type_of(node.type))
            case c_ast.FuncDef():
                self.declare(node.decl)
                known = self._names[-1].get(node.decl.name)
                assert isinstance(known, FunctionName)
                self._names[-1][node.decl.name] = FunctionName(known.type, node)
            case c_ast.Decl():
                self._declare_object(node)
            case _:
                pass

    def declare_parameters(self, function: c_ast.FuncDef) -> None:
        """Add the parameters of a function; arrays among them are pointers."""
        for parameter in parameters_of(function):
            if parameter.name is not None:
                type = self._parameter_type(parameter)
                self._names[-1][parameter.name] = self._variable(parameter, type, is_local=True)

    def parameter_types(self, function: c_ast.FuncDef) -> tuple[CType, ...]:
        """The types of the parameters that a function declares; arrays are pointers."""
        types = (self._parameter_type(parameter) for parameter in parameters_of(function))
        return tuple(type for type in types if type != Other("void"))

    def _parameter_type(self, parameter: c_ast.Decl | c_ast.Typename) -> CType:
        type = self.type_of(parameter.type)
        if isinstance(type, CArrayType):
            quals = getattr(parameter.type, "dim_quals", None) or ()
            return Pointer(type.element, "restrict" in quals)
        return type

    def type_of_declared(self, node: c_ast.Decl) -> CType:
        """The type of what is declared; the extent of an array may be that of its initialiser."""
        return self._completed(self.type_of(node.type), node.init)

    def _declare_object(self, node: c_ast.Decl) -> None:
        type = self.type_of_declared(node)
        if node.name is None:
            return
        if isinstance(type, CFunctionType):
            known = self._names[-1].get(node.name)
            definition = known.definition if isinstance(known, FunctionName) else None
            self._names[-1][node.name] = FunctionName(type, definition)
            return
        is_local = len(self._names) > 1 and not {"static", "extern"} & {*(node.storage or ())}
        self._names[-1][node.name] = self._variable(node, type, is_local)

    def _variable(self, node: c_ast.Decl, type: CType, is_local: bool) -> DeclaredVariable:
        qualifiers = node.quals or ()
        is_volatile = "volatile" in qualifiers
        value = None
        is_list = isinstance(node.init, c_ast.InitList)
        if "const" in qualifiers and not is_volatile and node.init is not None and not is_list:
            known = self.constant(node.init)
            value = known if known is not None and holds(type, known) else None
        declared = node if is_list else None
        return DeclaredVariable(node.name, type, is_local, is_volatile, value, declared)

    def _completed(self, type: CType, initial: c_ast.Node | None) -> CType:
        """The type of an array that gets its extent from its initialiser."""
        if not isinstance(type, CArrayType) or type.extent is not None:
            return type
        if not isinstance(initial, c_ast.InitList):
            return type
        is_flat = isinstance(type.element, Arithmetic | Pointer)
        extent = position = 0
        for item in initial.exprs:
            value = item
            if isinstance(item, c_ast.NamedInitializer):
                value = item.expr
                known = self.constant(designator_of(item))
                if known is None:
                    return type
                position = known
            # Without inner braces, an element takes several values of the list.
            if not is_flat and not isinstance(value, c_ast.InitList):
                return type
            position += 1
            extent = max(extent, position)
        return CArrayType(type.element, extent)

    # Types

    def type_of(self, node: c_ast.Node) -> CType:
        """The type of a declarator or a type name."""
        match node:
            case c_ast.Typename() | c_ast.TypeDecl():
                return self.type_of(node.type)
            case c_ast.PtrDecl():
                return Pointer(self.type_of(node.type), "restrict" in (node.quals or ()))
            case c_ast.ArrayDecl():
                extent = None if node.dim is None else self.constant(node.dim)
                return CArrayType(self.type_of(node.type), extent)
            case c_ast.FuncDecl():
                return self._function(node)
            case c_ast.IdentifierType():
                return self._named(node)
            case c_ast.Struct():
                return self._record(node)
            case c_ast.Enum():
                return self._enumeration(node)
            case c_ast.Union():
                return Other("union")
            case _:
                return Other(type(node).__name__)

    def type_of_lvalue(
        self, node: c_ast.Node, type_of_name: Callable[[str], CType | None]
    ) -> CType | None:
        """The type of an lvalue or of a pointer; `None` if it is not known."""
        match node:
            case c_ast.ID():
                return type_of_name(node.name)
            case c_ast.ArrayRef(name=base) | c_ast.UnaryOp(op="*", expr=base):
                match self.type_of_lvalue(base, type_of_name):
                    case CArrayType(element=element) | Pointer(target=element):
                        return element
                    case _:
                        return None
            case c_ast.StructRef(name=base, field=member):
                record = self.type_of_lvalue(base, type_of_name)
                if isinstance(record, Pointer) and node.type == "->":
                    record = record.target
                return record.members.get(member.name) if isinstance(record, Record) else None
            case c_ast.BinaryOp(op="+" | "-", left=left):
                return self.type_of_lvalue(left, type_of_name)
            case c_ast.Cast(to_type=type):
                return self.type_of(type)
            case _:
                return None

    def unused_name(self, wanted: str, taken: Container[str | None]) -> str:
        """`wanted`, with a number if it is among those `taken`, or means something here."""
        name, number = wanted, 0
        while name in taken or self.meaning(name) is not None:
            number += 1
            name = f"{wanted}_{number}"
        return name

    def type_of_variable(self, name: str) -> CType | None:
        """The type of a variable; `None` for other names."""
        meaning = self.meaning(name)
        return meaning.type if isinstance(meaning, DeclaredVariable) else None

    def _named(self, node: c_ast.IdentifierType) -> CType:
        if len(node.names) == 1:
            meaning = self.meaning(node.names[0])
            if isinstance(meaning, TypeName):
                return meaning.type
        found = arithmetic_type(node.names, self.plain_char)
        return found if found is not None else Other(" ".join(node.names))

    def _function(self, node: c_ast.FuncDecl) -> CFunctionType:
        result = self.type_of(node.type)
        if node.args is None:
            return CFunctionType(result, None)
        parameters = []
        for parameter in node.args.params:
            if isinstance(parameter, c_ast.ID | c_ast.EllipsisParam):
                return CFunctionType(result, None)
            type = self.type_of(parameter.type)
            if type != Other("void"):
                parameters.append(type)
        return CFunctionType(result, tuple(parameters))

    def _record(self, node: c_ast.Struct) -> CType:
        if node.decls is None:
            found = (scope[node.name] for scope in reversed(self._tags) if node.name in scope)
            return next(found, Other(f"struct {node.name}"))
        # A structure that points to its own kind: that pointer is no use to a region.
        members: dict[str, CType] = {}
        record = Record(members)
        if node.name is not None:
            self._tags[-1][node.name] = Other(f"struct {node.name}")
        for member in node.decls:
            if isinstance(member, c_ast.Decl) and member.name is not None:
                type = self.type_of(member.type)
                if member.bitsize is not None or "volatile" in (member.quals or ()):
                    type = Other("bit-field" if member.bitsize is not None else "volatile")
                members[member.name] = type
        if node.name is not None:
            self._tags[-1][node.name] = record
        return record

    def _enumeration(self, node: c_ast.Enum) -> CType:
        value = -1
        for item in node.values.enumerators if node.values is not None else ():
            if isinstance(item, c_ast.Enumerator):
                given = None if item.value is None else self.constant(item.value)
                value = value + 1 if given is None else given
                self._names[-1][item.name] = EnumConstant(value)
        return INT

    # Constants

    def constant(self, node: c_ast.Node) -> int | None:
        """The value of an integer constant expression; `None` for other expressions."""
        match node:
            case c_ast.Constant():
                try:
                    return integer_constant(node)[0]
                except NotModelledError:
                    return None
            case c_ast.ID():
                meaning = self.meaning(node.name)
                return meaning.value if isinstance(meaning, _HAVE_VALUES) else None
            case c_ast.UnaryOp(op="sizeof"):
                return self.size_of(node.expr)
            case c_ast.BinaryOp() if (count := self.element_count(node)) is not None:
                return count
            case c_ast.UnaryOp(op="-" | "+" | "~", expr=inner):
                value = self.constant(inner)
                if value is None:
                    return None
                return {"-": -value, "+": value, "~": ~value}[node.op]
            case c_ast.Cast(expr=inner):
                type = self.type_of(node.to_type)
                is_wide = isinstance(type, Arithmetic) and not type.is_float and type.width >= 32
                return self.constant(inner) if is_wide else None
            case c_ast.BinaryOp():
                left, right = self.constant(node.left), self.constant(node.right)
                return None if left is None or right is None else _fold(node.op, left, right)
            case _:
                return None

    def size_of(
        self, node: c_ast.Node, type_of_name: Callable[[str], CType | None] | None = None
    ) -> int | None:
        """The size in bytes of a type or an object, as far as it does not depend on alignment."""
        type = self._sized_type(node, type_of_name)
        return None if type is None else size_of_type(type)

    def element_count(
        self, node: c_ast.BinaryOp, type_of_name: Callable[[str], CType | None] | None = None
    ) -> int | None:
        """The number of elements of the array in `sizeof array / sizeof element`."""
        match node:
            case c_ast.BinaryOp(
                op="/",
                left=c_ast.UnaryOp(op="sizeof", expr=whole),
                right=c_ast.UnaryOp(op="sizeof", expr=part),
            ):
                type = self._sized_type(whole, type_of_name)
                element = self._sized_type(part, type_of_name)
            case _:
                return None
        count = 1
        while type is not element and isinstance(type, CArrayType):
            if type.extent is None:
                return None
            count *= type.extent
            type = type.element
        return count if type is not None and type is element else None

    def _sized_type(
        self, node: c_ast.Node, type_of_name: Callable[[str], CType | None] | None
    ) -> CType | None:
        match node:
            case c_ast.Typename():
                return self.type_of(node)
            case c_ast.ID() | c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
                return self.type_of_lvalue(node, type_of_name or self.type_of_variable)
            case _:
                return None


def designator_of(item: c_ast.NamedInitializer) -> c_ast.Node:
    """The member, or the subscript, with which a part of an initialiser begins."""
    return getattr(item.name[0], "expr", item.name[0])


def parameters_of(function: c_ast.FuncDef) -> tuple[c_ast.Decl | c_ast.Typename, ...]:
    """The declarations of a function's parameters."""
    arguments = function.decl.type.args
    declared = arguments.params if arguments is not None else ()
    return tuple(item for item in declared if isinstance(item, c_ast.Decl | c_ast.Typename))


def holds(type: CType, value: int) -> bool:
    """Whether a type is an integer type that has a value."""
    if not isinstance(type, Arithmetic) or type.is_float or type.is_bool:
        return False
    least = -(1 << (type.width - 1)) if type.is_signed else 0
    return least <= value < least + (1 << type.width)


def size_of_type(type: CType) -> int | None:
    """The size in bytes, as far as it does not depend on alignment."""
    match type:
        case Arithmetic(width=width):
            return max(1, width // 8)
        case Pointer():
            return ULONG.width // 8
        case CArrayType(element=element, extent=extent):
            size = size_of_type(element)
            return None if size is None or extent is None else size * extent
        case _:
            return None


def _fold(operator: str, left: int, right: int) -> int | None:
    if operator in ("/", "%"):
        if right == 0:
            return None
        quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        return quotient if operator == "/" else left - quotient * right
    if operator in ("<<", ">>"):
        if not 0 <= right < 63:
            return None
        return left << right if operator == "<<" else left >> right
    operations: Mapping[str, int] = {"+": left + right, "-": left - right, "*": left * right}
    return operations.get(operator)


def integer_constant(node: c_ast.Constant) -> tuple[int, str]:
    """The value of an integer or character constant, and its suffix in lower case."""
    text = node.value.lower()
    if node.type == "char":
        return _character(node), ""
    digits = text.rstrip("ul")
    suffix = text[len(digits) :]
    try:
        if digits.startswith("0") and digits[1:].isdigit():
            return int(digits, 8), suffix
        return int(digits, 0), suffix
    except ValueError:
        raise refuse(node, f"the constant {node.value}") from None


_ESCAPES: Mapping[str, int] = {
    "\\n": 10,
    "\\t": 9,
    "\\0": 0,
    "\\\\": 92,
    "\\'": 39,
    '\\"': 34,
    "\\r": 13,
}


def _character(node: c_ast.Constant) -> int:
    inner = node.value[1:-1]
    if len(inner) == 1 and ord(inner) < 128:
        return ord(inner)
    if inner in _ESCAPES:
        return _ESCAPES[inner]
    raise refuse(node, f"the character constant {node.value}")
