"""The source text: positions of nodes, and diagnostics that show them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn, TypeAlias

from lark import Token, Tree
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, StringAttr
from xdsl.utils.exceptions import DiagnosticException

from polyir.base.diagnostics import InputSyntaxError, SourceLocation

Branch: TypeAlias = Tree[Token] | Token
"""A node of the syntax tree; a part that is not there is `None`."""


def tree(branch: Branch) -> Tree[Token]:
    """`branch`, which is an inner node according to the grammar."""
    assert isinstance(branch, Tree)
    return branch


def token(branch: Branch) -> Token:
    """`branch`, which is a leaf according to the grammar."""
    assert isinstance(branch, Token)
    return branch


def first_token(branch: Branch | None) -> Token | None:
    """The first token below `branch`; `None` for an empty node."""
    pending = [branch]
    while pending:
        node = pending.pop()
        if isinstance(node, Token):
            return node
        if node is not None:
            pending.extend(reversed(node.children))
    return None


class SourceText:
    """A text with a name, its first line at `line_offset + 1` of the file of that name."""

    def __init__(self, text: str, filename: str, line_offset: int) -> None:
        self.text = text
        self.filename = filename
        self.line_offset = line_offset
        self._filename_attribute = StringAttr(filename)

    def location(self, at: Token) -> FileLineColLoc:
        """The location of the first character of `at`."""
        return self.location_at(at.line or 1, at.column or 1)

    def location_at(self, line: int, column: int) -> FileLineColLoc:
        """The location of a line and a column of this text, from 1."""
        return FileLineColLoc(
            self._filename_attribute, IntAttr(line + self.line_offset), IntAttr(column)
        )

    def error(self, at: Branch | None, message: str) -> InputSyntaxError:
        """A diagnostic that points at the first character of `at`."""
        place = first_token(at)
        if place is None:
            return self.error_at(1, 1, message)
        return self.error_at(place.line or 1, place.column or 1, message)

    def error_at(self, line: int, column: int, message: str) -> InputSyntaxError:
        """A diagnostic that points at a line and a column of this text, from 1."""
        lines = self.text.split("\n")
        source_line = lines[line - 1].rstrip("\r") if line <= len(lines) else ""
        location = SourceLocation(self.filename, line + self.line_offset, column)
        return InputSyntaxError(message, location, source_line)

    def fail(self, at: Branch | None, message: str) -> NoReturn:
        """Raise `error(at, message)`."""
        raise self.error(at, message)

    @contextmanager
    def refusing(self, at: Branch | None) -> Iterator[None]:
        """Turn an error of an xDSL constructor into a diagnostic at `at`."""
        try:
            yield
        except InputSyntaxError:
            # A diagnostic of ours, from further inside: it knows its place better.
            raise
        except (DiagnosticException, ValueError, OverflowError) as error:
            raise self.error(at, one_line(error)) from error


def one_line(error: Exception) -> str:
    """The message of an exception of xDSL, as part of a diagnostic."""
    text = " ".join(str(error).split())
    return text[:1].lower() + text[1:].rstrip(".") if text else type(error).__name__
