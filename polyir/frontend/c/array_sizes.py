"""`#pragma polyir array(x: n + 1)`: how many elements a pointer of C leads to.

A pragma gives the first extents of an array, one or several, for the regions that follow in its
block. They are affine in variables that the region does not change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pycparser import c_ast
from pycparser.c_parser import CParser, ParseError
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DictionaryAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, SSAValue
from xdsl.ir.affine import AffineMap

from polyir.base.diagnostics import SourceLocation
from polyir.dialects.index_arrays import EXTENTS
from polyir.frontend.c.array_pragmas import array_pragma, is_array_pragma
from polyir.frontend.c.errors import NotModelledError, PragmaError
from polyir.frontend.c.expressions import Expressions
from polyir.frontend.c.names import has_effects, nodes_below
from polyir.frontend.c.places import SourceArgument, variable_of
from polyir.frontend.c.scopes import Meaning, Scopes
from polyir.model.index_expressions import IndexExpression, Numbering


@dataclass(frozen=True)
class StatedSizes:
    """The extents that a pragma gives one array.

    `meanings` are what the names of the array and in the extents mean where the pragma is.
    """

    sizes: tuple[c_ast.Node, ...]
    location: SourceLocation | None
    meanings: Mapping[str, Meaning | None]


def is_size_pragma(node: c_ast.Node | None) -> bool:
    """Whether a node is a pragma with the size of an array."""
    return is_array_pragma(node, "array")


def stated_sizes(node: c_ast.Pragma, scopes: Scopes) -> tuple[str, StatedSizes]:
    """The array that a pragma is about, and its extents.

    Raises `InputSyntaxError` for a pragma that makes no sense.
    """
    pragma = array_pragma(node, "array", "SIZE", scopes)
    sizes = tuple(_parsed(text, pragma.location) for text in pragma.text.split(","))
    nodes = (node for size in sizes for node in nodes_below(size))
    used = (node.name for node in nodes if isinstance(node, c_ast.ID))
    return pragma.array, StatedSizes(sizes, pragma.location, pragma.meanings(used, scopes))


def _parsed(text: str, location: SourceLocation | None) -> c_ast.Node:
    error = PragmaError(f"the size '{text.strip()}' is not an affine expression", location)
    try:
        declarations = CParser().parse(f"long size = ({text});").ext
    except ParseError:
        raise error from None
    if len(declarations) != 1 or declarations[0].init is None:
        raise error
    node: c_ast.Node = declarations[0].init
    if has_effects(node):
        raise error
    return node


Sizes = Mapping[SSAValue, tuple[IndexExpression, ...]]
"""The first extents of memrefs, in terms of arguments of their function."""


def sizes_of(
    described: Mapping[SSAValue, SourceArgument],
    stated: Mapping[str, StatedSizes],
    expressions: Expressions,
    scopes: Scopes,
) -> Sizes:
    """The extents that are stated of the arguments of a region's function.

    May add variables to the arguments, `described`. Raises `InputSyntaxError` for sizes that are
    not affine in variables which the region does not change.
    """
    found: dict[SSAValue, tuple[IndexExpression, ...]] = {}
    for argument, source in tuple(described.items()):
        mine = stated.get(variable_of(source) or "")
        if mine is not None and scopes.means(mine.meanings):
            found[argument] = tuple(
                _extent(size, mine, described, expressions) for size in mine.sizes
            )
    return found


def _extent(
    size: c_ast.Node,
    stated: StatedSizes,
    described: Mapping[SSAValue, SourceArgument],
    expressions: Expressions,
) -> IndexExpression:
    try:
        found = expressions.index(size)
    except NotModelledError as error:
        raise PragmaError(f"the size of an array: {error.message}", stated.location) from None
    if any(value not in described for value in found.values()):
        message = "the size of an array is not affine in variables that the region does not change"
        raise PragmaError(message, stated.location)
    return found


def attach_sizes(function: FuncOp, sizes: Sizes) -> None:
    """Give the arguments of the function of a region what pragmas say of their sizes."""
    if not sizes:
        return
    arguments = function.body.block.args
    numbering = Numbering(tuple(arguments), ())
    known = function.arg_attrs
    attributes = [{} for _ in arguments] if known is None else [dict(a.data) for a in known.data]
    for argument, extents in sizes.items():
        assert isinstance(argument, BlockArgument)
        results = tuple(map(numbering.expression, extents))
        attributes[argument.index][EXTENTS] = AffineMapAttr(AffineMap(len(arguments), 0, results))
    function.arg_attrs = ArrayAttr(DictionaryAttr(each) for each in attributes)
