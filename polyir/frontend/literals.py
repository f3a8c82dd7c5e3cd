"""Numbers and strings of the text, as Python values."""

from __future__ import annotations

import math
import struct

from lark import Token
from xdsl.dialects.builtin import AnyFloat
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import StringLiteral

from polyir.frontend.source import Branch, SourceText, token, tree

# More digits than any integer type of MLIR holds; Python refuses to read very long numbers.
_MAXIMUM_DIGITS = 4096


def magnitude(source: SourceText, literal: Token) -> int:
    """The value of an INTEGER token, decimal or hexadecimal."""
    if len(literal) > _MAXIMUM_DIGITS:
        source.fail(literal, "integer literal is too large")
    return int(literal, 16) if literal.startswith("0x") else int(literal)


def integer_literal(source: SourceText, branch: Branch) -> int:
    """The value of a node `integer_literal` or `negative_integer`, of any size."""
    node = tree(branch)
    value = magnitude(source, token(node.children[0]))
    return -value if node.data == "negative_integer" else value


def word(source: SourceText, branch: Branch) -> int:
    """The value of a node `integer_literal` or `negative_integer` that must fit into 64 bits."""
    value = integer_literal(source, branch)
    if not -(2**63) <= value < 2**63:
        source.fail(branch, "integer literal does not fit into 64 bits")
    return value


def floating(source: SourceText, branch: Branch, element_type: AnyFloat) -> float:
    """The value of a number as a float of `element_type`.

    A hexadecimal integer gives the bits of the value; a decimal integer is refused, as in MLIR.
    """
    node = tree(branch)
    literal = token(node.children[0])
    negative = node.data.startswith("negative")
    if literal.type == "FLOAT":
        return _representable(-float(literal) if negative else float(literal), element_type)
    if not literal.startswith("0x"):
        source.fail(branch, f"expected a floating-point literal such as {literal}.0")
    if negative:
        source.fail(branch, "a hexadecimal floating-point literal cannot be negated")
    bits = magnitude(source, literal)
    size = element_type.compile_time_size
    if bits >= 2 ** (8 * size):
        source.fail(branch, f"hexadecimal literal is too large for {element_type}")
    return next(element_type.iter_unpack(bits.to_bytes(size, "little")))


def _representable(value: float, element_type: AnyFloat) -> float:
    """`value`, or the infinity it rounds to where `element_type` has a smaller range."""
    try:
        element_type.pack((value,))
    except (OverflowError, struct.error):
        return math.copysign(math.inf, value)
    return value


def string(source: SourceText, literal: Token) -> str:
    """The text that a STRING token, or the quoted part of a SYMBOL token, stands for."""
    quoted = str(literal)
    if "\\" not in quoted:
        return quoted[1:-1]
    content = Input(quoted, source.filename)
    try:
        contents: str = StringLiteral(0, len(quoted), content).string_contents
    except (ParseError, UnicodeDecodeError) as error:
        message = error.msg if isinstance(error, ParseError) else "not valid UTF-8"
        raise source.error(literal, f"invalid string literal: {message}") from error
    return contents


def symbol(source: SourceText, literal: Token) -> str:
    """The name that a SYMBOL token stands for, without the `@`."""
    if literal.startswith('@"'):
        return string(source, Token.new_borrow_pos("STRING", literal[1:], literal))
    return str(literal[1:])
