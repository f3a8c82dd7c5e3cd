"""Texts with dialects that the grammar does not have: read by xDSL's parser and the grammar.

xDSL's parser reads the text, because it has the syntax of the other dialects. It calls the grammar
for each operation that the grammar has, because xDSL cannot read everything that MLIR prints for
these; operations with regions that xDSL cannot read at all are in xdsl_forms.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from lark import Token, Tree, UnexpectedInput
from xdsl.context import Context
from xdsl.dialects.builtin import LocationAttr, ModuleOp, UnknownLoc
from xdsl.ir import Attribute, AttributeInvT, Block, Operation, SSAValue, TypeAttribute
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Span

from polyir.base.diagnostics import InputSyntaxError, PolyirError
from polyir.frontend.attributes import AttributeReader
from polyir.frontend.dialect_text import VerbatimParser
from polyir.frontend.grammar import parse_prefix
from polyir.frontend.operation_reader import Handler, OperationReader
from polyir.frontend.scopes import ValueScopes
from polyir.frontend.source import SourceText, one_line
from polyir.frontend.syntax_errors import syntax_error
from polyir.frontend.vocabulary import OPERATION_TERMINALS
from polyir.frontend.xdsl_forms import FORMS

# The operations with regions can contain what the grammar does not know.
_TERMINALS_WITH_REGIONS = (
    "MODULE",
    "FUNC",
    "AFFINE_FOR",
    "AFFINE_IF",
    "AFFINE_PARALLEL",
    "SCF_FOR",
    "SCF_IF",
    "SCF_PARALLEL",
    "SCF_REDUCE",
)
_LOCATION_ALIAS = re.compile(r"^#loc\w*\s*=\s*loc\(", re.MULTILINE)
_SPACED_SHAPE = re.compile(r"(?:memref|tensor|vector)\s*<[^<>]*[0-9?*\]]\s+x")
_NAME = r"%[\w$.#-]+(?:\s*:\s*[0-9]+)?"
_RESULTS_AND_NAME = re.compile(rf"(?:{_NAME}(?:\s*,\s*{_NAME})*\s*=\s*)?([A-Za-z_][\w$.]*)")


class _ParserValues(ValueScopes):
    """The SSA names of an xDSL parser."""

    def __init__(self, source: SourceText, parser: Parser) -> None:
        super().__init__(source)
        self._parser = parser

    def define(self, place: Token, values: Sequence[SSAValue]) -> None:
        self._parser._register_ssa_definition(place.value[1:], tuple(values), self._span(place))

    def operand(self, place: Token, expected_type: Attribute) -> SSAValue:
        name, _, position = place.value.partition("#")
        span = self._span(place)
        operand = UnresolvedOperand(
            Span(span.start, span.start + len(name), span.input), int(position[:9] or 0)
        )
        return self._parser.resolve_operand(operand, expected_type)

    def _span(self, place: Token) -> Span[str]:
        start = place.start_pos or 0
        return Span(start, start + len(place), self._parser.lexer.input)


class _ParserAttributes(AttributeReader):
    """The aliases of an xDSL parser, including those of locations, which mlir-opt defines last."""

    def __init__(self, source: SourceText, parser: Parser) -> None:
        super().__init__(source, parser.ctx)
        self._parser = parser
        for match in _LOCATION_ALIAS.finditer(source.text):
            self.define_alias(parse_prefix(source.text, match.start(), "attribute_alias")[0])

    def alias(self, name: Token) -> Attribute:
        value = self._parser.attribute_aliases.get(name.value)
        return super().alias(name) if value is None else value


class MixedParser(VerbatimParser):
    """xDSL's parser with the syntax of the grammar, and with locations.

    `positions` has the line and column of every operation read, and `unfinished` the name and the
    position of those that are being read, innermost last.
    """

    def __init__(
        self, source: SourceText, context: Context, handlers: Mapping[str, Handler]
    ) -> None:
        super().__init__(context, source.text, source.filename)
        self.source = source
        self.positions: dict[Operation, tuple[int, int]] = {}
        self.unfinished: list[tuple[str, int]] = []
        self._first_uses: dict[str, int] = {}
        self._used_before: list[tuple[str, SSAValue]] = []
        self._reader = OperationReader(
            context, handlers, _ParserAttributes(source, self), _ParserValues(source, self)
        )

    def parse_operation(self) -> Operation:
        start = self._current_token.span.start
        match = _RESULTS_AND_NAME.match(self.source.text, start)
        name = match[1] if match is not None else ""
        place = start if match is None else match.start(1)
        self.unfinished.append((name, place))
        terminal = OPERATION_TERMINALS.get(name)
        if name in FORMS:
            operation = self._parse_form(name)
        elif terminal is not None and terminal not in _TERMINALS_WITH_REGIONS:
            operation = self._reader.operation(self.parse_by_grammar("operation"))
        else:
            operation = super().parse_operation()
        self.unfinished.pop()
        line, column = line_and_column(self.source.text, place)
        self.positions[operation] = (line, column)
        if isinstance(operation.location, UnknownLoc):
            operation.location = self.source.location_at(line, column)
        return operation

    def resolve_operand(
        self, operand: UnresolvedOperand, type: AttributeInvT
    ) -> SSAValue[AttributeInvT]:
        self._first_uses.setdefault(operand.operand_name, operand.span.start)
        return super().resolve_operand(operand, type)

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Span) -> None:
        if name in self.forward_ssa_references:
            self._used_before += ((name, value) for value in values)
        super()._register_ssa_definition(name, values, span)

    def undefined_value(self) -> tuple[str, int] | None:
        """The first value that is used but not defined where it is used, and its position.

        xDSL takes what a later region defines for the value that an earlier one uses.
        """
        for name in self.forward_ssa_references:
            return name, self._first_uses[name]
        for name, value in self._used_before:
            owner = value.owner
            region = owner.parent if isinstance(owner, Block) else owner.parent_region()
            if any(region is None or not region.is_ancestor(use.operation) for use in value.uses):
                return name, self._first_uses[name]
        return None

    def parse_optional_location(self) -> LocationAttr | None:
        if self._current_token.text != "loc":
            return None
        return self._reader.attributes.location(self.parse_by_grammar("location"))

    def parse_optional_attribute(self) -> Attribute | None:
        # Maps may be semi-affine, which xDSL does not read.
        kind = {"affine_map": "map", "affine_set": "set"}.get(self._current_token.text)
        if kind is not None:
            return self._reader.attributes.attribute(self.parse_by_grammar(kind))
        return super().parse_optional_attribute()

    def parse_optional_type(self) -> TypeAttribute | None:
        # xDSL does not read white space between the dimensions of a type.
        if _SPACED_SHAPE.match(self.source.text, self._current_token.span.start) is None:
            return super().parse_optional_type()
        type = self._reader.type(self.parse_by_grammar("plain_type"))
        assert isinstance(type, TypeAttribute)
        return type

    def parse_optional_argument(  # type: ignore[override]
        self, expect_type: bool = True
    ) -> Parser.UnresolvedArgument | Parser.Argument | None:
        argument = super().parse_optional_argument(expect_type)
        # Where MLIR prints locations, it prints them after the names of loop variables too.
        location = None if argument is None else self.parse_optional_location()
        if isinstance(argument, Parser.Argument) and location is not None:
            argument.location = location
        return argument

    def parse_by_grammar(self, start: str) -> Tree[Token]:
        """The syntax tree of a `start` of the grammar, which begins at the current token."""
        try:
            branch, end = parse_prefix(self.source.text, self._current_token.span.start, start)
        except UnexpectedInput as error:
            raise syntax_error(self.source, error) from error
        self._resume_from(end)
        return branch

    @property
    def reader(self) -> OperationReader:
        """The reader of the trees of the grammar, with the names known to this parser."""
        return self._reader

    def _parse_form(self, name: str) -> Operation:
        """An operation whose syntax is in xdsl_forms.py, with its results and location."""
        results = self._parse_op_result_list()
        self.parse_keyword(name)
        operation = FORMS[name](self)
        location = self.parse_optional_location()
        if location is not None:
            operation.location = location
        if results and sum(count for _, count in results) != len(operation.results):
            self.raise_error(f"'{name}' has {len(operation.results)} results", results[0][0])
        position = 0
        for span, count in results:
            self._register_ssa_definition(
                span.text[1:], operation.results[position : position + count], span
            )
            position += count
        return operation


def line_and_column(text: str, position: int) -> tuple[int, int]:
    """The line and the column, from 1, of a position from 0."""
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)


def parse_with_xdsl(
    source: SourceText, context: Context, handlers: Mapping[str, Handler]
) -> tuple[ModuleOp, dict[Operation, tuple[int, int]]]:
    """The module that xDSL's parser reads, and the line and column of each of its operations.

    Raises `InputSyntaxError` if that parser refuses the text.
    """
    try:
        parser = MixedParser(source, context, handlers)
    except UnexpectedInput as error:
        raise syntax_error(source, error) from error
    try:
        module = parser.parse_module()
        if (undefined := parser.undefined_value()) is not None:
            raise _undefined(source, *undefined)
        return module, parser.positions
    except ParseError as error:
        undefined = parser.undefined_value()
        if undefined is not None and error.msg.startswith("values used but not defined"):
            raise _undefined(source, *undefined) from error
        message = one_line(ValueError(error.msg))
        if message.endswith("does not have a custom format"):
            written = source.text[: error.span.start].split()
            operation = f"'{written[-1]}'" if written else "this operation"
            message = f"the syntax of {operation} is not known here: write the generic form"
        raise _at(source, error.span.start, message) from error
    except (PolyirError, RecursionError):
        raise
    except Exception as error:
        # The parsers of xDSL's dialects build operations as they read, and constructors refuse
        # bad input with exceptions of every kind.
        name, position = parser.unfinished[-1] if parser.unfinished else ("", parser.pos)
        if isinstance(error, VerifyException) and name:
            raise _at(source, position, f"'{name}' op {one_line(error)}") from error
        raise _at(source, parser.pos, f"cannot parse this: {one_line(error)}") from error


def _undefined(source: SourceText, name: str, position: int) -> InputSyntaxError:
    return _at(source, position, f"use of the undefined value '%{name}'")


def _at(source: SourceText, position: int, message: str) -> InputSyntaxError:
    line, column = line_and_column(source.text, min(position, len(source.text.rstrip())))
    return source.error_at(line, column, message)
