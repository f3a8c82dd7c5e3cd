"""Attributes that are kept as they are written, because versions of MLIR write them differently."""

from __future__ import annotations

from xdsl.dialects.builtin import UnregisteredAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import Parser
from xdsl.utils.lexer import Position


@irdl_attr_definition(init=False)
class VerbatimAttr(UnregisteredAttr):
    """An attribute as the text that it was read from."""


class VerbatimParser(Parser):
    """xDSL's parser, but that data layouts, which no pass looks at, stay text.

    `cgeist` and MLIR up to version 19 write `#dlti.dl_spec<#dlti.dl_entry<...>>`, later ones, and
    xDSL, `#dlti.dl_spec<... = ...>`.
    """

    def _parse_dialect_type_or_attribute_body(
        self, attr_name: str, is_type: bool, is_opaque: bool, starting_opaque_pos: Position | None
    ) -> Attribute:
        if is_type or not attr_name.startswith("dlti.") or self._current_token.text != "<":
            found: Attribute = super()._parse_dialect_type_or_attribute_body(
                attr_name, is_type, is_opaque, starting_opaque_pos
            )
            return found
        return VerbatimAttr(attr_name, is_type, is_opaque, self._parse_dialect_symbol_body())
