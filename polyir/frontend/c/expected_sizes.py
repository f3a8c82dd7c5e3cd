"""`#pragma polyir size(n = 4000, g->m = 16)`: which sizes the regions that follow are to expect.

A pragma holds for the regions that follow in its block. Its names are spelled as in the region, and
have the value that they have where it begins. No result depends on what is expected.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NoReturn

from pycparser import c_ast
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from polyir.base.diagnostics import InputSyntaxError, SourceLocation
from polyir.dialects.expected_sizes import (
    LEAST,
    MOST,
    SIZE,
    SIZES,
    expect,
    extents_attribute,
    size_attribute,
)
from polyir.frontend.c.array_pragmas import rest_of_pragma
from polyir.frontend.c.errors import PragmaError, location_of_node
from polyir.frontend.c.places import SourceArgument, SourceArray, SourceScalar, variable_of
from polyir.frontend.c.scopes import DeclaredVariable, EnumConstant, Meaning, Scopes
from polyir.frontend.c.size_bounds import Bounds
from polyir.frontend.c.types import Arithmetic

_KEYWORD: Final = "size"
_ITEM: Final = re.compile(r"\s*(?P<name>[A-Za-z_*(][^=]*?)\s*=\s*(?P<size>[^=]*?)\s*")
_ROOT: Final = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class StatedSize:
    """The size that a pragma gives an integer, and what the first name in it means there."""

    name: str
    size: int
    location: SourceLocation | None
    meanings: Mapping[str, Meaning | None]


def is_expectation(node: c_ast.Node | None) -> bool:
    """Whether a node is a pragma with expected sizes."""
    return rest_of_pragma(node, _KEYWORD) is not None


def expectations_of(node: c_ast.Pragma, scopes: Scopes) -> dict[str, StatedSize]:
    """What a pragma says of integers, by their spelling.

    Raises `InputSyntaxError` for a pragma that makes no sense.
    """
    location = location_of_node(node)
    text = (rest_of_pragma(node, _KEYWORD) or "").strip()
    items = text[1:-1].split(",") if text.startswith("(") and text.endswith(")") else [""]
    found = [_stated(item, location, scopes) for item in items]
    return {each.name: each for each in found}


def _stated(text: str, location: SourceLocation | None, scopes: Scopes) -> StatedSize:
    def fail(message: str) -> NoReturn:
        raise PragmaError(message, location)

    item = _ITEM.fullmatch(text)
    root = None if item is None else _ROOT.search(item["name"])
    if item is None or root is None:
        fail("expected '#pragma polyir size(NAME = NUMBER, ...)'")
    meaning = scopes.meaning(root[0])
    if not isinstance(meaning, DeclaredVariable):
        fail(f"there is no variable '{root[0]}'")
    type = meaning.type
    if root[0] == item["name"] and not (isinstance(type, Arithmetic) and not type.is_float):
        fail(f"'{root[0]}' is not an integer")
    size = _number(item["size"], scopes)
    if size is None or size < 1:
        fail(f"the size of '{item['name']}' is not a positive integer: {item['size']}")
    return StatedSize(_spelling(item["name"]), size, location, {root[0]: meaning})


def _number(text: str, scopes: Scopes) -> int | None:
    if text.isdecimal():
        return int(text)
    meaning = scopes.meaning(text)
    return meaning.value if isinstance(meaning, DeclaredVariable | EnumConstant) else None


def _spelling(name: str) -> str:
    """A name as the region spells it."""
    return re.sub(r"\s", "", name)


def sized_arguments(arguments: Sequence[SourceArgument]) -> dict[str, int]:
    """The numbers of the arguments of a region's function that are integers, by their spelling."""
    return {
        argument.text: number
        for number, argument in enumerate(arguments)
        if isinstance(argument, SourceScalar) and not argument.type.is_float
    }


def attach_expected(
    function: FuncOp, arguments: Sequence[SourceArgument], sizes: Mapping[str, int]
) -> None:
    """Give arguments of the function of a region what is said of their sizes.

    Names that are none of its arguments do not count.
    """
    numbers = sized_arguments(arguments)
    known = {numbers[name]: size for name, size in sizes.items() if name in numbers}
    expect(function, {n: {SIZE: size_attribute(size)} for n, size in known.items()})


def attach_bounds(
    function: FuncOp, arguments: Sequence[SourceArgument], bounds: Bounds, scopes: Scopes
) -> None:
    """Give arguments of the function of a region what conditions before it say of their sizes.

    That a size is positive goes without saying.
    """
    numbers = sized_arguments(arguments)
    found: dict[int, dict[str, Attribute]] = {}
    for name, each in bounds.items():
        if name in numbers and scopes.meaning(each.root) is each.meaning:
            attributes = found.setdefault(numbers[name], {})
            if each.least is not None and each.least > 1:
                attributes[LEAST] = size_attribute(each.least)
            if each.most is not None and each.most > 0:
                attributes[MOST] = size_attribute(each.most)
    expect(function, {number: each for number, each in found.items() if each})


def attach_declared(
    function: FuncOp,
    arguments: Sequence[SourceArgument],
    definition: c_ast.FuncDef,
    scopes: Scopes,
) -> None:
    """Expect parameters that are declared as arrays to have as many rows as that says.

    For C, `double A[100][16]` is a pointer to rows, and 100 no promise.
    """
    parameters = definition.decl.type.args
    declared = {
        parameter.name: scopes.constant(parameter.type.dim)
        for parameter in (() if parameters is None else parameters.params)
        if isinstance(parameter, c_ast.Decl)
        and isinstance(parameter.type, c_ast.ArrayDecl)
        and parameter.type.dim is not None
    }
    found: dict[int, dict[str, Attribute]] = {}
    for number, argument in enumerate(arguments):
        rows = declared.get(variable_of(argument) or "")
        type = function.body.block.args[number].type
        if rows is not None and rows > 0 and isinstance(type, MemRefType):
            extents = type.get_shape()
            is_whole = isinstance(argument, SourceArray) and not argument.strides
            if is_whole and extents and extents[0] == DYNAMIC_INDEX:
                found[number] = {SIZES: extents_attribute((rows, *(None for _ in extents[1:])))}
    expect(function, found)


class PragmaUses:
    """Which sizes of pragmas were in force in some region, and which of them it has."""

    def __init__(self) -> None:
        self._in_force: dict[tuple[str, SourceLocation | None], None] = {}
        self._used: set[tuple[str, SourceLocation | None]] = set()

    def attach(
        self,
        function: FuncOp,
        arguments: Sequence[SourceArgument],
        stated: Mapping[str, StatedSize],
        scopes: Scopes,
    ) -> None:
        """As `attach_expected`, for what pragmas say before a region, where names mean `scopes`."""
        names = sized_arguments(arguments)
        valid = [each for each in stated.values() if scopes.means(each.meanings)]
        for each in valid:
            self._in_force[each.name, each.location] = None
            if each.name in names:
                self._used.add((each.name, each.location))
        attach_expected(function, arguments, {each.name: each.size for each in valid})

    def unused(self) -> list[InputSyntaxError]:
        """What is said of the size of something that no region has as a parameter."""
        return [
            PragmaError(f"'{name}' is not a parameter of the loops that follow", location)
            for name, location in self._in_force
            if (name, location) not in self._used
        ]
