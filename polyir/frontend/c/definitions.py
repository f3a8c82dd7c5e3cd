"""The functions that a C file defines, as somebody sees them who calls them with arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pycparser import c_ast
from pycparser.c_parser import CParser, ParseError

from polyir.frontend.c.errors import location_of_node
from polyir.frontend.c.parsing import declare_parameters
from polyir.frontend.c.preprocess import Declarations
from polyir.frontend.c.scopes import Scopes, parameters_of
from polyir.frontend.c.types import SCHAR, UCHAR, Arithmetic, CArrayType, Other, Pointer


@dataclass(frozen=True)
class CNumber:
    """A parameter that takes a number."""

    name: str
    type: Arithmetic


@dataclass(frozen=True)
class CArray:
    """A parameter that takes an array.

    `inner` are the extents of all dimensions but the first, in terms of parameters, as Python
    writes them; for `T *p` there are none. `is_written` if the function may write to it.
    """

    name: str
    element: Arithmetic
    inner: tuple[str, ...]
    is_written: bool
    is_restrict: bool


@dataclass(frozen=True)
class CDefinition:
    """A function that a file defines, or the reason why it cannot be called from elsewhere.

    `line` is the one with its name.
    """

    name: str
    line: int
    parameters: tuple[CNumber | CArray, ...]
    result: Arithmetic | None
    reason: str | None = None


class _UnknownError(Exception):
    """Why a function cannot be called."""


def definitions(text: str, path: str, macros: Sequence[str]) -> Iterator[CDefinition]:
    """The functions of the file `path`, whose preprocessed text is `text`, in order."""
    plain_char = UCHAR if "__CHAR_UNSIGNED__" in macros else SCHAR
    for whole, head in Declarations(text, path).definitions():
        tree = _parsed(whole) or _parsed(head)
        if tree is None:
            continue
        scopes = Scopes(plain_char)
        for item in tree.ext[:-1]:
            scopes.declare(item)
        yield _definition(tree.ext[-1], scopes)


def _parsed(text: str) -> c_ast.FileAST | None:
    try:
        tree = CParser().parse(f"typedef int __builtin_va_list;\n{text}")
    except ParseError:
        return None
    return tree if tree.ext and isinstance(tree.ext[-1], c_ast.FuncDef | c_ast.Decl) else None


def _definition(item: c_ast.FuncDef | c_ast.Decl, scopes: Scopes) -> CDefinition:
    body = None
    if isinstance(item, c_ast.FuncDef):
        declare_parameters(item)
        body = item.body
    else:
        item = c_ast.FuncDef(item, None, None)
    declared = item.decl
    place = location_of_node(declared)
    line = 0 if place is None else place.line
    if not isinstance(declared.type, c_ast.FuncDecl):
        reason = "its declaration is not understood"
        return CDefinition(str(declared.name), line, (), None, reason)
    name = str(declared.name)
    try:
        result = scopes.type_of(declared.type.type)
        if result != Other("void") and not isinstance(result, Arithmetic):
            raise _UnknownError("its result is neither a number nor void")
        names = [each.name for each in parameters_of(item)]
        given = declared.type.args.params if declared.type.args is not None else ()
        if any(not isinstance(each, c_ast.Decl | c_ast.Typename) for each in given):
            raise _UnknownError("it takes any number of arguments")
        parameters = tuple(
            _parameter(each, scopes, names, body)
            for each in parameters_of(item)
            if scopes.type_of(each.type) != Other("void")
        )
    except _UnknownError as error:
        return CDefinition(name, line, (), None, str(error))
    number = result if isinstance(result, Arithmetic) else None
    return CDefinition(name, line, parameters, number)


def _parameter(
    node: c_ast.Decl | c_ast.Typename,
    scopes: Scopes,
    names: Sequence[str],
    body: c_ast.Node | None,
) -> CNumber | CArray:
    name = node.name
    if name is None:
        raise _UnknownError("a parameter has no name")
    type = scopes.type_of(node.type)
    if isinstance(type, Arithmetic):
        return CNumber(name, type)
    is_restrict = isinstance(type, Pointer) and type.is_restrict
    if isinstance(node.type, c_ast.ArrayDecl):
        is_restrict = "restrict" in (node.type.dim_quals or ())
    inner: list[str] = []
    declarator = node.type
    element = type.target if isinstance(type, Pointer) else getattr(type, "element", None)
    depth = 1
    declarator = getattr(declarator, "type", None)
    while isinstance(element, CArrayType):
        if isinstance(declarator, c_ast.ArrayDecl):
            inner.append(_extent(name, declarator.dim, scopes, names))
            declarator = declarator.type
        elif element.extent is not None:
            # The array type has a name.
            inner.append(str(element.extent))
        else:
            raise _UnknownError(f"the shape of '{name}' is not understood")
        element = element.element
        depth += 1
    if not isinstance(element, Arithmetic):
        raise _UnknownError(f"'{name}' is neither a number nor an array of numbers")
    is_const = "const" in (getattr(declarator, "quals", None) or ())
    is_written = not is_const and (body is None or not _only_reads(body, name, depth))
    return CArray(name, element, tuple(inner), is_written, is_restrict)


def _extent(name: str, node: c_ast.Node | None, scopes: Scopes, names: Sequence[str]) -> str:
    """The extent of an array in terms of parameters."""
    value = None if node is None else scopes.constant(node)
    if value is not None:
        return str(value)
    match node:
        case c_ast.ID() if node.name in names:
            return str(node.name)
        case c_ast.BinaryOp(op="+" | "-" | "*"):
            sides = (_extent(name, each, scopes, names) for each in (node.left, node.right))
            return "(" + f" {node.op} ".join(sides) + ")"
        case _:
            raise _UnknownError(f"the shape of '{name}' is not understood")


def _only_reads(node: c_ast.Node, name: str, depth: int) -> bool:
    """Whether all uses of a pointer in a function read elements: `depth` subscripts lead to one."""
    match node:
        case c_ast.ID():
            return bool(node.name != name)
        case c_ast.ArrayRef() | c_ast.UnaryOp(op="*"):
            base, count = _base(node)
            if isinstance(base, c_ast.ID) and base.name == name:
                return count == depth and all(
                    _only_reads(each, name, depth) for each in _subscripts(node)
                )
        case c_ast.Assignment() if _leads_from(node.lvalue, name):
            return False
        case c_ast.UnaryOp(op="++" | "--" | "p++" | "p--" | "&") if _leads_from(node.expr, name):
            return False
        case _:
            pass
    return all(_only_reads(child, name, depth) for _, child in node.children())


def _base(node: c_ast.Node) -> tuple[c_ast.Node, int]:
    """What subscripts are of, and how many there are."""
    count = 0
    while isinstance(node, c_ast.ArrayRef) or (isinstance(node, c_ast.UnaryOp) and node.op == "*"):
        node, count = node.name if isinstance(node, c_ast.ArrayRef) else node.expr, count + 1
    return node, count


def _subscripts(node: c_ast.Node) -> Iterator[c_ast.Node]:
    while isinstance(node, c_ast.ArrayRef | c_ast.UnaryOp):
        if isinstance(node, c_ast.ArrayRef):
            yield node.subscript
            node = node.name
        else:
            node = node.expr


def _leads_from(lvalue: c_ast.Node, name: str) -> bool:
    """Whether an lvalue may lie in what a pointer leads to: it is one of its elements."""
    base, _ = _base(lvalue)
    if isinstance(base, c_ast.ID):
        return bool(base.name == name)
    # Members of structures, sums of pointers and casts: any pointer in them may lead there.
    return any(isinstance(each, c_ast.ID) and each.name == name for each in _below(base))


def _below(node: c_ast.Node) -> Iterator[c_ast.Node]:
    yield node
    for _, child in node.children():
        yield from _below(child)
