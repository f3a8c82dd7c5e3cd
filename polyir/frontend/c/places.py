"""Memory that a region accesses: lvalues of C as memrefs, and their spelling in the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from pycparser import c_ast
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, MemRefType
from xdsl.ir import SSAValue

from polyir.frontend.c.builder import Builder
from polyir.frontend.c.errors import refuse
from polyir.frontend.c.names import RegionNames, key_of
from polyir.frontend.c.reads import Reads
from polyir.frontend.c.scopes import DeclaredVariable, Scopes
from polyir.frontend.c.types import (
    Arithmetic,
    CArrayType,
    CType,
    Other,
    Pointer,
    Record,
)
from polyir.frontend.c.values import Value, bounds_of_type
from polyir.model.index_expressions import IndexExpression

SpellingPart = str | int
"""A piece of a spelling: text, or the number of a subscript that stands there in brackets."""

BETWEEN_ROWS: Final = ""
"""The text between two subscripts of which the first one is that of a pointer to a row."""


@dataclass(frozen=True)
class BaseObject:
    """Which object a place lies in: that of the variable `root`, or what a pointer leads to.

    `pointer` is the spelling of the last pointer that leads there; `None` for the variable itself.
    `node` is where the region first names it.
    """

    root: str
    pointer: str | None = None
    is_restrict: bool = False
    node: c_ast.Node | None = field(default=None, compare=False, repr=False)
    around_pointer: str | None = field(default=None, compare=False, repr=False)
    """What must be readable for the pointer to be; `None` if it is a variable, or in one."""

    @property
    def container(self) -> str | None:
        """What is readable where a part of the object is; `None` for a variable."""
        return None if self.pointer is None else f"*{self.pointer}"


@dataclass(frozen=True)
class SourceArray:
    """The spelling of a memref argument in the source: `A[0][1]` is `("A", 0, 1)`.

    `strides` is set for an array whose first dimension is accessed as several: the spelling of the
    factor of the subscript of each but the last. `offset` is what is added to them.
    """

    parts: tuple[SpellingPart, ...]
    element: Arithmetic
    origin: BaseObject
    strides: tuple[str, ...] = ()
    offset: str = ""

    @property
    def is_apart(self) -> bool:
        """Whether its elements are members of structures in an array: `p[i].x`."""
        return isinstance(self.parts[-1], str) and any(isinstance(each, int) for each in self.parts)

    @property
    def has_rows_apart(self) -> bool:
        """Whether each row is where a pointer leads: `double **A`."""
        return BETWEEN_ROWS in self.parts


@dataclass(frozen=True)
class SourceScalar:
    """The spelling and the type of a scalar that the region only reads."""

    text: str
    type: Arithmetic
    origin: BaseObject


@dataclass(frozen=True)
class SourcePointer:
    """The spelling of a pointer that the region only passes to functions."""

    text: str
    origin: BaseObject


SourceArgument = SourceArray | SourceScalar | SourcePointer


def variable_of(argument: SourceArgument) -> str | None:
    """The variable that an array is, or that leads to it; `None` for members of structures."""
    if not isinstance(argument, SourceArray) or isinstance(argument.parts[-1], str):
        return None
    name, *subscripts = argument.parts
    return str(name) if all(isinstance(each, int) for each in subscripts) else None


@dataclass(frozen=True)
class LValue:
    """An lvalue: its spelling, the subscripts in it, its type, the root's and members' names."""

    key: tuple[str, ...]
    parts: tuple[SpellingPart, ...]
    subscripts: tuple[c_ast.Node | None, ...]
    extents: tuple[int | None, ...]
    type: CType
    origin: BaseObject

    @property
    def is_pointer_table(self) -> bool:
        """Whether it is an element of an array with one dimension, as a pointer to a row is."""
        return len(self.subscripts) == 1 and self.parts[-1] == 0

    def container(self, texts: Sequence[str]) -> str | None:
        """What must be readable for this place to be, with the texts of its subscripts.

        `None` for variables, and `*p` for all of what the pointer leads to.
        """
        pairs = zip(texts, self.extents, strict=True)
        if not all(text.isdigit() and int(text) < (extent or 1) for text, extent in pairs):
            return self.text(texts)
        return self.origin.container

    def text(self, texts: Sequence[str]) -> str:
        """The spelling, with the texts of the subscripts."""
        return "".join(part if isinstance(part, str) else f"[{texts[part]}]" for part in self.parts)


@dataclass
class SourceArguments:
    """The arguments of a region's function, in the order in which the region needs them."""

    builder: Builder
    described: dict[SSAValue, SourceArgument] = field(default_factory=dict)
    reads: Reads = field(init=False)
    _arrays: dict[tuple[str, ...], SSAValue] = field(default_factory=dict)
    _scalars: dict[str, Value] = field(default_factory=dict)
    _pointers: dict[str, SSAValue] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.reads = Reads(self.builder)

    def array(self, place: LValue, type: Arithmetic) -> SSAValue:
        """The memref in which a place lies."""
        self._note(place.origin.around_pointer)
        if None not in place.extents:
            self._note(place.origin.container)
        memory = self._arrays.get(place.key)
        if memory is None:
            shape = [DYNAMIC_INDEX if n is None else n for n in place.extents]
            memory = self.builder.add_argument(MemRefType(type.ir, shape), "_".join(place.key))
            self._arrays[place.key] = memory
            self.described[memory] = SourceArray(place.parts, type, place.origin)
        return memory

    def scalar(self, place: LValue, type: Arithmetic, texts: Sequence[str] = ()) -> Value | None:
        """The value of a scalar that does not change in the region, with fixed subscripts.

        `None` if it must not be read before the region.
        """
        container = place.container(texts)
        if container is not None and not self.reads.may_precede(container):
            return None
        value = self._scalar(place, type, place.text(texts))
        if container is not None:
            (argument,) = [value.ssa] if value.index is None else value.index.values()
            assert argument is not None
            self.reads.containers[argument] = container
            self._note(place.origin.around_pointer)
            self._note(container)
            if None not in place.extents:
                self._note(place.origin.container)
        return value

    def _note(self, container: str | None) -> None:
        if container is not None:
            self.reads.note(container)

    def _scalar(self, place: LValue, type: Arithmetic, text: str) -> Value:
        known = self._scalars.get(text)
        if known is not None:
            return known
        is_index = not (type.is_float or type.is_bool)
        ir = IndexType() if is_index else type.ir
        argument = self.builder.add_argument(ir, "_".join(place.key))
        self.described[argument] = SourceScalar(text, type, place.origin)
        if is_index:
            expression = IndexExpression.of(argument)
            for bound in bounds_of_type(type, expression):
                self.builder.assume_everywhere(bound)
            value = Value(type, index=expression)
        else:
            value = Value(type, argument)
        self._scalars[text] = value
        return value

    def pointer(self, text: str, origin: BaseObject) -> SSAValue:
        """A pointer that does not change in the region."""
        # Few regions need the dialect.
        from xdsl.dialects.llvm import LLVMPointerType

        if text not in self._pointers:
            argument = self.builder.add_argument(LLVMPointerType(), f"{origin.root}_address")
            self.described[argument] = SourcePointer(text, origin)
            self._pointers[text] = argument
        return self._pointers[text]


class Places:
    """Resolves lvalues that are declared outside the region."""

    def __init__(self, scopes: Scopes, names: RegionNames) -> None:
        self._scopes = scopes
        self._names = names

    def resolve(self, node: c_ast.Node) -> LValue:
        """The place that an expression denotes; raises `NotModelledError`."""
        match node:
            case c_ast.ID():
                return self._variable(node)
            case c_ast.ArrayRef(name=base, subscript=subscript):
                return self._element(node, base, subscript)
            case c_ast.UnaryOp(op="*", expr=base):
                return self._element(node, base, None)
            case c_ast.StructRef():
                return self._member(node)
            case c_ast.Cast():
                raise refuse(node, "a cast of a pointer", name="pointer")
            case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--"):
                raise refuse(node, f"'{node.op.removeprefix('p')}' inside an expression")
            case _:
                raise refuse(node, f"an lvalue of the form {type(node).__name__}")

    def _variable(self, node: c_ast.ID) -> LValue:
        meaning = self._scopes.meaning(node.name)
        if not isinstance(meaning, DeclaredVariable):
            raise refuse(node, f"'{node.name}', which is not a variable", name="undeclared")
        if meaning.is_volatile:
            raise refuse(node, f"the volatile variable '{node.name}'", name="volatile-or-static")
        return LValue(
            (node.name,), (node.name,), (), (), meaning.type, BaseObject(node.name, node=node)
        )

    def _element(self, node: c_ast.Node, base: c_ast.Node, subscript: c_ast.Node | None) -> LValue:
        match base:
            case c_ast.BinaryOp(op="+", left=left, right=right) if self._is_pointer(left):
                return self._element(node, left, _sum(base, right, subscript, "+"))
            case c_ast.BinaryOp(op="+", left=left, right=right) if self._is_pointer(right):
                return self._element(node, right, _sum(base, left, subscript, "+"))
            case c_ast.BinaryOp(op="-", left=left, right=right) if self._is_pointer(left):
                offset = c_ast.UnaryOp("-", right, base.coord)
                return self._element(node, left, _sum(base, offset, subscript, "+"))
        place = self.resolve(base)
        match place.type:
            case CArrayType(element=element, extent=extent):
                pass
            case Pointer(target=element):
                extent = None
                if place.subscripts and not (
                    place.is_pointer_table and isinstance(element, Arithmetic)
                ):
                    raise refuse(
                        node,
                        f"'{place.key[-1]}', an array of pointers, which may overlap",
                        name="pointer",
                    )
                if place.key in self._names.assigned:
                    raise refuse(
                        node,
                        f"the pointer '{place.key[-1]}', which the region changes",
                        name="pointer",
                    )
            case _:
                raise refuse(
                    node, "a subscript of what is neither an array nor a pointer", name="pointer"
                )
        origin, parts = place.origin, place.parts
        if isinstance(place.type, Pointer) and place.subscripts:
            # Rows may be anywhere: a check says that they are apart.
            text = f"*{''.join(map(str, parts[:-1]))}"
            origin = BaseObject(origin.root, text, False, origin.node, origin.container)
            parts = (*parts, BETWEEN_ROWS)
        elif isinstance(place.type, Pointer):
            text = "".join(str(part) for part in place.parts)
            restricts = place.type.is_restrict
            origin = BaseObject(origin.root, text, restricts, origin.node, origin.container)
            if place.key not in self._names.indexed:
                parts = ("(*", *place.parts, ")")
                return LValue(place.key, parts, place.subscripts, place.extents, element, origin)
        number = len(place.subscripts)
        return LValue(
            place.key,
            (*parts, number),
            (*place.subscripts, subscript),
            (*place.extents, extent),
            element,
            origin,
        )

    def _member(self, node: c_ast.StructRef) -> LValue:
        if node.type == "->":
            base = self._element(node, node.name, None)
            parts = base.parts
            if parts and parts[0] == "(*" and parts[-1] == ")":
                parts = (*parts[1:-1], "->", node.field.name)
            else:
                parts = (*parts, ".", node.field.name)
        else:
            base = self.resolve(node.name)
            parts = (*base.parts, ".", node.field.name)
        if not isinstance(base.type, Record):
            name = base.type.name if isinstance(base.type, Other) else "what is not a structure"
            raise refuse(node, f"a member of {name}")
        member = base.type.members.get(node.field.name)
        if member is None:
            raise refuse(
                node, f"the member '{node.field.name}', which is not declared", name="undeclared"
            )
        key = (*base.key, node.field.name)
        subscripts, extents = base.subscripts, base.extents
        if subscripts and isinstance(member, Arithmetic):
            # Other members are between p[i].x and p[i + 1].x: they are not neighbours, as two rows
            # of one element are none.
            subscripts, extents = (*subscripts, None), (*extents, 1)
        return LValue(key, parts, subscripts, extents, member, base.origin)

    def _is_pointer(self, node: c_ast.Node) -> bool:
        if key_of(node) is None or isinstance(node, c_ast.Constant):
            return False
        match node:
            case c_ast.ID():
                meaning = self._scopes.meaning(node.name)
                return isinstance(meaning, DeclaredVariable) and isinstance(
                    meaning.type, CArrayType | Pointer
                )
            case c_ast.BinaryOp():
                return self._is_pointer(node.left) or self._is_pointer(node.right)
            case c_ast.ArrayRef() | c_ast.StructRef() | c_ast.UnaryOp(op="*"):
                return isinstance(self.resolve(node).type, CArrayType | Pointer)
            case _:
                return False


def _sum(node: c_ast.Node, left: c_ast.Node, right: c_ast.Node | None, operator: str) -> c_ast.Node:
    return left if right is None else c_ast.BinaryOp(operator, left, right, node.coord)
