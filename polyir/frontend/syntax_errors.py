"""Diagnostics for texts that are not in the grammar."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from lark import Token, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from polyir.base.diagnostics import InputSyntaxError, nearest
from polyir.frontend.source import SourceText
from polyir.frontend.vocabulary import OPERATION_TERMINALS

_OPERATION_TERMINALS = frozenset(OPERATION_TERMINALS.values())

# Terminals in the user's words, in the order in which a message lists them. Where one of two
# terminals with the same words is expected, the words are said once.
_DESCRIPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "VALUE": "an SSA value such as %x",
        "SYMBOL": "a symbol such as @name",
        "BLOCK_NAME": "a block label such as ^bb0",
        "SCALAR_TYPE": "a type",
        "MEMREF": "a type",
        "TYPE_ALIAS": "a type",
        "DIALECT_TYPE": "a type",
        "VECTOR": "a type",
        "TENSOR": "a type",
        "COMPLEX": "a type",
        "TUPLE": "a type",
        "DIMENSION": "a dimension such as 4x",
        "INTEGER": "an integer",
        "FLOAT": "a number",
        "STRING": "a string",
        "AFFINE_MAP": "an affine map",
        "AFFINE_SET": "an affine set",
        "HASH_NAME": "an attribute alias such as #map",
        "DENSE": "a dense constant",
        "EXTREMUM": "'min' or 'max'",
        "VISIBILITY": "'public', 'private' or 'nested'",
        "FLAGS_OF": "'fastmath' or 'overflow'",
        "CONSTANT_WORD": "'constant'",
        "BOOLEAN": "'true' or 'false'",
        "UNRANKED": "'*x'",
        "IDENTIFIER": "a name",
        "DIALECT_ATTRIBUTE": "an attribute",
        "SYMBOL_WORD": "'symbol'",
        "LPAR": "'('",
        "RPAR": "')'",
        "LSQB": "'['",
        "RSQB": "']'",
        "LBRACE": "'{'",
        "RBRACE": "'}'",
        "LESSTHAN": "'<'",
        "MORETHAN": "'>'",
        "COMMA": "','",
        "COLON": "':'",
        "EQUAL": "'='",
        "PLUS": "'+'",
        "MINUS": "'-'",
        "STAR": "'*'",
        "QMARK": "'?'",
        "__ANON_0": "'->'",
        "$END": "the end of the file",
    }
)
_WORDS = _OPERATION_TERMINALS | {
    "AFFINE_MAP",
    "AFFINE_SET",
    "MEMREF",
    "VECTOR",
    "TENSOR",
    "COMPLEX",
    "TUPLE",
    "DENSE",
    "ARRAY",
    "STRIDED",
    "FLOORDIV",
    "CEILDIV",
    "MOD",
}
"""The words that are names of attributes, too, but not names elsewhere."""

_MAXIMUM_ALTERNATIVES = 6


def unknown_operation(error: UnexpectedInput) -> Token | None:
    """The name of the operation that the grammar does not know, if `error` is about one.

    That is a name with a dialect, where the parser could have read the name of an operation.
    """
    if not isinstance(error, UnexpectedToken) or error.token.type != "IDENTIFIER":
        return None
    if _begins_operation(error) and "." in error.token.value:
        return Token.new_borrow_pos(error.token.type, error.token.value, error.token)
    return None


def unknown_operation_error(
    source: SourceText, name: Token, known_names: Iterable[str]
) -> InputSyntaxError:
    """The diagnostic for an unknown operation."""
    return source.error(name, f"unknown operation '{name}'{nearest(name.value, known_names)}")


def syntax_error(source: SourceText, error: UnexpectedInput) -> InputSyntaxError:
    """The diagnostic for a text that is not in the grammar."""
    line, column = error.line, error.column
    if isinstance(error, UnexpectedCharacters):
        return source.error_at(line, column, _about_character(source.text, error.pos_in_stream))
    assert isinstance(error, UnexpectedToken)
    if error.token.type == "$END":
        line, column = _end_of_text(source.text)
        return source.error_at(
            line, column, f"unexpected end of the file, expected {_alternatives(_expected(error))}"
        )
    if source.text.startswith("{-#", error.token.start_pos or 0):
        message = "dialect resources ({-# ... #-}) are not supported"
    elif _begins_operation(error):
        operations = (*OPERATION_TERMINALS, "func.func")
        hint = nearest(error.token.value, operations)
        message = f"unknown operation '{error.token}'{hint}"
    else:
        message = f"unexpected '{error.token}', expected {_alternatives(_expected(error))}"
    return source.error_at(line, column, message)


def _begins_operation(error: UnexpectedToken) -> bool:
    return error.token.type == "IDENTIFIER" and _expected(error) >= _OPERATION_TERMINALS


def _expected(error: UnexpectedToken) -> frozenset[str]:
    """The expected terminals; exact if the parser's state is available."""
    return frozenset(error.expected if error.accepts is None else error.accepts)


def _about_character(text: str, position: int | None) -> str:
    character = text[position or 0]
    if character == '"':
        return "this string is not terminated on its line"
    if character in "%@^#!":
        return f"expected a name after '{character}'"
    return f"unexpected character {character!r}"


def _end_of_text(text: str) -> tuple[int, int]:
    """The position after the last character that is not white space."""
    lines = text.rstrip().split("\n")
    return len(lines), len(lines[-1]) + 1


def _alternatives(terminals: Iterable[str]) -> str:
    """The expected alternatives, in words."""
    expected = frozenset(terminals)
    if expected >= _WORDS:
        # The name of an attribute, which any word can be.
        expected -= _WORDS
    words: dict[str, None] = {}
    remaining = [name for name in _DESCRIPTIONS if name in expected]
    if expected >= _OPERATION_TERMINALS:
        words["an operation"] = None
        remaining = [name for name in remaining if name not in ("STRING", "VALUE", "HASH_NAME")]
    if "IDENTIFIER" in expected:
        # Every keyword is a name too.
        named = ("EXTREMUM", "VISIBILITY", "FLAGS_OF", "CONSTANT_WORD", "BOOLEAN", "SYMBOL_WORD")
        remaining = [name for name in remaining if name not in named]
        if "VALUE" not in expected:
            remaining = [name for name in remaining if name != "SCALAR_TYPE"]
    for name in remaining:
        words[_DESCRIPTIONS[name]] = None
    described = _OPERATION_TERMINALS | _DESCRIPTIONS.keys()
    if "IDENTIFIER" not in expected:
        for name in sorted(expected - described):
            words[f"'{name.lower()}'"] = None
    chosen = list(words)
    if not chosen:
        return "something else"
    if len(chosen) > _MAXIMUM_ALTERNATIVES:
        chosen = [*chosen[:_MAXIMUM_ALTERNATIVES], "..."]
    if len(chosen) == 1:
        return chosen[0]
    return f"{', '.join(chosen[:-1])} or {chosen[-1]}".replace(" or ...", ", ...")
