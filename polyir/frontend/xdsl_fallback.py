"""Texts with dialects beyond the grammar: read by xDSL's parser."""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnknownLoc
from xdsl.ir import Operation
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from polyir.diagnostics import InputSyntaxError
from polyir.frontend.source import SourceText, one_line


class LocatingParser(Parser):
    """xDSL's parser, with the location of its text on every operation without one.

    `places` has the position of every operation in the text.
    """

    def __init__(self, context: Context, source: SourceText) -> None:
        super().__init__(context, source.text, source.filename)
        self._source = source
        self.places: dict[Operation, tuple[int, int]] = {}

    def parse_operation(self) -> Operation:
        start = self._current_token.span.start
        operation = super().parse_operation()
        line, column = line_and_column(self._source.text, start)
        self.places[operation] = (line, column)
        if isinstance(operation.location, UnknownLoc):
            operation.location = self._source.location_at(line, column)
        return operation


def line_and_column(text: str, position: int) -> tuple[int, int]:
    """The line and the column, from 1, of a position from 0."""
    before = text[:position]
    return before.count("\n") + 1, position - before.rfind("\n")


def parse_with_xdsl(
    source: SourceText, context: Context
) -> tuple[ModuleOp, dict[Operation, tuple[int, int]]]:
    """The module that xDSL's parser reads, and the line and column of each of its operations.

    Raises `InputSyntaxError` for whatever that parser refuses.
    """
    parser = LocatingParser(context, source)
    try:
        return parser.parse_module(), parser.places
    except ParseError as error:
        raise _at(source, error.span.start, one_line(ValueError(error.msg))) from error
    except RecursionError:
        raise
    except Exception as error:
        # The parsers of xDSL's dialects build operations as they read, and constructors refuse
        # bad input with exceptions of every kind.
        raise _at(source, parser.pos, f"cannot read this: {one_line(error)}") from error


def _at(source: SourceText, position: int, message: str) -> InputSyntaxError:
    line, column = line_and_column(source.text, min(position, len(source.text.rstrip())))
    return source.error_at(line, column, message)
