"""Attributes of dialects that xDSL's parser cannot read in all forms that MLIR has."""

from __future__ import annotations

import re

from xdsl.context import Context
from xdsl.dialects.builtin import AffineMapAttr, UnregisteredAttr
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
    xDSL, `#dlti.dl_spec<... = ...>`. The parameters of `#gpu.loop_dim_map` may be in any order.
    """

    def __init__(self, ctx: Context, input: str, name: str = "<unknown>") -> None:
        super().__init__(ctx, "", name)
        self._parser_state = ParserState(_Lexer(Input(input, name)))

    def _parse_dialect_type_or_attribute_body(
        self, attr_name: str, is_type: bool, is_opaque: bool, starting_opaque_pos: Position | None
    ) -> Attribute:
        has_body = not is_type and self._current_token.text == "<"
        if has_body and attr_name.startswith("dlti."):
            return VerbatimAttr(attr_name, is_type, is_opaque, self._parse_dialect_symbol_body())
        if has_body and attr_name == "gpu.loop_dim_map":
            return self._parse_loop_mapping()
        found: Attribute = super()._parse_dialect_type_or_attribute_body(
            attr_name, is_type, is_opaque, starting_opaque_pos
        )
        return found

    def _parse_loop_mapping(self) -> Attribute:
        """`<processor = thread_x, map = (d0) -> (d0), bound = (d0) -> (d0)>`, in any order."""
        from xdsl.dialects.gpu import LoopDimMapAttr, ProcessorAttr

        names = ("processor", "map", "bound")
        found: dict[str, Attribute] = {}
        with self.in_angle_brackets():
            while len(found) < len(names):
                if found:
                    self.parse_punctuation(",")
                position = self.pos
                name = self.parse_identifier()
                if name not in names or name in found:
                    missing = (f"'{each}'" for each in names if each not in found)
                    self.raise_error(f"expected {' or '.join(missing)}", position)
                self.parse_punctuation("=")
                if name == "processor":
                    found[name] = ProcessorAttr(ProcessorAttr.parse_parameter(self))
                else:
                    found[name] = AffineMapAttr(self.parse_affine_map())
        return LoopDimMapAttr.new([found[name] for name in names])
