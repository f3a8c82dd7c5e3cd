"""Attributes kept as text, because versions of MLIR print them differently."""

from __future__ import annotations

import re

from xdsl.context import Context
from xdsl.dialects.builtin import UnregisteredAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import Parser
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.lexer import Input, Position
from xdsl.utils.mlir_lexer import MLIRLexer


@irdl_attr_definition(init=False)
class VerbatimAttr(UnregisteredAttr):
    """An attribute, as its original text."""


class _Lexer(MLIRLexer):
    """xDSL's lexer, but with linear time for a quotation mark without a second one.

    xDSL's expression has `+` inside `*`: it tries all ways to divide the rest of the line.
    """

    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*"')


class VerbatimParser(Parser):
    """xDSL's parser, but with data layouts, which no pass uses, kept as text.

    `cgeist` and MLIR up to version 19 write `#dlti.dl_spec<#dlti.dl_entry<...>>`, later ones, and
    xDSL, `#dlti.dl_spec<... = ...>`.
    """

    def __init__(self, ctx: Context, input: str, name: str = "<unknown>") -> None:
        super().__init__(ctx, "", name)
        self._parser_state = ParserState(_Lexer(Input(input, name)))

    def _parse_dialect_type_or_attribute_body(
        self, attr_name: str, is_type: bool, is_opaque: bool, starting_opaque_pos: Position | None
    ) -> Attribute:
        if is_type or not attr_name.startswith("dlti.") or self._current_token.text != "<":
            found: Attribute = super()._parse_dialect_type_or_attribute_body(
                attr_name, is_type, is_opaque, starting_opaque_pos
            )
            return found
        return VerbatimAttr(attr_name, is_type, is_opaque, self._parse_dialect_symbol_body())
