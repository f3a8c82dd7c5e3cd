"""The source text: its syntax tree, places in it, and diagnostics that show them."""

from __future__ import annotations

import re
from functools import cache
from types import MappingProxyType
from typing import NoReturn, TypeAlias

from lark import Lark, Token, Tree, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from polyir.base.diagnostics import InputSyntaxError, PolyirError, SourceLocation
from polyir.frontend.parser_tables import parser_with_tables

Branch: TypeAlias = Tree[Token] | Token
"""A node of the syntax tree; an optional part that is not there is `None`."""

_COMMENT_OR_QUOTED = re.compile(r"//[^\n]*|/\*.*?\*/|'[^'\s]+'", re.DOTALL)

_UNSUPPORTED = MappingProxyType(
    {
        "fuzzy": "indirect accesses (fuzzy variables) are not supported",
        "[[": "indirect accesses ([[...]]) are not supported",
        "argreduce": "argreduce is not supported",
        "while": "systems that are repeated until a condition holds (while) are not supported",
    }
)
"""Parts of the language of AlphaZ that begin with a word of their own."""

_DESCRIPTIONS = MappingProxyType(
    {
        "ID": "a name",
        "INT": "a number",
        "FLOAT": "a number",
        "BOOLEAN": "'true' or 'false'",
        "SET": "a set",
        "RELATION": "a relation",
        "POLYNOMIAL": "a polynomial in braces",
        "BRACKETS": "'['",
        "WILDCARD": "'.*'",
        "ARROW": "'->'",
        "SET_FUNCTION": "an operator on sets",
        "SET_OPERATOR": "an operator on sets",
        "OPERATOR_WORD": "an operator",
        "ORDER": "an operator",
        "EQUAL": "'='",
        "AND": "an operator",
        "OR": "an operator",
        "XOR": "an operator",
        "NOT": "'not'",
        "MIN": "an operator",
        "MAX": "an operator",
        "PLUS": "an operator",
        "MINUS": "an operator",
        "STAR": "an operator",
        "SLASH": "an operator",
        "AT": "'@'",
        "$END": "the end of the file",
    }
)
"""Terminals in the user's words; those of one character and keywords stand for themselves."""

_MAXIMUM_ALTERNATIVES = 6


class Source:
    """A text of a file of that name."""

    def __init__(self, text: str, filename: str) -> None:
        self.text = text
        self.filename = filename
        self._lines = text.split("\n")

    def tree(self) -> Tree[Token]:
        """The syntax tree. Raises `InputSyntaxError` if the text is not in the grammar."""
        plain = _COMMENT_OR_QUOTED.sub(_blanked, self.text)
        try:
            tree = _parser().parse(plain)
        except UnexpectedInput as error:
            raise self._syntax_error(plain, error) from None
        assert isinstance(tree, Tree)
        return tree

    def location(self, at: Branch, offset: int = 0) -> SourceLocation:
        """Where a part begins, or the character `offset` places after that."""
        start = at.start_pos if isinstance(at, Token) else getattr(at.meta, "start_pos", 0)
        return self._location_at((start or 0) + offset)

    def slice(self, at: Branch) -> str:
        """The text of a part, comments included."""
        place = at if isinstance(at, Token) else at.meta
        return self.text[place.start_pos : place.end_pos]

    def fail(self, at: Branch, message: str, offset: int = 0) -> NoReturn:
        """Raise a diagnostic at a part, or at a character of it."""
        raise self.shown(InputSyntaxError(message, self.location(at, offset)))

    def shown(self, error: PolyirError) -> PolyirError:
        """A diagnostic with the line of this text that it is about."""
        if error.location is not None and error.source_line is None:
            error.source_line = self._lines[error.location.line - 1].rstrip("\r")
        return error

    def _location_at(self, position: int) -> SourceLocation:
        before = self.text[:position]
        line = before.count("\n")
        return SourceLocation(self.filename, line + 1, position - (before.rfind("\n") + 1) + 1)

    def _syntax_error(self, plain: str, error: UnexpectedInput) -> PolyirError:
        position = error.pos_in_stream
        if isinstance(error, UnexpectedToken):
            position = error.token.start_pos
        found = plain[position:] if position is not None else ""
        if not found.strip() or (isinstance(error, UnexpectedToken) and error.token.type == "$END"):
            position, found = len(plain.rstrip()), ""
        assert position is not None
        word = re.match(r"\[\[|\w+|.", found, re.DOTALL)
        if word is None:
            message = f"unexpected end of the file, expected {_alternatives(error)}"
        elif word[0] in _UNSUPPORTED:
            message = _UNSUPPORTED[word[0]]
        elif re.match(r"over\b[^;]*?\bwhile\b", found):
            message = _UNSUPPORTED["while"]
        elif re.match(r"[A-Za-z_]", word[0]) and "a name" in _alternatives(error).split(" or "):
            message = f"'{word[0]}' is a keyword; as a name, it is written '^{word[0]}'"
        elif word[0] in "{[":
            message = f"this '{word[0]}' begins nothing that can stand here, or is not closed"
        else:
            message = f"unexpected '{word[0]}', expected {_alternatives(error)}"
        return self.shown(InputSyntaxError(message, self._location_at(position)))


def tree(branch: object) -> Tree[Token]:
    """`branch`, which is an inner node according to the grammar."""
    assert isinstance(branch, Tree)
    return branch


def token(branch: object) -> Token:
    """`branch`, which is a leaf according to the grammar."""
    assert isinstance(branch, Token)
    return branch


def children(branch: Branch, *kinds: str) -> list[Tree[Token]]:
    """The inner nodes below `branch` of some kinds, or all, in order."""
    below = [each for each in tree(branch).children if isinstance(each, Tree)]
    return [each for each in below if not kinds or each.data in kinds]


def name_tokens(branch: Branch) -> list[Token]:
    """The names that are leaves of `branch`, in order."""
    leaves = [each for each in tree(branch).children if isinstance(each, Token)]
    return [each for each in leaves if each.type == "ID"]


def spelled(name: str) -> str:
    """A name as it stands in a text: with `^` if it would be read as a keyword."""
    pattern = next(each.pattern.to_regexp() for each in _parser().terminals if each.name == "ID")
    return name if re.fullmatch(pattern, name) else f"^{name}"


def _blanked(match: re.Match[str]) -> str:
    """A comment as so many blanks, so that all places stay; quoted names as they are."""
    text = match[0]
    return text if text.startswith("'") else re.sub(r"[^\n]", " ", text)


@cache
def _parser() -> Lark:
    options = {"lexer": "contextual", "propagate_positions": True}
    return parser_with_tables("polyir.equations.text", "alpha.lark", options)


def _alternatives(error: UnexpectedInput) -> str:
    if isinstance(error, UnexpectedToken):
        expected = error.expected if error.accepts is None else error.accepts
    else:
        assert isinstance(error, UnexpectedCharacters)
        expected = error.allowed or set()
    terminals = {each.name: each.pattern.value for each in _parser().terminals}
    words = [_DESCRIPTIONS.get(each) or f"'{terminals.get(each, each)}'" for each in expected]
    alternatives = sorted({word.replace("\\", "") for word in words})
    if not alternatives:
        return "something else"
    if len(alternatives) > _MAXIMUM_ALTERNATIVES:
        alternatives = [*alternatives[:_MAXIMUM_ALTERNATIVES], "something else"]
    *most, last = alternatives
    return f"{', '.join(most)} or {last}" if most else last
