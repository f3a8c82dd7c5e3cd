"""Pragmas about one array, `#pragma polyir KEYWORD(ARRAY: TEXT)`.

They hold for the regions that follow in their block.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from pycparser import c_ast

from polyir.base.diagnostics import SourceLocation
from polyir.frontend.c.errors import PragmaError, location_of_node
from polyir.frontend.c.scopes import DeclaredVariable, Meaning, Scopes

_PRAGMA: Final = re.compile(r"\s*polyir\s+(?P<keyword>\w+)\b(?P<rest>.*)", re.DOTALL)
_REST: Final = re.compile(r"\s*\(\s*(?P<array>\w+)\s*:(?P<text>.*)\)\s*", re.DOTALL)


@dataclass(frozen=True)
class ArrayPragma:
    """What stands in a pragma about one array."""

    array: str
    text: str
    location: SourceLocation | None

    def meanings(self, names: Iterable[str], scopes: Scopes) -> Mapping[str, Meaning | None]:
        """What the array and the names that the text has mean where the pragma is."""
        return {each: scopes.meaning(each) for each in (self.array, *names)}


def is_array_pragma(node: c_ast.Node | None, keyword: str) -> bool:
    """Whether a node is a pragma of this kind."""
    return rest_of_pragma(node, keyword) is not None


def array_pragma(node: c_ast.Pragma, keyword: str, what: str, scopes: Scopes) -> ArrayPragma:
    """A pragma of this kind, whose text is `what`, as messages say.

    Raises `InputSyntaxError` if it has another form, or names no variable.
    """
    location = location_of_node(node)
    found = _REST.fullmatch(rest_of_pragma(node, keyword) or "")
    if found is None:
        raise PragmaError(f"expected '#pragma polyir {keyword}(ARRAY: {what}, ...)'", location)
    name = found["array"]
    if not isinstance(scopes.meaning(name), DeclaredVariable):
        raise PragmaError(f"there is no variable '{name}'", location)
    return ArrayPragma(name, found["text"], location)


def rest_of_pragma(node: c_ast.Node | None, keyword: str) -> str | None:
    """What follows the keyword of a pragma for polyir; `None` for other nodes."""
    if not isinstance(node, c_ast.Pragma):
        return None
    found = _PRAGMA.fullmatch(node.string or "")
    return found["rest"] if found is not None and found["keyword"] == keyword else None
