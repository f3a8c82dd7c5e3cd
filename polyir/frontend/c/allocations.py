"""Memory that a block allocates and frees as an array that the block declares.

    double *row = malloc(m * sizeof *row);          double row[m];
    ...                                       =>    ...
    free(row);

`calloc` also sets it to zero.
"""

from __future__ import annotations

from collections.abc import Sequence

from pycparser import c_ast

from polyir.frontend.c.names import identifiers_in
from polyir.frontend.c.rewriting import cast_to, counting_loop, rebuilt
from polyir.frontend.c.scopes import FunctionName, Scopes
from polyir.frontend.c.types import Arithmetic, CType, Pointer
from polyir.sets.names import unique_name


def without_allocations(items: Sequence[c_ast.Node], scopes: Scopes) -> list[c_ast.Node]:
    """The statements of a block, with arrays in place of such memory."""
    rest = [_inside(item, scopes) for item in items]
    found: list[c_ast.Node] = []
    while rest:
        item = rest.pop(0)
        array = _array(item, scopes)
        freed = None if array is None else _freed(item.name, rest)
        if array is None or freed is None:
            found.append(item)
            continue
        del rest[freed]
        found += array
    return found


def _inside(node: c_ast.Node, scopes: Scopes) -> c_ast.Node:
    """A statement, with such arrays in its blocks."""
    match node:
        case c_ast.Compound():
            return c_ast.Compound(without_allocations(node.block_items or (), scopes), node.coord)
        case c_ast.For() | c_ast.While() | c_ast.DoWhile() | c_ast.If():
            return rebuilt(node, lambda child: _inside(child, scopes))
        case _:
            return node


def _freed(name: str, statements: Sequence[c_ast.Node]) -> int | None:
    """Which statement frees a pointer, if the ones after it do not mention it."""
    for position in reversed(range(len(statements))):
        statement = statements[position]
        if name in identifiers_in(statement):
            match statement:
                case c_ast.FuncCall(
                    name=c_ast.ID(name="free"), args=c_ast.ExprList(exprs=[c_ast.ID()])
                ):
                    return position
                case _:
                    return None
    return None


def _array(node: c_ast.Node, scopes: Scopes) -> list[c_ast.Node] | None:
    """The declaration of an array for that of a pointer to new memory, and what sets it to zero."""
    if not isinstance(node, c_ast.Decl) or not isinstance(node.type, c_ast.PtrDecl):
        return None
    type, call = scopes.type_of(node.type), node.init
    while isinstance(call, c_ast.Cast):
        call = call.expr
    if not isinstance(type, Pointer) or not isinstance(type.target, Arithmetic) or node.storage:
        return None
    match call:
        case c_ast.FuncCall(
            name=c_ast.ID(name="malloc" | "calloc" as allocator),
            args=c_ast.ExprList(exprs=arguments),
        ) if _is_library(allocator, scopes):
            number = _number(arguments, node.name, type, scopes)
        case _:
            number = None
    if number is None:
        return None
    array = c_ast.ArrayDecl(node.type.type, number, [], node.coord)
    declaration = c_ast.Decl(node.name, [], [], [], [], array, None, None, node.coord)
    if allocator == "malloc":
        return [declaration]
    name = unique_name(f"{node.name}_i", {node.name, *identifiers_in(number)})
    counter = c_ast.ID(name, node.coord)
    element = c_ast.ArrayRef(c_ast.ID(node.name, node.coord), counter, node.coord)
    zero = c_ast.Assignment("=", element, c_ast.Constant("int", "0", node.coord), node.coord)
    end = cast_to("long", number, node.coord)
    return [declaration, counting_loop("long", counter, end, zero, node.coord)]


def _is_library(name: str, scopes: Scopes) -> bool:
    meaning = scopes.meaning(name)
    return isinstance(meaning, FunctionName) and meaning.definition is None


def _number(
    arguments: Sequence[c_ast.Node], name: str, type: Pointer, scopes: Scopes
) -> c_ast.Node | None:
    """How many elements there is memory for, given the arguments of `malloc` or `calloc`."""

    def type_of_name(other: str) -> CType | None:
        return type if other == name else scopes.type_of_variable(other)

    def is_size(node: c_ast.Node) -> bool:
        is_sizeof = isinstance(node, c_ast.UnaryOp) and node.op == "sizeof"
        wanted = max(1, type.target.width // 8) if isinstance(type.target, Arithmetic) else None
        return is_sizeof and scopes.size_of(node.expr, type_of_name) == wanted

    factors = list(arguments)
    if len(factors) == 1:
        (product,) = factors
        while isinstance(product, c_ast.Cast):
            product = product.expr
        if not isinstance(product, c_ast.BinaryOp) or product.op != "*":
            return None
        factors = [product.left, product.right]
    match [is_size(each) for each in factors]:
        case [False, True]:
            return factors[0]
        case [True, False]:
            return factors[1]
        case _:
            return None
